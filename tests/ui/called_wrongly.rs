use ecs_core::prelude::*;

#[derive(Resource)]
struct Time;

#[system]
fn tick(time: Res<Time>) {}

#[system]
fn setup(world: &mut World) {}

fn main() {
    let world = World::new();
    tick(&5_u8);
    tick(world);
    tick(1, &world);
    tick();
    setup(&world);
}

//~ &5_u8
//~ tick(world);
//~ tick(1, &world);
//~ tick();
//~ setup(&world);
