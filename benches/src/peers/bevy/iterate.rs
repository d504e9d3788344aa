//! Loops.

use bevy_ecs::component::{Component, Mutable};
use bevy_ecs::entity::Entity;
use bevy_ecs::query::QueryState;
use bevy_ecs::world::{EntityWorldMut, World};

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::frag::{self, *};

/// The same as [`Data`], in sparse storage.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct SparseData(f32);

/// The same as [`Rare`], in sparse storage.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct SparseRare(f32);

pub(super) type Moving = (
    World,
    QueryState<(&'static mut Position, &'static Velocity)>,
);

pub(super) fn digest((world, _): &mut Moving) -> u64 {
    digest_positions(world.query::<&Position>().iter(world))
}

pub(super) fn moving_world(rows: u32) -> Moving {
    let mut world = World::new();
    world.spawn_batch((0..rows).map(moving));
    let query = world.query();
    (world, query)
}

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    add_loops(workload, LOOPS, move || moving_world(rows));
}

/// The names of the loops that [`add_loops`] adds.
const LOOPS: [&str; 4] = ["for", "for_each", "contiguous", "contiguous, untracked"];

/// Adds forms of `p += v` over all entities with both components.
fn add_loops(
    workload: &mut Workload,
    [by_loop, by_closure, contiguous, untracked]: [&'static str; 4],
    setup: impl Fn() -> Moving + Copy + 'static,
) {
    workload.add(
        Bevy,
        by_loop,
        setup,
        |(world, query)| {
            for (mut position, velocity) in query.iter_mut(world) {
                position.0 += velocity.0;
            }
        },
        digest,
    );
    workload.add(
        Bevy,
        by_closure,
        setup,
        |(world, query)| {
            let rows = query.iter_mut(world);
            rows.for_each(|(mut position, velocity)| position.0 += velocity.0);
        },
        digest,
    );
    workload.add(
        Bevy,
        contiguous,
        setup,
        |(world, query)| {
            let tables = query.contiguous_iter_mut(world);
            for (positions, velocities) in tables.expect("both are table components") {
                for (position, velocity) in positions.into_iter().zip(velocities) {
                    position.0 += velocity.0;
                }
            }
        },
        digest,
    );
    workload.add(
        Bevy,
        untracked,
        setup,
        |(world, query)| {
            let tables = query.contiguous_iter_mut(world);
            for (mut positions, velocities) in tables.expect("both are table components") {
                let positions = positions.bypass_change_detection();
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    position.0 += velocity.0;
                }
            }
        },
        digest,
    );
}

