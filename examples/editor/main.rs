//! This example shows an editor of an outline that can undo everything. Notes are entities in a tree, each step is
//! recorded with all its effects, and undone deletions come back with the same ids.
//!
//! ```sh
//! cargo run -p ecs-examples --example editor            # commands from a script, and what happens is compared
//! cargo run -p ecs-examples --example editor -- --edit  # in the terminal; keys are shown below
//! cargo run -p ecs-examples --example editor -- --lines # commands from the standard input, a line each; `help` lists them
//! ```

mod commands;
mod outline;
mod screen;
mod terminal;

use std::io::{self, BufRead};

use commands::{HELP, execute, picture};
use outline::{Outline, Result};
use screen::Screen;

/// Executes commands from the standard input.
fn read_lines(outline: &mut Outline) -> io::Result<()> {
    println!("{HELP}\n\n{}", picture(outline));
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim() == "quit" {
            break;
        }
        match execute(outline, &line) {
            Ok(text) => println!("{text}\n{}", picture(outline)),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

fn main() -> Result {
    let mut outline = Outline::new();
    match std::env::args().nth(1).as_deref() {
        None => run_script(&mut outline),
        Some("--edit") => terminal::edit(Screen::new(outline)),
        Some("--lines") => Ok(read_lines(&mut outline)?),
        Some(other) => {
            Err(format!("unknown argument `{other}`; help: write `--edit` or `--lines`").into())
        }
    }
}

/// Executes commands, and compares the results.
fn run_script(outline: &mut Outline) -> Result {
    let script = [
        "add kitchen",
        "add garden",
        "under 1v1 tea",
        "under 1v1 bread",
        "under 3v1 sugar",
        "edit 3v1 green tea",
        "up 4v1",
        "move 1v1 2v1",
        "delete 1v1",
    ];
    let mut pictures = vec![picture(outline)];
    for line in script {
        execute(outline, line)?;
        println!("> {line}\n{}", picture(outline));
        pictures.push(picture(outline));
    }
    assert_eq!(pictures[9], "outline 0v1\n  garden 2v1\n");
    let below = "    kitchen 1v1\n      bread 4v1\n      green tea 3v1\n        sugar 5v1\n";
    assert_eq!(pictures[8], format!("{}{below}", pictures[9]));
    assert!(execute(outline, "move 2v1 1v1").is_err(), "it is gone");
    // All the way back, forth, and back again: each state is the same, down to the ids and the order of notes.
    for (line, expected) in script.iter().zip(&pictures).rev() {
        execute(outline, "undo")?;
        println!("> undo ({line})");
        assert_eq!(&picture(outline), expected);
    }
    assert_eq!(execute(outline, "undo")?, "there is no step");
    for expected in &pictures[1..] {
        execute(outline, "redo")?;
        assert_eq!(&picture(outline), expected);
    }
    execute(outline, "undo")?;
    assert!(execute(outline, "move 2v1 1v1").is_err(), "it is below 2v1");
    assert_eq!(picture(outline), pictures[8]);
    // A change of a component that is not data does not count, and a new step discards the steps to redo.
    execute(outline, "mark 5v1")?;
    execute(outline, "edit 5v1 honey")?;
    assert_eq!(execute(outline, "redo")?, "there is no step");
    assert!(picture(outline).ends_with("honey* 5v1\n"));
    println!("> steps\n{}", execute(outline, "steps")?);
    Ok(())
}
