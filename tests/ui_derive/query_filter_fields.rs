use ecs_core::prelude::*;

struct Position(f32);

#[derive(QueryFilter)]
struct Filter {
    has: With<Position>,
    data: f32,
}

fn main() {}

//~ has: With<Position>
//~ data: f32
