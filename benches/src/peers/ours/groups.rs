//! The loop over positions and velocities as sparse components, with and without a group.

use ecs_core::prelude::*;

use crate::components::{Position, Velocity, digest_positions, moving};
use crate::peers::Peer::Ours;
use crate::subject::Workload;

/// The same as [`Position`], in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct LoosePosition(Position);

/// The same as [`Velocity`], in sparse storage.
#[derive(Component)]
#[component(storage = "sparse")]
struct LooseVelocity(Velocity);

pub(super) fn iter(workload: &mut Workload) {
    let rows = workload.elements();
    let grouped = move || {
        let world = World::builder().group::<(LoosePosition, LooseVelocity)>();
        fill(world.build(), rows)
    };
    let checksum = |world: &mut World| digest_positions(world.view::<LoosePosition>().iter().map(|p| &p.0));
    workload.add(Ours, "group for_each", grouped, for_each, checksum);
    workload.add(
        Ours,
        "group slices",
        grouped,
        |world| {
            let mut positions = world.view_mut::<LoosePosition>();
            let velocities = world.view::<LooseVelocity>();
            let (positions, velocities) = (&mut positions, &velocities).slices();
            for (position, velocity) in positions.iter_mut().zip(velocities) {
                position.0.0 += velocity.0.0;
            }
        },
        checksum,
    );
    workload.add(Ours, "sparse for_each", move || fill(World::new(), rows), for_each, checksum);
}

fn fill(mut world: World, rows: u32) -> World {
    world.spawn_batch((0..rows).map(|row| {
        let (position, velocity) = moving(row);
        (LoosePosition(position), LooseVelocity(velocity))
    }));
    world
}

fn for_each(world: &mut World) {
    let mut positions = world.view_mut::<LoosePosition>();
    let velocities = world.view::<LooseVelocity>();
    (&mut positions, &velocities).for_each(|(position, velocity)| position.0.0 += velocity.0.0);
}
