//! Structural changes.

use gecs::prelude::*;

use super::worlds::rows::*;
use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::churn;

fn digest(world: &mut RowsWorld) -> u64 {
    let full = &world.full;
    let (transforms, positions) = (
        full.borrow_slice::<Transform>(),
        full.borrow_slice::<Position>(),
    );
    let (rotations, velocities) = (
        full.borrow_slice::<Rotation>(),
        full.borrow_slice::<Velocity>(),
    );
    let rows = transforms.iter().zip(positions.iter());
    let rows = rows.zip(rotations.iter().zip(velocities.iter()));
    digest_rows(rows.map(|((t, p), (r, v))| (t, p, r, v)))
}

/// Spawns one by one, because gecs has no bulk call, into a world of known capacity.
pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = RowsWorld::with_capacity(entities as usize);
        for number in 0..entities {
            world.create::<Full>(row(number));
        }
        world
    };
    workload.add_fresh(Gecs, "with_capacity, create", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = RowsWorld::default();
        for number in 0..entities {
            world.create::<Full>(row(number));
        }
        world
    };
    workload.add_fresh(Gecs, "create", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    workload.lacks(Gecs, "no deferred commands");
}

/// The reason why this peer has no insertions and removals.
const FIXED: &str = "entities keep their initial components";

pub(super) fn add_remove(workload: &mut Workload) {
    workload.lacks(Gecs, FIXED);
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    workload.lacks(Gecs, FIXED);
}

fn living(entities: u32) -> churn::State<RowsWorld, Entity<Full>> {
    let mut world = RowsWorld::with_capacity(entities as usize);
    let living = (0..entities).map(|number| world.create::<Full>(row(number)));
    let living = living.collect();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Gecs,
        "destroy, create",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.destroy(victim).is_some(), "the entity was alive");
                world.create::<Full>(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Gecs,
        "destroy, create",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.destroy(victim).is_some(), "the entity was alive");
                }
                births.map(|born| world.create::<Full>(born)).collect()
            });
        },
        |state| digest(&mut state.world),
    );
}
