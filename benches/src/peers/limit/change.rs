//! Structural changes.

use crate::columns::{ById, Columns, Id, Row, Rows};
use crate::components::{Position, row};
use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::churn::{self, Seen, WIDE};

pub(super) fn spawn_batch(workload: &mut Workload) {
    let entities = workload.elements();
    let reserved = move || fill(Columns::with_capacity(entities), entities);
    workload.add_fresh(Limit, "rows, push", reserved, Columns::digest_of);
    workload.mark_as_plain();
    let unchecked = move || unchecked_rows(entities);
    workload.add_fresh(Limit, "rows, unchecked", unchecked, Columns::digest_of);
    workload.add_fresh(Limit, "columns", move || by_column(entities), Columns::digest_of);
}

pub(super) fn spawn_one(workload: &mut Workload) {
    let entities = workload.elements();
    let growing = move || fill(Columns::default(), entities);
    workload.add_fresh(Limit, "growing columns", growing, Columns::digest_of);
    workload.mark_as_plain();
    let reserved = move || fill(Columns::with_capacity(entities), entities);
    workload.add_fresh(Limit, "reserved columns", reserved, Columns::digest_of);
}

fn fill(mut columns: Columns, entities: u32) -> Columns {
    for number in 0..entities {
        columns.push(Id::first(number), row(number));
    }
    columns
}

/// Writes whole rows into reserved columns, and sets their lengths once.
fn unchecked_rows(entities: u32) -> Columns {
    let mut columns = Columns::with_capacity(entities);
    let ids = &mut columns.ids.spare_capacity_mut()[..entities as usize];
    let transforms = &mut columns.transforms.spare_capacity_mut()[..entities as usize];
    let positions = &mut columns.positions.spare_capacity_mut()[..entities as usize];
    let rotations = &mut columns.rotations.spare_capacity_mut()[..entities as usize];
    let velocities = &mut columns.velocities.spare_capacity_mut()[..entities as usize];
    for number in 0..entities {
        let at = number as usize;
        let (transform, position, rotation, velocity) = row(number);
        ids[at].write(Id::first(number));
        transforms[at].write(transform);
        positions[at].write(position);
        rotations[at].write(rotation);
        velocities[at].write(velocity);
    }
    // SAFETY: the loop above wrote the first `entities` values of each column, into reserved capacity.
    unsafe { columns.set_len(entities) };
    columns
}

/// Writes one column after the other, for values that can be made column by column.
fn by_column(entities: u32) -> Columns {
    let mut columns = Columns::with_capacity(entities);
    columns.ids.extend((0..entities).map(Id::first));
    let rows = (0..entities).map(row);
    columns.transforms.extend(rows.clone().map(|row| row.0));
    columns.positions.extend(rows.clone().map(|row| row.1));
    columns.rotations.extend(rows.clone().map(|row| row.2));
    columns.velocities.extend(rows.map(|row| row.3));
    columns
}

/// Records the rows in a list, then moves them into columns.
pub(super) fn commands(workload: &mut Workload) {
    let entities = workload.elements();
    let recorded = move |mut commands: Vec<(Id, Row)>| {
        for number in 0..entities {
            commands.push((Id::first(number), row(number)));
        }
        let mut columns = Columns::with_capacity(commands.len() as u32);
        for (id, row) in commands {
            columns.push(id, row);
        }
        columns
    };
    let growing = move || recorded(Vec::new());
    workload.add_fresh(Limit, "growing list", growing, Columns::digest_of);
    workload.mark_as_plain();
    let reserved = move || recorded(Vec::with_capacity(entities as usize));
    workload.add_fresh(Limit, "reserved list", reserved, Columns::digest_of);
}

type Churn<R> = churn::State<ById<R>, Id>;

fn living<R: Rows<Row = Row> + Default>(entities: u32) -> Churn<R> {
    let mut world = ById::<R>::default();
    let living = (0..entities).map(|number| world.spawn(row(number)));
    let living = living.collect();
    churn::State::new(world, living)
}

pub(super) fn churn(workload: &mut Workload) {
    churn_in::<Columns>(workload, "one Vec per component");
    workload.mark_as_plain();
    churn_in::<Vec<(Id, Row)>>(workload, "one Vec of rows");
}

fn churn_in<R: Rows<Row = Row> + Default + 'static>(workload: &mut Workload, form: &'static str) {
    let entities = workload.elements();
    workload.add(
        Limit,
        form,
        move || living::<R>(entities),
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.despawn(victim), "the entity was alive");
                world.spawn(born)
            });
        },
        |state| state.world.rows.digest(),
    );
}

/// Calls two functions that are not inlined, where libraries call observers.
pub(super) fn churn_observed(workload: &mut Workload) {
    #[inline(never)]
    fn note_come(seen: &mut Seen, position: &Position) {
        seen.note_come(position);
    }

    #[inline(never)]
    fn note_gone(seen: &mut Seen, position: &Position) {
        seen.note_gone(position);
    }

    let entities = workload.elements();
    workload.add(
        Limit,
        "calls, one Vec of rows",
        move || (living::<Vec<(Id, Row)>>(entities), Seen::default()),
        |(state, seen)| {
            state.replace_all(|world, victim, born| {
                if let Some((_, position, ..)) = world.get(victim) {
                    note_gone(seen, position);
                }
                assert!(world.despawn(victim), "the entity was alive");
                let position = born.1;
                let id = world.spawn(born);
                note_come(seen, &position);
                id
            });
        },
        |(state, seen)| seen.digest(state.world.rows.digest()),
    );
    workload.mark_as_plain();
}

pub(super) fn churn_wide(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "one Vec of rows",
        move || {
            let mut world = ById::<Vec<(Id, [f32; WIDE])>>::default();
            let rows = (0..entities).map(|number| [churn::wide_value(&row(number)); WIDE]);
            let living = rows.map(|row| world.spawn(row)).collect();
            churn::State::new(world, living)
        },
        |state| {
            state.replace_all(|world, victim, born| {
                assert!(world.despawn(victim), "the entity was alive");
                world.spawn([churn::wide_value(&born); WIDE])
            });
        },
        |state| state.world.rows.digest(),
    );
    workload.mark_as_plain();
}

pub(super) fn churn_batch(workload: &mut Workload) {
    churn_batch_in::<Columns>(workload, "one Vec per component");
    workload.mark_as_plain();
    churn_batch_in::<Vec<(Id, Row)>>(workload, "one Vec of rows");
}

pub(super) fn churn_all(workload: &mut Workload) {
    let entities = workload.elements();
    workload.add(
        Limit,
        "one Vec per component, cleared",
        move || living::<Columns>(entities),
        |state| {
            state.replace_at_once(|world, _, births| {
                world.despawn_all();
                births.map(|born| world.spawn(born)).collect()
            });
        },
        |state| state.world.rows.digest(),
    );
    workload.mark_as_plain();
}

fn churn_batch_in<R: Rows<Row = Row> + Default + 'static>(workload: &mut Workload, form: &'static str) {
    let entities = workload.elements();
    workload.add(
        Limit,
        form,
        move || living::<R>(entities),
        |state| {
            state.replace_at_once(|world, victims, births| {
                for victim in victims {
                    assert!(world.despawn(victim), "the entity was alive");
                }
                births.map(|born| world.spawn(born)).collect()
            });
        },
        |state| state.world.rows.digest(),
    );
}
