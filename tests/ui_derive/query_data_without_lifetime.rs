//! References without a lifetime in query data: one error each, from the compiler.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryData)]
struct Reads {
    position: &Position,
}

#[derive(QueryData)]
struct Writes {
    position: Option<&mut Position>,
    entity: Entity,
}

fn main() {}

//~ position: &Position
//~ Option<&mut Position>
