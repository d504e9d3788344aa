//! The clock of a WebAssembly module, which has one only if its host gives it one.

use core::ops::{Add, Sub};
use core::time::Duration;
use std::sync::{PoisonError, RwLock};

/// The clock that the program has set.
static HOST_CLOCK: RwLock<Option<fn() -> Duration>> = RwLock::new(None);

/// Sets the clock of a module for `wasm32-unknown-unknown`, which has none of its own: `now` returns the time since any fixed
/// point. Set it before anything reads the time. It takes precedence over the one of the feature `web-clock`, which a program
/// leaves out if its host has no `wasm-bindgen`.
///
/// Without a clock, measured times are zero, and an app that reads the system's clock panics.
///
/// ```ignore
/// // In a page of macroquad, whose loader imports this function.
/// ecs_core::set_host_clock(|| Duration::from_secs_f64(miniquad::date::now()));
/// ```
pub fn set_host_clock(now: fn() -> Duration) {
    *HOST_CLOCK.write().unwrap_or_else(PoisonError::into_inner) = Some(now);
}

fn host_clock() -> Option<fn() -> Duration> {
    *HOST_CLOCK.read().unwrap_or_else(PoisonError::into_inner)
}

/// Returns true if there is a clock.
pub(crate) fn has_clock() -> bool {
    web_clock().is_some() || host_clock().is_some()
}

/// Returns the time of the browser's clock since its first reading.
fn web_clock() -> Option<Duration> {
    #[cfg(all(feature = "web-clock", target_family = "wasm", target_os = "unknown"))]
    {
        static START: std::sync::OnceLock<web_time::Instant> = std::sync::OnceLock::new();
        return Some(START.get_or_init(web_time::Instant::now).elapsed());
    }
    #[cfg(not(all(feature = "web-clock", target_family = "wasm", target_os = "unknown")))]
    None
}

/// A point in time by the clock of the host, with the methods of `std::time::Instant`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(Duration);

impl Instant {
    /// Returns the current time.
    #[must_use]
    pub fn now() -> Self {
        let now = host_clock().map(|now| now());
        Self(now.or_else(web_clock).unwrap_or_default())
    }

    /// Returns the time since `earlier`; zero if that is later.
    #[must_use]
    pub fn duration_since(&self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }

    /// Returns the time since `earlier`; zero if that is later.
    #[must_use]
    pub fn saturating_duration_since(&self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the time since this one; zero if the host's clock went backwards.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        Self::now().saturating_duration_since(*self)
    }

    /// Returns the time after a duration; nothing if it is out of range.
    #[must_use]
    pub fn checked_add(&self, duration: Duration) -> Option<Self> {
        self.0.checked_add(duration).map(Self)
    }

    /// Returns the time before a duration; nothing if it is out of range.
    #[must_use]
    pub fn checked_sub(&self, duration: Duration) -> Option<Self> {
        self.0.checked_sub(duration).map(Self)
    }
}

impl Add<Duration> for Instant {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0 + duration)
    }
}

impl Sub for Instant {
    type Output = Duration;

    fn sub(self, earlier: Self) -> Duration {
        self.saturating_duration_since(earlier)
    }
}

#[cfg(test)]
mod tests {
    use core::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn a_clock_of_the_host_is_read_and_without_one_time_stands_still() {
        static MILLIS: AtomicU64 = AtomicU64::new(500);
        assert!(!has_clock());
        assert_eq!(Instant::now(), Instant::now() + Duration::ZERO);
        assert_eq!(Instant::now().elapsed(), Duration::ZERO);

        set_host_clock(|| Duration::from_millis(MILLIS.load(Ordering::Relaxed)));
        assert!(has_clock());
        let start = Instant::now();
        MILLIS.store(530, Ordering::Relaxed);
        assert_eq!(start.elapsed(), Duration::from_millis(30));
        assert_eq!(Instant::now() - start, Duration::from_millis(30));
        assert_eq!(
            start.checked_add(Duration::from_millis(30)),
            Some(Instant::now())
        );
        // A wall clock may be set back.
        MILLIS.store(100, Ordering::Relaxed);
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
