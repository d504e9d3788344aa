//! Loops.

use shipyard::{EntityId, IntoIter, View, ViewMut, World};

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Shipyard;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

pub(super) fn moving_world(rows: u32) -> World {
    let mut world = World::new();
    world.bulk_add_entity((0..rows).map(moving));
    world
}

pub(super) fn digest(world: &mut World) -> u64 {
    world.run(|positions: View<Position>| digest_positions(positions.iter()))
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> World + Copy + 'static) {
    workload.add(
        Shipyard,
        "for",
        setup,
        |world| {
            world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
                for (position, velocity) in (&mut positions, &velocities).iter() {
                    position.0 += velocity.0;
                }
            });
        },
        digest,
    );
    workload.add(
        Shipyard,
        "for_each",
        setup,
        |world| {
            world.run(|mut positions: ViewMut<Position>, velocities: View<Velocity>| {
                let rows = (&mut positions, &velocities).iter();
                rows.for_each(|(position, velocity)| position.0 += velocity.0);
            });
        },
        digest,
    );
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || moving_world(rows));
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Shipyard,
        "for_each",
        || {
            let mut world = World::new();
            macro_rules! spawn {
                ($kind:ident) => {
                    world.bulk_add_entity(frag::start().map(|value| ($kind(0.0), Data(value))));
                };
            }
            for_each_kind!(spawn);
            world
        },
        |world| {
            world.run(|mut all: ViewMut<Data>| {
                (&mut all).iter().for_each(|data| data.0 *= 2.0);
            });
        },
        |world| world.run(|all: View<Data>| frag::digest(all.iter().map(|data| data.0))),
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<EntityId>) {
    let mut world = World::new();
    let spawn = |number| {
        let entity = world.add_entity(moving(number));
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    world.add_component(entity, ($marker,));
                }
            };
        }
        for_each_marker!(mark);
        entity
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    let entities = workload.elements();
    add_loops(workload, move || marked_world(entities, kinds).0);
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Shipyard,
        "for_each",
        || {
            let (mut world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    world.add_component(entity, (Rare(0.0),));
                }
            }
            world
        },
        |world| {
            world.run(|mut rare: ViewMut<Rare>, positions: View<Position>| {
                let matches = (&mut rare, &positions).iter();
                matches.for_each(|(rare, position)| rare.0 += position.0.x);
            });
        },
        |world| world.run(|rare: View<Rare>| frag::digest(rare.iter().map(|rare| rare.0))),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Shipyard,
        "bulk_add_entity",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
