//! Loops with heavy computation per entity, and loops of each against all others.

use sparsey::World;

use super::iterate::{self, moving_world};
use crate::components::{Position, Rotation, Transform, Velocity};
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let mut world = World::builder()
        .add_group::<(Transform, Position)>()
        .register::<Rotation>()
        .register::<Velocity>()
        .build();
    world.extend((0..entities).map(heavy::row));
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    let (transforms, positions) = (world.borrow::<Transform>(), world.borrow::<Position>());
    // Grouped, so they are in the same order.
    heavy::digest(transforms.as_slice().iter().zip(positions.as_slice()))
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "group for_each",
        move || heavy_world(entities),
        |world| {
            world.for_each::<(&mut Transform, &mut Position)>(|(transform, position)| {
                heavy::work(transform, position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "group par_for_each",
        move || heavy_world(entities),
        |world| {
            world.par_for_each::<(&mut Transform, &mut Position)>(|(transform, position)| {
                heavy::work(transform, position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Sparsey,
        "group par_for_each",
        move || heavy_world(entities),
        |world| {
            world.par_for_each::<(&mut Transform, &mut Position)>(|(transform, position)| {
                heavy::short_work(transform, position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Sparsey,
        "group par_for_each",
        move || moving_world(rows),
        |world| {
            world.par_for_each::<(&mut Position, &Velocity)>(|(position, velocity)| {
                position.0 += velocity.0;
            });
        },
        iterate::digest,
    );
}

/// Iterates over one slice with all values of a component.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Sparsey,
        "slice, pairs",
        || {
            let mut world = World::builder().register::<Body>().build();
            world.extend((0..BODIES).map(|number| (body(number),)));
            world
        },
        |world| bodies::pairs(world.borrow_mut::<Body>().as_mut_slice()),
        |world| bodies::digest(world.borrow::<Body>().as_slice()),
    );
}
