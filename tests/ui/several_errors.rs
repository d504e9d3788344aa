use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time;

#[system(for_all)]
async unsafe fn movement(time: Res<Time>, pos: &mut Position, name: impl Into<String>) -> impl Sized {
    pos.0 += 1.0;
}

#[system]
fn setup(world: &mut World, time: Res<Time>) {}

#[system]
fn first(all: Comp<Position>) -> &Position {
    all.iter().next().unwrap()
}

fn main() {
    let world = World::new();
    first(&world);
}

//~ for_all
//~ async
//~ unsafe
//~ &mut Position
//~ impl Into<String>
//~ impl Sized
//~ fn setup(world: &mut World, time: Res<Time>) {}
//~ &Position
