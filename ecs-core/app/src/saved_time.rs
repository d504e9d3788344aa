//! The saved form of the time of the game.

use std::time::Duration;

/// The saved form of [`Time`](crate::Time): of the frame, even in a fixed step.
pub(crate) struct SavedTime {
    pub(crate) elapsed: Duration,
    pub(crate) delta: Duration,
    pub(crate) frame: u64,
    pub(crate) scale: f64,
    pub(crate) remainder: u64,
    pub(crate) paused: bool,
    pub(crate) max_delta: Duration,
}

ecs_engine::__saved_form!(
    SavedTime {
        elapsed,
        delta,
        frame,
        scale,
        remainder,
        paused,
        max_delta,
    },
    |time| {
        if !(time.scale >= 0.0 && time.scale.is_finite()) {
            return Err("the scale of the time is a finite number that is not negative");
        }
        if time.max_delta.is_zero() {
            return Err("the longest frame is zero");
        }
        Ok(time)
    }
);
