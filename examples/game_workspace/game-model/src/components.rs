//! Components and resources.

use ecs_core::prelude::*;

/// A cell of the field.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
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
#[derive(Component, Debug, Default)]
pub struct Ant {
    pub goal: Option<Entity>,
    pub carries: bool,
}

/// A heap of food.
#[derive(Component, Debug)]
pub struct Food {
    pub left: u32,
}

/// The nest that ants bring food to. Sparse, because there is only one, and some games remove and insert it.
#[derive(Component, Debug)]
#[component(storage = "sparse")]
pub struct Nest;

/// The size of the field.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Field {
    pub width: i32,
    pub height: i32,
}

/// The food in the nest.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stores(pub u32);
