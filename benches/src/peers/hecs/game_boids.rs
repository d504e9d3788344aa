//! Boids.

use hecs::World;

use crate::peers::Peer::Hecs;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_boids::{self as boids, BOIDS, Grid};

fn gather(world: &mut World, grid: &mut Grid) {
    let boids = world.query_mut::<(&Place, &Heading)>().into_iter();
    boids.for_each(|(&place, &heading)| grid.add(place, heading));
    grid.sort();
}

fn steer(world: &mut World, grid: &Grid) {
    let boids = world.query_mut::<(&Place, &mut Heading)>().into_iter();
    boids.for_each(|(&place, heading)| *heading = grid.steer(place, *heading));
}

fn fly(world: &mut World) {
    let boids = world.query_mut::<(&mut Place, &Heading)>().into_iter();
    boids.for_each(|(place, &heading)| place.fly(heading));
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Hecs,
        "calls",
        || {
            let mut world = World::new();
            world.spawn_batch((0..BOIDS).map(boids::boid));
            (world, Grid::default())
        },
        |(world, grid)| {
            for _ in 0..FRAMES {
                gather(world, grid);
                steer(world, grid);
                fly(world);
            }
        },
        |(world, _)| {
            let boids = world.query_mut::<(&Place, &Heading)>().into_iter();
            boids::digest(boids.map(|(&place, &heading)| (place, heading)))
        },
    );
}
