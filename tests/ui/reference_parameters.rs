use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Resource)]
struct Time;

#[system]
fn late(time: Res<Time>, pos: &mut Position, old: &Position) {}

fn main() {}

//~ &mut Position
//~ &Position
