//! This example shows a game as an app: rules at a fixed step, collisions as events, and drawing between two steps.
//!
//! ```sh
//! cargo run --release -p ecs-examples --example breakout                       # a bot plays, no window
//! cargo run --release -p ecs-examples --features window --example breakout     # arrow keys, in a window
//! ```
//!
//! `--frames N` ends after N frames, `--seed N` changes the game, `--headless` runs without the window, with `--script` a script plays. `--record
//! FILE` records the game; with `--replay FILE` in its place the same frames run again. `examples/page breakout` makes a page of it.

mod bot;
mod model;
mod rules;
#[cfg(feature = "window")]
mod window;

use std::error::Error;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_examples::{HeldKeys, Options, SCRIPT_FRAME, end_script, replay, script_keys};

use model::{BRICKS, Brick, Control, Game, Phase};

fn main() -> Result<AppExit, Box<dyn Error>> {
    let options = &Options::from_env()?;
    if let Some(path) = &options.replay {
        let recorded = || match options.headless {
            true => game(options.seed, bot::plugin),
            false => game(options.seed, |_: &mut App| {}),
        };
        println!("{}", replay(path, recorded)?);
        return Ok(AppExit::Success);
    }
    if !options.headless {
        #[cfg(feature = "window")]
        return Ok(window::play(options));
    }
    if options.script {
        let mut app = game(options.seed, |_: &mut App| {});
        let frames = options.frames.unwrap_or(600);
        for frame in 0..frames {
            press(&mut app, script_keys(frame));
            app.update_by(SCRIPT_FRAME);
            check(app.world());
        }
        end_script(frames, app.world().hash()?);
        return Ok(AppExit::Success);
    }
    let frame = SCRIPT_FRAME;
    let mut app = game(options.seed, bot::plugin);
    options.record(&mut app);
    let end = play(app, options, frame);
    println!(
        "{:?} after {} steps: {} of {BRICKS} bricks, {} points, {} lives",
        end.phase, end.steps, end.hits, end.score, end.lives
    );
    if options.frames.is_none() {
        assert_ne!(end.phase, Phase::Playing, "the game comes to an end");
        // A frame has no steps, one or several, and the game is the same.
        for frame in [5, 16, 90].map(Duration::from_millis) {
            assert_eq!(
                play(game(options.seed, bot::plugin), options, frame),
                end,
                "in frames of {frame:?}"
            );
        }
        // A paddle that stands still loses.
        let lost = play(game(options.seed, |_: &mut App| {}), options, frame);
        assert_eq!(lost.phase, Phase::Lost);
        if options.seed == 1 {
            assert_eq!((end.phase, end.hits), (Phase::Won, BRICKS));
        }
    }
    Ok(AppExit::Success)
}

/// Plays in frames of the given length, and returns how the game ends.
fn play(mut app: App, options: &Options, frame: Duration) -> Game {
    for _ in 0..options.frames.unwrap_or(1_000_000) {
        app.update_by(frame);
        check(app.world());
        if app.world().resource::<Game>().phase != Phase::Playing {
            break;
        }
    }
    app.world().resource::<Game>().clone()
}

/// Moves the paddle as the keys say. Not a system, so that a recording has it.
fn press(app: &mut App, keys: HeldKeys) {
    let key = |is_down| f32::from(u8::from(is_down));
    app.world_mut().resource_mut::<Control>().0 = key(keys.right) - key(keys.left);
}

fn game(seed: u64, player: impl Plugin) -> App {
    let mut app = App::new();
    app.add_plugin(rules::Rules { seed }).add_plugin(player);
    app
}

#[test]
fn from_any_frame_the_game_is_the_same() {
    let game = || game(1, bot::plugin);
    ecs_examples::assert_same_from_any_frame(game, 400, |_, _| {});
}

#[test]
fn the_recorded_game_is_still_the_same() {
    let record = |path: &std::path::Path| {
        let mut app = game(1, bot::plugin);
        app.add_plugin(ecs_core::record::Recorder::new(path).hash_every(4));
        app.update_times(600, Duration::from_millis(16));
    };
    ecs_examples::assert_same_as_recorded("breakout", record, || game(1, bot::plugin));
}

#[test]
fn systems_touch_what_access_lock_says() {
    let text = game(1, bot::plugin).access_text().unwrap();
    ecs_core::schedule::assert_access_lock("breakout/access.lock", &text);
}

/// Asserts the invariants of a frame.
fn check(world: &World) {
    let game = world.resource::<Game>();
    assert_eq!(world.view::<Brick>().len() as u32, BRICKS - game.hits);
    assert_eq!(game.phase == Phase::Won, game.hits == BRICKS);
    assert_eq!(game.phase == Phase::Lost, game.lives == 0);
    let sounds = world.resource::<model::Sounds>();
    assert_eq!(sounds.0, game.hits, "each hit makes one sound");
}
