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

use model::{Homing, Position, Score, Ship};

/// The options on the command line.
struct Options {
    frames: Option<u32>,
    seed: u64,
    headless: bool,
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        frames: None,
        seed: 1,
        headless: cfg!(not(feature = "window")),
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().ok_or(format!("{argument} needs a number"));
        match argument.as_str() {
            "--frames" => options.frames = Some(number()?.parse()?),
            "--seed" => options.seed = number()?.parse()?,
            "--headless" => options.headless = true,
            _ => {
                return Err(format!(
                    "unknown argument {argument}; expected --frames N, --seed N or --headless"
                )
                .into());
            }
        }
    }
    Ok(options)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
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
