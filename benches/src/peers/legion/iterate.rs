//! Loops.

use legion::query::{DefaultFilter, IntoQuery, Query};
use legion::storage::PackOptions;
use legion::{Entity, GroupSource, Read, World, WorldOptions, Write};

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Legion;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

/// A world and a prepared query.
pub(super) type Prepared<V> = (World, Query<V, <V as DefaultFilter>::Filter>);
pub(super) type Moving = Prepared<(Write<Position>, Read<Velocity>)>;

/// A world with a group of positions and velocities.
fn grouped() -> World {
    World::new(WorldOptions {
        groups: vec![<(Position, Velocity)>::to_group()],
    })
}

/// Moves the tables of each component together.
fn packed(mut world: World) -> World {
    world.pack(PackOptions::force());
    world
}

pub(super) fn moving_world(rows: u32) -> Moving {
    let mut world = grouped();
    world.extend((0..rows).map(moving));
    (packed(world), <(Write<Position>, Read<Velocity>)>::query())
}

pub(super) fn digest((world, _): &mut Moving) -> u64 {
    digest_positions(<&Position>::query().iter(world))
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || moving_world(rows));
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> Moving + Copy + 'static) {
    workload.add(
        Legion,
        "for_each",
        setup,
        |(world, query)| {
            query.for_each_mut(world, |(position, velocity)| position.0 += velocity.0);
        },
        digest,
    );
    workload.add(
        Legion,
        "chunks",
        setup,
        |(world, query)| {
            query.for_each_chunk_mut(world, |chunk| {
                let (positions, velocities) = chunk.into_components();
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    position.0 += velocity.0;
                }
            });
        },
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Legion,
        "for_each",
        || -> Prepared<Write<Data>> {
            let mut world = World::default();
            macro_rules! spawn {
                ($kind:ident) => {
                    world.extend(frag::start().map(|value| ($kind(0.0), Data(value))));
                };
            }
            for_each_kind!(spawn);
            (packed(world), Write::<Data>::query())
        },
        |(world, query)| query.for_each_mut(world, |data| data.0 *= 2.0),
        |(world, _)| frag::digest(<&Data>::query().iter(world).map(|data| data.0)),
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<Entity>) {
    let mut world = grouped();
    let spawn = |number| {
        let entity = world.push(moving(number));
        let mut entry = world.entry(entity).expect("the entity is alive");
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    entry.add_component($marker);
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
    add_loops(workload, move || {
        let (world, _) = marked_world(entities, kinds);
        (packed(world), <(Write<Position>, Read<Velocity>)>::query())
    });
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Legion,
        "for_each",
        || -> Prepared<(Write<Rare>, Read<Position>)> {
            let (mut world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS);
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    let mut entry = world.entry(entity).expect("the entity is alive");
                    entry.add_component(Rare(0.0));
                }
            }
            (packed(world), <(Write<Rare>, Read<Position>)>::query())
        },
        |(world, query)| {
            query.for_each_mut(world, |(rare, position)| rare.0 += position.0.x);
        },
        |(world, _)| frag::digest(<&Rare>::query().iter(world).map(|rare| rare.0)),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Legion,
        "extend, pack",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
