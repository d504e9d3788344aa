use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time;

#[system]
fn f(time: Res<Time>, pos: Position) {
    let _ = pos.0;
}

fn main() {}

//~ pos: Position