pub(super) fn frag_iter(workload: &mut Workload) {
    type State<T> = (World, QueryState<&'static mut T>);

    fn world_of<T: Component<Mutability = Mutable>>(data: fn(f32) -> T) -> State<T> {
        let mut world = World::new();
        macro_rules! spawn {
            ($kind:ident) => {
                world.spawn_batch(frag::start().map(|value| ($kind(0.0), data(value))));
            };
        }
        for_each_kind!(spawn);
        let query = world.query();
        (world, query)
    }
    let table = || world_of(Data);
    let checksum = |(world, _): &mut State<Data>| {
        frag::digest(world.query::<&Data>().iter(world).map(|data| data.0))
    };
    workload.add(
        Bevy,
        "for_each",
        table,
        |(world, query)| {
            query.iter_mut(world).for_each(|mut data| data.0 *= 2.0);
        },
        checksum,
    );
    workload.add(
        Bevy,
        "contiguous, untracked",
        table,
        |(world, query)| {
            let tables = query.contiguous_iter_mut(world);
            for mut all in tables.expect("a table component") {
                for data in all.bypass_change_detection() {
                    data.0 *= 2.0;
                }
            }
        },
        checksum,
    );
    workload.add(
        Bevy,
        "sparse for_each",
        || world_of(SparseData),
        |(world, query)| {
            query.iter_mut(world).for_each(|mut data| data.0 *= 2.0);
        },
        |(world, _)| frag::digest(world.query::<&SparseData>().iter(world).map(|data| data.0)),
    );
}

/// Inserts the markers of an entity by its number and the number of kinds.
type Mark = fn(&mut EntityWorldMut<'_>, u32, u32);

/// Markers in tables, the default.
fn mark_in_tables(entity: &mut EntityWorldMut<'_>, number: u32, kinds: u32) {
    macro_rules! mark {
        ($marker:ident, $bit:literal) => {
            if frag::is_marked(number, kinds, $bit) {
                entity.insert($marker);
            }
        };
    }
    for_each_marker!(mark);
}

/// The same markers in sparse storage: the rows of all entities are in one table.
mod sparse_markers {
    use bevy_ecs::component::Component;
    use bevy_ecs::world::EntityWorldMut;

    use crate::workloads::frag::{self, for_each_marker};

    macro_rules! declare {
        ($marker:ident, $bit:literal) => {
            #[derive(Component)]
            #[component(storage = "SparseSet")]
            struct $marker;
        };
    }
    for_each_marker!(declare);

    pub(super) fn mark(entity: &mut EntityWorldMut<'_>, number: u32, kinds: u32) {
        macro_rules! mark {
            ($marker:ident, $bit:literal) => {
                if frag::is_marked(number, kinds, $bit) {
                    entity.insert($marker);
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
        let mut entity = world.spawn(moving(number));
        mark(&mut entity, number, kinds);
        entity.id()
    };
    let ids = (0..entities).map(spawn).collect();
    (world, ids)
}

pub(super) fn frag_deep(workload: &mut Workload, kinds: u32) {
    frag_tables(workload, kinds);
    let forms = [
        "sparse markers, for",
        "sparse markers, for_each",
        "sparse markers, contiguous",
        "sparse markers, contiguous, untracked",
    ];
    add_frag_loops(workload, forms, kinds, sparse_markers::mark);
}

/// The same, with a table for each kind.
pub(super) fn frag_tables(workload: &mut Workload, kinds: u32) {
    add_frag_loops(workload, LOOPS, kinds, mark_in_tables);
}

fn add_frag_loops(workload: &mut Workload, forms: [&'static str; 4], kinds: u32, mark: Mark) {
    let entities = workload.elements();
    add_loops(workload, forms, move || {
        let (mut world, _) = marked_world(entities, kinds, mark);
        let query = world.query();
        (world, query)
    });
}

pub(super) fn rare_join(workload: &mut Workload, among: u32, kinds: u32) {
    type State<T> = (World, QueryState<(&'static mut T, &'static Position)>);

    fn world_of<T: Component<Mutability = Mutable>>(among: u32, kinds: u32, rare: fn(f32) -> T) -> State<T> {
        let (mut world, ids) = marked_world(among, kinds, mark_in_tables);
        for (entity, number) in ids.into_iter().zip(0..) {
            if frag::is_rare(number, among) {
                world.entity_mut(entity).insert(rare(0.0));
            }
        }
        let query = world.query();
        (world, query)
    }
    workload.add(
        Bevy,
        "table for_each",
        move || world_of(among, kinds, Rare),
        |(world, query)| {
            let matches = query.iter_mut(world);
            matches.for_each(|(mut rare, position)| rare.0 += position.0.x);
        },
        |(world, _)| frag::digest(world.query::<&Rare>().iter(world).map(|rare| rare.0)),
    );
    workload.add(
        Bevy,
        "sparse for_each",
        move || world_of(among, kinds, SparseRare),
        |(world, query)| {
            let matches = query.iter_mut(world);
            matches.for_each(|(mut rare, position)| rare.0 += position.0.x);
        },
        |(world, _)| frag::digest(world.query::<&SparseRare>().iter(world).map(|rare| rare.0)),
    );
}

pub(super) fn bytes(workload: &mut Workload) {
    let rows = workload.elements();
    workload.add(
        Bevy,
        "spawn_batch",
        move || moving_world(rows),
        |_| {},
        digest,
    );
}
