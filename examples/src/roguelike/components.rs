//! The components of the game.

use ecs_core::prelude::*;
use ratatui::style::Color;

use super::Direction;

/// Marks the hero, whom the player controls.
#[derive(Component, Debug)]
pub struct Hero;

/// Marks a monster, which attacks the hero.
#[derive(Component, Debug)]
pub struct Monster;

/// The name in messages.
#[derive(Component, Debug)]
pub struct Name(pub &'static str);

/// The appearance on the screen.
#[derive(Component, Debug)]
pub struct Glyph {
    /// The sign on the screen.
    pub symbol: char,
    /// The colour of the sign.
    pub color: Color,
}

/// Hit points.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Health {
    /// The current value; the entity dies at 0.
    pub now: i32,
    /// The maximum, beyond which potions do not heal.
    pub max: i32,
}

impl Health {
    /// Full health.
    #[must_use]
    pub const fn full(max: i32) -> Self {
        Self { now: max, max }
    }
}

/// The largest damage of a blow.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Strength(pub i32);

/// An additional effect of some of its blows.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideEffect {
    /// The victim is [`Poisoned`].
    Poison,
    /// The victim is [`Stunned`].
    Stun,
}

/// The step that it takes in this turn.
#[derive(Component, Debug, Default, PartialEq, Eq)]
pub struct Step(pub Option<Direction>);

/// Hunts an entity, which may be gone by now.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Hunting(pub Entity);

/// Cannot walk. Rare and short, hence sparse.
#[derive(Component, Debug, PartialEq, Eq)]
#[component(storage = "sparse")]
pub struct Stunned {
    /// The number of turns left.
    pub turns: u32,
}

/// Loses health each turn.
#[derive(Component, Debug, PartialEq, Eq)]
#[component(storage = "sparse")]
pub struct Poisoned {
    /// The number of turns left.
    pub turns: u32,
}

/// Can be picked up.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Heals when drunk.
    Potion,
    /// Increases the damage of the hero's blows.
    Sword,
    /// A number of coins.
    Gold(i32),
}

/// The item is in the pack of an entity, and has no position on the map.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct CarriedBy(pub Entity);
