//! This example shows a spatial grid: birds fly in flocks, and each one looks at the birds near it.
//!
//! A bird steers away from birds that are too near, matches the speed and direction of its neighbours, and stays near their
//! middle (C. Reynolds, "Flocks, Herds, and Schools", 1987). `SpatialGrid` finds the neighbours: it follows the changes of
//! the component `Place` by itself, and only does so when it is read.
//!
//! `--record FILE` records the flight, and `--replay FILE` runs a recording again.

use std::ops::{Add, AddAssign, Mul, Sub};

use ecs_core::index::{Spatial, SpatialGrid};
use ecs_core::prelude::*;
use ecs_core::record::{Recorder, ScheduleProgram};
#[cfg(test)]
use ecs_core::snapshot::Snapshotter;
use ecs_examples::{file_after, replay};
use serde::{Deserialize, Serialize};

const BIRDS: u32 = 1_500;
const FRAMES: u32 = 600;
/// The birds fly over a square, and turn back at its edges.
const SIZE: f32 = 200.0;
const SIGHT: f32 = 6.0;
const TOO_NEAR: f32 = 1.5;
const SPEED: f32 = 0.6;

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct Vec2 {
    x: f32,
    y: f32,
}

impl Vec2 {
    fn len(self) -> f32 {
        self.x.hypot(self.y)
    }
}

impl Add for Vec2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Vec2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl Mul<f32> for Vec2 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self {
            x: self.x * by,
            y: self.y * by,
        }
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "boids.place", track)]
struct Place(Vec2);

impl Spatial<2> for Place {
    const CELL: f32 = SIGHT;

    fn place(&self) -> [f32; 2] {
        [self.0.x, self.0.y]
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "boids.velocity")]
struct Velocity(Vec2);

/// The change of velocity that a bird has decided on.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
#[component(data = "boids.steering")]
struct Steering(Vec2);

/// Looks at the neighbours of each bird. All birds look before any moves, so their order does not matter.
#[system]
fn steer(
    grid: SpatialGrid<Place, 2>,
    velocities: Comp<Velocity>,
    mut birds: Query<(Entity, &Place, &Velocity, &mut Steering)>,
) {
    birds.par_for_each(|(bird, &Place(place), &Velocity(velocity), steering)| {
        let (mut away, mut middle, mut heading) =
            (Vec2::default(), Vec2::default(), Vec2::default());
        let mut seen = 0.0;
        for (other, [x, y]) in grid.within([place.x, place.y], SIGHT) {
            let Some(&Velocity(theirs)) = velocities.get(other).filter(|_| other != bird) else {
                continue;
            };
            let there = Vec2 { x, y };
            let distance = (place - there).len();
            if distance < TOO_NEAR {
                away += (place - there) * (0.05 / distance.max(0.1));
            }
            middle += there;
            heading += theirs;
            seen += 1.0;
        }
        steering.0 = away;
        if seen > 0.0 {
            steering.0 += (middle * (1.0 / seen) - place) * 0.002;
            steering.0 += (heading * (1.0 / seen) - velocity) * 0.08;
        }
        let turn = |at: f32| {
            if at < 10.0 {
                0.05
            } else if at > SIZE - 10.0 {
                -0.05
            } else {
                0.0
            }
        };
        steering.0 += Vec2 {
            x: turn(place.x),
            y: turn(place.y),
        };
    });
}

#[system(for_each)]
fn fly(mut place: Mut<Place>, velocity: &mut Velocity, steering: &Steering) {
    let wanted = velocity.0 + steering.0;
    velocity.0 = wanted * (SPEED / wanted.len().max(1e-6));
    place.0 += velocity.0;
}

/// Measures how much the birds fly in the directions of their neighbours: 1 if all do, about 0 by chance.
#[system]
fn order(
    grid: SpatialGrid<Place, 2>,
    velocities: Comp<Velocity>,
    birds: Query<(Entity, &Place)>,
) -> f32 {
    let (mut sum, mut pairs) = (0.0, 0.0);
    for (bird, &Place(place)) in &birds {
        let Some(&Velocity(own)) = velocities.get(bird) else {
            continue;
        };
        for (other, _) in grid.within([place.x, place.y], SIGHT) {
            if let Some(&Velocity(theirs)) = velocities.get(other).filter(|_| other != bird) {
                sum += (own.x * theirs.x + own.y * theirs.y) / (own.len() * theirs.len());
                pairs += 1.0;
            }
        }
    }
    sum / f32::max(pairs, 1.0)
}

