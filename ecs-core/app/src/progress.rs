//! The counters that all times share.

use std::time::Duration;

/// A sum of deltas, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeSum {
    pub(crate) delta: Duration,
    pub(crate) elapsed: Duration,
    pub(crate) frame: u64,
}

#[cfg(feature = "data")]
ecs_engine::__saved_form!(
    TimeSum {
        delta,
        elapsed,
        frame,
    },
    Ok
);

impl TimeSum {
    pub(crate) const ZERO: Self = Self {
        delta: Duration::ZERO,
        elapsed: Duration::ZERO,
        frame: 0,
    };

    pub(crate) fn advance(&mut self, delta: Duration) {
        let elapsed = self.elapsed.saturating_add(delta);
        // Even if the elapsed time saturates, it is the sum of the deltas.
        self.delta = elapsed - self.elapsed;
        self.elapsed = elapsed;
        self.frame = self.frame.saturating_add(1);
    }
}

/// Returns the time of a number of nanoseconds that a [`Duration`] can hold.
pub(crate) fn from_nanos(nanos: u128) -> Duration {
    const SECOND: u128 = 1_000_000_000;
    Duration::new((nanos / SECOND) as u64, (nanos % SECOND) as u32)
}
