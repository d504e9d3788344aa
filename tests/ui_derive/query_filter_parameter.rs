#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(QueryFilter)]
struct Filter<'w> {
    has: Comp<'w, Position>,
}

fn main() {}

//~ has: Comp<'w, Position>
