//! The components of the game.

use ecs_core::prelude::*;
use ratatui::style::Color;
use serde::{Deserialize, Serialize};

use super::Direction;

/// Marks the hero, whom the player controls.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "hero")]
pub struct Hero;

/// Marks a monster, which attacks the hero.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "monster")]
pub struct Monster;

/// The name in messages.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "name")]
pub struct Name(pub String);

/// The appearance on the screen.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "glyph")]
#[serde(deny_unknown_fields)]
pub struct Glyph {
    /// The sign on the screen.
    pub symbol: char,
    /// The colour of the sign.
    #[serde(with = "color")]
    pub color: Color,
}

/// Colours in files, by the names that ratatui prints and reads.
mod color {
    use ratatui::style::Color;
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<S: Serializer>(color: &Color, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(color)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Color, D::Error> {
        let name = String::deserialize(from)?;
        let color = name.parse();
        color.map_err(|_| {
            D::Error::custom(format_args!("`{name}` is not a colour, such as `LightRed`"))
        })
    }
}

/// Hit points.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "health")]
#[serde(deny_unknown_fields)]
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
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "strength")]
pub struct Strength(pub i32);

/// An additional effect of some of its blows.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "side_effect")]
pub enum SideEffect {
    /// The victim is [`Poisoned`].
    Poison,
    /// The victim is [`Stunned`].
    Stun,
}

/// The step that it takes in this turn.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "step")]
pub struct Step(pub Option<Direction>);

/// Hunts an entity, which may already be gone.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "hunting")]
pub struct Hunting(pub Entity);

/// Cannot walk. Rare and short, hence sparse.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "stunned", storage = "sparse")]
pub struct Stunned {
    /// The number of turns left.
    pub turns: u32,
}

/// Loses health each turn.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "poisoned", storage = "sparse")]
pub struct Poisoned {
    /// The number of turns left.
    pub turns: u32,
}

/// Can be picked up.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "item")]
pub enum Item {
    /// Heals when drunk.
    Potion,
    /// Increases the damage of the hero's blows.
    Sword,
    /// A number of coins.
    Gold(i32),
}

/// The item is in the pack of an entity, and has no position on the map.
#[derive(Component, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "carried_by")]
pub struct CarriedBy(pub Entity);
