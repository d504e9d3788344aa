//! The components, and the world that lists them.

use std::marker::PhantomData;

use ecs_core::prelude::*;
use ecs_core::statics::world;
use ecs_examples::HeldKeys;

/// The keys that the player holds down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input {
    pub(crate) left: bool,
    pub(crate) right: bool,
    pub(crate) jump: bool,
}

impl From<HeldKeys> for Input {
    fn from(keys: HeldKeys) -> Self {
        Self {
            left: keys.left,
            right: keys.right,
            jump: keys.up,
        }
    }
}

/// The behaviour of an enemy.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ai {
    /// Walks until it meets a wall or an edge.
    Patrol { right: bool },
    /// Follows the prey when it is near, and rests otherwise.
    Hunt { prey: Entity },
}

/// A velocity in cells per frame; y grows downwards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Velocity {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// The centre of a figure, in cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// The contacts of a figure.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collider {
    pub(crate) on_ground: bool,
    pub(crate) at_wall: bool,
    /// The figure that it touched in this frame.
    pub(crate) met: Option<Entity>,
}

/// The picture of a figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Animation {
    /// One for each step.
    pub(crate) pictures: [char; 2],
    pub(crate) step: f32,
}

/// A bar above a figure; the type parameter is the quantity that it shows.
#[derive(Clone, Debug)]
pub(crate) struct StatusBar<Of> {
    pub(crate) value: i32,
    pub(crate) most: i32,
    pub(crate) of: PhantomData<Of>,
}

impl<Of> StatusBar<Of> {
    /// A full bar.
    pub(crate) fn full(most: i32) -> Self {
        Self {
            value: most,
            most,
            of: PhantomData,
        }
    }
}

/// Hit points; a figure without any dies.
#[derive(Clone, Debug)]
pub(crate) struct Health;

/// The number of frames that still protect the figure from harm.
#[derive(Clone, Debug)]
pub(crate) struct Grace;

world! {
    /// The world of the game.
    pub(crate) Game {
        Input,
        Ai,
        Velocity,
        Position,
        Collider,
        Animation,
        StatusBar<Health>,
        StatusBar<Grace>,
    }
}
