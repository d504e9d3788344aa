//! Loops with heavy computation per entity, and loops of each against all others.

use rayon::prelude::*;
use specs::{Builder, Entity, Join, LendJoin, ParJoin, World, WorldExt};

use super::iterate::{self, moving_world};
use crate::components::{Position, Rotation, Transform, Velocity};
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let mut world = World::new();
    world.register::<Transform>();
    world.register::<Position>();
    world.register::<Rotation>();
    world.register::<Velocity>();
    for (transform, position, rotation, velocity) in (0..entities).map(heavy::row) {
        let entity = world.create_entity().with(transform).with(position);
        entity.with(rotation).with(velocity).build();
    }
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    let transforms = world.read_storage::<Transform>();
    let positions = world.read_storage::<Position>();
    heavy::digest((&transforms, &positions).join())
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "join",
        move || heavy_world(entities),
        |world| {
            let mut transforms = world.write_storage::<Transform>();
            let mut positions = world.write_storage::<Position>();
            for (transform, position) in (&mut transforms, &mut positions).join() {
                heavy::work(transform, position);
            }
        },
        heavy_digest,
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "par_join",
        move || heavy_world(entities),
        |world| {
            let mut transforms = world.write_storage::<Transform>();
            let mut positions = world.write_storage::<Position>();
            let rows = (&mut transforms, &mut positions).par_join();
            rows.for_each(|(transform, position)| heavy::work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Specs,
        "par_join",
        move || heavy_world(entities),
        |world| {
            let mut transforms = world.write_storage::<Transform>();
            let mut positions = world.write_storage::<Position>();
            let rows = (&mut transforms, &mut positions).par_join();
            rows.for_each(|(transform, position)| heavy::short_work(transform, position));
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Specs,
        "par_join",
        move || moving_world(rows),
        |world| {
            let mut positions = world.write_storage::<Position>();
            let velocities = world.read_storage::<Velocity>();
            let rows = (&mut positions, &velocities).par_join();
            rows.for_each(|(position, velocity)| position.0 += velocity.0);
        },
        iterate::digest,
    );
}

/// Uses a restricted storage, which borrows one value at a time.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Specs,
        "restrict_mut, get_other",
        || -> (World, Vec<Entity>) {
            let mut world = World::new();
            world.register::<Body>();
            let spawn = |number| world.create_entity().with(body(number)).build();
            let ids = (0..BODIES).map(spawn).collect();
            (world, ids)
        },
        |(world, ids)| {
            let entities = world.entities();
            let mut bodies = world.write_storage::<Body>();
            let mut restricted = bodies.restrict_mut();
            let mut rows = (&entities, &mut restricted).lend_join();
            while let Some((entity, mut place)) = rows.next() {
                let mut one = *place.get();
                one.release();
                for &other in &*ids {
                    if other != entity {
                        one.pull(place.get_other(other).expect("the entity is alive"));
                    }
                }
                *place.get_mut() = one;
            }
        },
        |(world, _)| {
            let bodies = world.read_storage::<Body>();
            bodies::digest((&bodies).join())
        },
    );
}
