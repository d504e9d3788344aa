#![allow(unused)]

use ecs_core::meta;
use ecs_core::meta::may_conflict;
use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);

#[system]
fn movement(_positions: CompMut<Position>, _velocities: Comp<Velocity>) {}

#[system]
fn report(_positions: Comp<Position>) {}

#[system]
fn gravity(_velocities: CompMut<Velocity>) {}

const _: () = assert!(!may_conflict(&meta(&gravity), &meta(&report)));
const _: () = assert!(!may_conflict(&meta(&movement), &meta(&report)), "run at the same time");

fn main() {}

//~ assert!(!may_conflict(&meta(&movement), &meta(&report)), "run at the same time")
