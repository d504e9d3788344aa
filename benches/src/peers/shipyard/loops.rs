//! Loops with heavy computation per entity, and loops of each against all others.

use rayon::prelude::*;
use shipyard::{EntityId, IntoIter, View, ViewMut, World};

use super::iterate::{self, moving_world};
use crate::components::{Position, Transform, Velocity};
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let mut world = World::new();
    world.bulk_add_entity((0..entities).map(heavy::row));
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    world.run(|transforms: View<Transform>, positions: View<Position>| {
        heavy::digest((&transforms, &positions).iter())
    })
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "for_each",
        move || heavy_world(entities),
        |world| {
            world.run(|mut transforms: ViewMut<Transform>, mut positions: ViewMut<Position>| {
                let rows = (&mut transforms, &mut positions).iter();
                rows.for_each(|(transform, position)| heavy::work(transform, position));
            });
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "par_iter",
        move || heavy_world(entities),
        |world| {
            world.run(|mut transforms: ViewMut<Transform>, mut positions: ViewMut<Position>| {
                let rows = (&mut transforms, &mut positions).par_iter();
                rows.for_each(|(transform, position)| heavy::work(transform, position));
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Shipyard,
        "par_iter",
        move || heavy_world(entities),
        |world| {
            world.run(|mut transforms: ViewMut<Transform>, mut positions: ViewMut<Position>| {
                let rows = (&mut transforms, &mut positions).par_iter();
                rows.for_each(|(transform, position)| heavy::short_work(transform, position));
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Shipyard,
        "par_iter",
        move || moving_world(rows),
        |world| {
            world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
                let rows = (&mut positions, &velocities).par_iter();
                rows.for_each(|(position, velocity)| position.0 += velocity.0);
            });
        },
        iterate::digest,
    );
}

/// Copies each value out, compares it with all others, and writes it back.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Shipyard,
        "copy, iter().with_id()",
        || {
            let mut world = World::new();
            let ids = world.bulk_add_entity((0..BODIES).map(|number| (body(number),)));
            let ids: Vec<EntityId> = ids.collect();
            (world, ids)
        },
        |(world, ids)| {
            world.run(|mut bodies: ViewMut<Body>| {
                for &id in &*ids {
                    let mut one = bodies[id];
                    one.release();
                    for (other_id, other) in bodies.iter().with_id() {
                        if other_id != id {
                            one.pull(other);
                        }
                    }
                    bodies[id] = one;
                }
            });
        },
        |(world, _)| world.run(|bodies: View<Body>| bodies::digest(bodies.iter())),
    );
}
