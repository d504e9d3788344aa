//! This example shows ids whose entities may die at any time, and mutable access to one entity beside *all the rest*:
//! missiles home in on ships, choose another target when theirs is gone, and keep away from each other.
//!
//! ```sh
//! cargo run --release -p ecs-examples --example homing_missiles                        # counts, no window
//! cargo run --release -p ecs-examples --features window --example homing_missiles      # in a window
//! ```
//!
//! `--frames N` ends after N frames, `--seed N` changes the battle, `--headless` runs without the window, `--script` in equal
//! frames. `--record FILE` records the battle, and `--replay FILE` runs a recording again. `examples/page homing_missiles` makes a page of it.

mod model;
mod systems;
#[cfg(feature = "window")]
mod window;

use std::error::Error;

use ecs_core::prelude::*;
use ecs_examples::roguelike::Rng;
use ecs_examples::{Options, SCRIPT_FRAME, end_script, replay};

use model::{Homing, Position, Score, Ship};

fn main() -> Result<AppExit, Box<dyn Error>> {
    let options = Options::from_env()?;
    if let Some(path) = &options.replay {
        println!("{}", replay(path, || game(options.seed))?);
        return Ok(AppExit::Success);
    }
    let mut app = game(options.seed);
    options.record(&mut app);
    if !options.headless {
        #[cfg(feature = "window")]
        window::play(app, options);
        return Ok(AppExit::Success);
    }
    for _ in 0..options.frames.unwrap_or(600) {
        let exit = match options.script {
            true => app.update_by(SCRIPT_FRAME),
            false => app.update(),
        };
        if let Some(exit) = exit {
            return Ok(exit);
        }
        check(app.world());
    }
    let world = app.world();
    let frames = world.resource::<Time>().frame();
    let score = world.resource::<Score>();
    println!(
        "{frames} frames: {} missiles, {} hits, {} burnt out, {} looked for another target; {} ships and {} missiles now",
        score.launched,
        score.hits,
        score.burnt_out,
        score.retargeted,
        world.view::<Ship>().len(),
        world.view::<Homing>().len(),
    );
    if options.script {
        end_script(frames as u32, world.hash()?);
    }
    if frames >= 200 {
        assert!(score.hits > 0, "missiles find ships");
        assert!(
            score.retargeted > 0,
            "missiles survive the death of their targets"
        );
    }
    Ok(AppExit::Success)
}

/// Returns a battle with a seed.
fn game(seed: u64) -> App {
    let mut app = App::new();
    app.insert_resource(Rng::new(seed))
        .add_plugin(systems::battle);
    app
}

#[test]
fn from_any_frame_the_battle_is_the_same() {
    ecs_examples::assert_same_from_any_frame(|| game(1), 400, |_, _| {});
}

#[test]
fn systems_touch_what_access_lock_says() {
    let text = game(1).access_text().unwrap();
    ecs_core::schedule::assert_access_lock("homing_missiles/access.lock", &text);
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
        // A target may have died in this very frame. Its id then finds nothing, and in particular no newer ship.
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
