//! Joins of components.

use shipyard::{EntityId, IntoIter, View, ViewMut, World};

use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::sparse::{First, Second, Third, digest, first, other};

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let mut world = World::new();
    let ids = world.bulk_add_entity((0..entities).map(|number| (First(first(number)),)));
    let ids: Vec<EntityId> = ids.collect();
    for (&id, number) in ids.iter().zip(0..entities).rev() {
        world.add_component(id, (Second(other(number)),));
    }
    for (&id, number) in ids.iter().zip(0..) {
        world.add_component(id, (Third(other(number)),));
    }
    world
}

fn checksum(world: &mut World) -> u64 {
    world.run(|firsts: View<First>| digest(firsts.iter().map(|first| first.0)))
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "for_each",
        move || world(entities),
        |world| {
            world.run(|mut firsts: ViewMut<First>, seconds: View<Second>| {
                let rows = (&mut firsts, &seconds).iter();
                rows.for_each(|(first, second)| first.0 += second.0);
            });
        },
        checksum,
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "for_each",
        move || world(entities),
        |world| {
            world.run(|mut firsts: ViewMut<First>, seconds: View<Second>, thirds: View<Third>| {
                let rows = (&mut firsts, &seconds, &thirds).iter();
                rows.for_each(|(first, second, third)| {
                    first.0 += second.0;
                    first.0 += third.0;
                });
            });
        },
        checksum,
    );
}
