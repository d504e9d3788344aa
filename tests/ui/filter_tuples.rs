//! Filters with several arguments where they have one, and the other way round.

use ecs_core::prelude::*;
use ecs_core::query::Not;

#[derive(Component)]
struct A;

#[derive(Component)]
struct B;

#[system]
fn either(query: Query<&A, Or<With<A>, With<B>>>) {
    for _ in &query {}
}

#[system]
fn both(query: Query<Entity, With<(A, B)>>) {
    for _ in &query {}
}

#[system]
fn neither(query: Query<Entity, (With<A>, Or<(Without<A, B>, Changed<A>)>)>) {
    for _ in &query {}
}

#[system]
fn fine(query: Query<Entity, (With<A>, Or<(Without<A>, With<B>)>, Not<With<A>>)>) {
    for _ in &query {}
}

fn main() {
    let world = World::new();
    either(&world);
    both(&world);
    neither(&world);
    fine(&world);
}

//~ query: Query<&A, Or<With<A>, With<B>>>
//~ With<(A, B)>
//~ Without<A, B>
