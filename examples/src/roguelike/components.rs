//! What the entities of the game are made of.

use ecs_core::prelude::*;
use ratatui::style::Color;

use super::Direction;

/// The one that the player leads.
#[derive(Component, Debug)]
pub struct Hero;

/// One that goes for the hero.
#[derive(Component, Debug)]
pub struct Monster;

/// How it is called.
#[derive(Component, Debug)]
pub struct Name(pub &'static str);

/// How it looks.
#[derive(Component, Debug)]
pub struct Glyph {
    /// The sign on the screen.
    pub symbol: char,
    /// The colour of the sign.
    pub color: Color,
}

/// How much it can still take.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Health {
    /// Dies at 0.
    pub now: i32,
    /// No potion helps beyond this.
    pub max: i32,
}

impl Health {
    /// Unhurt.
    #[must_use]
    pub const fn full(max: i32) -> Self {
        Self { now: max, max }
    }
}

/// The most that a blow takes away.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Strength(pub i32);

/// What some of its blows do besides.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SideEffect {
    /// The victim is [`Poisoned`].
    Poison,
    /// The victim is [`Stunned`].
    Stun,
}

/// Where it wants to go in this turn.
#[derive(Component, Debug, Default, PartialEq, Eq)]
pub struct Step(pub Option<Direction>);

/// Goes for this one; the entity may be gone by now.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct Hunting(pub Entity);

/// Cannot walk; seldom and short, hence apart from the tables.
#[derive(Component, Debug, PartialEq, Eq)]
#[component(storage = "sparse")]
pub struct Stunned {
    /// How many turns more.
    pub turns: u32,
}

/// Loses health each turn.
#[derive(Component, Debug, PartialEq, Eq)]
#[component(storage = "sparse")]
pub struct Poisoned {
    /// How many turns more.
    pub turns: u32,
}

/// Can be picked up.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Heals who drinks it.
    Potion,
    /// Makes who takes it stronger.
    Sword,
    /// So many coins.
    Gold(i32),
}

/// Lies in this one's pack, and hence nowhere on the map.
#[derive(Component, Debug, PartialEq, Eq)]
pub struct CarriedBy(pub Entity);
