//! A value that counts time upwards.

use std::time::Duration;

/// Counts time upwards.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
///
/// let mut lap = Stopwatch::new();
/// lap.tick(Duration::from_millis(700));
/// lap.pause();
/// lap.tick(Duration::from_secs(60));
/// assert_eq!(lap.elapsed(), Duration::from_millis(700));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stopwatch {
    elapsed: Duration,
    paused: bool,
}

#[cfg(feature = "data")]
ecs_engine::__saved_form!(Stopwatch { elapsed, paused }, Ok);

impl Stopwatch {
    /// Returns a stopwatch at zero.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            elapsed: Duration::ZERO,
            paused: false,
        }
    }

    /// Lets time pass, unless the stopwatch is paused. Returns the stopwatch, so that you can ask it in the same expression.
    pub fn tick(&mut self, delta: Duration) -> &Self {
        if !self.paused {
            self.elapsed = self.elapsed.saturating_add(delta);
        }
        self
    }

    /// Returns the time that passed.
    #[must_use]
    #[inline]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns [`elapsed`](Self::elapsed) in seconds.
    #[must_use]
    #[inline]
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed.as_secs_f32()
    }

    /// Returns true if the stopwatch is paused.
    #[must_use]
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets the stopwatch ignore ticks, until [`resume`](Self::resume).
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Resumes a paused stopwatch.
    pub fn resume(&mut self) {
        self.paused = false;
    }

    /// Goes back to zero; a paused stopwatch stays paused.
    pub fn reset(&mut self) {
        self.elapsed = Duration::ZERO;
    }
}
