//! Loops with heavy computation per entity, and loops of each against all others.

use super::iterate::{self, MOVING, world_of};
use super::worlds::bodies::{BODY, World as Bodies};
use super::worlds::rows::{POSITION, ROTATION, TRANSFORM, VELOCITY, World};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::bodies::{BODIES, body};
use crate::workloads::{bodies, heavy};

const ALL: u64 = TRANSFORM | POSITION | ROTATION | VELOCITY;

fn heavy_world(entities: u32) -> World {
    let mut world = World::default();
    let mut rows = (0..entities).map(heavy::row);
    world.spawn_batch(ALL, entities as usize, |table, at| {
        let row = rows.next().expect("the number of requested entities");
        (table.transform[at], table.position[at]) = (row.0, row.1);
    });
    world
}

fn heavy_digest(world: &mut World) -> u64 {
    let table = world.tables.iter().find(|table| table.mask == ALL);
    let table = table.expect("all are in one");
    heavy::digest(table.transform.iter().zip(&table.position))
}

pub(super) fn heavy(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "for_each_mut",
        move || heavy_world(entities),
        |world| {
            world.for_each_mut(TRANSFORM | POSITION, 0, |_, table, row| {
                heavy::work(&mut table.transform[row], &mut table.position[row]);
            });
        },
        heavy_digest,
    );
}

/// Iterates in parallel over tables, but the world has only one.
pub(super) fn heavy_par(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "par_for_each_mut",
        move || heavy_world(entities),
        |world| {
            world.par_for_each_mut(TRANSFORM | POSITION, 0, |_, table, row| {
                heavy::work(&mut table.transform[row], &mut table.position[row]);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_rows(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "par_for_each_mut",
        move || heavy_world(entities),
        |world| {
            world.par_for_each_mut(TRANSFORM | POSITION, 0, |_, table, row| {
                heavy::short_work(&mut table.transform[row], &mut table.position[row]);
            });
        },
        heavy_digest,
    );
}

pub(super) fn par_light(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Freecs,
        "par_for_each_mut",
        move || world_of(rows).0,
        |world| {
            world.par_for_each_mut(MOVING, 0, |_, table, row| {
                table.position[row].0 += table.velocity[row].0;
            });
        },
        iterate::digest,
    );
}

/// Iterates over the tables, which are public.
pub(super) fn one_and_rest(workload: &mut Workload) {
    workload.add(
        Freecs,
        "slice, pairs",
        || {
            let mut world = Bodies::default();
            let mut numbers = 0..BODIES;
            world.spawn_batch(BODY, BODIES as usize, |table, row| {
                table.body[row] = body(numbers.next().expect("the number of requested entities"));
            });
            world
        },
        |world| {
            for table in &mut world.tables {
                bodies::pairs(&mut table.body);
            }
        },
        |world| bodies::digest(world.query_body()),
    );
}
