//! Boids.

use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::{IntoScheduleConfigs, Schedule, SingleThreadedExecutor};
use bevy_ecs::system::{Query, Res, ResMut};
use bevy_ecs::world::World;

use crate::peers::Peer::Bevy;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_boids::{self as boids, BOIDS};

#[derive(Resource, Default)]
struct Grid(boids::Grid);

fn gather(boids: Query<(&Place, &Heading)>, mut grid: ResMut<Grid>) {
    let grid = &mut grid.0;
    boids.iter().for_each(|(&place, &heading)| grid.add(place, heading));
    grid.sort();
}

fn steer(mut boids: Query<(&Place, &mut Heading)>, grid: Res<Grid>) {
    let steer = |place, heading| grid.0.steer(place, heading);
    boids.iter_mut().for_each(|(&place, mut heading)| *heading = steer(place, *heading));
}

fn fly(mut boids: Query<(&mut Place, &Heading)>) {
    boids.iter_mut().for_each(|(mut place, &heading)| place.fly(heading));
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Bevy,
        "Schedule",
        || {
            let mut world = World::new();
            world.insert_resource(Grid::default());
            world.spawn_batch((0..BOIDS).map(boids::boid));
            let mut frame = Schedule::default();
            frame.set_executor(SingleThreadedExecutor::new());
            frame.add_systems((gather, steer, fly).chain());
            (world, frame)
        },
        |(world, frame)| {
            for _ in 0..FRAMES {
                frame.run(world);
            }
        },
        |(world, _)| {
            let mut boids = world.query::<(&Place, &Heading)>();
            boids::digest(boids.iter(world).map(|(&place, &heading)| (place, heading)))
        },
    );
}
