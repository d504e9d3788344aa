//! This example shows a whole game on the ECS: a small roguelike for the terminal.
//!
//! Play it with `cargo run --release -p ecs-examples --example roguelike`; `-- --help` lists the arguments. `S` saves the game
//! and `L` loads it. A run without a terminal does the same by `--save game.ron`, at the end, and `--load game.ron`. The rules
//! of the game are systems in `examples/src/roguelike/systems`, the schedule of a turn is in
//! `examples/src/roguelike/game.rs`. This file and `terminal.rs` only connect them to the terminal;
//! with `--features window`, and in a page (`examples/page roguelike`), `canvas.rs` draws the cells of the terminal.

#[cfg(feature = "window")]
mod canvas;
#[cfg(not(feature = "window"))]
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use ecs_core::data::WorldData as _;
use ecs_examples::end_script;
use ecs_examples::roguelike::{Game, built_in_dungeon};

fn main() -> ExitCode {
    // The same game as the page with `?script=N`.
    let mut numbers = std::env::args_os().skip_while(|argument| argument != "--page-script");
    if numbers.next().is_some() {
        let number = numbers
            .next()
            .and_then(|number| number.to_str()?.parse().ok());
        return play_as_page(number.unwrap_or(300));
    }
    let arguments = std::env::args_os().skip(1);
    #[cfg(feature = "window")]
    use canvas::play;
    #[cfg(not(feature = "window"))]
    use terminal::play;
    match ecs_examples::roguelike::run(arguments, play) {
        Ok(text) => {
            // The reader of the output may close it early; that is not a failure.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(failure) => {
            let _ = writeln!(std::io::stderr(), "roguelike: {failure}");
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Lets the automatic player press so many keys, and prints the hash of the world.
fn play_as_page(keys: u32) -> ExitCode {
    let levels = built_in_dungeon().expect("the dungeon that comes with the game has no mistake");
    let mut game = Game::new(levels, 1);
    for _ in 0..keys {
        let key = game.advice();
        game.press(key).expect("no system fails");
    }
    end_script(keys, game.world().hash().expect("everything is data"));
    ExitCode::SUCCESS
}
