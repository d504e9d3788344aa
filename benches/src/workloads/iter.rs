//! `p += v` over all rows: 10k rows stay in the L2 cache, a million come from memory.

use crate::components::{Position, Velocity, moving};
use crate::digest::Digest;
use crate::subject::{Peer, Workload};

/// The workload over that many rows.
pub(super) fn workload(name: &'static str, rows: u32) -> Workload {
    let about = "position += velocity, three floats each; ns per row";
    let mut workload = Workload::new(name, rows, about);
    limit(&mut workload, rows);
    ours(&mut workload, rows);
    #[cfg(feature = "peers")]
    hecs(&mut workload, rows);
    #[cfg(feature = "peers")]
    bevy(&mut workload, rows);
    workload
}

fn digest<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    Digest::of(positions.into_iter().map(|position| position.0.to_array()))
}

type Columns = (Vec<Position>, Vec<Velocity>);

fn limit(workload: &mut Workload, rows: u32) {
    let setup = move || -> Columns { (0..rows).map(moving).unzip() };
    let checksum = |columns: &mut Columns| digest(&columns.0);
    workload.add(
        Peer::Limit,
        "plain loop",
        setup,
        |(positions, velocities)| {
            for (position, velocity) in positions.iter_mut().zip(&*velocities) {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Limit,
        "blocks of 8",
        setup,
        |(positions, velocities)| {
            let (position_blocks, position_rest) = positions.as_chunks_mut();
            let (velocity_blocks, velocity_rest) = velocities.as_chunks();
            let add = |position: &mut Position, velocity: &Velocity| position.0 += velocity.0;
            for (positions, velocities) in position_blocks.iter_mut().zip(velocity_blocks) {
                block(positions, velocities, add);
            }
            for (position, velocity) in position_rest.iter_mut().zip(velocity_rest) {
                add(position, velocity);
            }
        },
        checksum,
    );
}

/// Applies `f` to the rows of two blocks.
///
/// A function with the blocks as parameters, because only parameters tell the optimiser that they do not overlap; with
/// that it packs the three floats of several rows into full vector registers. Generic, because the compiler would
/// otherwise inline it too early and forget what the parameters said.
#[inline]
fn block<A, B>(a: &mut [A; 8], b: &[B; 8], f: impl Fn(&mut A, &B)) {
    for (a, b) in a.iter_mut().zip(b) {
        f(a, b);
    }
}

fn ours(workload: &mut Workload, rows: u32) {
    use ecs_core::prelude::*;

    let setup = move || {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(moving));
        world
    };
    let checksum = |world: &mut World| digest(world.view::<Position>().iter());
    workload.add(
        Peer::Ours,
        "for_each",
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            (&mut positions, &velocities).for_each(|(position, velocity)| position.0 += velocity.0);
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "chunks",
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            for (positions, velocities) in (&mut positions, &velocities).chunks() {
                for (position, velocity) in positions.iter_mut().zip(velocities) {
                    position.0 += velocity.0;
                }
            }
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "for",
        setup,
        |world| {
            let mut positions = world.view_mut::<Position>();
            let velocities = world.view::<Velocity>();
            for (position, velocity) in (&mut positions, &velocities).iter() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "query for_each",
        setup,
        |world| {
            let mut query = world.query::<(&mut Position, &Velocity)>();
            query.for_each(|(position, velocity)| position.0 += velocity.0);
        },
        checksum,
    );
    workload.add(
        Peer::Ours,
        "query for",
        setup,
        |world| {
            for (position, velocity) in &mut world.query::<(&mut Position, &Velocity)>() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
}

#[cfg(feature = "peers")]
fn hecs(workload: &mut Workload, rows: u32) {
    use hecs::World;

    let setup = move || {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(moving));
        world
    };
    let checksum = |world: &mut World| digest(world.query_mut::<&Position>());
    workload.add(
        Peer::Hecs,
        "for",
        setup,
        |world| {
            for (position, velocity) in world.query_mut::<(&mut Position, &Velocity)>() {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Hecs,
        "for_each",
        setup,
        |world| {
            let rows = world.query_mut::<(&mut Position, &Velocity)>().into_iter();
            rows.for_each(|(position, velocity)| position.0 += velocity.0);
        },
        checksum,
    );
}

#[cfg(feature = "peers")]
fn bevy(workload: &mut Workload, rows: u32) {
    use bevy_ecs::query::QueryState;
    use bevy_ecs::world::World;

    type State = (
        World,
        QueryState<(&'static mut Position, &'static Velocity)>,
    );

    let setup = move || -> State {
        let mut world = World::new();
        world.spawn_batch((0..rows).map(moving));
        let query = world.query();
        (world, query)
    };
    let checksum = |(world, _): &mut State| digest(world.query::<&Position>().iter(world));
    workload.add(
        Peer::Bevy,
        "for",
        setup,
        |(world, query)| {
            for (mut position, velocity) in query.iter_mut(world) {
                position.0 += velocity.0;
            }
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "for_each",
        setup,
        |(world, query)| {
            let rows = query.iter_mut(world);
            rows.for_each(|(mut position, velocity)| position.0 += velocity.0);
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "contiguous",
        setup,
        |(world, query)| {
            let tables = query.contiguous_iter_mut(world);
            for (positions, velocities) in tables.expect("both are table components") {
                for (position, velocity) in positions.into_iter().zip(velocities) {
                    position.0 += velocity.0;
                }
            }
        },
        checksum,
    );
    workload.add(
        Peer::Bevy,
        "contiguous, untracked",
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
        checksum,
    );
}
