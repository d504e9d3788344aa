//! Places on the map, and the four directions.

use core::ops::Add;

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// A place on the map: columns from the left, rows from the top.
#[derive(
    Component, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[component(data = "position")]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Counts from 0 at the left.
    pub x: i32,
    /// Counts from 0 at the top.
    pub y: i32,
}

impl Position {
    /// Column `x` of row `y`.
    #[must_use]
    pub const fn new(x: i32, y: i32) -> Self {
        Self { x, y }
    }
}

/// One of the four directions to walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Direction {
    /// `h`
    Left,
    /// `j`
    Down,
    /// `k`
    Up,
    /// `l`
    Right,
}

impl Direction {
    /// All four; paths prefer them in this order.
    pub const ALL: [Self; 4] = [Self::Left, Self::Down, Self::Up, Self::Right];
}

impl Add<Direction> for Position {
    type Output = Self;

    fn add(self, direction: Direction) -> Self {
        let (dx, dy) = match direction {
            Direction::Left => (-1, 0),
            Direction::Down => (0, 1),
            Direction::Up => (0, -1),
            Direction::Right => (1, 0),
        };
        Self::new(self.x + dx, self.y + dy)
    }
}
