//! Loops.

use sparsey::World;
use sparsey::entity::Entity;

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Sparsey;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

/// A world with a group of positions and velocities.
fn grouped() -> World {
    World::builder().add_group::<(Position, Velocity)>().build()
}

pub(super) fn moving_world(rows: u32) -> World {
    let mut world = grouped();
    world.extend((0..rows).map(moving));
    world
}

pub(super) fn digest(world: &mut World) -> u64 {
    digest_positions(world.borrow::<Position>().as_slice())
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, move || moving_world(rows));
}

/// Adds a form of `p += v` over all entities with both components.
fn add_loops(workload: &mut Workload, setup: impl Fn() -> World + Copy + 'static) {
    workload.add(
        Sparsey,
        "group for_each",
        setup,
        |world| {
            world.for_each::<(&mut Position, &Velocity)>(|(position, velocity)| {
                position.0 += velocity.0;
            });
        },
        digest,
    );
    workload.add(
        Sparsey,
        "group slices",
        setup,
        |world| {
            let mut query = world.query_all::<(&mut Position, &Velocity)>();
            let (positions, velocities) = query.slice().expect("they form a group");
            for (position, velocity) in positions.iter_mut().zip(velocities) {
                position.0 += velocity.0;
            }
        },
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Sparsey,
        "for_each",
        || {
            let mut world = World::default();
            world.register::<Data>();
            macro_rules! spawn {
                ($kind:ident) => {
                    world.register::<$kind>();
                    world.extend(frag::start().map(|value| ($kind(0.0), Data(value))));
                };
            }
            for_each_kind!(spawn);
            world
        },
        |world| world.for_each::<&mut Data>(|data| data.0 *= 2.0),
        |world| {
            let data = world.borrow::<Data>();
            frag::digest(data.as_slice().iter().map(|data| data.0))
        },
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<Entity>) {
    let mut world = grouped();
    macro_rules! register {
        ($marker:ident, $bit:literal) => {
            world.register::<$marker>();
        };
    }
    for_each_marker!(register);
    let spawn = |number| {
        let entity = world.create(moving(number));
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    world.insert(entity, ($marker,));
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
        Sparsey,
        "for_each",
        move || {
            let (mut world, ids) = marked_world(among, kinds);
            world.register::<Rare>();
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, among) {
                    world.insert(entity, (Rare(0.0),));
                }
            }
            world
        },
        |world| {
            world.for_each::<(&mut Rare, &Position)>(|(rare, position)| rare.0 += position.0.x);
        },
        |world| {
            let rare = world.borrow::<Rare>();
            frag::digest(rare.as_slice().iter().map(|rare| rare.0))
        },
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Sparsey,
        "group, extend",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
