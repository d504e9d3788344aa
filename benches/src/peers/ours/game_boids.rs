//! Boids.

use ecs_core::prelude::*;

use crate::peers::Peer::Ours;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_boids::{self as boids, BOIDS};

#[derive(Resource, Default)]
struct Grid(boids::Grid);

#[system]
fn gather(mut boids: Query<(&Place, &Heading)>, mut grid: ResMut<Grid>) {
    boids.for_each(|(&place, &heading)| grid.0.add(place, heading));
    grid.0.sort();
}

#[system(for_each)]
fn steer(&place: &Place, heading: &mut Heading, grid: Res<Grid>) {
    *heading = grid.0.steer(place, *heading);
}

#[system(for_each)]
fn fly(place: &mut Place, &heading: &Heading) {
    place.fly(heading);
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Ours,
        "run_seq",
        || {
            let mut world = World::new();
            world.insert_resource(Grid::default());
            world.spawn_batch((0..BOIDS).map(boids::boid));
            let mut frame = Schedule::new();
            frame.add((gather, steer, fly));
            (world, frame)
        },
        |(world, frame)| {
            for _ in 0..FRAMES {
                frame.run_seq(world).expect("no system fails");
            }
        },
        |(world, _)| {
            let boids = world.query::<(&Place, &Heading)>();
            boids::digest(boids.iter().map(|(&place, &heading)| (place, heading)))
        },
    );
}
