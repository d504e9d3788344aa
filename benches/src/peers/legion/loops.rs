//! Loops with heavy computation per entity, and loops of each against all others.

use legion::query::{IntoQuery, Query};
use legion::{Entity, Read, World, Write};

use super::iterate::{self, moving_world};
use crate::components::{Position, Transform};
use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

type Heavy = (World, Query<(Write<Transform>, Write<Position>)>);

fn heavy_world(entities: u32) -> Heavy {
    let mut world = World::default();
    world.extend((0..entities).map(heavy::row));
    (world, <(Write<Transform>, Write<Position>)>::query())
}

fn heavy_digest((world, _): &mut Heavy) -> u64 {
    heavy::digest(<(&Transform, &Position)>::query().iter(world))
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "for_each_mut",
        move || heavy_world(entities),
        |(world, query)| {
            query.for_each_mut(world, |(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "par_for_each_mut",
        move || heavy_world(entities),
        |(world, query)| {
            query.par_for_each_mut(world, |(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Legion,
        "par_for_each_mut",
        move || heavy_world(entities),
        |(world, query)| {
            query.par_for_each_mut(world, |(transform, position)| {
                heavy::short_work(transform, position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Legion,
        "par_for_each_mut",
        move || moving_world(rows),
        |(world, query)| {
            query.par_for_each_mut(world, |(position, velocity)| position.0 += velocity.0);
        },
        iterate::digest,
    );
}

/// Copies each value out, compares it with all others, and writes it back.
pub(super) fn one_and_rest(workload: &mut Workload) {
    type Queries = (Query<(Entity, Read<Body>)>, Query<Write<Body>>);

    workload.add(
        Legion,
        "copy, iter",
        || -> (World, Vec<Entity>, Queries) {
            let mut world = World::default();
            let ids = world.extend((0..BODIES).map(|number| (body(number),))).to_vec();
            let queries = (
                <(Entity, Read<Body>)>::query(),
                <Write<Body>>::query(),
            );
            (world, ids, queries)
        },
        |(world, ids, (all, single))| {
            for &id in &*ids {
                let mut one = *single.get_mut(world, id).expect("the entity is alive");
                one.release();
                all.for_each(world, |(other_id, other)| {
                    if *other_id != id {
                        one.pull(other);
                    }
                });
                *single.get_mut(world, id).expect("the entity is alive") = one;
            }
        },
        |(world, ..)| bodies::digest(<&Body>::query().iter(world)),
    );
}
