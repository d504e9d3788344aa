//! Loops with heavy computation per entity, and loops of each against all others.

use ecs_core::prelude::*;

use super::iterate::moving_world;
use crate::components::{Position, Transform, Velocity, digest_positions};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..entities).map(heavy::row));
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    let (transforms, positions) = (world.view::<Transform>(), world.view::<Position>());
    heavy::digest((&transforms, &positions).iter())
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "for_each",
        move || heavy_world(entities),
        |world| {
            let mut views = (world.view_mut::<Transform>(), world.view_mut::<Position>());
            let rows = (&mut views.0, &mut views.1);
            rows.for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "par_for_each",
        move || heavy_world(entities),
        |world| {
            let mut views = (world.view_mut::<Transform>(), world.view_mut::<Position>());
            let rows = (&mut views.0, &mut views.1);
            rows.par_for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
    workload.add(
        Ours,
        "par_for_each_min",
        move || heavy_world(entities),
        |world| {
            let mut views = (world.view_mut::<Transform>(), world.view_mut::<Position>());
            let rows = (&mut views.0, &mut views.1);
            rows.par_for_each_min(heavy::PIECE as usize, |(transform, position)| {
                heavy::work(transform, position);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "par_for_each",
        move || heavy_world(entities),
        |world| {
            let mut views = (world.view_mut::<Transform>(), world.view_mut::<Position>());
            let rows = (&mut views.0, &mut views.1);
            rows.par_for_each(|(transform, position)| heavy::short_work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Ours,
        "par_for_each",
        move || moving_world(rows),
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            let rows = (&mut positions, &velocities);
            rows.par_for_each(|(position, velocity)| position.0 += velocity.0);
        },
        |world| digest_positions(world.view::<Position>().iter()),
    );
}

pub(super) fn one_and_rest(workload: &mut Workload) {
    let setup = || {
        let mut world = World::new();
        let ids = world.spawn_batch((0..BODIES).map(body)).to_vec();
        (world, ids)
    };
    let digest = |(world, _): &mut (World, Vec<Entity>)| bodies::digest(world.view::<Body>().iter());
    workload.add(
        Ours,
        "for_each_with_rest",
        setup,
        |(world, _)| {
            let mut bodies = world.view_mut::<Body>();
            bodies.for_each_with_rest(|one, rest| {
                one.release();
                rest.for_each(|other| one.pull(other));
            });
        },
        digest,
    );
    workload.add(
        Ours,
        "for_each_with_rest, iter",
        setup,
        |(world, _)| {
            let mut bodies = world.view_mut::<Body>();
            bodies.for_each_with_rest(|one, rest| {
                one.release();
                for other in rest.iter() {
                    one.pull(other);
                }
            });
        },
        digest,
    );
    workload.add(
        Ours,
        "split",
        setup,
        |(world, ids)| {
            let mut bodies = world.view_mut::<Body>();
            for &id in &*ids {
                let (one, mut rest) = bodies.split(id).expect("the entity is alive");
                one.release();
                rest.for_each(|other| one.pull(other));
            }
        },
        digest,
    );
    workload.add(
        Ours,
        "for_each_pair",
        setup,
        |(world, _)| {
            let mut bodies = world.view_mut::<Body>();
            (&mut bodies).for_each(Body::release);
            bodies.for_each_pair(|one, other| one.pull_both(other));
        },
        digest,
    );
}
