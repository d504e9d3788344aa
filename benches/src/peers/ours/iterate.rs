//! Loops.

use ecs_core::prelude::*;

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

/// The same as [`Data`], in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct SparseData(f32);

/// The same as [`Rare`], in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct SparseRare(f32);

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    let setup = move || moving_world(rows);
    let checksum = |world: &mut World| digest_positions(world.view::<Position>().iter());
    workload.add(Ours, "for_each", setup, for_each, checksum);
    workload.add(
        Ours,
        "chunks",
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            for (positions, velocities) in (&mut positions, &velocities).chunks() {
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    position.0 += velocity.0;
                }
            }
        },
        checksum,
    );
    workload.add(
        Ours,
        "for",
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            for (position, velocity) in (&mut positions, &velocities).iter() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.add(
        Ours,
        "query for_each",
        setup,
        |world| {
            let mut query = world.query::<(&mut Position, &Velocity)>();
            query.for_each(|(position, velocity)| position.0 += velocity.0);
        },
        checksum,
    );
    workload.add(
        Ours,
        "query for",
        setup,
        |world| {
            for (position, velocity) in &mut world.query::<(&mut Position, &Velocity)>() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
}

pub(super) fn moving_world(rows: u32) -> World {
    let mut world = World::new();
    world.spawn_batch((0..rows).map(moving));
    world
}

fn for_each(world: &mut World) {
    let mut positions = world.view_mut::<Position>();
    let velocities = world.view::<Velocity>();
    (&mut positions, &velocities).for_each(|(position, velocity)| position.0 += velocity.0);
}

pub(super) fn frag_iter(workload: &mut Workload) {
    fn world_of<T: Component>(data: fn(f32) -> T) -> World {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(frag::start().map(|value| ($kind(0.0), data(value))));
            };
        }
        for_each_kind!(spawn);
        world
    }
    let table = || world_of(Data);
    let checksum = |world: &mut World| frag::digest(world.view::<Data>().iter().map(|data| data.0));
    workload.add(
        Ours,
        "for_each",
        table,
        |world| {
            let mut all = world.view_mut::<Data>();
            (&mut all).for_each(|data| data.0 *= 2.0);
        },
        checksum,
    );
    workload.add(
        Ours,
        "for",
        table,
        |world| {
            for data in world.view_mut::<Data>().iter_mut() {
                data.0 *= 2.0;
            }
        },
        checksum,
    );
    workload.add(
        Ours,
        "sparse for_each",
        || world_of(SparseData),
        |world| {
            let mut all = world.view_mut::<SparseData>();
            (&mut all).for_each(|data| data.0 *= 2.0);
        },
        |world| frag::digest(world.view::<SparseData>().iter().map(|data| data.0)),
    );
}

/// Inserts the markers of an entity by its number and the number of kinds.
type Mark = fn(&mut World, Entity, u32, u32);

/// Markers in tables, the default, which divide the entities into as many tables as there are kinds.
fn mark_in_tables(world: &mut World, entity: Entity, number: u32, kinds: u32) {
    macro_rules! mark {
        ($marker:ident, $bit:literal) => {
            if frag::is_marked(number, kinds, $bit) {
                world.insert(entity, $marker).expect("the entity is alive");
            }
        };
    }
    for_each_marker!(mark);
}

/// The same markers in sparse storage: all entities are in one table.
mod sparse_markers {
    use ecs_core::prelude::*;

    use crate::workloads::frag::{self, for_each_marker};

    macro_rules! declare {
        ($marker:ident, $bit:literal) => {
            #[derive(Component)]
            #[component(storage = "sparse")]
            struct $marker;
        };
    }
    for_each_marker!(declare);

    pub(super) fn mark(world: &mut World, entity: Entity, number: u32, kinds: u32) {
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    world.insert(entity, $marker).expect("the entity is alive");
                }
            };
        }
        for_each_marker!(mark);
    }
}

/// Makes a world with entities of a number of kinds, and returns these entities in order.
fn marked_world(entities: u32, kinds: u32, mark: Mark) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let spawn = |number| {
        let entity = world.spawn(moving(number));
        mark(&mut world, entity, number, kinds);
        entity
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    frag_tables(workload, kinds);
    let forms = ["sparse markers, for_each", "sparse markers, for"];
    add_frag_loops(workload, forms, kinds, sparse_markers::mark);
}

/// The same, with a table for each kind.
pub(super) fn frag_tables(workload: &mut Workload, kinds: u32) {
    add_frag_loops(workload, ["for_each", "for"], kinds, mark_in_tables);
}

fn add_frag_loops(
    workload: &mut Workload,
    [by_closure, by_loop]: [&'static str; 2],
    kinds: u32,
    mark: Mark,
) {
    let entities = workload.elements();
    let setup = move || marked_world(entities, kinds, mark).0;
    let checksum = |world: &mut World| digest_positions(world.view::<Position>().iter());
    workload.add(Ours, by_closure, setup, for_each, checksum);
    workload.add(
        Ours,
        by_loop,
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            for (position, velocity) in (&mut positions, &velocities).iter() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
}

pub(super) fn rare_join(workload: &mut Workload, among: u32, kinds: u32) {
    /// Inserts the rare component.
    fn world_of<T: Component>(among: u32, kinds: u32, rare: fn(f32) -> T) -> World {
        let (mut world, ids) = marked_world(among, kinds, mark_in_tables);
        for (entity, number) in ids.into_iter().zip(0..) {
            if frag::is_rare(number, among) {
                world.insert(entity, rare(0.0)).expect("the entity is alive");
            }
        }
        world
    }
    workload.add(
        Ours,
        "table for_each",
        move || world_of(among, kinds, Rare),
        |world| {
            let (mut rare, positions) = (world.view_mut::<Rare>(), world.view::<Position>());
            (&mut rare, &positions).for_each(|(rare, position)| rare.0 += position.0.x);
        },
        |world| frag::digest(world.view::<Rare>().iter().map(|rare| rare.0)),
    );
    workload.add(
        Ours,
        "table query_mut",
        move || world_of(among, kinds, Rare),
        |world| {
            let mut query = world.query_mut::<(&mut Rare, &Position)>();
            query.for_each(|(rare, position)| rare.0 += position.0.x);
        },
        |world| frag::digest(world.view::<Rare>().iter().map(|rare| rare.0)),
    );
    workload.add(
        Ours,
        "sparse for_each",
        move || world_of(among, kinds, SparseRare),
        |world| {
            let (mut rare, positions) = (world.view_mut::<SparseRare>(), world.view::<Position>());
            (&mut rare, &positions).for_each(|(rare, position)| rare.0 += position.0.x);
        },
        |world| frag::digest(world.view::<SparseRare>().iter().map(|rare| rare.0)),
    );
    workload.add(
        Ours,
        "sparse query_mut",
        move || world_of(among, kinds, SparseRare),
        |world| {
            let mut query = world.query_mut::<(&mut SparseRare, &Position)>();
            query.for_each(|(rare, position)| rare.0 += position.0.x);
        },
        |world| frag::digest(world.view::<SparseRare>().iter().map(|rare| rare.0)),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Ours,
        "spawn_batch",
        move || moving_world(rows),
        |_| {},
        |world| digest_positions(world.view::<Position>().iter()),
    );
}
