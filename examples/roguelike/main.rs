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

fn main() -> ExitCode {
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
