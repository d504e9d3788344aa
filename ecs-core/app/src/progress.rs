//! What all times count.

use std::time::Duration;

/// A sum of deltas, and their number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TimeSum {
    pub(crate) delta: Duration,
    pub(crate) elapsed: Duration,
    pub(crate) frame: u64,
}

impl TimeSum {
    pub(crate) const ZERO: Self = Self {
        delta: Duration::ZERO,
        elapsed: Duration::ZERO,
        frame: 0,
    };

    pub(crate) fn advance(&mut self, delta: Duration) {
        let elapsed = self.elapsed.saturating_add(delta);
        // At the end of time, too, the sum of the deltas is what elapsed.
        self.delta = elapsed - self.elapsed;
        self.elapsed = elapsed;
        self.frame += 1;
    }
}
