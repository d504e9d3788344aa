//! The components, resources and rules of the game.
#![forbid(unsafe_code)]

mod components;
mod rules;

pub use components::{Ant, Field, Food, Nest, Position, Stores};
pub use rules::{Rules, carry, rules, seek, walk};

/// The ECS, for crates that reach it through this one.
pub use ecs_core as ecs;

/// The names that the crates of this game import, both the game's own and the ECS's.
pub mod prelude {
    pub use crate::{Ant, Field, Food, Nest, Position, Rules, Stores, rules};
    pub use ecs_core::prelude::*;
}
