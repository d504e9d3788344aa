//! Components and resources.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// A cell of the field.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "ants.position")]
pub struct Position {
    pub x: i32,
    pub y: i32,
}

impl Position {
    /// Returns the number of steps from one cell to the other; diagonal steps are allowed.
    #[must_use]
    pub fn distance(self, other: Self) -> i32 {
        (self.x - other.x).abs().max((self.y - other.y).abs())
    }

    /// Returns the cell one step nearer to `goal`.
    #[must_use]
    pub fn towards(self, goal: Self) -> Self {
        Self {
            x: self.x + (goal.x - self.x).signum(),
            y: self.y + (goal.y - self.y).signum(),
        }
    }
}

/// An ant, which carries food.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
#[component(data = "ants.ant")]
pub struct Ant {
    pub goal: Option<Entity>,
    pub carries: bool,
}

/// A heap of food.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "ants.food")]
pub struct Food {
    pub left: u32,
}

/// The nest that ants bring food to. Sparse, because there is only one, and some games remove and insert it.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "ants.nest", storage = "sparse")]
pub struct Nest;

/// The size of the field.
#[derive(Resource, Clone, Copy, Debug, Serialize, Deserialize)]
#[resource(data = "ants.field")]
pub struct Field {
    pub width: i32,
    pub height: i32,
}

/// The food in the nest.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[resource(data = "ants.stores")]
pub struct Stores(pub u32);