/// Compares the results of the grid with a scan of all birds.
#[system]
fn check(grid: SpatialGrid<Place, 2>, birds: Query<(Entity, &Place)>) {
    for (_, &Place(place)) in birds.iter().step_by(97) {
        let mut found: Vec<Entity> = grid
            .within([place.x, place.y], SIGHT)
            .map(|(bird, _)| bird)
            .collect();
        let is_near = |other: Vec2| {
            let (x, y) = (f64::from(other.x - place.x), f64::from(other.y - place.y));
            x * x + y * y <= f64::from(SIGHT) * f64::from(SIGHT)
        };
        let near = birds.iter().filter(|(_, other)| is_near(other.0));
        let mut expected: Vec<Entity> = near.map(|(bird, _)| bird).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}

/// Prints the sky, one character for each square.
fn print(world: &World) {
    const COLUMNS: usize = 50;
    let mut sky = vec![0_u32; COLUMNS * COLUMNS / 2];
    for place in &world.query::<&Place>() {
        let square = |at: f32, squares: usize| {
            ((at / SIZE * squares as f32).max(0.0) as usize).min(squares - 1)
        };
        sky[square(place.0.y, COLUMNS / 2) * COLUMNS + square(place.0.x, COLUMNS)] += 1;
    }
    for row in sky.chunks(COLUMNS) {
        let row: String = row
            .iter()
            .map(|birds| [' ', '.', ':', 'o', '#'][*birds.min(&4) as usize])
            .collect();
        println!("|{row}|");
    }
}

/// Returns a sky with some birds, and the schedule of a frame.
fn sky(birds: u32) -> (World, Schedule) {
    let mut world = World::new();
    world.spawn_batch((0..birds).map(|n| {
        // Scattered places and directions, the same in each run.
        let scatter = |by: u32| (n.wrapping_mul(by) >> 8) as f32 / (1 << 24) as f32;
        let place = Vec2 {
            x: scatter(2_654_435_761) * SIZE,
            y: scatter(2_246_822_519) * SIZE,
        };
        let angle = scatter(3_266_489_917) * std::f32::consts::TAU;
        let velocity = Vec2 {
            x: angle.cos(),
            y: angle.sin(),
        } * SPEED;
        (Place(place), Velocity(velocity), Steering::default())
    }));
    let mut frame = Schedule::new();
    frame.add((steer, fly));
    (world, frame)
}

#[test]
fn from_any_frame_the_flight_is_the_same() {
    let snapshotter = Snapshotter::new();
    let (mut world, mut frame) = sky(200);
    frame.prepare(&mut world).unwrap();
    let mut taken = Vec::new();
    for _ in 0..12 {
        let snapshot = snapshotter.take_with(&mut world, &mut [&mut frame]);
        taken.push(snapshot.unwrap().to_bytes().unwrap());
        frame.run(&mut world).unwrap();
    }
    let end = world.hash().unwrap();
    for (ran, bytes) in taken.iter().enumerate() {
        let (mut new, mut new_frame) = sky(0);
        new_frame.prepare(&mut new).unwrap();
        for (world, frame) in [(&mut new, &mut new_frame), (&mut world, &mut frame)] {
            let schedules = &mut [&mut *frame];
            let read = snapshotter.read_bytes_with(world, schedules, bytes);
            let mut snapshot = read.unwrap();
            let restored = snapshotter.restore_with(world, schedules, &mut snapshot);
            restored.unwrap();
            (ran..12).for_each(|_| frame.run(world).unwrap());
            assert_eq!(world.hash().unwrap(), end, "from frame {ran}");
            check(world);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut world, mut frame) = sky(BIRDS);
    if let Some(path) = file_after("--replay") {
        println!("{}", replay(&path, || ScheduleProgram::new(world, frame))?);
        return Ok(());
    }
    let mut recorder = file_after("--record").map(|path| Recorder::new(path).by_hand());
    let first = order(&world);
    for _ in 0..FRAMES {
        match &mut recorder {
            Some(recorder) => recorder.run(&mut world, &mut frame)?,
            None => frame.run(&mut world)?,
        }
    }
    check(&world);
    let last = order(&world);
    print(&world);
    println!(
        "{BIRDS} birds after {FRAMES} frames; order of neighbours: {first:.2} at first, {last:.2} now"
    );
    assert!(first.abs() < 0.2, "they have started in all directions");
    assert!(last > 0.8, "they fly in flocks");
    Ok(())
}
