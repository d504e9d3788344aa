//! Entities that are despawned and spawned in waves.

use bevy_ecs::entity::Entity;
use bevy_ecs::world::World;

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

fn world() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch((0..LIVING).map(waves::row)).collect();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    waves::digest(world.query::<(&Position, &Rotation, &Velocity)>().iter(world))
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Bevy,
        "despawn, spawn",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.despawn(victim), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.spawn(waves::row(number)).id()));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Bevy,
        "despawn, spawn_batch",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.despawn(victim), "the entity was alive");
            }
            born.extend(world.spawn_batch(numbers.map(waves::row)));
        },
        digest,
    );
}
