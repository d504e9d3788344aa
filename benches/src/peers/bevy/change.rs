//! Structural changes.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::lifecycle::{Add, Remove};
use bevy_ecs::observer::On;
use bevy_ecs::resource::Resource;
use bevy_ecs::world::{CommandQueue, World};
use bevy_ecs::system::{Commands, Query, ResMut};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn::{self, Seen};
use crate::workloads::linked;

/// The same as [`Toggled`], in sparse storage.
#[derive(Component)]
#[component(storage = "SparseSet")]
struct Sparse(f32);

fn digest(world: &mut World) -> u64 {
    let mut query = world.query::<(&Transform, &Position, &Rotation, &Velocity)>();
    digest_rows(query.iter(world))
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        world.spawn_batch((0..entities).map(row));
        world
    };
    workload.add_fresh(Bevy, "spawn_batch", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        for number in 0..entities {
            world.spawn(row(number));
        }
        world
    };
    workload.add_fresh(Bevy, "spawn", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        let mut queue = CommandQueue::default();
        let mut commands = Commands::new(&mut queue, &world);
        for number in 0..entities {
            commands.spawn(row(number));
        }
        queue.apply(&mut world);
        world
    };
    workload.add_fresh(Bevy, "spawn", make, digest);
}

fn kept_only(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(kept)).collect();
    State { world, ids }
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, kept_only);
}

pub(super) fn sparse_one(workload: &mut Workload) {
    sparse_of(workload, kept_only);
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |entities| {
        let mut world = World::new();
        let ids = world.spawn_batch((0..entities).map(wide)).collect();
        State { world, ids }
    });
}

fn add_remove_of(workload: &mut Workload, setup: fn(u32) -> State<World, Entity>) {
    let entities = workload.elements();
    let table_pairs = |world: &mut World| {
        let mut query = world.query::<(&Kept, &Toggled)>();
        query.iter(world).map(|(a, b)| [a.0, b.0]).collect()
    };
    let remove = |state: &mut State<World, Entity>| {
        for &id in &state.ids {
            state.world.entity_mut(id).remove::<Toggled>();
        }
    };
    add_remove::add(
        workload,
        Bevy,
        "table",
        move || setup(entities),
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).insert(Toggled(TOGGLED));
            }
        },
        remove,
        table_pairs,
    );
    add_remove::add(
        workload,
        Bevy,
        "table, insert_batch",
        move || setup(entities),
        |state| {
            let batch = state.ids.iter().map(|&id| (id, Toggled(TOGGLED)));
            state.world.insert_batch(batch);
        },
        remove,
        table_pairs,
    );
    sparse_of(workload, setup);
}

fn sparse_of(workload: &mut Workload, setup: fn(u32) -> State<World, Entity>) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Bevy,
        "sparse",
        move || setup(entities),
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).insert(Sparse(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.entity_mut(id).remove::<Sparse>();
            }
        },
        |world| {
            let mut query = world.query::<(&Kept, &Sparse)>();
            query.iter(world).map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = World::new();
    let living = world.spawn_batch((0..entities).map(row)).collect();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "despawn, spawn",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.despawn(victim), "the entity was alive");
                world.spawn(born).id()
            });
        },
        |state| digest(&mut state.world),
    );
}

#[derive(Resource, Default)]
struct Tally(Seen);

pub(super) fn churn_observed(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "add_observer",
        move || {
            let mut state = living(entities);
            let world = &mut state.world;
            world.insert_resource(Tally::default());
            world.add_observer(
                |event: On<Add<Position>>, positions: Query<&Position>, mut tally: ResMut<Tally>| {
                    if let Ok(position) = positions.get(event.entity) {
                        tally.0.note_come(position);
                    }
                },
            );
            world.add_observer(
                |event: On<Remove<Position>>, positions: Query<&Position>, mut tally: ResMut<Tally>| {
                    if let Ok(position) = positions.get(event.entity) {
                        tally.0.note_gone(position);
                    }
                },
            );
            state
        },
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim);
                world.spawn(born).id()
            });
        },
        |state| {
            let rows = digest(&mut state.world);
            state.world.resource::<Tally>().0.digest(rows)
        },
    );
}

/// Defines the digest of all wide entities.
macro_rules! define_wide_digest {
    ($($a:ident $A:ident),*; $($b:ident $B:ident),*) => {
        fn wide_digest(world: &mut World) -> u64 {
            let mut query = world.query::<(($(&linked::$A,)*), ($(&linked::$B,)*))>();
            let rows = query.iter(world);
            churn::digest_wide(rows.map(|(($($a,)*), ($($b,)*))| [$($a.0,)* $($b.0,)*]))
        }
    };
}
churn::with_wide_components!(define_wide_digest);

pub(super) fn churn_wide(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "despawn, spawn",
        move || {
            let mut world = World::new();
            let rows = (0..entities).map(|number| churn::wide_bundle(&row(number)));
            let ids = world.spawn_batch(rows).collect();
            churn::State::new(world, ids)
        },
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim);
                world.spawn(churn::wide_bundle(&born)).id()
            });
        },
        |state| wide_digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Bevy,
        "despawn, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.despawn(victim), "the entity was alive");
                }
                world.spawn_batch(births).collect()
            });
        },
        |state| digest(&mut state.world),
    );
}
