//! Structural changes.

use freecs::Entity;

use super::worlds::rows::{POSITION, ROTATION, TRANSFORM, VELOCITY, World};
use super::worlds::toggling;
use crate::columns::Row;
use crate::components::{digest_rows, row};
use crate::peers::Peer::Freecs;
use crate::subject::Workload;
use crate::workloads::add_remove::{self, *};
use crate::workloads::churn;

pub(super) const ALL: u64 = TRANSFORM | POSITION | ROTATION | VELOCITY;

fn digest(world: &mut World) -> u64 {
    let rows = world.tables.iter().flat_map(|table| {
        let rows = table.transform.iter().zip(&table.position);
        rows.zip(table.rotation.iter().zip(&table.velocity))
    });
    digest_rows(rows.map(|((t, p), (r, v))| (t, p, r, v)))
}

pub(super) fn spawn_all(
    world: &mut World,
    count: usize,
    mut rows: impl Iterator<Item = Row>,
) -> Vec<Entity> {
    world.spawn_batch(ALL, count, |table, at| {
        let row = rows.next().expect("the number of requested rows");
        table.transform[at] = row.0;
        table.position[at] = row.1;
        table.rotation[at] = row.2;
        table.velocity[at] = row.3;
    })
}

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::default();
        spawn_all(&mut world, entities as usize, (0..entities).map(row));
        world
    };
    workload.add_fresh(Freecs, "spawn_batch", make, digest);
}

fn spawn(world: &mut World, row: Row) -> Entity {
    spawn_all(world, 1, std::iter::once(row))[0]
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let make = move || {
        let mut world = World::default();
        for number in 0..entities {
            spawn(&mut world, row(number));
        }
        world
    };
    workload.add_fresh(Freecs, "spawn_batch of one", make, digest);
}

pub(super) fn commands(workload: &mut Workload) {
    workload.lacks(
        Freecs,
        "a queued spawn carries no values, and its id is unknown until it is applied",
    );
}

pub(super) fn add_remove(workload: &mut Workload) {
    add_remove_of(workload, |world, number| {
        let mut table_row = Some(kept(number));
        world.spawn_batch(toggling::KEPT, 1, |table, row| {
            table.kept[row] = table_row.take().expect("one row");
        })[0]
    });
}

pub(super) fn add_remove_wide(workload: &mut Workload) {
    use toggling::*;

    const MASK: u64 = KEPT | WIDE1 | WIDE2 | WIDE3 | WIDE4 | WIDE5 | WIDE6 | WIDE7 | WIDE8;
    add_remove_of(workload, |world, number| {
        world.spawn_batch(MASK, 1, |table, row| {
            let (a, b, c, d, e, f, g, h, i) = wide(number);
            (table.kept[row], table.wide1[row], table.wide2[row]) = (a, b, c);
            (table.wide3[row], table.wide4[row], table.wide5[row]) = (d, e, f);
            (table.wide6[row], table.wide7[row], table.wide8[row]) = (g, h, i);
        })[0]
    });
}

fn add_remove_of(workload: &mut Workload, spawn: fn(&mut toggling::World, u32) -> Entity) {
    let entities = workload.elements();
    add_remove::add(
        workload,
        Freecs,
        "set_toggled, remove_toggled",
        move || {
            let mut world = toggling::World::default();
            let ids = (0..entities).map(|number| spawn(&mut world, number));
            let ids = ids.collect();
            State { world, ids }
        },
        |state| {
            for &id in &state.ids {
                state.world.set_toggled(id, Toggled(TOGGLED));
            }
        },
        |state| {
            for &id in &state.ids {
                assert!(state.world.remove_toggled(id), "the entity has the component");
            }
        },
        |world| {
            let tables = world.tables.iter();
            let pairs = tables.flat_map(|table| table.kept.iter().zip(&table.toggled));
            pairs.map(|(a, b)| [a.0, b.0]).collect()
        },
    );
}

fn living(entities: u32) -> churn::State<World, Entity> {
    let mut world = World::default();
    let living = spawn_all(&mut world, entities as usize, (0..entities).map(row));
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "despawn_entities, spawn_batch of one",
        move || living(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                world.despawn_entities(&[victim]);
                spawn(world, born)
            });
        },
        |state| digest(&mut state.world),
    );
}

pub(super) fn churn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Freecs,
        "despawn_entities, spawn_batch",
        move || living(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                world.despawn_entities(&victims);
                spawn_all(world, births.len(), births)
            });
        },
        |state| digest(&mut state.world),
    );
}
