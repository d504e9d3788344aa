//! Parameters without a lifetime in a struct: one error each, from the compiler, which suggests adding one.

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(SystemParam)]
struct Physics {
    positions: Comp<Position>,
}

#[derive(SystemParam)]
struct Clock {
    time: Option<Res<u32>>,
}

fn main() {}

//~ positions: Comp<Position>
//~ time: Option<Res<u32>>
