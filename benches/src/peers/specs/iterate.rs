//! Loops.

use specs::{Builder, Entity, Join, World, WorldExt};

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Specs;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

pub(super) fn moving_world(rows: u32) -> World {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Velocity>();
    {
        let (mut positions, mut velocities) = (world.write_storage(), world.write_storage());
        for (entity, number) in world.entities().create_iter().zip(0..rows) {
            let (position, velocity) = moving(number);
            positions.insert(entity, position).expect("the entity is alive");
            velocities.insert(entity, velocity).expect("the entity is alive");
        }
    }
    world.maintain();
    world
}

pub(super) fn digest(world: &mut World) -> u64 {
    digest_positions((&world.read_storage::<Position>()).join())
}

fn add_loop(workload: &mut Workload, setup: impl Fn() -> World + 'static) {
    workload.add(
        Specs,
        "join",
        setup,
        |world| {
            let mut positions = world.write_storage::<Position>();
            let velocities = world.read_storage::<Velocity>();
            for (position, velocity) in (&mut positions, &velocities).join() {
                position.0 += velocity.0;
            }
        },
        digest,
    );
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loop(workload, move || moving_world(rows));
}

pub(super) fn frag_iter(workload: &mut Workload) {
    workload.add(
        Specs,
        "join",
        || {
            let mut world = World::new();
            world.register::<Data>();
            macro_rules! spawn {
                ($kind:ident) => {
                    world.register::<$kind>();
                    for value in frag::start() {
                        let entity = world.create_entity();
                        entity.with($kind(0.0)).with(Data(value)).build();
                    }
                };
            }
            for_each_kind!(spawn);
            world
        },
        |world| {
            for data in (&mut world.write_storage::<Data>()).join() {
                data.0 *= 2.0;
            }
        },
        |world| {
            let all = world.read_storage::<Data>();
            frag::digest((&all).join().map(|data| data.0))
        },
    );
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32) -> (World, Vec<Entity>) {
    let mut world = World::new();
    world.register::<Position>();
    world.register::<Velocity>();
    macro_rules! register {
        ($marker:ident, $bit:literal) => {
            world.register::<$marker>();
        };
    }
    for_each_marker!(register);
    let spawn = |number| {
        let (position, velocity) = moving(number);
        let mut entity = world.create_entity().with(position).with(velocity);
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    entity = entity.with($marker);
                }
            };
        }
        for_each_marker!(mark);
        entity.build()
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    let entities = workload.elements();
    add_loop(workload, move || marked_world(entities, kinds).0);
}

pub(super) fn rare_join(workload: &mut Workload) {
    workload.add(
        Specs,
        "join",
        || {
            let (mut world, ids) = marked_world(RARE_AMONG, frag::MARKED_KINDS);
            world.register::<Rare>();
            for (entity, number) in ids.into_iter().zip(0..) {
                if frag::is_rare(number, RARE_AMONG) {
                    let mut rare = world.write_storage();
                    rare.insert(entity, Rare(0.0)).expect("the entity is alive");
                }
            }
            world
        },
        |world| {
            let mut rare = world.write_storage::<Rare>();
            let positions = world.read_storage::<Position>();
            for (rare, position) in (&mut rare, &positions).join() {
                rare.0 += position.0.x;
            }
        },
        |world| {
            let rare = world.read_storage::<Rare>();
            frag::digest((&rare).join().map(|rare| rare.0))
        },
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Specs,
        "VecStorage",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
