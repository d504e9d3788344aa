//! Structural changes.

use hecs::{ColumnBatchBuilder, ColumnBatchType, CommandBuffer, Entity, World};

use crate::components::{Position, Rotation, Transform, Velocity, digest_rows, row};
use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, Kept, State, TOGGLED, Toggled, kept, wide};
use crate::workloads::churn;

fn digest(world: &mut World) -> u64 {
    digest_rows(world.query_mut::<(&Transform, &Position, &Rotation, &Velocity)>())
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        world.spawn_batch((0..entities).map(row));
        world
    };
    workload.add_fresh(Hecs, "spawn_batch", make, digest);
    let by_column = move || {
        let mut types = ColumnBatchType::new();
        types.add_bundle::<(Transform, Position, Rotation, Velocity)>();
        let batch = types.into_batch(entities);
        fill(&batch, entities, |number| row(number).0);
        fill(&batch, entities, |number| row(number).1);
        fill(&batch, entities, |number| row(number).2);
        fill(&batch, entities, |number| row(number).3);
        let mut world = World::new();
        world.spawn_column_batch(batch.build().expect("all columns were filled"));
        world
    };
    workload.add_fresh(Hecs, "column by column", by_column, digest);
}

/// Fills the column of `T`.
fn fill<T: hecs::Component>(batch: &ColumnBatchBuilder, entities: u32, value: impl Fn(u32) -> T) {
    let mut column = batch.writer::<T>().expect("a column of the batch");
    for number in 0..entities {
        if column.push(value(number)).is_err() {
            unreachable!("the batch was made for this many");
        }
    }
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
    workload.add_fresh(Hecs, "spawn", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::new();
        let mut commands = CommandBuffer::new();
        for number in 0..entities {
            commands.spawn(row(number));
        }
        commands.run_on(&mut world);
        world
    };
    workload.add_fresh(Hecs, "CommandBuffer", make, digest);
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |entities| {
        let mut world = World::new();
        let rows = (0..entities).map(|number| (kept(number),));
        let ids = world.spawn_batch(rows).collect();
        State { world, ids }
    });
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
    add_remove::add(
        workload,
        Hecs,
        "insert_one, remove_one",
        move || setup(entities),
        |state| {
            for &id in &state.ids {
                let inserted = state.world.insert_one(id, Toggled(TOGGLED));
                inserted.expect("the entity is alive");
            }
        },
        |state| {
            for &id in &state.ids {
                state.world.remove_one::<Toggled>(id).expect("the entity has the component");
            }
        },
        |world| {
            let query = world.query_mut::<(&Kept, &Toggled)>();
            query.into_iter().map(|(a, b)| [a.0, b.0]).collect()
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
        Hecs,
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

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Hecs,
        "despawn, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    world.despawn(victim).expect("the entity was alive");
                }
                world.spawn_batch(births).collect()
            });
        },
        |state| digest(&mut state.world),
    );
}
