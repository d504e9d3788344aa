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
    #[cfg(engine)]
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

fn limit(workload: &mut Workload) {
    let checksum = |columns: &mut Columns| columns.digest();
    workload.add_fresh(
        Peer::Limit,
        "row by row",
        super::spawn_one::reserved_columns,
        checksum,
    );
    let by_column = || {
        let mut columns = Columns::with_capacity(ENTITIES);
        columns.ids.extend((0..ENTITIES).map(Id::first));
        columns
            .transforms
            .extend((0..ENTITIES).map(|number| row(number).0));
        columns
            .positions
            .extend((0..ENTITIES).map(|number| row(number).1));
        columns
            .rotations
            .extend((0..ENTITIES).map(|number| row(number).2));
        columns
            .velocities
            .extend((0..ENTITIES).map(|number| row(number).3));
        columns
    };
    workload.add_fresh(Peer::Limit, "column by column", by_column, checksum);
}

#[cfg(engine)]
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
