//! Entities that are despawned and spawned in waves.

use sparsey::World;
use sparsey::entity::Entity;

use crate::components::{Position, Rotation, Velocity};
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::waves::{self, LIVING};

/// Makes a world without groups, because nothing is iterated here.
fn world() -> (World, Vec<Entity>) {
    let mut world = World::builder()
        .register::<Position>()
        .register::<Rotation>()
        .register::<Velocity>()
        .build();
    let ids = world.extend((0..LIVING).map(waves::row)).to_vec();
    (world, ids)
}

fn digest(world: &mut World) -> u64 {
    waves::digest(world.query_all::<(&Position, &Rotation, &Velocity)>().iter())
}

pub(super) fn one_by_one(workload: &mut Workload) {
    waves::add(
        workload,
        Sparsey,
        "destroy, create",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.destroy(victim), "the entity was alive");
            }
            born.extend(numbers.map(|number| world.create(waves::row(number))));
        },
        digest,
    );
}

pub(super) fn batch(workload: &mut Workload) {
    waves::add(
        workload,
        Sparsey,
        "destroy, extend",
        world,
        |world, victims, numbers, born| {
            for &victim in victims {
                assert!(world.destroy(victim), "the entity was alive");
            }
            born.extend(world.extend(numbers.map(waves::row)));
        },
        digest,
    );
}
