#![allow(unused)]

use ecs_core::prelude::*;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
struct Player;

#[derive(QueryFilter)]
struct Filter<'w> {
    has: Comp<'w, Position>,
}

#[derive(QueryFilter)]
struct NotPlayer<'a> {
    lacks: Without<Player>,
    player: &'a Player,
}

#[system]
fn kept_apart(a: Query<&mut Position, NotPlayer>, b: Query<&mut Position, With<Player>>) {}

#[system]
fn kept_apart_by_a_tuple(a: Query<&Position, (With<Position>, NotPlayer)>, b: Query<(&mut Position, &Player)>) {}

fn main() {}

//~ has: Comp<'w, Position>
//~ player: &'a Player
