//! A fresh world with 10k entities of four components, made one by one, and dropped again.

use super::spawn_batch::ENTITIES;
use crate::columns::{Columns, Id, Rows};
use crate::components::row;
use crate::components::row_values;
use crate::components::{Position, Rotation, Transform, Velocity};
use crate::digest::Digest;
use crate::subject::{Peer, Workload};

/// The workload.
pub(super) fn workload() -> Workload {
    let about = "a fresh world, 10k entities of 4 components (100 bytes) one by one; ns per entity";
    let mut workload = Workload::new("spawn_one", ENTITIES, about);
    limit(&mut workload);
    ours(&mut workload);
    #[cfg(feature = "peers")]
    hecs(&mut workload);
    #[cfg(feature = "peers")]
    bevy(&mut workload);
    workload
}

/// Columns with room for all, filled row by row.
pub(super) fn reserved_columns() -> Columns {
    fill(Columns::with_capacity(ENTITIES))
}

fn fill(mut columns: Columns) -> Columns {
    for number in 0..ENTITIES {
        columns.push(Id::first(number), row(number));
    }
    columns
}

fn limit(workload: &mut Workload) {
    let checksum = |columns: &mut Columns| columns.digest();
    let growing = || fill(Columns::default());
    workload.add_fresh(Peer::Limit, "growing columns", growing, checksum);
    workload.add_fresh(Peer::Limit, "reserved columns", reserved_columns, checksum);
}

fn ours(workload: &mut Workload) {
    use ecs_core::prelude::*;

    let make = || {
        let mut world = World::new();
        for number in 0..ENTITIES {
            world.spawn(row(number));
        }
        world
    };
    workload.add_fresh(Peer::Ours, "spawn", make, digest_of_ours);
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload) {
    let make = || {
        let mut world = hecs::World::new();
        for number in 0..ENTITIES {
            world.spawn(row(number));
        }
        world
    };
    workload.add_fresh(Peer::Hecs, "spawn", make, digest_of_hecs);
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload) {
    let make = || {
        let mut world = bevy_ecs::world::World::new();
        for number in 0..ENTITIES {
            world.spawn(row(number));
        }
        world
    };
    workload.add_fresh(Peer::Bevy, "spawn", make, digest_of_bevy);
}

/// A digest of all entities with the four components.
pub(super) fn digest_of_ours(world: &mut ecs_core::World) -> u64 {
    use ecs_core::Join as _;

    let (transforms, positions) = (world.view::<Transform>(), world.view::<Position>());
    let (rotations, velocities) = (world.view::<Rotation>(), world.view::<Velocity>());
    let rows = (&transforms, &positions, &rotations, &velocities).iter();
    Digest::of(rows.map(row_values))
}

/// A digest of all entities with the four components.
#[cfg(feature = "peers")]
pub(super) fn digest_of_hecs(world: &mut hecs::World) -> u64 {
    let query = world.query_mut::<(&Transform, &Position, &Rotation, &Velocity)>();
    Digest::of(query.into_iter().map(row_values))
}

/// A digest of all entities with the four components.
#[cfg(feature = "peers")]
pub(super) fn digest_of_bevy(world: &mut bevy_ecs::world::World) -> u64 {
    let mut query = world.query::<(&Transform, &Position, &Rotation, &Velocity)>();
    Digest::of(query.iter(world).map(row_values))
}
