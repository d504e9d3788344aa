use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[system]
fn by_value(all: Query<Position>) {}

#[system]
fn filter(all: Query<&Position, Position>) {}

#[system]
fn excluded(all: Query<(Entity, (&Position,)), Without<Position>>) {}

fn main() {}

//~ Query<Position>
//~ Query<&Position, Position>
//~ Without<Position>
