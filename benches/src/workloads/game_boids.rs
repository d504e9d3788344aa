//! Boids: each steers by the boids in the cells around it (C. Reynolds, "Flocks, Herds, and Schools", 1987).

use crate::digest::Digest;
use crate::workloads::game::{Heading, Place, noise};

/// The number of boids.
pub(crate) const BOIDS: u32 = 5_000;

/// The cells of the grid in each direction, and the bits of a coordinate that tell places in a cell apart.
const SIDE: usize = 64;
const CELL_BITS: u32 = 10;

/// The squares of the distance that a boid sees and of the one that is too near, and the limit of its speed.
const SIGHT: i32 = 1_000 * 1_000;
const TOO_NEAR: i32 = 600 * 600;
const SPEED: i32 = 200;

/// Returns the components of a boid.
pub(crate) fn boid(number: u32) -> (Place, Heading) {
    let place = Place::random(noise(number, 0));
    (place, Heading::random(noise(number, 1), SPEED))
}

/// The boids in the order of their cells.
pub(crate) struct Grid {
    added: Vec<(Place, Heading)>,
    sorted: Vec<(Place, Heading)>,
    /// The number of boids in each cell, and the place of its end in `sorted`.
    counts: Vec<u32>,
    ends: Vec<u32>,
}

impl Default for Grid {
    fn default() -> Self {
        Self {
            added: Vec::new(),
            sorted: Vec::new(),
            counts: vec![0; SIDE * SIDE],
            ends: vec![0; SIDE * SIDE],
        }
    }
}

impl Grid {
    /// Adds a boid, before all are sorted.
    #[inline]
    pub(crate) fn add(&mut self, place: Place, heading: Heading) {
        self.added.push((place, heading));
        self.counts[cell(place)] += 1;
    }

    /// Sorts the boids that were added, in place of earlier ones.
    pub(crate) fn sort(&mut self) {
        let mut end = 0;
        for (count, first) in self.counts.iter_mut().zip(&mut self.ends) {
            *first = end;
            end += std::mem::take(count);
        }
        self.sorted.resize(self.added.len(), Default::default());
        for boid in self.added.drain(..) {
            let at = &mut self.ends[cell(boid.0)];
            self.sorted[*at as usize] = boid;
            *at += 1;
        }
    }

    fn in_cell(&self, x: usize, y: usize) -> &[(Place, Heading)] {
        let cell = y % SIDE * SIDE + x % SIDE;
        let start = if cell == 0 { 0 } else { self.ends[cell - 1] };
        &self.sorted[start as usize..self.ends[cell] as usize]
    }

    /// Returns the heading of a boid for the next frame.
    pub(crate) fn steer(&self, place: Place, heading: Heading) -> Heading {
        let (mut seen, mut middle, mut common, mut away) = (0, [0; 2], [0; 2], [0; 2]);
        let [x, y] = place.0.map(|part| usize::from(part >> CELL_BITS) + SIDE);
        for y in y - 1..=y + 1 {
            for x in x - 1..=x + 1 {
                for &(other, its) in self.in_cell(x, y) {
                    let way = other.way_from(place);
                    let distance = way[0] * way[0] + way[1] * way[1];
                    if distance > SIGHT {
                        continue;
                    }
                    seen += 1;
                    for part in [0, 1] {
                        middle[part] += way[part];
                        common[part] += i32::from(its.0[part]);
                        away[part] -= if distance < TOO_NEAR { way[part] } else { 0 };
                    }
                }
            }
        }
        // A boid sees itself, which changes neither its place nor its heading.
        let turned = [0, 1].map(|part| {
            let own = i32::from(heading.0[part]);
            own + (common[part] / seen - own) / 8 + middle[part] / seen / 128 + away[part] / 8
        });
        Heading::limited(turned, SPEED)
    }
}

const fn cell(place: Place) -> usize {
    let [x, y] = place.0;
    (y >> CELL_BITS) as usize * SIDE + (x >> CELL_BITS) as usize
}

/// Returns the digest of all boids.
pub(crate) fn digest(boids: impl IntoIterator<Item = (Place, Heading)>) -> u64 {
    let values =
        |(place, heading): (Place, Heading)| place.values().into_iter().chain(heading.values());
    Digest::of(boids.into_iter().map(values))
}
