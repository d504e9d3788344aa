//! Schedules that run at a fixed rate, regardless of the frame rate.

use alloc::string::String;
use alloc::vec;
use core::any::TypeId;
use core::time::Duration;

use super::fixed_time::{FixedTime, from_nanos};
use super::fixed_times::{FixedName, FixedTimes};
use super::nested::Nested;
#[cfg(feature = "std")]
use crate::clock::Instant;
#[cfg(feature = "std")]
use crate::resource::ResMut;
#[cfg(feature = "data")]
use crate::resource::Resource;
use crate::schedule::Schedule;
use crate::schedule::declare::{Configs, Driver, FrameTime, Inner, IntoConfigs, ListedStep};
use crate::system::{BoxError, Remember, Remembered};
#[cfg(feature = "std")]
use crate::system::{IntoSystem, SystemSource, from_fn};
use crate::world::World;

/// Returns a system that sets [`FrameTime`] to the measured time since its last run; zero the first time.
///
/// The resource must exist.
// `#[inline]`, like everything for fixed steps, so it is compiled only where it is used.
#[cfg(feature = "std")]
#[inline]
pub fn measure_frame() -> SystemSource {
    let mut last: Option<Instant> = None;
    let measure = from_fn(move |mut time: ResMut<FrameTime>| {
        let now = Instant::now();
        time.delta = now - last.replace(now).unwrap_or(now);
    });
    measure.into_source()
}

/// Runs a schedule at a fixed rate inside another one: in each frame, as often as whole steps fit into the time that
/// passed.
///
/// The step reads the length of the frame from [`FrameTime`], and publishes its progress as [`FixedTime`]. It keeps the
/// remainder of less than a step for the next frame. Times are whole nanoseconds and nothing is rounded: after any frames,
/// `elapsed + overstep + lost` of [`FixedTime`] is exactly the sum of their lengths.
///
/// If systems return errors, the other steps of the frame still run. After a panic, the steps that had not started run in
/// the next frame.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{FixedTime, FrameTime, fixed};
///
/// #[derive(Resource, Default)]
/// struct Ball { before: f32, now: f32, drawn: f32 }
///
/// #[system]
/// fn roll(mut ball: ResMut<Ball>, time: Res<FixedTime>) {
///     ball.before = ball.now;
///     ball.now += 2.0 * time.step().as_secs_f32();
/// }
///
/// #[system]
/// fn draw(mut ball: ResMut<Ball>, time: Res<FixedTime>) {
///     ball.drawn = ball.before + (ball.now - ball.before) * time.alpha();
/// }
///
/// let mut physics = Schedule::named("physics");
/// physics.add(roll);
/// let mut frame = Schedule::new();
/// frame.add((fixed(Duration::from_millis(500), physics), draw));
///
/// let mut world = World::new();
/// world.insert_resource(Ball::default());
/// // With the system clock: `frame.add((measure_frame(), fixed(..), draw))`.
/// world.insert_resource(FrameTime { delta: Duration::from_millis(1250) });
/// frame.run(&mut world)?;
/// assert_eq!(world.resource::<FixedTime>().steps(), 2);
/// assert_eq!(world.resource::<Ball>().drawn, 1.5);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # Panics
/// If `step` is zero.
#[track_caller]
#[inline]
pub fn fixed(step: Duration, schedule: Schedule) -> Fixed {
    assert!(
        !step.is_zero(),
        "the length of a fixed step must not be zero; help: use at least a nanosecond"
    );
    Fixed {
        schedule,
        max_steps: Fixed::DEFAULT_MAX_STEPS,
        frame: frame_time,
        notify: |_, _, _| {},
        time: FixedTime::first(step),
    }
}

/// A schedule that runs at a fixed rate; see [`fixed`].
#[must_use = "does nothing until it is added to a schedule"]
pub struct Fixed {
    schedule: Schedule,
    max_steps: u32,
    frame: FrameLength,
    notify: Notify,
    time: FixedTime,
}

/// Returns the length of the frame before its steps run.
type FrameLength = fn(&mut World) -> Result<Duration, BoxError>;

/// Called with true before each step, when [`FixedTime`] describes that step, and with false after the last step of a frame,
/// or once in a frame without steps.
type Notify = fn(&mut World, &FixedTime, bool);

/// Returns [`FrameTime`].
#[inline]
fn frame_time(world: &mut World) -> Result<Duration, BoxError> {
    Ok(world.resources().try_borrow::<FrameTime>()?.delta)
}

impl Fixed {
    /// The maximum number of steps per frame, unless set by [`max_steps`](Self::max_steps).
    pub const DEFAULT_MAX_STEPS: u32 = 8;

    /// Limits the number of steps per frame.
    ///
    /// If a step takes longer than the time that it simulates, each frame would need more steps than the last one. So
    /// surplus whole steps are skipped, and counted as [`lost`](FixedTime::lost): the simulation slows down but does not
    /// freeze.
    pub fn max_steps(mut self, steps: u32) -> Self {
        self.max_steps = steps;
        self
    }

