//! Entities that are despawned and spawned in waves.

use legion::query::IntoQuery;
use legion::{Entity, World};

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

fn world() -> (World, Vec<Entity>) {
    let mut world = World::default();
    let ids = world.extend((0..LIVING).map(waves::row)).to_vec();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    waves::digest(<(&Position, &Rotation, &Velocity)>::query().iter(world))
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Legion,
        "remove, push",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.remove(victim), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.push(waves::row(number))));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Legion,
        "remove, extend",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.remove(victim), "the entity was alive");
            }
            born.extend(world.extend(numbers.map(waves::row)));
        },
        digest,
    );
}
