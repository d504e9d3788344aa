//! This example shows a closed world: a small platform game that lists its components in `world!`, and whose systems
//! are `system!` loops that look nothing up by type.
//!
//! ```sh
//! cargo run --release -p ecs-examples --example static_game                       # plays itself, prints the last frame
//! cargo run --release -p ecs-examples --features window --example static_game     # arrow keys, in a window
//! ```
//!
//! `--frames N` ends after N frames, `--headless` runs without the window, with `--script` a script plays. `examples/page
//! static_game` makes a page of it.

mod frame;
mod level;
mod model;
mod picture;
#[cfg(feature = "window")]
mod window;

use std::error::Error;

use ecs_core::statics::{StaticWorld, component};
use ecs_examples::{end_script, frames_of_page, hash_of_text, script_keys};

use model::{Ai, Game, Health, Input, Position, StatusBar, Velocity};

fn main() -> Result<(), Box<dyn Error>> {
    let (mut frames, mut headless) = (frames_of_page(), cfg!(not(feature = "window")));
    let mut script = frames.is_some();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--frames" => {
                frames = Some(
                    arguments
                        .next()
                        .ok_or("--frames requires a number")?
                        .parse()?,
                );
            }
            "--headless" => headless = true,
            "--script" => script = true,
            _ => {
                return Err(format!(
                    "unknown argument {argument}; expected --frames N, --headless or --script"
                )
                .into());
            }
        }
    }
    let (mut game, hero) = level::start();
    if !headless {
        #[cfg(feature = "window")]
        window::play(game, hero, frames, script);
        return Ok(());
    }

    let enemies = component!(game, Ai).len();
    let mut played = 0;
    for number in 0..frames.unwrap_or(400) {
        if let Some(input) = game.get_mut::<Input>(hero) {
            *input = match script {
                true => script_keys(number).into(),
                false => autopilot(number),
            };
        }
        frame::run(&mut game);
        played += 1;
        check(&game);
        if !game.contains(hero) || level::is_won(&game, hero) {
            break;
        }
    }
    println!("{}", picture::of(&game));
    let health = game
        .get::<StatusBar<Health>>(hero)
        .map_or(0, |bar| bar.value);
    let slain = enemies - component!(game, Ai).len();
    let won = level::is_won(&game, hero);
    println!(
        "{played} frames: the hero has {health} health, defeated {slain} of {enemies} enemies, is at the flag: {won}"
    );
    if script {
        end_script(played, hash(&game));
    } else if frames.is_none() {
        assert!(won && slain > 0, "the autopilot knows the way");
    }
    Ok(())
}

/// Returns a hash of what moves. A closed world has no names by which it could be hashed.
fn hash(game: &Game) -> u64 {
    let mut text = String::new();
    for (entity, position) in component!(game, Position).with_entity() {
        let velocity = game.get::<Velocity>(entity);
        let health = game
            .get::<StatusBar<Health>>(entity)
            .map(|health| health.value);
        text += &format!("{entity} {position:?} {velocity:?} {health:?}\n");
    }
    hash_of_text(&text)
}

/// Presses keys for the hero: walks right and jumps in every third frame.
fn autopilot(frame: u32) -> Input {
    Input {
        left: false,
        right: true,
        jump: frame.is_multiple_of(3),
    }
}

/// Asserts the invariants of a frame.
fn check(game: &Game) {
    for (entity, position) in component!(game, Position).with_entity() {
        assert!(
            !level::is_wall(position.x, position.y),
            "{entity} is in a wall at {position:?}"
        );
    }
}

/// A closed world has no snapshots: the way back to a frame is the same input from the start, which has to lead there.
#[test]
fn the_same_input_leads_to_the_same_game_in_every_frame() {
    let inputs: [fn(u32) -> Input; 2] = [autopilot, |frame| script_keys(frame).into()];
    for input in inputs {
        let ((mut one, hero), mut hashes) = (level::start(), Vec::new());
        let step = |game: &mut Game, frame| {
            if let Some(keys) = game.get_mut::<Input>(hero) {
                *keys = input(frame);
            }
            frame::run(game);
            hash(game)
        };
        let (mut others, mut moved) = (Vec::new(), 0);
        for frame in 0..400 {
            // Games that begin later, among others that go on.
            if frame % 100 == 50 {
                others.push((level::start().0, 0));
            }
            hashes.push(step(&mut one, frame));
            for (other, next) in &mut others {
                assert_eq!(step(other, *next), hashes[*next as usize], "frame {next}");
                *next += 1;
            }
            moved += u32::from(hashes.first() != hashes.last());
        }
        assert!(moved > 300, "something moves");
    }
}
