//! Loops with heavy computation per entity, and loops of each against all others.

use hecs::World;
use rayon::prelude::*;

use super::iterate::{self, moving_world};
use crate::components::{Position, Transform, Velocity};
use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..entities).map(heavy::row));
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    heavy::digest(world.query_mut::<(&Transform, &Position)>())
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "for_each",
        move || heavy_world(entities),
        |world| {
            let rows = world.query_mut::<(&mut Transform, &mut Position)>().into_iter();
            rows.for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

/// Passes batches to rayon; its documentation suggests that.
pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "into_iter_batched, par_bridge",
        move || heavy_world(entities),
        |world| {
            let rows = world.query_mut::<(&mut Transform, &mut Position)>();
            let batches = rows.into_iter_batched(heavy::PIECE).par_bridge();
            batches.for_each(|batch| {
                batch.for_each(|(transform, position)| heavy::work(transform, position));
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "into_iter_batched, par_bridge",
        move || heavy_world(entities),
        |world| {
            let rows = world.query_mut::<(&mut Transform, &mut Position)>();
            let batches = rows.into_iter_batched(heavy::PIECE).par_bridge();
            batches.for_each(|batch| {
                batch.for_each(|(transform, position)| heavy::short_work(transform, position));
            });
        },
        heavy_digest,
    );
}

/// Passes batches of a thousand rows to rayon.
pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Hecs,
        "into_iter_batched, par_bridge",
        move || moving_world(rows),
        |world| {
            let rows = world.query_mut::<(&mut Position, &Velocity)>();
            let batches = rows.into_iter_batched(1_000).par_bridge();
            batches.for_each(|batch| {
                batch.for_each(|(position, velocity)| position.0 += velocity.0);
            });
        },
        iterate::digest,
    );
}

pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Hecs,
        "view.get_disjoint_mut",
        || {
            let mut world = World::new();
            let ids: Vec<_> = world.spawn_batch((0..BODIES).map(|number| (body(number),))).collect();
            (world, ids)
        },
        |(world, ids)| {
            world.query_mut::<&mut Body>().into_iter().for_each(Body::release);
            let mut bodies = world.view_mut::<&mut Body>();
            for (place, &one) in ids.iter().enumerate() {
                for &other in &ids[place + 1..] {
                    if let [Some(one), Some(other)] = bodies.get_disjoint_mut([one, other]) {
                        one.pull_both(other);
                    }
                }
            }
        },
        |(world, _)| bodies::digest(world.query_mut::<&Body>()),
    );
}
