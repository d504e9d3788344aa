//! Filters that cannot be negated.

use ecs_core::prelude::*;
use ecs_core::query::Not;

#[derive(Component)]
struct Position;

#[derive(QueryFilter)]
struct Here(With<Position>);

#[system]
fn derived(q: Query<Entity, Not<Here>>) {}

#[system]
fn data(q: Query<Entity, Not<Position>>) {}

#[system]
fn negated_twice(q: Query<Entity, Not<Not<(Without<Position>, Position)>>>) {
    for _ in &q {}
}

#[system]
fn alternatives(q: Query<Entity, Not<Or<(With<Position>, Here)>>>) {}

#[system]
fn untracked(q: Query<Entity, Not<Changed<Position>>>) {}

fn main() {}

//~ q: Query<Entity, Not<Here>>
//~ q: Query<Entity, Not<Position>>
//~ q: Query<Entity, Not<Not<(Without<Position>, Position)>>>
//~ q: Query<Entity, Not<Or<(With<Position>, Here)>>>
//~ q: Query<Entity, Not<Changed<Position>>>
