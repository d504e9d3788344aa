//! The outline: notes as entities in a tree. Each change of it is a step.

use std::error::Error;

use ecs_core::data::{Diff, Differ, Undo};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target};
use serde::{Deserialize, Serialize};

pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// The relation from a note to its parent.
#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "editor.below", tree, sources = "despawn")]
struct Below;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "editor.note")]
struct Note(String);

/// The note that the editor shows in bold: it is not data, so it is not part of a step.
#[derive(Component)]
struct Marked;

pub(crate) struct Outline {
    world: World,
    root: Entity,
    undo: Undo,
}

/// A line of the outline.
#[derive(Debug, PartialEq)]
pub(crate) struct Line {
    pub(crate) note: Entity,
    pub(crate) depth: usize,
    pub(crate) text: String,
    pub(crate) is_marked: bool,
}

impl Outline {
    pub(crate) fn new() -> Self {
        let mut world = World::new();
        let root = world.spawn(Note("outline".to_owned()));
        Self {
            world,
            root,
            undo: Undo::with(Differ::new().only_data(), 100),
        }
    }

    /// The note above all others.
    pub(crate) fn root(&self) -> Entity {
        self.root
    }

    pub(crate) fn contains(&self, note: Entity) -> bool {
        self.world.contains(note)
    }

    /// Returns all notes from the top down.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        self.add_lines(self.root, 0, &mut lines);
        lines
    }

    fn add_lines(&self, note: Entity, depth: usize, lines: &mut Vec<Line>) {
        lines.push(Line {
            note,
            depth,
            text: self.text(note),
            is_marked: self.world.has::<Marked>(note),
        });
        for below in self.below(note) {
            self.add_lines(below, depth + 1, lines);
        }
    }

    pub(crate) fn text(&self, note: Entity) -> String {
        let text = self.world.get::<Note>(note).map(|note| note.0.clone());
        text.unwrap_or_default()
    }

    /// Returns the children of a note, in order.
    fn below(&self, note: Entity) -> Vec<Entity> {
        let below = self.world.get::<Sources<Below>>(note);
        below.map_or(Vec::new(), |below| below.iter().collect())
    }

    /// Returns the parent of a note, and the note's number among its siblings.
    fn place(&self, note: Entity) -> Result<(Entity, usize)> {
        let parent = self.world.get::<Target<Below>>(note);
        let parent = parent.map(|parent| parent.entity());
        let parent = parent.ok_or("the outline stays where it is")?;
        let mut below = self.below(parent).into_iter();
        let at = below.position(|other| other == note);
        Ok((parent, at.unwrap_or(0)))
    }

    /// Changes the world, and records the change as a step.
    fn step<T>(&mut self, change: impl FnOnce(&mut World) -> T) -> Result<T> {
        Ok(self.undo.record(&mut self.world, change)?)
    }

    /// Adds a note as the last child of another one.
    pub(crate) fn add(&mut self, parent: Entity, text: &str) -> Result<Entity> {
        let note = (Note(text.to_owned()), Below.to(parent));
        self.step(|world| world.spawn(note))
    }

    pub(crate) fn edit(&mut self, note: Entity, text: &str) -> Result {
        let text = Note(text.to_owned());
        Ok(self.step(|world| world.insert(note, text))??)
    }

    /// Makes a note the last child of another one.
    pub(crate) fn put_below(&mut self, note: Entity, parent: Entity) -> Result {
        Ok(self.step(|world| world.relate(note, Below, parent))??)
    }

    /// Makes a note a child of the note before it on the same level.
    pub(crate) fn indent(&mut self, note: Entity) -> Result {
        let (parent, at) = self.place(note)?;
        let before = at.checked_sub(1).ok_or("there is no note before it")?;
        self.put_below(note, self.below(parent)[before])
    }

    /// Moves a note out, to the place after its parent.
    pub(crate) fn outdent(&mut self, note: Entity) -> Result {
        let (parent, _) = self.place(note)?;
        let (above, at) = self.place(parent)?;
        self.step(|world| {
            world.relate(note, Below, above)?;
            move_to(world, above, note, at + 1);
            Ok::<_, Box<dyn Error>>(())
        })?
    }

    /// Exchanges a note with the one before or after it on the same level.
    pub(crate) fn shift(&mut self, note: Entity, is_down: bool) -> Result {
        let (parent, at) = self.place(note)?;
        let last = self.below(parent).len() - 1;
        let to = if is_down { at + 1 } else { at.wrapping_sub(1) };
        self.step(|world| {
            if to <= last {
                move_to(world, parent, note, to);
            }
        })
    }

    /// Deletes a note, with all notes below it.
    pub(crate) fn delete(&mut self, note: Entity) -> Result {
        if note == self.root {
            return Err("the outline stays".into());
        }
        Ok(self.step(|world| world.despawn(note))??)
    }

    /// Marks a note, or removes the mark. This is not a step.
    pub(crate) fn mark(&mut self, note: Entity) -> Result {
        match self.world.has::<Marked>(note) {
            true => self.world.remove::<Marked>(note)?,
            false => self.world.insert(note, Marked)?,
        }
        Ok(())
    }

    /// Undoes a step; returns false if there is none.
    pub(crate) fn undo(&mut self) -> Result<bool> {
        Ok(self.undo.undo(&mut self.world)?)
    }

    /// Does a step again; returns false if there is none.
    pub(crate) fn redo(&mut self) -> Result<bool> {
        Ok(self.undo.redo(&mut self.world)?)
    }

    /// Returns the steps that can be undone, and the steps that can be redone, oldest first.
    pub(crate) fn steps(&self) -> (Vec<&Diff>, Vec<&Diff>) {
        (self.undo.done().collect(), self.undo.undone().collect())
    }
}

/// Moves a note to a place among the children of another one.
fn move_to(world: &mut World, parent: Entity, note: Entity, place: usize) {
    if let Some(mut below) = world.sources_mut::<Below>(parent) {
        below.move_to(note, place);
    }
}
