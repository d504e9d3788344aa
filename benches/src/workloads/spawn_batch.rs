//! A fresh world with 10k entities of four components, made in one call, and dropped again.

use crate::columns::{Columns, Id, Rows};
use crate::components::row;
use crate::subject::{Peer, Workload};

pub(super) const ENTITIES: u32 = 10_000;

/// The workload.
pub(super) fn workload() -> Workload {
    let about =
        "a fresh world, 10k entities of 4 components (100 bytes) in one call; ns per entity";
    let mut workload = Workload::new("spawn_batch", ENTITIES, about);
    limit(&mut workload);
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

fn limit(workload: &mut Workload) {
    let checksum = |columns: &mut Columns| columns.digest();
    let push = super::spawn_one::reserved_columns;
    workload.add_fresh(Peer::Limit, "rows, push", push, checksum);
    workload.add_fresh(Peer::Limit, "rows, unchecked", unchecked_rows, checksum);
    workload.add_fresh(Peer::Limit, "columns", by_column, checksum);
}

/// Rows written into reserved columns, whose lengths are set once: the best for someone who is handed whole rows.
fn unchecked_rows() -> Columns {
    let mut columns = Columns::with_capacity(ENTITIES);
    let ids = &mut columns.ids.spare_capacity_mut()[..ENTITIES as usize];
    let transforms = &mut columns.transforms.spare_capacity_mut()[..ENTITIES as usize];
    let positions = &mut columns.positions.spare_capacity_mut()[..ENTITIES as usize];
    let rotations = &mut columns.rotations.spare_capacity_mut()[..ENTITIES as usize];
    let velocities = &mut columns.velocities.spare_capacity_mut()[..ENTITIES as usize];
    for number in 0..ENTITIES {
        let at = number as usize;
        let (transform, position, rotation, velocity) = row(number);
        ids[at].write(Id::first(number));
        transforms[at].write(transform);
        positions[at].write(position);
        rotations[at].write(rotation);
        velocities[at].write(velocity);
    }
    // SAFETY: the loop above wrote the first `ENTITIES` values of each column, into reserved room.
    unsafe { columns.set_len(ENTITIES) };
    columns
}

/// One column after the other: the best for someone who can make the values of each column apart.
fn by_column() -> Columns {
    let mut columns = Columns::with_capacity(ENTITIES);
    columns.ids.extend((0..ENTITIES).map(Id::first));
    let rows = (0..ENTITIES).map(row);
    columns.transforms.extend(rows.clone().map(|row| row.0));
    columns.positions.extend(rows.clone().map(|row| row.1));
    columns.rotations.extend(rows.clone().map(|row| row.2));
    columns.velocities.extend(rows.map(|row| row.3));
    columns
}

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    let make = || {
        let mut world = World::new();
        world.spawn_batch((0..ENTITIES).map(row));
        world
    };
    workload.add_fresh(
        Peer::Ours,
        "spawn_batch",
        make,
        super::spawn_one::digest_of_ours,
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    use crate::components::{Position, Rotation, Transform, Velocity};
    use hecs::{ColumnBatchType, World};

    let make = || {
        let mut world = World::new();
        world.spawn_batch((0..ENTITIES).map(row));
        world
    };
    workload.add_fresh(
        Peer::Hecs,
        "spawn_batch",
        make,
        super::spawn_one::digest_of_hecs,
    );

    /// Fills the column of `T`.
    fn fill<T: hecs::Component>(batch: &hecs::ColumnBatchBuilder, value: impl Fn(u32) -> T) {
        let mut column = batch.writer::<T>().expect("a column of the batch");
        for number in 0..ENTITIES {
            if column.push(value(number)).is_err() {
                unreachable!("the batch was made for this many");
            }
        }
    }
    let by_column = || {
        let mut types = ColumnBatchType::new();
        types.add_bundle::<(Transform, Position, Rotation, Velocity)>();
        let batch = types.into_batch(ENTITIES);
        fill(&batch, |number| row(number).0);
        fill(&batch, |number| row(number).1);
        fill(&batch, |number| row(number).2);
        fill(&batch, |number| row(number).3);
        let mut world = World::new();
        world.spawn_column_batch(batch.build().expect("all columns were filled"));
        world
    };
    workload.add_fresh(
        Peer::Hecs,
        "column by column",
        by_column,
        super::spawn_one::digest_of_hecs,
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    use bevy_ecs::world::World;

    let make = || {
        let mut world = World::new();
        world.spawn_batch((0..ENTITIES).map(row));
        world
    };
    workload.add_fresh(
        Peer::Bevy,
        "spawn_batch",
        make,
        super::spawn_one::digest_of_bevy,
    );
}
