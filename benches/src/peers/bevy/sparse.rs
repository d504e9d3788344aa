//! Joins of components in sparse storage.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::world::World;

use crate::components::Vec3;
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::sparse::{digest, first, other};

/// The component that the joins write.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct First(Vec3);

/// The component that is added to the first.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Second(Vec3);

/// The component that is added to the first in joins of three.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Third(Vec3);

/// Inserts the second component in the opposite order.
fn world(entities: u32) -> World {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(|number| First(first(number))));
    let ids: Vec<Entity> = ids.collect();
    for (&id, number) in ids.iter().zip(0..entities).rev() {
        world.entity_mut(id).insert(Second(other(number)));
    }
    for (&id, number) in ids.iter().zip(0..) {
        world.entity_mut(id).insert(Third(other(number)));
    }
    world
}

pub(super) fn join2(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "for_each",
        move || {
            let mut world = world(entities);
            let query = world.query::<(&mut First, &Second)>();
            (world, query)
        },
        |(world, query)| {
            query.iter_mut(world).for_each(|(mut first, second)| first.0 += second.0);
        },
        |(world, _)| digest(world.query::<&First>().iter(world).map(|first| first.0)),
    );
}

pub(super) fn join3(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "for_each",
        move || {
            let mut world = world(entities);
            let query = world.query::<(&mut First, &Second, &Third)>();
            (world, query)
        },
        |(world, query)| {
            query.iter_mut(world).for_each(|(mut first, second, third)| {
                first.0 += second.0;
                first.0 += third.0;
            });
        },
        |(world, _)| digest(world.query::<&First>().iter(world).map(|first| first.0)),
    );
}
