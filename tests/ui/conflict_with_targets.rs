#![allow(unused)]

use ecs_core::prelude::*;
use ecs_core::relation::{Related, Up};

#[derive(Relation)]
struct ChildOf;

#[derive(Component)]
struct Place(f32);

#[derive(Component)]
struct Root;

#[derive(Component)]
#[component(track)]
struct Health(f32);

#[system]
fn one_query(nodes: Query<(&mut Place, Up<ChildOf, &Place>)>) {}

#[system]
fn filtered_apart(
    nodes: Query<Up<ChildOf, &Place>, Without<Root>>,
    roots: Query<&mut Place, With<Root>>,
) {
}

#[system]
fn parents_second(
    roots: Query<&mut Place, Without<Root>>,
    nodes: Query<Up<ChildOf, &Place>, With<Root>>,
) {
}

#[system]
fn own_filter(nodes: Query<&mut Health, Related<ChildOf, Changed<Health>>>) {}

fn main() {}

//~ Query<(&mut Place, Up<ChildOf, &Place>)>
//~ Query<&mut Place, With<Root>>
//~ nodes: Query<Up<ChildOf, &Place>, With<Root>>
//~ Query<&mut Health, Related<ChildOf, Changed<Health>>>
