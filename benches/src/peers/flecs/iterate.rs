//! Loops.

use flecs_ecs::core::flecs::{DontFragment, Sparse};
use flecs_ecs::prelude::*;

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

/// A query and its world; the query is the first field, so that it is dropped first.
pub(super) type Moving = (Query<(&'static mut Position, &'static Velocity)>, World);

/// Positions and velocities as columns.
fn columns(rows: u32) -> (Vec<Position>, Vec<Velocity>) {
    (0..rows).map(moving).unzip()
}

pub(super) fn moving_world(rows: u32) -> Moving {
    let world = World::new();
    let (positions, velocities) = columns(rows);
    world
        .entity_bulk(rows)
        .set(&positions)
        .set(&velocities)
        .build();
    (world.new_query(), world)
}

pub(super) fn digest((query, _): &mut Moving) -> u64 {
    let mut positions = Vec::new();
    query.each(|(position, _)| positions.push(*position));
    digest_positions(&positions)
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || moving_world(rows));
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> Moving + Copy + 'static) {
    workload.add(
        Flecs,
        "each",
        setup,
        |(query, _)| query.each(|(position, velocity)| position.0 += velocity.0),
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Flecs,
        "each",
        || -> (Query<&'static mut Data>, World) {
            let world = World::new();
            macro_rules! spawn {
                ($kind:ident) => {
                    for value in frag::start() {
                        world.entity().set($kind(0.0)).set(Data(value));
                    }
                };
            }
            for_each_kind!(spawn);
            (world.new_query(), world)
        },
        |(query, _)| query.each(|data| data.0 *= 2.0),
        |(query, _)| {
            let mut values = Vec::new();
            query.each(|data| values.push(data.0));
            frag::digest(values)
        },
    );
}

/// Makes entities of a number of kinds; the markers are in tables, the default, or in sparse storage.
fn marked_world(entities: u32, kinds: u32, apart: bool) -> (World, Vec<Entity>) {
    let world = World::new();
    macro_rules! register {
        ($marker:ident, $bit:literal) => {
            let component = world.component::<$marker>();
            if apart {
                component.add_trait::<Sparse>();
                component.add_trait::<DontFragment>();
            }
        };
    }
    for_each_marker!(register);
    let spawn = |number| {
        let (position, velocity) = moving(number);
        let entity = world.entity().set(position).set(velocity);
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    entity.add($marker::id());
                }
            };
        }
        for_each_marker!(mark);
        entity.id()
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    let entities = workload.elements();
    for (form, apart) in [("each", false), ("DontFragment markers, each", true)] {
        workload.add(
            Flecs,
            form,
            move || -> Moving {
                let (world, _) = marked_world(entities, kinds, apart);
                (world.new_query(), world)
            },
            |(query, _)| query.each(|(position, velocity)| position.0 += velocity.0),
            digest,
        );
    }
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Flecs,
        "each",
        || -> (Query<(&'static mut Rare, &'static Position)>, World) {
            let (world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS, false);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    world.entity_from_id(entity).set(Rare(0.0));
                }
            }
            (world.new_query(), world)
        },
        |(query, _)| query.each(|(rare, position)| rare.0 += position.0.x),
        |(query, _)| {
            let mut values = Vec::new();
            query.each(|(rare, _)| values.push(rare.0));
            frag::digest(values)
        },
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Flecs,
        "entity_bulk",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
