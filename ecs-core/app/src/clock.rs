//! The clock that measures frames.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ecs_engine::__private::{Instant, has_clock};

/// The clock that an app [measures](crate::App::set_clock) frames by.
///
/// With the clock of the [system](Self::system) a game runs in real time. With a clock that a test
/// [advances](Self::manual), or one of [equal frames](Self::fixed), runs do not depend on the machine, and nothing has
/// to wait.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::app::Clock;
/// use ecs_core::prelude::*;
///
/// let mut clock = Clock::fixed(Duration::from_millis(20));
/// let mut time = Time::new();
/// // A loop of your own; an app does the same.
/// for _frame in 0..51 {
///     time.advance(clock.frame());
/// }
/// assert_eq!(time.elapsed(), Duration::from_secs(1));
/// ```
#[derive(Debug, Default)]
pub struct Clock(ClockSource);

/// The clock, with its last reading.
#[derive(Debug)]
enum ClockSource {
    System(Option<Instant>),
    Manual(ManualClock, Option<Duration>),
    Fixed { delta: Duration, is_started: bool },
}

impl Default for ClockSource {
    fn default() -> Self {
        Self::System(None)
    }
}

impl Clock {
    /// Returns the clock of the system, which never goes backwards; in WebAssembly without a system it is the page's, by the
    /// feature `web-clock`, or the one that the program sets by `ecs_core::set_host_clock`.
    #[must_use]
    pub fn system() -> Self {
        Self::default()
    }

    /// Returns a clock that stands still, and the handle that advances it.
    ///
    /// ```
    /// use core::time::Duration;
    /// use ecs_core::app::Clock;
    ///
    /// let (mut clock, hand) = Clock::manual();
    /// assert_eq!(clock.frame(), Duration::ZERO);
    /// hand.advance(Duration::from_millis(3));
    /// hand.advance(Duration::from_millis(4));
    /// assert_eq!(clock.frame(), Duration::from_millis(7));
    /// assert_eq!(clock.frame(), Duration::ZERO);
    /// ```
    #[must_use]
    pub fn manual() -> (Self, ManualClock) {
        let hand = ManualClock::default();
        (Self(ClockSource::Manual(hand.clone(), None)), hand)
    }

    /// Returns a clock that moves by `delta` at each reading, for runs that are exact and as fast as the machine.
    #[must_use]
    pub fn fixed(delta: Duration) -> Self {
        Self(ClockSource::Fixed {
            delta,
            is_started: false,
        })
    }

    /// Starts to measure anew, and returns the time that the next reading will leave out; `None` before the first reading.
    pub(crate) fn restart(&mut self) -> Option<Duration> {
        let is_read = match &self.0 {
            ClockSource::System(last) => last.is_some(),
            ClockSource::Manual(_, last) => last.is_some(),
            ClockSource::Fixed { .. } => return None,
        };
        is_read.then(|| self.frame())
    }

    /// Returns the length of all frames, if it is the same for all.
    pub(crate) fn equal_frames(&self) -> Option<Duration> {
        match self.0 {
            ClockSource::Fixed { delta, .. } => Some(delta),
            _ => None,
        }
    }

    /// Reads the clock: returns the time since the last reading, zero the first time.
    ///
    /// After a pause that should not count, read it once and drop the result.
    ///
    /// # Panics
    /// If it is the system's, and a WebAssembly module has none.
    pub fn frame(&mut self) -> Duration {
        match &mut self.0 {
            ClockSource::System(last) => {
                assert!(
                    has_clock(),
                    "this WebAssembly module has no clock; help: enable the feature `web-clock` for a browser with wasm-bindgen, set the host's by `ecs_core::set_host_clock`, or pass the length of frames to `App::update_by`"
                );
                let now = Instant::now();
                now.saturating_duration_since(last.replace(now).unwrap_or(now))
            }
            ClockSource::Manual(hand, last) => {
                let now = hand.now();
                now - last.replace(now).unwrap_or(now)
            }
            ClockSource::Fixed { delta, is_started } => {
                if std::mem::replace(is_started, true) {
                    *delta
                } else {
                    Duration::ZERO
                }
            }
        }
    }
}

/// Advances a [manual clock](Clock::manual); clones advance the same one.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<Mutex<Duration>>);

impl ManualClock {
    /// Advances the clock by `delta`.
    pub fn advance(&self, delta: Duration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.saturating_add(delta);
    }

    fn now(&self) -> Duration {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
