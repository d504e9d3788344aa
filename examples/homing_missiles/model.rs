//! Components and resources.

use ecs_core::prelude::*;
use ecs_examples::roguelike::Rng;
use ecs_examples::sin_cos;
use serde::{Deserialize, Serialize};

/// A point or a direction in the plane; the field of battle is one unit wide and high.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Vec2 {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

impl Vec2 {
    pub(crate) fn new(x: f32, y: f32) -> Self {
        Self { x, y }
    }

    pub(crate) fn length(self) -> f32 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    /// The same direction with length 1; zero stays zero.
    pub(crate) fn direction(self) -> Self {
        let length = self.length();
        if length > 0.0 {
            self * (1.0 / length)
        } else {
            self
        }
    }

    pub(crate) fn is_finite(self) -> bool {
        self.x.is_finite() && self.y.is_finite()
    }
}

impl std::ops::Add for Vec2 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl std::ops::Sub for Vec2 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + other * -1.0
    }
}

impl std::ops::Mul<f32> for Vec2 {
    type Output = Self;

    fn mul(self, by: f32) -> Self {
        Self::new(self.x * by, self.y * by)
    }
}

/// The position of a ship, missile or spark.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "missiles.position")]
pub(crate) struct Position(pub(crate) Vec2);

/// The distance flown in a frame.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "missiles.velocity")]
pub(crate) struct Velocity(pub(crate) Vec2);

/// A ship on its orbit.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "missiles.ship")]
pub(crate) struct Ship {
    pub(crate) angle: f32,
    pub(crate) radius: f32,
}

/// The state of a missile.
#[derive(Component, Clone, Debug, Default, Serialize, Deserialize)]
#[component(data = "missiles.homing")]
pub(crate) struct Homing {
    /// The targeted ship. It may die at any time, and another entity may then reuse its index.
    pub(crate) target: Option<Entity>,
    /// The desired direction; computed in each frame.
    pub(crate) wish: Vec2,
}

/// Frames until an entity is despawned: missiles burn out, sparks fade.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "missiles.fuse")]
pub(crate) struct Fuse(pub(crate) u32);

/// A piece of a destroyed ship. Sparks keep this component until they are despawned, so it is stored in tables.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "missiles.spark")]
pub(crate) struct Spark;

/// Statistics of the battle.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "missiles.score")]
pub(crate) struct Score {
    pub(crate) launched: u64,
    pub(crate) hits: u64,
    pub(crate) burnt_out: u64,
    pub(crate) retargeted: u64,
}

/// The number of ships at any time.
pub(crate) const SHIPS: usize = 8;

/// Returns the bundle of a ship somewhere on an orbit.
pub(crate) fn ship(rng: &mut Rng) -> (Ship, Position) {
    let ship = Ship {
        angle: rng.roll(0..=628) as f32 / 100.0,
        radius: 0.15 + rng.roll(0..=100) as f32 / 400.0,
    };
    let position = orbit(&ship);
    (ship, position)
}

/// Returns the position of a ship on its orbit.
pub(crate) fn orbit(ship: &Ship) -> Position {
    let (sin, cos) = sin_cos(ship.angle);
    Position(Vec2::new(
        0.5 + ship.radius * cos,
        0.4 + ship.radius * sin * 0.8,
    ))
}
