//! What there is one of in the game, and its one event.

use std::collections::VecDeque;

use ecs_core::prelude::*;

use super::{Key, Level};

/// The key that the player pressed in this turn.
#[derive(Resource, Debug)]
pub struct Input(pub Key);

/// How the game stands.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing is decided.
    Playing,
    /// The hero left by the last stairs.
    Won,
    /// The hero is no more.
    Died,
}

/// What the hero achieved.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Turns that went by.
    pub turns: u32,
    /// Coins that were picked up.
    pub gold: i32,
    /// Monsters that were killed.
    pub slain: u32,
}

/// Where the hero is on the way down.
#[derive(Resource, Debug)]
pub struct Depth {
    /// The number of this level; counts from 1.
    pub number: u32,
    /// The name of this level.
    pub name: String,
    below: VecDeque<Level>,
}

impl Depth {
    /// Above `levels`.
    pub(super) fn new(levels: Vec<Level>) -> Self {
        Self {
            number: 0,
            name: String::new(),
            below: levels.into(),
        }
    }

    /// Goes to the next level, which is handed out; `None` if this is the last.
    pub(super) fn descend(&mut self) -> Option<Level> {
        let level = self.below.pop_front()?;
        self.number += 1;
        self.name.clone_from(&level.name);
        Some(level)
    }
}

/// What was told to the player.
#[derive(Resource, Debug, Default)]
pub struct Log {
    lines: Vec<String>,
}

impl Log {
    /// Tells one thing more.
    pub fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// The last `count` lines, or fewer, oldest first.
    #[must_use]
    pub fn last(&self, count: usize) -> &[String] {
        &self.lines[self.lines.len().saturating_sub(count)..]
    }

    /// All lines, oldest first.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// Event: one hits at another.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Who hits.
    pub attacker: Entity,
    /// Who is hit.
    pub victim: Entity,
}
