use ecs_core::prelude::*;

fn main() {
    let mut world = World::new();
    world.register_system(|size| ());
}

//~ |size| ()
