//! Entities that are despawned and spawned in waves, one by one, because gecs has no bulk calls.

use gecs::prelude::*;

use super::worlds::waves::*;
use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Gecs;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Gecs,
        "destroy, create",
        || -> (WavesWorld, Vec<Entity<Mover>>) {
            let mut world = WavesWorld::with_capacity(LIVING as usize);
            let ids = (0..LIVING).map(|number| world.create::<Mover>(waves::row(number)));
            let ids = ids.collect();
            (world, ids)
        },
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.destroy(victim).is_some(), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.create::<Mover>(waves::row(number))));
        },
        |world| {
            let movers = &world.mover;
            let (positions, rotations) = (movers.borrow_slice::<Position>(), movers.borrow_slice::<Rotation>());
            let velocities = movers.borrow_slice::<Velocity>();
            let rows = positions.iter().zip(rotations.iter()).zip(velocities.iter());
            waves::digest(rows.map(|((p, r), v)| (p, r, v)))
        },
    );
}

pub(super) fn batch(workload: &mut Workload) {
    one_by_one(workload);
}
