//! The resources of the game, and its one event.

use std::collections::VecDeque;

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Key, Level};

/// The key that the player pressed in this turn.
#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "input")]
pub struct Input(pub Key);

/// The state of the game.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[resource(data = "outcome")]
pub enum Outcome {
    /// The game goes on.
    Playing,
    /// The hero left the dungeon by the last stairs.
    Won,
    /// The hero is dead.
    Died,
}

/// The hero's achievements.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[resource(data = "tally")]
pub struct Tally {
    /// Turns played.
    pub turns: u32,
    /// Coins picked up.
    pub gold: i32,
    /// Monsters killed.
    pub slain: u32,
}

/// The hero's way down through the levels.
#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "depth")]
pub struct Depth {
    /// The number of this level; counts from 1.
    pub number: u32,
    /// The name of this level.
    pub name: String,
    below: VecDeque<Level>,
}

impl Depth {
    /// Before the first of `levels`.
    pub(super) fn new(levels: Vec<Level>) -> Self {
        Self {
            number: 0,
            name: String::new(),
            below: levels.into(),
        }
    }

    /// Goes to the next level and returns it; `None` if this is the last.
    pub(super) fn descend(&mut self) -> Option<Level> {
        let level = self.below.pop_front()?;
        self.number += 1;
        self.name.clone_from(&level.name);
        Some(level)
    }
}

/// Messages to the player.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "log")]
pub struct Log {
    lines: Vec<String>,
}

impl Log {
    /// Adds a message.
    pub fn say(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Returns the last `count` lines, or fewer, oldest first.
    #[must_use]
    pub fn last(&self, count: usize) -> &[String] {
        &self.lines[self.lines.len().saturating_sub(count)..]
    }

    /// Returns all lines, oldest first.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }
}

/// An event: one entity attacks another.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// The attacker.
    pub attacker: Entity,
    /// The target.
    pub victim: Entity,
}
