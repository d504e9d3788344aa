use ecs_core::prelude::*;

#[derive(Component, Default)]
struct Position(f32);

#[derive(Component)]
#[require(Position)]
struct Ship;

fn main() {}

//~ #[require(Position)]
