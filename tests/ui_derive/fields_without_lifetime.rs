//! Parameters without a lifetime in a struct: one error each, of the compiler, which suggests to add one.

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
