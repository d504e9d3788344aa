//! The components, and the world that is made of them.

use std::marker::PhantomData;

use ecs_core::prelude::*;

/// What the player holds down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Input {
    pub(crate) left: bool,
    pub(crate) right: bool,
    pub(crate) jump: bool,
}

/// How an enemy decides.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ai {
    /// Walks until it meets a wall or an edge.
    Patrol { right: bool },
    /// Follows somebody who comes near, and sleeps otherwise.
    Hunt { prey: Entity },
}

/// Cells per frame; y grows downwards.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Velocity {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// In cells, the middle of the figure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Position {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// What a figure touches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Collider {
    pub(crate) on_ground: bool,
    pub(crate) at_wall: bool,
    /// Whom it met in this frame.
    pub(crate) met: Option<Entity>,
}

/// Which picture of a figure is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Animation {
    /// One for each step.
    pub(crate) pictures: [char; 2],
    pub(crate) step: f32,
}

/// A bar above a figure; what it shows is in its type.
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

/// What one dies without.
#[derive(Clone, Debug)]
pub(crate) struct Health;

/// Frames for which nothing hurts.
#[derive(Clone, Debug)]
pub(crate) struct Grace;

world! {
    /// Everything that there is in the game.
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
