//! Pausing an app, and running it step by step.

use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::{ScheduleError, Step};

use crate::app::App;
use crate::exit::AppExit;
use crate::hooks::{Calls, Door};

/// Pause and steps.
impl App {
    /// Pauses the app: until it is [resumed](Self::resume), [`update`](Self::update) runs no system, and
    /// returns `None`.
    ///
    /// A loop just goes on, and the hooks [between frames](Self::between_frames) are still called. The game's time stands
    /// still, without a leap afterwards; [`RealTime`](crate::RealTime) counts the pause in the next frame. In a hook of a
    /// frame, and after [`step_system`](Self::step_system), the pause begins after the frame or system.
    ///
    /// Differs from [`Time::pause`](crate::Time::pause), which stops the time of systems that run on: a menu over the game.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn count(mut frames: ResMut<u32>) { *frames += 1 }
    ///
    /// let tick = Duration::from_millis(10);
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, count);
    /// app.update_by(tick);
    /// app.pause();
    /// app.update_by(tick); // nothing
    /// app.step_by(tick); // one frame
    /// app.resume();
    /// app.update_by(tick);
    /// assert_eq!(*app.world().resource::<u32>(), 3);
    /// assert_eq!(app.world().resource::<Time>().elapsed(), tick * 3);
    /// ```
    pub fn pause(&mut self) -> &mut Self {
        self.door().is_paused = true;
        self
    }

    /// Ends a [pause](Self::pause). A frame of which some systems have been [stepped](Self::step_system) is completed by the
    /// next update, before that runs its own frame.
    #[doc(alias = "unpause")]
    pub fn resume(&mut self) -> &mut Self {
        if let Some(door) = &mut self.door {
            door.is_paused = false;
            self.close_door();
        }
        self
    }

    /// Returns true while the app is [paused](Self::pause).
    #[must_use]
    #[inline]
    pub fn is_paused(&self) -> bool {
        self.door.as_ref().is_some_and(|door| door.is_paused)
    }

    /// Runs one frame, even if the app is paused, and returns how the app ended, if it has.
    ///
    /// The frame is as long as frames should be: as long as those of a clock of [equal frames](crate::Clock::fixed), or as
    /// the [rate](Self::rate) says; without both, it is as long as a step of `FixedUpdate`, so that this runs once.
    ///
    /// In the middle of a frame, after [`step_system`](Self::step_system), it runs the rest of that frame instead.
    ///
    /// # Panics
    /// As for [`update`](Self::update); also in a hook, except between frames.
    pub fn step(&mut self) -> Option<AppExit> {
        self.step_by(self.step_length())
    }

    /// Runs one frame of a given length, like [`step`](Self::step).
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn step_by(&mut self, delta: Duration) -> Option<AppExit> {
        self.refuse_in_hook(Calls::Between, "step");
        if self.is_in_frame() {
            self.complete_frame();
        } else if self.exit.is_none() {
            let real = self.real_of_step(delta);
            self.frame_by_door(delta, real);
        }
        self.exit
    }

    /// Pauses the app, runs the next system of the frame, and returns its name; `None` at the end of the frame, and the next
    /// call begins another one.
    ///
    /// The frame is as long as one of [`step`](Self::step). Its systems run on this thread, in the planned order, each with
    /// its commands: the result is the same. Systems that a condition skips do not count. The systems of `Startup` come before
    /// those of the first frame. In between the world may be looked at and changed; inside `FixedUpdate`,
    /// [`Time`](crate::Time) has the time of its step. Errors of systems are treated at the end of the frame, or of `Startup`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn double(mut n: ResMut<u32>) { *n *= 2 }
    /// #[system]
    /// fn add(mut n: ResMut<u32>) { *n += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(1_u32).add_systems(Update, (double, add));
    /// assert!(app.step_system().is_some_and(|name| name.ends_with("double")));
    /// assert_eq!(*app.world().resource::<u32>(), 2);
    /// *app.world_mut().resource_mut::<u32>() = 5;
    /// app.step(); // the rest of the frame
    /// assert_eq!(*app.world().resource::<u32>(), 6);
    /// assert_eq!(app.world().resource::<Time>().frame(), 1);
    /// ```
    ///
    /// # Panics
    /// As for [`step`](Self::step). In the middle of a frame, [`add_systems`](Self::add_systems) and
    /// [`remove_systems`](Self::remove_systems) panic.
    pub fn step_system(&mut self) -> Option<&'static str> {
        self.step_system_of(None)
    }

    /// Like [`step_system`](Self::step_system), and a frame that it begins has these lengths, in the game and outside of it.
    #[doc(hidden)]
    pub fn repeat_system(&mut self, delta: Duration, real: Duration) -> Option<&'static str> {
        self.step_system_of(Some((delta, real)))
    }

    fn step_system_of(&mut self, lengths: Option<(Duration, Duration)>) -> Option<&'static str> {
        self.refuse_in_hook(Calls::Between, "step_system");
        self.pause();
        self.reporting(|app| app.begin_and_step(lengths))
    }

    fn begin_and_step(&mut self, lengths: Option<(Duration, Duration)>) -> Option<&'static str> {
        if !self.is_in_frame() {
            if self.exit.is_some() {
                return None;
            }
            let (delta, real) = lengths.unwrap_or_else(|| {
                let delta = self.step_length();
                (delta, self.real_of_step(delta))
            });
            self.call_before(delta, real);
            if self.is_starting() {
                self.door().starting = Some((delta, real));
            } else if !self.begin_stepped(delta, real) {
                return None;
            }
        }
        self.next_system()
    }

    /// Returns true in the middle of a frame whose systems are [stepped](Self::step_system): at least one of them, or of
    /// `Startup` before the first frame, has run, and the end of the frame has not.
    #[must_use]
    #[inline]
    pub fn is_in_frame(&self) -> bool {
        if let Some(door) = &self.door
            && door.starting.is_some()
        {
            return true;
        }
        matches!(&self.built, Some(Ok(built)) if built.frame.is_halted())
    }

    /// Runs [steps](Self::step) until a condition on the world is true, or the app ends; then returns how. Runs none if it
    /// is true already.
    ///
    /// It does not wait between frames, and a pause stays one. A condition that counts its calls limits the frames.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn score(mut score: ResMut<u32>) { *score += 3 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, score);
    /// app.run_until(|world| *world.resource::<u32>() > 9);
    /// assert_eq!(*app.world().resource::<u32>(), 12);
    /// ```
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn run_until(&mut self, mut condition: impl FnMut(&World) -> bool) -> Option<AppExit> {
        self.refuse_in_hook(Calls::Between, "run_until");
        self.complete_frame();
        while self.exit.is_none() && !condition(&self.world) {
            self.step();
        }
        self.exit
    }

    /// Returns how the app ended, if it has.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::app::{AppExit, Exit};
    ///
    /// let mut app = App::new();
    /// app.add_systems(Update, |mut exit: ResMut<Exit>| exit.success());
    /// assert_eq!(app.exit(), None);
    /// app.update();
    /// assert_eq!(app.exit(), Some(AppExit::Success));
    /// ```
    #[must_use]
    pub fn exit(&self) -> Option<AppExit> {
        self.exit
    }

    /// Runs the rest of a frame that was begun.
    #[inline]
    pub(crate) fn complete_frame(&mut self) {
        while self.is_in_frame() {
            self.next_system();
        }
    }

    /// Returns true if `Startup` has not run and the app can be built. From then on it counts as started.
    fn is_starting(&mut self) -> bool {
        // An error of the build is treated when a frame begins.
        let is_starting = !self.has_started && self.get_ready().is_ok();
        self.has_started |= is_starting;
        is_starting
    }

    /// Begins a frame; returns false if the app ends before it.
    fn begin_stepped(&mut self, delta: Duration, real: Duration) -> bool {
        let begins = self.begin(delta, real);
        if !begins {
            self.call_after();
        }
        begins
    }

    /// Runs the next system of `Startup`, and returns its name; `None` at its end.
    fn next_of_startup(&mut self) -> Option<&'static str> {
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app has started, so it is built");
        };
        let (startup, world, door) = (&mut built.startup, &mut self.world, &mut self.door);
        let run = || {
            let step = startup.run_step_watched(world, &mut watch(door))?;
            Ok(step.map(Step::name))
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(Some(name))) => Some(name),
            ended => {
                self.door().starting = None;
                self.exit = self.end_startup(ended.map(|result| result.map(|_| ())));
                None
            }
        }
    }

    /// Runs the next system of a frame that was begun, or of `Startup` before it, and returns its name; `None` at the end of
    /// the frame.
    fn next_system(&mut self) -> Option<&'static str> {
        self.reporting(Self::run_next)
    }

    fn run_next(&mut self) -> Option<&'static str> {
        if let Some((delta, real)) = self.door().starting {
            let next = self.next_of_startup();
            if next.is_some() || !self.begin_stepped(delta, real) {
                return next;
            }
        }
        let next = self.next_of_frame();
        if next.is_none() {
            self.call_after();
        }
        next
    }

    fn next_of_frame(&mut self) -> Option<&'static str> {
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the frame has begun, so the app is built");
        };
        let step = {
            let watch = &mut watch(&mut self.door);
            let step = built.frame.run_step_watched(&mut self.world, watch);
            step.map(|step| step.map(Step::name))
        };
        let result = match step {
            Ok(Some(name)) => return Some(name),
            Ok(None) => Ok(()),
            Err(error) => Err(error),
        };
        if let Err(ScheduleError::OtherWorld { .. }) = &result {
            built.frame.abandon_run();
        }
        self.end(result);
        None
    }

    /// Returns the length of a frame that depends on no clock.
    fn step_length(&self) -> Duration {
        let of_rate = self.frame.unwrap_or(self.fixed.step);
        self.clock.equal_frames().unwrap_or(of_rate)
    }

    /// Returns the time that passes outside of the game by a step: the time that passed since the last frame. Without a pause or a clock that
    /// measures it, that is the length of the step.
    fn real_of_step(&mut self, delta: Duration) -> Duration {
        let otherwise = if self.is_paused() {
            Duration::ZERO
        } else {
            delta
        };
        let measured = self.clock.restart().unwrap_or(otherwise);
        let skipped = self.door.as_mut().map(|door| take(&mut door.skipped));
        measured.saturating_add(skipped.unwrap_or_default())
    }
}

/// Returns a function that lets the hooks of a door see steps.
fn watch(door: &mut Option<Box<Door<App>>>) -> impl FnMut(Step<'_>, &World) {
    move |step, world| {
        if let Some(door) = door {
            door.see_step(step, world);
        }
    }
}
