//! Attributes that other libraries have beside their components.

use ecs_core::prelude::*;

#[derive(Component, Default)]
struct Position(f32);

#[derive(Component)]
#[require(Position, Name = Name(3))]
struct Player;

#[derive(Component)]
#[storage(DenseVecStorage)]
struct Name(u8);

#[derive(Component)]
#[relationship(relationship_target = Children)]
struct Parent(Entity);

#[system]
fn all(players: Query<(&Player, &Name, &Parent)>) {
    for _ in &players {}
}

fn main() {
    all(&World::new());
}

//~ #[require(
//~ #[storage(
//~ #[relationship(
