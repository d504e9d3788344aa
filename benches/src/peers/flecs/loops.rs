//! Loops with heavy computation per entity, and loops of each against all others.

use flecs_ecs::prelude::*;

use super::iterate::{self, moving_world};
use crate::components::{Position, Transform, Velocity};
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, Body, body};
use crate::workloads::{bodies, heavy};

fn heavy_world(entities: u32) -> World {
    let world = World::new();
    for (transform, position, rotation, velocity) in (0..entities).map(heavy::row) {
        let entity = world.entity().set(transform).set(position);
        entity.set(rotation).set(velocity);
    }
    world
}

fn heavy_digest(world: &World) -> u64 {
    let mut rows = Vec::new();
    let query = world.new_query::<(&Transform, &Position)>();
    query.each(|(transform, position)| rows.push((*transform, *position)));
    heavy::digest(rows.iter().map(|(transform, position)| (transform, position)))
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "each",
        move || -> (Query<(&'static mut Transform, &'static mut Position)>, World) {
            let world = heavy_world(entities);
            (world.new_query(), world)
        },
        |(query, _)| query.each(|(transform, position)| heavy::work(transform, position)),
        |(_, world)| heavy_digest(world),
    );
}

pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "par_each, progress",
        move || {
            let world = heavy_world(entities);
            let mut system = world.system::<(&mut Transform, &mut Position)>();
            system.par_each(|(transform, position)| heavy::work(transform, position));
            world.set_threads(threads());
            world
        },
        |world| {
            world.progress();
        },
        |world| heavy_digest(world),
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "par_each, progress",
        move || {
            let world = heavy_world(entities);
            let mut system = world.system::<(&mut Transform, &mut Position)>();
            system.par_each(|(transform, position)| heavy::short_work(transform, position));
            world.set_threads(threads());
            world
        },
        |world| {
            world.progress();
        },
        |world| heavy_digest(world),
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Flecs,
        "par_each, progress",
        move || {
            let (query, world) = moving_world(rows);
            let mut system = world.system::<(&mut Position, &Velocity)>();
            system.par_each(|(position, velocity)| position.0 += velocity.0);
            world.set_threads(threads());
            (query, world)
        },
        |(_, world)| {
            world.progress();
        },
        iterate::digest,
    );
}

/// Returns the number of threads, the same as rayon's.
pub(super) fn threads() -> i32 {
    i32::try_from(rayon::current_num_threads()).expect("the number of threads fits")
}

/// Copies each value out, compares it with all others, and writes it back.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Flecs,
        "copy, each_entity",
        || -> (Query<&'static Body>, Vec<Entity>, World) {
            let world = World::new();
            let all: Vec<Body> = (0..BODIES).map(body).collect();
            let ids = world.entity_bulk(BODIES).set(&all).build();
            (world.new_query(), ids, world)
        },
        |(query, ids, world)| {
            for &id in &*ids {
                let entity = world.entity_from_id(id);
                let mut one = entity.get::<&Body>(|one| *one);
                one.release();
                query.each_entity(|other_id, other| {
                    if other_id.id() != id {
                        one.pull(other);
                    }
                });
                entity.get::<&mut Body>(|place| *place = one);
            }
        },
        |(query, ..)| {
            let mut all = Vec::new();
            query.each(|one| all.push(*one));
            bodies::digest(&all)
        },
    );
}
