//! Joins of components without a group.

use sparsey::World;

use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::sparse::{First, Second, Third, digest, first, other};

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let mut world = World::builder()
        .register::<First>()
        .register::<Second>()
        .register::<Third>()
        .build();
    let ids = world.extend((0..entities).map(|number| (First(first(number)),))).to_vec();
    for (&id, number) in ids.iter().zip(0..entities).rev() {
        world.insert(id, (Second(other(number)),));
    }
    for (&id, number) in ids.iter().zip(0..) {
        world.insert(id, (Third(other(number)),));
    }
    world
}

fn checksum(world: &mut World) -> u64 {
    digest(world.borrow::<First>().as_slice().iter().map(|first| first.0))
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "for_each",
        move || world(entities),
        |world| {
            world.for_each::<(&mut First, &Second)>(|(first, second)| first.0 += second.0);
        },
        checksum,
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "for_each",
        move || world(entities),
        |world| {
            world.for_each::<(&mut First, &Second, &Third)>(|(first, second, third)| {
                first.0 += second.0;
                first.0 += third.0;
            });
        },
        checksum,
    );
}
