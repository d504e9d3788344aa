//! This example shows ids whose entities may die at any time, and mutable access to one entity beside *all the rest*:
//! missiles home in on ships, choose another target when theirs is gone, and keep away from each other.
//!
//! ```sh
//! cargo run --release --example homing_missiles                                        # counts, no window
//! cargo run --release -p ecs-examples --features window --example homing_missiles      # in a window
//! ```
//!
//! `--frames N` ends after N frames, `--seed N` changes the battle, `--headless` runs without the window.

mod model;
mod systems;
#[cfg(feature = "window")]
mod window;

use std::error::Error;

use ecs_core::prelude::*;
use ecs_examples::Options;

use model::{Homing, Position, Score, Ship};

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::from_env()?;
    let (mut world, mut frame) = (model::world(options.seed), systems::frame());
    if !options.headless {
        #[cfg(feature = "window")]
        window::play(world, frame, options.frames);
        return Ok(());
    }
    for _ in 0..options.frames.unwrap_or(600) {
        frame.run(&mut world)?;
        check(&world);
    }
    let score = world.resource::<Score>();
    println!(
        "{} frames: {} missiles, {} hits, {} burnt out, {} looked for another target; {} ships and {} missiles now",
        score.frames,
        score.launched,
        score.hits,
        score.burnt_out,
        score.retargeted,
        world.view::<Ship>().len(),
        world.view::<Homing>().len(),
    );
    if score.frames >= 200 {
        assert!(score.hits > 0, "missiles find ships");
        assert!(
            score.retargeted > 0,
            "missiles survive the death of their targets"
        );
    }
    Ok(())
}

/// Asserts the invariants of a frame.
fn check(world: &World) {
    let (missiles, ships, positions) = (
        world.view::<Homing>(),
        world.view::<Ship>(),
        world.view::<Position>(),
    );
    for (homing, position) in (&missiles, &positions).iter() {
        assert!(position.0.is_finite());
        // A target may have died in this very frame. Its id finds nothing then, in particular no newer ship.
        if let Some(target) = homing.target {
            assert_eq!(ships.contains(target), world.contains(target));
        }
    }
    let score = world.resource::<Score>();
    let gone = score.hits + score.burnt_out;
    assert_eq!(
        missiles.len() as u64,
        score.launched - gone,
        "no missile is lost"
    );
}
