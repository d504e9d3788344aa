//! Data that only this module may write, for programs in other crates.

use ecs_core::prelude::*;

/// A component of this module.
#[derive(Component, Debug, PartialEq)]
#[component(written_by = "ecs_tests::owned")]
pub struct Momentum(pub f32);

/// Doubles each momentum.
#[system(for_each)]
pub fn double(momentum: &mut Momentum) {
    momentum.0 *= 2.0;
}

/// Gives a momentum to an entity.
#[system]
pub fn push(entity: Entity, mut commands: Commands<Momentum>) {
    commands.entity(entity).insert(Momentum(1.0));
}

/// A component that `contract!` of this crate gives to this module.
#[derive(Component, Debug, PartialEq)]
pub struct Kept(pub u8);

/// Adds one.
#[system(for_each, writes(Kept))]
pub fn count(kept: &mut Kept) {
    kept.0 += 1;
}
