//! Edits the outline by commands of one line each, and shows it as text.

use ecs_core::Entity;

use crate::outline::{Outline, Result};

pub(crate) const HELP: &str = "\
add TEXT         a note at the top        edit ID TEXT     another text
under ID TEXT    a note below one         move ID TO       below another one, or to the `top`
up ID            before the one above     delete ID        with all below it
mark ID          no step                  undo, redo, steps, help, quit";

/// Executes a command, and returns its message.
pub(crate) fn execute(outline: &mut Outline, line: &str) -> Result<String> {
    let (word, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
    let (first, text) = rest.split_once(' ').unwrap_or((rest, ""));
    match word {
        "undo" | "redo" => {
            let done = match word {
                "undo" => outline.undo()?,
                _ => outline.redo()?,
            };
            return Ok(if done { "" } else { "there is no step" }.to_owned());
        }
        "steps" => {
            let steps = outline.steps().0.into_iter().zip(1..);
            return Ok(steps.map(|(step, n)| format!("step {n}\n{step}")).collect());
        }
        "mark" => outline.mark(id(outline, rest)?)?,
        "add" => drop(outline.add(outline.root(), rest)?),
        "under" => drop(outline.add(id(outline, first)?, text)?),
        "edit" => outline.edit(id(outline, first)?, text)?,
        "move" => outline.put_below(id(outline, first)?, id(outline, text)?)?,
        "up" => outline.shift(id(outline, rest)?, false)?,
        "delete" => outline.delete(id(outline, rest)?)?,
        _ => return Ok(HELP.to_owned()),
    }
    Ok(String::new())
}

/// Returns the note with an id, such as `3v1`.
fn id(outline: &Outline, text: &str) -> Result<Entity> {
    let id = match text {
        "top" => outline.root(),
        _ => text.parse()?,
    };
    match outline.contains(id) {
        true => Ok(id),
        false => Err(format!("there is no note {id}").into()),
    }
}

/// Returns the outline as text.
pub(crate) fn picture(outline: &Outline) -> String {
    let lines = outline.lines().into_iter().map(|line| {
        let mark = if line.is_marked { "*" } else { "" };
        let indent = "  ".repeat(line.depth);
        format!("{indent}{}{mark} {}\n", line.text, line.note)
    });
    lines.collect()
}
