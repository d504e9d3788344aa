#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Player;

#[system]
fn apart(a: Single<&mut Position, With<Player>>, b: Query<&mut Position, Without<Player>>) {}

#[system]
fn both(a: Single<&mut Position, With<Player>>, b: Query<&Position>) {}

#[system]
fn optional(a: Comp<Position>, b: Option<Single<&mut Position, With<Player>>>) {}

#[system]
fn itself(a: Single<(&mut Position, &Position)>) {}

#[system]
fn generic<T: Component>(a: Single<&mut T>, b: Single<&T>) {}

fn main() {}

//~ Single<&T>
//~ Query<&Position>
//~ Option<Single<&mut Position, With<Player>>>
//~ Single<(&mut Position, &Position)>
