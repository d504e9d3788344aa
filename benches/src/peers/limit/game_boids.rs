//! Boids: one `Vec` per component.

use crate::peers::Peer::Limit;
use crate::subject::Workload;
use crate::workloads::game::{FRAMES, Heading, Place};
use crate::workloads::game_boids::{self as boids, BOIDS, Grid};

#[derive(Default)]
struct Sky {
    places: Vec<Place>,
    headings: Vec<Heading>,
    grid: Grid,
}

impl Sky {
    fn frame(&mut self) {
        for (&place, &heading) in self.places.iter().zip(&self.headings) {
            self.grid.add(place, heading);
        }
        self.grid.sort();
        for (&place, heading) in self.places.iter().zip(&mut self.headings) {
            *heading = self.grid.steer(place, *heading);
        }
        for (place, &heading) in self.places.iter_mut().zip(&self.headings) {
            place.fly(heading);
        }
    }
}

pub(super) fn run(workload: &mut Workload) {
    workload.add(
        Limit,
        "calls",
        || {
            let (places, headings) = (0..BOIDS).map(boids::boid).unzip();
            Sky { places, headings, ..Sky::default() }
        },
        |sky| (0..FRAMES).for_each(|_| sky.frame()),
        |sky| boids::digest(sky.places.iter().copied().zip(sky.headings.iter().copied())),
    );
    workload.mark_as_plain();
}