    /// Takes the length of a frame from `frame` instead of [`FrameTime`], and calls `notify` before each step and after the
    /// last one, for crates with their own time.
    ///
    /// `frame` is called once whenever the step runs. If it fails, `notify` is not called. If a system panics, that step is
    /// the last one of the frame.
    #[doc(hidden)]
    #[inline]
    pub fn driven_by(
        mut self,
        frame: fn(&mut World) -> Result<Duration, BoxError>,
        notify: fn(&mut World, &FixedTime, inside: bool),
    ) -> Self {
        self.frame = frame;
        self.notify = notify;
        self
    }
}

#[diagnostic::do_not_recommend]
impl IntoConfigs<Nested> for Fixed {
    #[inline]
    fn into_configs(self) -> Configs {
        let name = self.schedule.name.unwrap_or("fixed");
        let rate = FixedDriver {
            max_steps: self.max_steps,
            frame: self.frame,
            notify: self.notify,
            backlog: Duration::ZERO,
            time: self.time,
            seen: 0,
            name,
            named: None,
        };
        let inner = Inner::new(vec![self.schedule.into_inner(String::new())], rate);
        Configs::of(ListedStep::with_inner::<Self>(name, inner))
    }
}

/// Runs the only schedule of a step as often as steps fit into the time that passed.
struct FixedDriver {
    max_steps: u32,
    frame: FrameLength,
    notify: Notify,
    /// The time still to be simulated: less than a step between runs, unless a step panicked.
    backlog: Duration,
    time: FixedTime,
    /// The number of the last load that it has followed.
    seen: u64,
    name: &'static str,
    /// Its name in the world, from the first preparation on.
    named: Option<FixedName>,
}

impl Driver for FixedDriver {
    #[inline]
    fn set_up(&mut self, world: &mut World) {
        #[cfg(feature = "data")]
        {
            world.make_type_known(&FixedTime::IDENTITY.ident());
            world.make_type_known(&FixedTimes::IDENTITY.ident());
        }
        if self.named.is_none() {
            self.named = Some(FixedName::take(self.name, world));
        }
        // So a save has it from here on, and a load lets steps begin anew that had not run.
        if !world.contains_resource::<FixedTimes>() {
            world.insert_resource(FixedTimes::default());
        }
    }

    #[inline]
    fn start(&mut self, world: &mut World) -> Result<(), BoxError> {
        if world.loads != self.seen {
            self.follow_load(world);
        }
        let frame = (self.frame)(world)?;
        let step = self.time.step;
        self.backlog = self.backlog.saturating_add(frame);
        let steps = self.backlog.as_nanos() / step.as_nanos();
        if let Some(surplus) = steps.checked_sub(u128::from(self.max_steps)) {
            let surplus = from_nanos(surplus * step.as_nanos());
            self.backlog -= surplus;
            self.time.lost = self.time.lost.saturating_add(surplus);
        }
        Ok(())
    }

    #[inline]
    fn next(&mut self, world: &mut World) -> Option<usize> {
        if let Some(backlog) = self.backlog.checked_sub(self.time.step) {
            self.backlog = backlog;
            self.time.steps = self.time.steps.saturating_add(1);
            self.publish_time(world, Duration::ZERO);
            (self.notify)(world, &self.time, true);
            return Some(0);
        }
        self.publish_time(world, self.backlog);
        (self.notify)(world, &self.time, false);
        None
    }

    #[inline]
    fn abort(&mut self, world: &mut World) {
        (self.notify)(world, &self.time, false);
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.seen));
        remember(Remembered::value(&mut self.backlog));
        remember(Remembered::value(&mut self.time));
    }
}

impl FixedDriver {
    /// Goes on from the last load, if that has the progress of this step, with steps of the same length. Begins anew if it has
    /// only that of others.
    #[cold]
    fn follow_load(&mut self, world: &mut World) {
        let (number, last) = world.last_load();
        self.seen = number;
        let all = world.get_resource::<FixedTimes>();
        let all = all.filter(|_| last.has(TypeId::of::<FixedTimes>()));
        let loaded = match (&self.named, &all) {
            (Some(name), Some(times)) => times.of(name),
            // An old save, with the progress of one step.
            _ => last.fixed.map(|time| (time, time.overstep)),
        };
        if let Some((time, backlog)) = loaded.filter(|(time, _)| time.step == self.time.step) {
            self.backlog = backlog;
            self.time = time;
        } else if all.is_some() {
            self.backlog = Duration::ZERO;
            self.time = FixedTime::first(self.time.step);
        }
    }

    #[inline]
    fn publish_time(&mut self, world: &mut World, overstep: Duration) {
        self.time.overstep = overstep;
        match world.resources_mut().get_mut::<FixedTime>() {
            Some(time) => *time = self.time,
            None => _ = world.insert_resource(self.time),
        }
        let Some(name) = &self.named else {
            return;
        };
        match world.resources_mut().get_mut::<FixedTimes>() {
            Some(times) => times.set(name, self.time, self.backlog),
            None => {
                let mut times = FixedTimes::default();
                times.set(name, self.time, self.backlog);
                world.insert_resource(times);
            }
        }
    }
}
