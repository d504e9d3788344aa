//! The time of the game.

use std::time::Duration;

#[cfg(feature = "data")]
use ecs_engine::__private::serde_core as serde;
use ecs_engine::Resource;
use ecs_engine::command::set_game_clock;
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::world::World;

use crate::progress::{TimeSum, from_nanos};
#[cfg(feature = "data")]
use crate::saved_time::SavedTime;

/// The time of the game, which can be paused and scaled; a resource.
///
/// It stands still during a frame: [`delta`](Self::delta) is the time from the start of the last frame to the start of
/// this one, and moving things multiply their speed by it. Inside [`fixed_update`](crate::fixed_update) it is the time
/// of the steps instead, so a system can move between both without a change:
///
/// | | in a frame | in a fixed step |
/// |---|---|---|
/// | [`delta`](Self::delta) | the length of the last frame | the length of a step |
/// | [`elapsed`](Self::elapsed) | the sum of all deltas | steps times their length |
/// | [`frame`](Self::frame) | the number of the frame | the number of the step |
///
/// All times are whole nanoseconds. The sum of all deltas is exactly `elapsed`, and scaling loses nothing: fractions of
/// a nanosecond are carried over to the next frame.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
///
/// #[system(for_each)]
/// fn roll(position: &mut Position, time: Res<Time>) {
///     position.0 += 4.0 * time.delta_secs();
/// }
///
/// let mut world = World::new();
/// let ball = world.spawn(Position(0.0));
/// let mut time = Time::new();
/// time.set_scale(0.5);
/// time.advance(Duration::from_millis(250));
/// world.insert_resource(time);
/// roll(&world);
/// assert_eq!(world.get::<Position>(ball).unwrap().0, 0.5);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Time {
    now: TimeSum,
    /// While fixed steps run: the time of the frame, and of the steps around them.
    outside: Vec<TimeSum>,
    scale: f64,
    /// The part of a nanosecond that scaling left over, times 2^64.
    remainder: u64,
    paused: bool,
    max_delta: Duration,
}

impl Resource for Time {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::app::Time", "Time").with_data(Self::DATA);
}

#[cfg(feature = "data")]
impl serde::Serialize for Time {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let of_frame = self.of_frame();
        let saved = SavedTime {
            elapsed: of_frame.elapsed,
            delta: of_frame.delta,
            frame: of_frame.frame,
            scale: self.scale,
            remainder: self.remainder,
            paused: self.paused,
            max_delta: self.max_delta,
        };
        saved.serialize(to)
    }
}

#[cfg(feature = "data")]
impl<'de> serde::Deserialize<'de> for Time {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let saved = SavedTime::deserialize(from)?;
        Ok(Self {
            now: TimeSum {
                delta: saved.delta,
                elapsed: saved.elapsed,
                frame: saved.frame,
            },
            scale: saved.scale,
            remainder: saved.remainder,
            paused: saved.paused,
            max_delta: saved.max_delta,
            ..Self::new()
        })
    }
}

/// Returns the time of the frame and of the last one, even inside fixed steps: the clock of delayed commands.
fn of_frames(world: &World) -> Option<[Duration; 2]> {
    let time = world.resources().try_borrow::<Time>().ok()?;
    let TimeSum { elapsed, delta, .. } = *time.of_frame();
    Some([elapsed.saturating_sub(delta), elapsed])
}

impl Default for Time {
    fn default() -> Self {
        Self::new()
    }
}

impl Time {
    /// The longest frame, unless set by [`set_max_delta`](Self::set_max_delta).
    pub const DEFAULT_MAX_DELTA: Duration = Duration::from_millis(250);

    /// The description of [`Time`].
    #[cfg(feature = "data")]
    pub(crate) const DATA: &[DataType] = &[DataTypeOf::<Time>::new("ecs.time", 1)
        .resource()
        .cloned()
        .printed()
        .coded(const { &ecs_data::__private::Saved::of::<Time>() })
        .erased()];
    #[cfg(not(feature = "data"))]
    pub(crate) const DATA: &[DataType] =
        &[DataTypeOf::<Time>::new("", 1).resource().cloned().erased()];

    /// Returns a time before the first frame, at normal speed.
    #[must_use]
    pub fn new() -> Self {
        // Delayed commands count by it from now on, in all worlds that have one.
        set_game_clock(of_frames);
        Self {
            now: TimeSum::ZERO,
            outside: Vec::new(),
            scale: 1.0,
            remainder: 0,
            paused: false,
            max_delta: Self::DEFAULT_MAX_DELTA,
        }
    }

    /// Returns the time from the start of the last frame to the start of this one; in a fixed step its length.
    ///
    /// Zero in the first frame, and while the time is paused.
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

    /// Returns the sum of all deltas.
    #[must_use]
    #[inline]
    pub fn elapsed(&self) -> Duration {
        self.now.elapsed
    }

    /// Returns [`elapsed`](Self::elapsed) in seconds.
    ///
    /// An `f32` is exact to the millisecond for about four hours, and less exact after that; see
    /// [`elapsed_secs_f64`](Self::elapsed_secs_f64).
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

