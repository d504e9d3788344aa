//! Structural changes.

use ecs_core::prelude::*;
use ecs_core::world::hooks::{OnAdd, OnRemove};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn::{self, Seen};
use crate::workloads::linked;

/// The same as [`Toggled`], in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct Sparse(f32);

/// A velocity in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct SparseVelocity(Velocity);

fn digest(world: &mut World) -> u64 {
    let (transforms, positions) = (world.view::<Transform>(), world.view::<Position>());
    let (rotations, velocities) = (world.view::<Rotation>(), world.view::<Velocity>());
    digest_rows((&transforms, &positions, &rotations, &velocities).iter())
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        world.spawn_batch((0..entities).map(row));
        world
    };
    workload.add_fresh(Ours, "spawn_batch", make, digest);
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
    workload.add_fresh(Ours, "spawn", make, digest);
    let make = move || {
        let mut world = World::new();
        for number in 0..entities {
            let (transform, position, rotation, velocity) = row(number);
            world.spawn((transform, position, rotation, SparseVelocity(velocity)));
        }
        world
    };
    workload.add_fresh(Ours, "one sparse, spawn", make, |world| {
        let (transforms, positions) = (world.view::<Transform>(), world.view::<Position>());
        let (rotations, velocities) = (world.view::<Rotation>(), world.view::<SparseVelocity>());
        let rows = (&transforms, &positions, &rotations, &velocities);
        digest_rows(rows.iter().map(|(t, p, r, v)| (t, p, r, &v.0)))
    });
}

pub(super) fn commands(workload: &mut Workload) {
    use ecs_core::CommandQueue;

    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        let mut queue = CommandQueue::new();
        let mut commands = Commands::new(&mut queue, world.entities());
        for number in 0..entities {
            commands.spawn(row(number));
        }
        queue.apply(&mut world);
        world
    };
    workload.add_fresh(Ours, "spawn", make, digest);
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, kept_only);
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, all_wide);
}

fn all_wide(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(wide)).to_vec();
    State { world, ids }
}

fn kept_only(entities: u32) -> State<World, Entity> {
    let mut world = World::new();
    let ids = world.spawn_batch((0..entities).map(kept)).to_vec();
    State { world, ids }
}

fn add_remove_of(workload: &mut Workload, setup: fn(u32) -> State<World, Entity>) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Ours,
        "table",
        move || setup(entities),
        |state| {
            for &id in &state.ids {
                state.world.insert(id, Toggled(TOGGLED)).expect("the entity is alive");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove::<Toggled>(id).expect("the entity is alive");
            }
        },
        |world| {
            let views = (&world.view::<Kept>(), &world.view::<Toggled>());
            views.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
    sparse_of(workload, setup);
}

pub(super) fn sparse_one(workload: &mut Workload) {
    sparse_of(workload, kept_only);
}

fn sparse_of(workload: &mut Workload, setup: fn(u32) -> State<World, Entity>) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Ours,
        "sparse",
        move || setup(entities),
        |state| {
            for &id in &state.ids {
                state.world.insert(id, Sparse(TOGGLED)).expect("the entity is alive");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove::<Sparse>(id).expect("the entity is alive");
            }
        },
        |world| {
            let views = (&world.view::<Kept>(), &world.view::<Sparse>());
            views.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

pub(super) fn add_remove_all(workload: &mut Workload) {
    whole_tables(workload, kept_only);
}

pub(super) fn add_remove_wide_all(workload: &mut Workload) {
    whole_tables(workload, all_wide);
}

/// Changes all entities at once.
fn whole_tables(workload: &mut Workload, setup: fn(u32) -> State<World, Entity>) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Ours,
        "insert_all, remove_all",
        move || setup(entities),
        |state| state.world.insert_all::<With<Kept>, _>(Toggled(TOGGLED)),
        |state| state.world.remove_all::<Toggled, With<Kept>>(),
        |world| {
            let views = (&world.view::<Kept>(), &world.view::<Toggled>());
            views.iter().map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = World::new();
    let living = world.spawn_batch((0..entities).map(row)).to_vec();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "despawn, spawn",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("the entity was alive");
                world.spawn(born)
            });
        },
        |state| digest(&mut state.world),
    );
}

#[derive(Resource, Default)]
struct Tally(Seen);

#[system]
fn note_come(event: OnAdd<Position>, positions: Comp<Position>, mut tally: ResMut<Tally>) {
    if let Some(position) = positions.get(event.entity()) {
        tally.0.note_come(position);
    }
}

#[system]
fn note_gone(event: OnRemove<Position>, positions: Comp<Position>, mut tally: ResMut<Tally>) {
    if let Some(position) = positions.get(event.entity()) {
        tally.0.note_gone(position);
    }
}

pub(super) fn churn_observed(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "observe",
        move || {
            let mut state = living(entities);
            state.world.insert_resource(Tally::default());
            state.world.observe(note_come);
            state.world.observe(note_gone);
            state
        },
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("the entity was alive");
                world.spawn(born)
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
            let query = world.query::<(($(&linked::$A,)*), ($(&linked::$B,)*))>();
            let rows = query.iter();
            churn::digest_wide(rows.map(|(($($a,)*), ($($b,)*))| [$($a.0,)* $($b.0,)*]))
        }
    };
}
churn::with_wide_components!(define_wide_digest);

pub(super) fn churn_wide(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "despawn, spawn",
        move || {
            let mut world = World::new();
            let rows = (0..entities).map(|number| churn::wide_bundle(&row(number)));
            let ids = world.spawn_batch(rows).to_vec();
            churn::State::new(world, ids)
        },
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn(victim).expect("the entity was alive");
                world.spawn(churn::wide_bundle(&born))
            });
        },
        |state| wide_digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "despawn, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    world.despawn(victim).expect("the entity was alive");
                }
                world.spawn_batch(births).to_vec()
            });
        },
        |state| digest(&mut state.world),
    );
    workload.add(
        Ours,
        "despawn_batch, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                let count = victims.len();
                assert_eq!(world.despawn_batch(victims), count, "all were alive");
                world.spawn_batch(births).to_vec()
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_all(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Ours,
        "despawn_all, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, _, births| {
                world.despawn_all::<With<Transform>>();
                world.spawn_batch(births).to_vec()
            });
        },
        |state| digest(&mut state.world),
    );
}
