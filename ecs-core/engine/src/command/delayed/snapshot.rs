//! Copies of delayed commands, without the functions that wait.

use core::mem::take;
use core::time::Duration;

use super::{ClockReading, Delayed, Queues};
use crate::data_type::DelayClock;
use crate::sync::Mutex;
use crate::world::World;

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

impl ClockReading {
    /// Reads the same clock now.
    fn again(self, game: Option<Self>) -> Option<Self> {
        match self {
            Self::Game(_) => game,
            #[cfg(feature = "std")]
            Self::System(_) => Self::of_system(),
        }
    }

    /// Returns the reading at an earlier time.
    fn earlier(self, by: Duration) -> Self {
        match self {
            Self::Game(now) => Self::Game(now.saturating_sub(by)),
            #[cfg(feature = "std")]
            Self::System(now) => Self::System(now.checked_sub(by).unwrap_or(now)),
        }
    }
}

impl World {
    /// Notes in a copy of the delayed commands how long ago the clock was read.
    pub(crate) fn note_age_of(&self, copy: &Delayed) {
        let game = ClockReading::of_game(self);
        copy.with(|queues| {
            let read = queues.read;
            queues.age = read.and_then(|read| Some(read.again(game)?.since(read)));
        });
    }

    /// Goes on with a copy of the delayed commands: the time since then does not count, even if the clock has not returned.
    pub(crate) fn resume_delays(&mut self) {
        let game = ClockReading::of_game(self);
        let Some(delayed) = self.get_resource::<Delayed>() else {
            return;
        };
        delayed.with(|queues| {
            if let (Some(read), Some(age)) = (queues.read, queues.age.take()) {
                queues.read = read.again(game).map(|now| now.earlier(age));
            }
        });
        drop(delayed);
        self.look_for_delayed();
    }
}