    /// Returns the number of the frame, from 1; 0 before the first one. In a fixed step, the number of the step.
    ///
    /// Frames count while the time is paused, too.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> u64 {
        self.now.frame
    }

    /// Returns the speed of this time: how much of it passes while one second passes on the wall clock.
    #[must_use]
    #[inline]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Sets the speed: 2 is twice as fast, 0.5 slow motion, 0 a standstill. Takes effect in the next frame.
    ///
    /// The length of fixed steps stays the same: at twice the speed there are twice as many of them.
    ///
    /// # Panics
    /// If `scale` is negative, infinite or not a number.
    #[track_caller]
    pub fn set_scale(&mut self, scale: f64) {
        assert!(
            scale >= 0.0 && scale.is_finite(),
            "the scale of the time must be a finite number that is not negative, not {scale}; help: use 1 for normal speed, or `pause` to stop the time"
        );
        self.scale = scale;
    }

    /// Returns true if the time is paused. A call of [`pause`](Self::pause) takes effect in the next frame.
    #[must_use]
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// Stops the time from the next frame on: deltas are zero, and there are no fixed steps.
    ///
    /// Systems still run, so that menus work; a system that should stop needs a condition, or depends on the delta. An app that
    /// runs no system at all is [paused](crate::App::pause) itself.
    pub fn pause(&mut self) {
        self.paused = true;
    }

    /// Resumes a paused time, from the next frame on.
    pub fn resume(&mut self) {
        self.paused = false;
    }

    /// Returns the longest frame.
    #[must_use]
    pub fn max_delta(&self) -> Duration {
        self.max_delta
    }

    /// Sets the longest frame, before scaling: if a frame took longer, the rest is skipped.
    ///
    /// So a program that was suspended, or stopped in a debugger, continues where it was instead of making a leap.
    /// [`RealTime`](crate::RealTime) has the true length. Frames of [`App::update_by`](crate::App::update_by) may be longer: these
    /// lengths are the program's choice.
    ///
    /// # Panics
    /// If `max_delta` is zero.
    #[track_caller]
    pub fn set_max_delta(&mut self, max_delta: Duration) {
        assert!(
            !max_delta.is_zero(),
            "the longest frame must not be zero; help: use `pause` to stop the time"
        );
        self.max_delta = max_delta;
    }

    /// Begins a frame, `real` after the last one.
    ///
    /// An app does this. Loops of your own call it before they run the schedule of a frame, with the result of
    /// [`Clock::frame`](crate::Clock::frame).
    pub fn advance(&mut self, real: Duration) {
        self.advance_all(real.min(self.max_delta));
    }

    /// Begins a frame of a length that is not limited.
    pub(crate) fn advance_all(&mut self, delta: Duration) {
        // Not empty if a system took the value out of the world in a fixed step.
        if let Some(frame) = self.outside.first() {
            self.now = *frame;
            self.outside.clear();
        }
        let delta = if self.paused {
            Duration::ZERO
        } else {
            self.scaled(delta)
        };
        self.now.advance(delta);
    }

    /// Returns the time that passes here in the time `real`, at most 584 years, and carries the remainder over.
    #[inline]
    fn scaled(&mut self, real: Duration) -> Duration {
        // Common, and the same as below: the remainder stays.
        if self.scale == 1.0 {
            return real.min(Duration::from_nanos(u64::MAX));
        }
        self.scaled_by_parts(real)
    }

    fn scaled_by_parts(&mut self, real: Duration) -> Duration {
        const TWO_TO_64: f64 = 18_446_744_073_709_551_616.0;
        let nanos = u128::from(u64::try_from(real.as_nanos()).unwrap_or(u64::MAX));
        // The scale as a number with 64 binary places: exact from 2^-12 on, because it has 53 digits. No product and no
        // sum exceeds 128 bits.
        let whole = self.scale as u64;
        let places = ((self.scale - whole as f64) * TWO_TO_64) as u64;
        let parts = nanos * u128::from(places) + u128::from(self.remainder);
        self.remainder = parts as u64;
        let scaled = nanos * u128::from(whole) + (parts >> 64);
        from_nanos(scaled.min(Duration::MAX.as_nanos()))
    }

    /// Returns the number of the frame, even inside of fixed steps.
    #[doc(hidden)]
    #[must_use]
    pub fn number_of_frame(&self) -> u64 {
        self.of_frame().frame
    }

    /// Returns the time of the frame, even inside of fixed steps.
    fn of_frame(&self) -> &TimeSum {
        self.outside.first().unwrap_or(&self.now)
    }

    /// Prepares for fixed steps; returns the time that they have to catch up on.
    pub(crate) fn enter_steps(&mut self) -> Duration {
        self.outside.push(self.now);
        self.now.delta
    }

    /// Shows the time of a fixed step. Does nothing if a system has replaced the value that steps were prepared for.
    pub(crate) fn enter_step(&mut self, delta: Duration, elapsed: Duration, step: u64) {
        if !self.outside.is_empty() {
            self.now = TimeSum {
                delta,
                elapsed,
                frame: step,
            };
        }
    }

    /// Shows the time before the fixed steps again.
    pub(crate) fn leave_steps(&mut self) {
        if let Some(outside) = self.outside.pop() {
            self.now = outside;
        }
    }
}
