//! Joins of components in sparse storage, without a group.

use ecs_core::prelude::*;

use crate::components::Vec3;
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::sparse::{digest, first, other};

/// The component that the joins write.
#[derive(Component)]
#[component(storage = "sparse")]
struct First(Vec3);

/// The component that is added to the first.
#[derive(Component)]
#[component(storage = "sparse")]
struct Second(Vec3);

/// The component that is added to the first in joins of three.
#[derive(Component)]
#[component(storage = "sparse")]
struct Third(Vec3);

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(|number| First(first(number)))).to_vec();
    for (&id, number) in ids.iter().zip(0..entities).rev() {
        world.insert(id, Second(other(number))).expect("the entity is alive");
    }
    for (&id, number) in ids.iter().zip(0..) {
        world.insert(id, Third(other(number))).expect("the entity is alive");
    }
    world
}

fn checksum(world: &mut World) -> u64 {
    digest(world.view::<First>().iter().map(|first| first.0))
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "for_each",
        move || world(entities),
        |world| {
            let (mut firsts, seconds) = (world.view_mut::<First>(), world.view::<Second>());
            (&mut firsts, &seconds).for_each(|(first, second)| first.0 += second.0);
        },
        checksum,
    );
    workload.add(
        Ours,
        "for",
        move || world(entities),
        |world| {
            let (mut firsts, seconds) = (world.view_mut::<First>(), world.view::<Second>());
            for (first, second) in (&mut firsts, &seconds).iter() {
                first.0 += second.0;
            }
        },
        checksum,
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "for_each",
        move || world(entities),
        |world| {
            let (mut firsts, seconds) = (world.view_mut::<First>(), world.view::<Second>());
            let thirds = world.view::<Third>();
            (&mut firsts, &seconds, &thirds).for_each(|(first, second, third)| {
                first.0 += second.0;
                first.0 += third.0;
            });
        },
        checksum,
    );
}
