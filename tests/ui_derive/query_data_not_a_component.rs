use ecs_core::prelude::*;

struct Position(f32);

#[derive(Component)]
struct Velocity(f32);

#[derive(QueryData)]
struct Seen<'a> {
    position: &'a Position,
}

#[derive(QueryData)]
struct Mover<'a> {
    position: Option<&'a mut Position>,
    velocity: &'a Velocity,
    seen: Seen<'a>,
}

fn main() {}

//~ position: &'a Position
//~ position: Option<&'a mut Position>
