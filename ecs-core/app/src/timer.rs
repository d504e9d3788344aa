//! A value that counts time up to a duration.

use std::time::Duration;

use crate::progress::from_nanos;

/// Counts time up to a duration, once or again and again.
///
/// A plain value, in whole nanoseconds: a million short ticks end at the same moment as a single long one. A
/// system ticks it, usually with [`Time::delta`](crate::Time::delta), so that it follows the time of the game.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Fuse(Timer);
///
/// #[system]
/// fn explode(mut fuses: CompMut<Fuse>, time: Res<Time>, mut commands: Commands) {
///     for (bomb, fuse) in (&mut fuses).with_entity().iter() {
///         if fuse.0.tick(time.delta()).just_finished() {
///             commands.despawn(bomb);
///         }
///     }
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Time::new());
/// let bomb = world.spawn(Fuse(Timer::once(Duration::from_millis(300))));
/// let mut frame = Schedule::new();
/// frame.add(explode);
/// for left in [true, false] {
///     world.resource_mut::<Time>().advance(Duration::from_millis(200));
///     frame.run(&mut world)?;
///     assert_eq!(world.contains(bomb), left);
/// }
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timer {
    duration: Duration,
    /// Below the duration after a tick of a repeating timer, and at most the duration otherwise; more only if
    /// `set_duration` has made that shorter since.
    elapsed: Duration,
    /// In the last tick.
    times_finished: u64,
    repeating: bool,
    paused: bool,
    /// True once a timer that does not repeat has finished.
    done: bool,
}

#[cfg(feature = "data")]
ecs_engine::__saved_form!(
    Timer {
        duration,
        elapsed,
        times_finished,
        repeating,
        paused,
        done,
    },
    |timer| match timer.repeating && timer.duration.is_zero() {
        true => Err("the period of a repeating timer is zero"),
        false => Ok(timer),
    }
);

impl Timer {
    /// Returns a timer that finishes once, after `duration`; if that is zero, at the first tick.
    #[must_use]
    pub const fn once(duration: Duration) -> Self {
        Self {
            duration,
            elapsed: Duration::ZERO,
            times_finished: 0,
            repeating: false,
            paused: false,
            done: false,
        }
    }

    /// Returns a timer that finishes at the end of each `period`, and starts again.
    ///
    /// # Panics
    /// If `period` is zero.
    #[must_use]
    #[track_caller]
    pub const fn repeating(period: Duration) -> Self {
        refuse_empty_period(period);
        let mut timer = Self::once(period);
        timer.repeating = true;
        timer
    }

    /// Returns the timer at a later moment.
    pub(crate) fn after(mut self, elapsed: Duration, done: bool) -> Self {
        (self.elapsed, self.done) = (elapsed, done);
        self
    }

    /// Returns the argument of [`after`](Self::after).
    pub(crate) fn progress(&self) -> (Duration, bool) {
        (self.elapsed, self.done)
    }

    /// Lets time pass, unless the timer is paused or has finished for good; returns the timer, to be asked.
    pub fn tick(&mut self, delta: Duration) -> &Self {
        self.times_finished = 0;
        if self.paused || self.done {
            return self;
        }
        let elapsed = self.elapsed.saturating_add(delta);
        if elapsed < self.duration {
            self.elapsed = elapsed;
        } else if self.repeating {
            // Not `elapsed`, which may be saturated.
            let nanos = self.elapsed.as_nanos() + delta.as_nanos();
            let period = self.duration.as_nanos();
            self.times_finished = u64::try_from(nanos / period).unwrap_or(u64::MAX);
            self.elapsed = from_nanos(nanos % period);
        } else {
            self.times_finished = 1;
            self.elapsed = self.duration;
            self.done = true;
        }
        self
    }

    /// Returns true if the timer finished in the last tick.
    #[must_use]
    #[inline]
    pub fn just_finished(&self) -> bool {
        self.times_finished > 0
    }

    /// Returns how often the timer finished in the last tick: several times if several periods passed in it.
    ///
    /// ```
    /// use core::time::Duration;
    /// use ecs_core::prelude::*;
    ///
    /// let mut gun = Timer::repeating(Duration::from_millis(100));
    /// assert_eq!(gun.tick(Duration::from_millis(250)).times_finished(), 2);
    /// assert_eq!(gun.tick(Duration::from_millis(50)).times_finished(), 1);
    /// ```
    #[must_use]
    #[inline]
    pub fn times_finished(&self) -> u64 {
        self.times_finished
    }

    /// Returns true if the timer has finished: from then on for one that finishes once, like
    /// [`just_finished`](Self::just_finished) for one that repeats.
    #[must_use]
    #[inline]
    pub fn is_finished(&self) -> bool {
        if self.repeating {
            self.just_finished()
        } else {
            self.done
        }
    }

    /// Returns the duration, or the period of a timer that repeats.
    #[must_use]
    #[inline]
    pub fn duration(&self) -> Duration {
        self.duration
    }

    /// Sets the duration, and keeps the time that has elapsed.
    ///
    /// If more than the new duration has elapsed, the timer finishes at the next tick. A timer that has finished and gets
    /// a longer duration runs for the difference, and finishes again.
    ///
    /// # Panics
    /// If the timer repeats and `duration` is zero.
    #[track_caller]
    pub fn set_duration(&mut self, duration: Duration) {
        if self.repeating {
            refuse_empty_period(duration);
        }
        if self.done {
            self.elapsed = self.elapsed.min(duration);
            self.done = self.elapsed == duration;
        }
        self.duration = duration;
    }

    /// Returns the time since the start, or since the start of the period; at most the duration after a tick.
    #[must_use]
    #[inline]
    pub fn elapsed(&self) -> Duration {
        self.elapsed
    }

    /// Returns the time until the timer finishes, zero if it has.
    #[must_use]
    #[inline]
    pub fn remaining(&self) -> Duration {
        self.duration.saturating_sub(self.elapsed)
    }

    /// Returns the fraction of the duration that has elapsed, from 0 to 1; 1 if the duration is zero.
    #[must_use]
    pub fn fraction(&self) -> f32 {
        if self.elapsed >= self.duration {
            return 1.0;
        }
        self.elapsed.div_duration_f64(self.duration) as f32
    }

    /// Returns true if the timer repeats.
    #[must_use]
    #[inline]
    pub fn is_repeating(&self) -> bool {
        self.repeating
    }

    /// Returns true if the timer is paused.
    #[must_use]
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Lets the timer ignore ticks, until [`resume`](Self::resume).
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Resumes a paused timer.
    pub fn resume(&mut self) {
        self.paused = false;
    }

    /// Starts from the beginning; a paused timer stays paused.
    pub fn reset(&mut self) {
        self.elapsed = Duration::ZERO;
        self.times_finished = 0;
        self.done = false;
    }
}

#[track_caller]
const fn refuse_empty_period(period: Duration) {
    assert!(
        !period.is_zero(),
        "the period of a repeating timer must not be zero: it would finish infinitely often in each tick; help: use at least a nanosecond, or `Timer::once`"
    );
}
