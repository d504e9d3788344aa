//! Loops.

use freecs::Entity;

use super::worlds::{kinds, moving as moving_world};
use crate::components::{digest_positions, moving};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::frag::{self, Data, RARE_AMONG, Rare};
use moving_world::{POSITION, RARE, VELOCITY, World};

pub(super) const MOVING: u64 = POSITION | VELOCITY;

pub(super) fn world_of(rows: u32) -> (World, Vec<Entity>) {
    let mut world = World::default();
    let mut number = 0..rows;
    let ids = world.spawn_batch(MOVING, rows as usize, |table, row| {
        let number = number.next().expect("the number of requested rows");
        (table.position[row], table.velocity[row]) = moving(number);
    });
    (world, ids)
}

pub(super) fn digest(world: &mut World) -> u64 {
    digest_positions(world.query_position())
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> World + Copy + 'static) {
    workload.add(
        Freecs,
        "for_each_mut",
        setup,
        |world| {
            world.for_each_mut(MOVING, 0, |_, table, row| {
                table.position[row].0 += table.velocity[row].0;
            });
        },
        digest,
    );
    workload.add(
        Freecs,
        "tables",
        setup,
        |world| {
            for table in &mut world.tables {
                if table.mask & MOVING == MOVING {
                    let rows = table.position.iter_mut().zip(&table.velocity);
                    rows.for_each(|(position, velocity)| position.0 += velocity.0);
                }
            }
        },
        digest,
    );
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || world_of(rows).0);
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Freecs,
        "for_each_data_mut",
        || {
            let mut world = kinds::World::default();
            for kind in 1..=frag::KINDS {
                let mut start = frag::start();
                let mask = kinds::DATA | (1 << kind);
                world.spawn_batch(mask, frag::EACH as usize, |table, row| {
                    table.data[row] = Data(start.next().expect("the number of requested entities"));
                });
            }
            world
        },
        |world| world.for_each_data_mut(|data| data.0 *= 2.0),
        |world| frag::digest(world.query_data().map(|data| data.0)),
    );
}

/// A world of entities of a number of kinds by tags, and these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<Entity>) {
    let (mut world, ids) = world_of(entities);
    for (&entity, number) in ids.iter().zip(0..) {
        macro_rules! tag {
            ($($add:ident $bit:literal)*) => { $(
                if frag::is_marked(number, kinds, $bit) {
                    world.$add(entity);
                }
            )* };
        }
        tag!(add_m0 0 add_m1 1 add_m2 2 add_m3 3 add_m4 4 add_m5 5 add_m6 6 add_m7 7 add_m8 8 add_m9 9
            add_m10 10 add_m11 11 add_m12 12 add_m13 13);
    }
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    let entities = workload.elements();
    add_loops(workload, move || marked_world(entities, kinds).0);
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Freecs,
        "for_each_mut",
        || {
            let (mut world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    world.set_rare(entity, Rare(0.0));
                }
            }
            world
        },
        |world| {
            world.for_each_mut(RARE | POSITION, 0, |_, table, row| {
                table.rare[row].0 += table.position[row].0.x;
            });
        },
        |world| frag::digest(world.query_rare().map(|rare| rare.0)),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Freecs,
        "spawn_batch",
        move || world_of(rows).0,
        |_| {},
        digest,
    );
}
