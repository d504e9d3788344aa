#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Dead;

#[system]
fn either(all: Query<&Position, Or<With<Position>, With<Dead>>>) {}

#[system]
fn in_a_tuple(all: Query<&Position, (With<Position>, Or<With<Dead>, Without<Dead>>)>) {}

#[system]
fn right(all: Query<&Position, Or<(With<Position>, With<Dead>)>>) {}

fn main() {}

//~ fn either(all: Query<&Position, Or<With<Position>, With<Dead>>>) {}
//~ fn in_a_tuple(all: Query<&Position, (With<Position>, Or<With<Dead>, Without<Dead>>)>) {}
