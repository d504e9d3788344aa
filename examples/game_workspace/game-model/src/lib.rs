//! What there is in the game, and its rules.
#![forbid(unsafe_code)]

mod components;
mod rules;

pub use components::{Ant, Field, Food, Nest, Position, Stores};
pub use rules::{carry, rules, seek, walk};

/// What the crates of this game import: the game's own names, and those of the ECS that it is built on.
pub mod prelude {
    pub use crate::{Ant, Field, Food, Nest, Position, Stores, rules};
    pub use ecs_core::prelude::*;
}
