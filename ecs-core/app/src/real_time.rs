//! The time of the wall clock.

use std::time::Duration;

use ecs_engine::Resource;
use ecs_engine::meta::ConstTypeIdOf;

use crate::progress::TimeSum;

/// The time of the wall clock; a resource.
///
/// It is never paused, scaled or limited, not even in a fixed step. Use it for things outside of the game, such as
/// menus, network timeouts and the frame rate.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
///
/// let (mut time, mut real) = (Time::new(), RealTime::new());
/// time.pause();
/// for _ in 0..3 {
///     time.advance(Duration::from_secs(2));
///     real.advance(Duration::from_secs(2));
/// }
/// assert_eq!(time.elapsed(), Duration::ZERO);
/// assert_eq!(real.elapsed(), Duration::from_secs(6));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RealTime {
    now: TimeSum,
}

// For snapshots as bytes. Saves leave it out.
#[cfg(feature = "data")]
ecs_engine::__saved_form!(RealTime { now }, Ok);

impl Resource for RealTime {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::app::RealTime", "RealTime");
}

impl RealTime {
    /// Returns a time before the first frame.
    #[must_use]
    pub const fn new() -> Self {
        Self { now: TimeSum::ZERO }
    }

    /// Returns the time from the start of the last frame to the start of this one; zero in the first frame.
    #[must_use]
    #[inline]
    pub fn delta(&self) -> Duration {
        self.now.delta
    }

    /// Returns [`delta`](Self::delta) in seconds.
    #[must_use]
    #[inline]
    pub fn delta_secs(&self) -> f32 {
        self.now.delta.as_secs_f32()
    }

    /// Returns [`delta`](Self::delta) in seconds, in double precision.
    #[must_use]
    #[inline]
    pub fn delta_secs_f64(&self) -> f64 {
        self.now.delta.as_secs_f64()
    }

    /// Returns the time from the start of the first frame to the start of this one.
    #[must_use]
    #[inline]
    pub fn elapsed(&self) -> Duration {
        self.now.elapsed
    }

    /// Returns [`elapsed`](Self::elapsed) in seconds; [`Time::elapsed_secs`](crate::Time::elapsed_secs) documents the
    /// precision.
    #[must_use]
    #[inline]
    pub fn elapsed_secs(&self) -> f32 {
        self.now.elapsed.as_secs_f32()
    }

    /// Returns [`elapsed`](Self::elapsed) in seconds, in double precision.
    #[must_use]
    #[inline]
    pub fn elapsed_secs_f64(&self) -> f64 {
        self.now.elapsed.as_secs_f64()
    }

    /// Returns the number of the frame, from 1; 0 before the first one.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> u64 {
        self.now.frame
    }

    /// Begins a frame, `real` after the last one; see [`Time::advance`](crate::Time::advance).
    pub fn advance(&mut self, real: Duration) {
        self.now.advance(real);
    }
}
