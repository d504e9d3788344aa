//! Entities that are despawned and spawned in waves.

use ecs_core::prelude::*;

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..LIVING).map(waves::row)).to_vec();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    let (positions, rotations) = (world.view::<Position>(), world.view::<Rotation>());
    waves::digest((&positions, &rotations, &world.view::<Velocity>()).iter())
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Ours,
        "despawn, spawn",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                world.despawn(victim).expect("the entity was alive");
            }
            born.extend(numbers.map(|number| world.spawn(waves::row(number))));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Ours,
        "despawn_batch, spawn_batch",
        world,
        |world, victims, numbers, born| {
            world.despawn_batch(victims.iter().copied());
            born.extend(world.spawn_batch(numbers.map(waves::row)));
        },
        digest,
    );
}
