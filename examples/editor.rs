//! This example shows an editor of an outline, in which everything can be undone: notes are entities in a tree, a step is
//! recorded whatever it does, and what comes back has the same ids.
//!
//! ```sh
//! cargo run --example editor              # commands from a script, and what happens is compared
//! cargo run --example editor -- --edit    # commands from the terminal, a line each; `help` lists them
//! ```

use std::error::Error;
use std::io::{self, BufRead};

use ecs_core::data::{Differ, Undo};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use serde::{Deserialize, Serialize};

/// The relation from a note to the one that it is below.
#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "editor.below", tree, sources = "despawn")]
struct Below;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "editor.note")]
struct Note(String);

/// The note that the editor shows in bold: no data, so it is no part of a step.
#[derive(Component)]
struct Marked;

const HELP: &str = "\
add TEXT         a note at the top        edit ID TEXT     another text
under ID TEXT    a note below one         move ID TO       below another one, or to the `top`
up ID            before the one above     delete ID        with all below it
mark ID          no step                  undo, redo, steps, help, quit";

struct Editor {
    world: World,
    root: Entity,
    undo: Undo,
}

impl Editor {
    fn new() -> Self {
        let mut world = World::new();
        let root = world.spawn(Note("outline".to_owned()));
        Self {
            world,
            root,
            undo: Undo::with(Differ::new().only_data(), 100),
        }
    }

    /// Executes a command, and returns what there is to say.
    fn command(&mut self, line: &str) -> Result<String, Box<dyn Error>> {
        let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        let (world, root) = (&mut self.world, self.root);
        let id = |text: &str| -> Result<Entity, Box<dyn Error>> {
            let id = if text == "top" { root } else { text.parse()? };
            match world.contains(id) {
                true => Ok(id),
                false => Err(format!("there is no note {id}").into()),
            }
        };
        let (first, text) = rest.split_once(' ').unwrap_or((rest, ""));
        match word {
            "undo" | "redo" => {
                let done = match word {
                    "undo" => self.undo.undo(world)?,
                    _ => self.undo.redo(world)?,
                };
                return Ok(if done { "" } else { "there is no step" }.to_owned());
            }
            "steps" => {
                let steps = self.undo.done().zip(1..);
                return Ok(steps.map(|(step, n)| format!("step {n}\n{step}")).collect());
            }
            "mark" => world.insert(id(rest)?, Marked)?,
            "add" | "under" => {
                let (parent, text) = match word {
                    "add" => (root, rest),
                    _ => (id(first)?, text),
                };
                let note = (Note(text.to_owned()), Below.to(parent));
                self.undo.record(world, |world| world.spawn(note))?;
            }
            "edit" => {
                let (id, note) = (id(first)?, Note(text.to_owned()));
                self.undo.record(world, |world| world.insert(id, note))??;
            }
            "move" => {
                let (id, to) = (id(first)?, id(text)?);
                self.undo
                    .record(world, |world| world.relate(id, Below, to))??;
            }
            "up" => {
                let id = id(rest)?;
                self.undo.record(world, |world| move_up(world, id))?;
            }
            "delete" => {
                let id = id(rest)?;
                if id == root {
                    return Err("the outline stays".into());
                }
                self.undo.record(world, |world| world.despawn(id))??;
            }
            _ => return Ok(HELP.to_owned()),
        }
        Ok(String::new())
    }

    /// Returns the outline as text.
    fn picture(&self) -> String {
        let mut lines = String::new();
        self.draw(self.root, 0, &mut lines);
        lines
    }

    fn draw(&self, note: Entity, depth: usize, lines: &mut String) {
        let world = &self.world;
        let text = world.get::<Note>(note).map(|note| note.0.clone());
        let mark = if world.has::<Marked>(note) { "*" } else { "" };
        let text = text.unwrap_or_default();
        *lines += &format!("{}{text}{mark} {note}\n", "  ".repeat(depth));
        let below = world.get::<Sources<Below>>(note);
        for below in below.iter().flat_map(|below| below.iter()) {
            self.draw(below, depth + 1, lines);
        }
    }
}

/// Moves a note before the one above it.
fn move_up(world: &mut World, id: Entity) {
    let parent = world.get::<Target<Below>>(id).map(|parent| parent.entity());
    if let Some(mut list) = parent.and_then(|parent| world.sources_mut::<Below>(parent))
        && let Some(at) = list.iter().position(|&note| note == id)
    {
        list.move_to(id, at.saturating_sub(1));
    }
}

/// Reads commands from the terminal.
fn edit(editor: &mut Editor) -> io::Result<()> {
    println!("{HELP}\n\n{}", editor.picture());
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim() == "quit" {
            break;
        }
        match editor.command(&line) {
            Ok(text) => println!("{text}\n{}", editor.picture()),
            Err(error) => println!("{error}"),
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut editor = Editor::new();
    if std::env::args().any(|argument| argument == "--edit") {
        return Ok(edit(&mut editor)?);
    }
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
    let mut pictures = vec![editor.picture()];
    for line in script {
        editor.command(line)?;
        println!("> {line}\n{}", editor.picture());
        pictures.push(editor.picture());
    }
    assert_eq!(pictures[9], "outline 0v1\n  garden 2v1\n");
    let below = "    kitchen 1v1\n      bread 4v1\n      green tea 3v1\n        sugar 5v1\n";
    assert_eq!(pictures[8], format!("{}{below}", pictures[9]));
    assert!(editor.command("move 2v1 1v1").is_err(), "it is gone");
    // All the way back, forth, and back again: each state is the same, to the ids and the order of notes.
    for (line, picture) in script.iter().zip(&pictures).rev() {
        editor.command("undo")?;
        println!("> undo ({line})");
        assert_eq!(&editor.picture(), picture);
    }
    assert_eq!(editor.command("undo")?, "there is no step");
    for picture in &pictures[1..] {
        editor.command("redo")?;
        assert_eq!(&editor.picture(), picture);
    }
    editor.command("undo")?;
    assert!(editor.command("move 2v1 1v1").is_err(), "it is below 2v1");
    assert_eq!(editor.picture(), pictures[8]);
    // What is no data does not count, and a new step ends what could be redone.
    editor.command("mark 5v1")?;
    editor.command("edit 5v1 honey")?;
    assert_eq!(editor.command("redo")?, "there is no step");
    assert!(editor.picture().ends_with("honey* 5v1\n"));
    println!("> steps\n{}", editor.command("steps")?);
    Ok(())
}
