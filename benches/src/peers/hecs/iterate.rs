//! Loops.

use hecs::{Entity, World};

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

pub(super) fn moving_world(rows: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..rows).map(moving));
    world
}

pub(super) fn digest(world: &mut World) -> u64 {
    digest_positions(world.query_mut::<&Position>())
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || moving_world(rows));
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> World + Copy + 'static) {
    workload.add(
        Hecs,
        "for",
        setup,
        |world| {
            for (position, velocity) in world.query_mut::<(&mut Position, &Velocity)>() {
                position.0 += velocity.0;
            }
        },
        digest,
    );
    workload.add(
        Hecs,
        "for_each",
        setup,
        |world| {
            let rows = world.query_mut::<(&mut Position, &Velocity)>().into_iter();
            rows.for_each(|(position, velocity)| position.0 += velocity.0);
        },
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    let setup = || {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(frag::start().map(|value| ($kind(0.0), Data(value))));
            };
        }
        for_each_kind!(spawn);
        world
    };
    let checksum =
        |world: &mut World| frag::digest(world.query_mut::<&Data>().into_iter().map(|data| data.0));
    workload.add(
        Hecs,
        "for",
        setup,
        |world| {
            for data in world.query_mut::<&mut Data>() {
                data.0 *= 2.0;
            }
        },
        checksum,
    );
    workload.add(
        Hecs,
        "for_each",
        setup,
        |world| {
            let all = world.query_mut::<&mut Data>().into_iter();
            all.for_each(|data| data.0 *= 2.0);
        },
        checksum,
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let spawn = |number| {
        let entity = world.spawn(moving(number));
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    world.insert_one(entity, $marker).expect("the entity is alive");
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

pub(super) fn rare_join(workload: &mut Workload, among: u32, kinds: u32) {
    workload.add(
        Hecs,
        "for_each",
        move || {
            let (mut world, ids) = marked_world(among, kinds);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, among) {
                    world.insert_one(entity, Rare(0.0)).expect("the entity is alive");
                }
            }
            world
        },
        |world| {
            let matches = world.query_mut::<(&mut Rare, &Position)>().into_iter();
            matches.for_each(|(rare, position)| rare.0 += position.0.x);
        },
        |world| frag::digest(world.query_mut::<&Rare>().into_iter().map(|rare| rare.0)),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Hecs,
        "spawn_batch",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
