//! Entities that are despawned and spawned in waves.

use shipyard::{EntityId, IntoIter, View, World};

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

type Views<'w> = (View<'w, Position>, View<'w, Rotation>, View<'w, Velocity>);

fn world() -> (World, Vec<EntityId>) {
    let mut world = World::new();
    let ids = world.bulk_add_entity((0..LIVING).map(waves::row)).collect();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    world.run(|(positions, rotations, velocities): Views| {
        waves::digest((&positions, &rotations, &velocities).iter())
    })
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Shipyard,
        "delete_entity, add_entity",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.delete_entity(victim), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.add_entity(waves::row(number))));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Shipyard,
        "delete_entity, bulk_add_entity",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.delete_entity(victim), "the entity was alive");
            }
            born.extend(world.bulk_add_entity(numbers.map(waves::row)));
        },
        digest,
    );
}
