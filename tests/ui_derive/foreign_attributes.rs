//! Attributes that other libraries combine with their components.

use ecs_core::prelude::*;

#[derive(Component)]
#[storage(DenseVecStorage)]
struct Name(u8);

#[derive(Component)]
#[relationship(relationship_target = Children)]
struct Parent(Entity);

#[system]
fn all(all: Query<(&Name, &Parent)>) {
    for _ in &all {}
}

fn main() {
    all(&World::new());
}

//~ #[storage(
//~ #[relationship(
