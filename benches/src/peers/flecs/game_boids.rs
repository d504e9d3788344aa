//! Boids.

use std::cell::RefCell;
use std::rc::Rc;

use flecs_ecs::prelude::*;

use crate::peers::Peer::Flecs;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_boids::{self as boids, BOIDS, Grid};

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Flecs,
        "progress",
        || {
            let world = World::new();
            let (places, headings): (Vec<Place>, Vec<Heading>) = (0..BOIDS).map(boids::boid).unzip();
            world.entity_bulk(BOIDS).set(&places).set(&headings).build();
            let grid = Rc::new(RefCell::new(Grid::default()));
            let gathered = Rc::clone(&grid);
            world.system::<(&Place, &Heading)>().run(move |mut boids| {
                let mut grid = gathered.borrow_mut();
                while boids.next() {
                    let (places, headings) = (boids.field::<Place>(0), boids.field::<Heading>(1));
                    for row in boids.iter() {
                        grid.add(places[row], headings[row]);
                    }
                }
                grid.sort();
            });
            world
                .system::<(&Place, &mut Heading)>()
                .each(move |(&place, heading)| *heading = grid.borrow().steer(place, *heading));
            world.system::<(&mut Place, &Heading)>().each(|(place, &heading)| place.fly(heading));
            world
        },
        |world| {
            for _ in 0..FRAMES {
                world.progress();
            }
        },
        |world| {
            let mut boids = Vec::new();
            world.new_query::<(&Place, &Heading)>().each(|(&place, &heading)| boids.push((place, heading)));
            boids::digest(boids)
        },
    );
}
