//! Copies of delayed commands, without the functions that wait.

use core::mem::take;
use core::time::Duration;

use super::{ClockReading, Delayed, Queues};
use crate::data_type::DelayClock;
use crate::sync::Mutex;

/// The numbers that decide when functions are due.
pub(crate) struct DelayCounts {
    pub(crate) now: DelayClock,
    /// The reading of the game's time; `Some(None)` for the clock of the system.
    pub(crate) read: Option<Option<Duration>>,
    pub(crate) by_hand: bool,
    pub(crate) count: u64,
}

impl Delayed {
    /// Forgets the functions that wait.
    pub(crate) fn forget_all(&mut self) {
        self.with(|queues| take(&mut queues.waiting));
    }

    /// Returns everything except the functions that wait.
    pub(crate) fn counts(&self) -> DelayCounts {
        self.with(|queues| DelayCounts {
            now: queues.now,
            read: queues.read.map(|read| match read {
                ClockReading::Game(time) => Some(time),
                #[cfg(feature = "std")]
                ClockReading::System(_) => None,
            }),
            by_hand: queues.by_hand,
            count: queues.count,
        })
    }

    /// Makes delayed commands without functions that wait. The clock of the system is read now.
    pub(crate) fn of_counts(counts: DelayCounts) -> Self {
        let read = counts.read.and_then(|read| match read {
            Some(time) => Some(ClockReading::Game(time)),
            None => ClockReading::of_system(),
        });
        Self(Mutex::new(Queues {
            now: counts.now,
            read,
            by_hand: counts.by_hand,
            count: counts.count,
            ..Queues::default()
        }))
    }
}
