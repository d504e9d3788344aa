//! Joins of components.

use specs::{Builder, Entity, Join, World, WorldExt};

use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::sparse::{First, Second, Third, digest, first, other};

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let mut world = World::new();
    world.register::<First>();
    world.register::<Second>();
    world.register::<Third>();
    let ids = (0..entities).map(|number| world.create_entity().with(First(first(number))).build());
    let ids: Vec<Entity> = ids.collect();
    {
        let (mut seconds, mut thirds) = (world.write_storage(), world.write_storage());
        for (&id, number) in ids.iter().zip(0..entities).rev() {
            seconds.insert(id, Second(other(number))).expect("the entity is alive");
        }
        for (&id, number) in ids.iter().zip(0..) {
            thirds.insert(id, Third(other(number))).expect("the entity is alive");
        }
    }
    world
}

fn checksum(world: &mut World) -> u64 {
    let firsts = world.read_storage::<First>();
    digest((&firsts).join().map(|first| first.0))
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "join",
        move || world(entities),
        |world| {
            let (mut firsts, seconds) = (world.write_storage::<First>(), world.read_storage::<Second>());
            for (first, second) in (&mut firsts, &seconds).join() {
                first.0 += second.0;
            }
        },
        checksum,
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "join",
        move || world(entities),
        |world| {
            let (mut firsts, seconds) = (world.write_storage::<First>(), world.read_storage::<Second>());
            let thirds = world.read_storage::<Third>();
            for (first, second, third) in (&mut firsts, &seconds, &thirds).join() {
                first.0 += second.0;
                first.0 += third.0;
            }
        },
        checksum,
    );
}
