//! Structural changes. A new world alone takes half a millisecond: 50 ns for each of 10,000 entities.

use flecs_ecs::core::flecs::{DontFragment, Sparse};
use flecs_ecs::prelude::*;

use crate::columns::Row;
use crate::components::{Position, Rotation, Transform, Velocity, row, row_values};
use crate::digest::Digest;
use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn;

/// The same as [`Toggled`], in sparse storage.
#[derive(Component)]
struct Apart(f32);

fn digest(world: &mut World) -> u64 {
    let query = world.new_query::<(&Transform, &Position, &Rotation, &Velocity)>();
    let mut digest = Digest::default();
    query.each(|row| digest.row(row_values(row)));
    digest.finish()
}

fn spawn(world: &World, (transform, position, rotation, velocity): Row) -> Entity {
    let entity = world.entity().set(transform).set(position);
    entity.set(rotation).set(velocity).id()
}

fn spawn_all(world: &World, count: u32, rows: impl Iterator<Item = Row> + Clone) -> Vec<Entity> {
    let transforms: Vec<Transform> = rows.clone().map(|row| row.0).collect();
    let positions: Vec<Position> = rows.clone().map(|row| row.1).collect();
    let rotations: Vec<Rotation> = rows.clone().map(|row| row.2).collect();
    let velocities: Vec<Velocity> = rows.map(|row| row.3).collect();
    let mut bulk = world.entity_bulk(count);
    let bulk = bulk.set(&transforms).set(&positions);
    bulk.set(&rotations).set(&velocities).build()
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let world = World::new();
        spawn_all(&world, entities, (0..entities).map(row));
        world
    };
    workload.add_fresh(Flecs, "entity_bulk", make, digest);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let world = World::new();
        for number in 0..entities {
            spawn(&world, row(number));
        }
        world
    };
    workload.add_fresh(Flecs, "entity, set", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let world = World::new();
        world.defer_begin();
        for number in 0..entities {
            spawn(&world, row(number));
        }
        world.defer_end();
        world
    };
    workload.add_fresh(Flecs, "defer", make, digest);
}

fn spawn_kept(world: &World, number: u32) -> Entity {
    world.entity().set(kept(number)).id()
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, spawn_kept);
}

pub(super) fn sparse_one(workload: &mut Workload) {
    sparse_of(workload, spawn_kept);
}

fn kept_world(entities: u32, spawn: fn(&World, u32) -> Entity) -> State<World, Entity> {
    let world = World::new();
    let apart = world.component::<Apart>();
    apart.add_trait::<Sparse>();
    apart.add_trait::<DontFragment>();
    let ids = (0..entities).map(|number| spawn(&world, number)).collect();
    State { world, ids }
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let (a, b, c, d, e, f, g, h, i) = wide(number);
        let entity = world.entity().set(a).set(b).set(c).set(d);
        entity.set(e).set(f).set(g).set(h).set(i).id()
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&World, u32) -> Entity) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Flecs,
        "table",
        move || kept_world(entities, spawn),
        |state| {
            for &id in &state.ids {
                state.world.entity_from_id(id).set(Toggled(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.entity_from_id(id).remove(Toggled::id());
            }
        },
        |world| {
            let mut pairs = Vec::new();
            let query = world.new_query::<(&Kept, &Toggled)>();
            query.each(|(a, b)| pairs.push([a.0, b.0]));
            pairs
        },
    );
    sparse_of(workload, spawn);
}

fn sparse_of(workload: &mut Workload, spawn: fn(&World, u32) -> Entity) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Flecs,
        "Sparse, DontFragment",
        move || kept_world(entities, spawn),
        |state| {
            for &id in &state.ids {
                state.world.entity_from_id(id).set(Apart(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.entity_from_id(id).remove(Apart::id());
            }
        },
        |world| {
            let mut pairs = Vec::new();
            let query = world.new_query::<(&Kept, &Apart)>();
            query.each(|(a, b)| pairs.push([a.0, b.0]));
            pairs
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let world = World::new();
    let living = spawn_all(&world, entities, (0..entities).map(row));
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "destruct; entity, set",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                world.entity_from_id(victim).destruct();
                spawn(world, born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Flecs,
        "destruct, entity_bulk",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    world.entity_from_id(victim).destruct();
                }
                spawn_all(world, births.len() as u32, births)
            });
        },
        |state| digest(&mut state.world),
    );
}
