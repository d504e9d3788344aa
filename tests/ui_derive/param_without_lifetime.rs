use ecs_core::prelude::*;

#[derive(SystemParam)]
struct Physics<'w> {
    time: Res<'w, u32>,
}

#[system]
fn fall(physics: Physics) {
    let _ = *physics.time;
}

fn main() {
    fall(&World::new());
}

//~ physics: Physics
