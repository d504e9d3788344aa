//! Loops with heavy computation per entity, and loops of each against all others.

use bevy_ecs::query::QueryState;
use bevy_ecs::world::World;
use bevy_tasks::{ComputeTaskPool, TaskPool};

use super::iterate::{self, moving_world};
use crate::components::{Position, Transform};
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

type Heavy = (
    World,
    QueryState<(&'static mut Transform, &'static mut Position)>,
);

fn heavy_world(entities: u32) -> Heavy {
    // Parallel loops require this pool; an `App` would have made it.
    ComputeTaskPool::get_or_init(TaskPool::default);
    let mut world = World::new();
    world.spawn_batch((0..entities).map(heavy::row));
    let query = world.query();
    (world, query)
}

fn heavy_digest((world, _): &mut Heavy) -> u64 {
    let mut query = world.query::<(&Transform, &Position)>();
    heavy::digest(query.iter(world))
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "for_each",
        move || heavy_world(entities),
        |(world, query)| {
            let rows = query.iter_mut(world);
            rows.for_each(|(mut transform, mut position)| heavy::work(&mut transform, &mut position));
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "par_iter_mut",
        move || heavy_world(entities),
        |(world, query)| {
            let rows = query.par_iter_mut(world);
            rows.for_each(|(mut transform, mut position)| heavy::work(&mut transform, &mut position));
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "par_iter_mut",
        move || heavy_world(entities),
        |(world, query)| {
            let rows = query.par_iter_mut(world);
            rows.for_each(|(mut transform, mut position)| {
                heavy::short_work(&mut transform, &mut position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Bevy,
        "par_iter_mut",
        move || {
            ComputeTaskPool::get_or_init(TaskPool::default);
            moving_world(rows)
        },
        |(world, query)| {
            let rows = query.par_iter_mut(world);
            rows.for_each(|(mut position, velocity)| position.0 += velocity.0);
        },
        iterate::digest,
    );
}

pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Bevy,
        "iter_combinations_mut",
        || {
            let mut world = World::new();
            world.spawn_batch((0..BODIES).map(body));
            let query = world.query::<&mut Body>();
            (world, query)
        },
        |(world, query)| {
            query.iter_mut(world).for_each(|mut one| one.release());
            let mut pairs = query.iter_combinations_mut(world);
            while let Some([mut one, mut other]) = pairs.fetch_next() {
                one.pull_both(&mut other);
            }
        },
        |(world, _)| bodies::digest(world.query::<&Body>().iter(world)),
    );
}
