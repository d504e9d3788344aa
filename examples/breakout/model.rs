//! Components, resources and events. The field is one unit wide and high, and y points down.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The number of bricks.
pub(crate) const BRICKS: u32 = (COLUMNS * ROWS) as u32;
pub(crate) const COLUMNS: i32 = 10;
pub(crate) const ROWS: i32 = 5;

/// Half the height of the ball, in both directions.
pub(crate) const RADIUS: f32 = 0.01;

/// The centre of a body.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "breakout.position")]
pub(crate) struct Position {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// The position before the last step, for drawing.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "breakout.previous")]
pub(crate) struct Previous(pub(crate) Position);

/// Half the width and the height of a body.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "breakout.half")]
pub(crate) struct Half {
    pub(crate) width: f32,
    pub(crate) height: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "breakout.paddle")]
pub(crate) struct Paddle;

/// The ball, and its speed per second.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "breakout.ball")]
pub(crate) struct Ball {
    pub(crate) x: f32,
    pub(crate) y: f32,
}

/// A brick, and the points that it is worth.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "breakout.brick")]
pub(crate) struct Brick {
    pub(crate) points: u32,
}

/// The ball hit a brick; an event.
#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "breakout.hit")]
pub(crate) struct Hit {
    pub(crate) brick: Entity,
}

/// The ball fell below the paddle; an event.
#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "breakout.missed")]
pub(crate) struct Missed;

/// The direction that the paddle should move in: -1 left, 1 right.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "breakout.control")]
pub(crate) struct Control(pub(crate) f32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Playing,
    Won,
    Lost,
}

/// The state of play.
///
/// The phase is a value and not a state, because states change between frames, and this game may end between two steps of
/// one frame.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[resource(data = "breakout.game")]
pub(crate) struct Game {
    pub(crate) phase: Phase,
    pub(crate) steps: u64,
    pub(crate) hits: u32,
    pub(crate) score: u32,
    pub(crate) lives: u32,
}

/// The sounds that were played.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "breakout.sounds")]
pub(crate) struct Sounds(pub(crate) u32);
