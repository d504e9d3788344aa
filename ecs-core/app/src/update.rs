//! Frames.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Duration;

use ecs_engine::schedule::{ErrorPolicy, OnError, Schedule, ScheduleError, SystemError};

use crate::app::App;
use crate::built::BuiltApp;
use crate::exit::{AppExit, Exit};
use crate::real_time::RealTime;
use crate::time::Time;

impl App {
    /// Runs a frame whose length is the time since the last one, by the clock; the first one has the length 0.
    ///
    /// Returns how the app ended, or `None` if it goes on. After the end, this and later calls run nothing. While the app is
    /// [paused](Self::pause) they run nothing either, and return `None`.
    ///
    /// A system that fails, for example because a resource is missing, ends the app and prints its error, unless
    /// [`on_error`](Self::on_error) says otherwise. It does not panic: the program may have to save first. Return this value from
    /// `main`, just like the value of [`run`](Self::run): a program that drops it ends with a success.
    pub fn update(&mut self) -> Option<AppExit> {
        let real = self.clock.frame();
        let time = self.world.resources_mut().get_mut::<Time>();
        let most = time.map_or(Duration::MAX, |time| time.max_delta());
        self.advance(real.min(most), real)
    }

    /// Runs a frame of a given length, which depends on no clock.
    ///
    /// Use it in tests, and in programs that a window or a browser calls with the length of a frame. All of the length counts, even
    /// if it is more than [`Time::max_delta`]. A window that may have been suspended passes
    /// `length.min(`[`Time::DEFAULT_MAX_DELTA`]`)`. `FixedUpdate` runs at most [`max_steps`](ecs_engine::schedule::Fixed::max_steps)
    /// times.
    ///
    /// The frame stands for all the time since the last one, so no time counts twice: an [`update`](Self::update) afterwards
    /// measures from here.
    ///
    /// The first call [builds](Self::build) the app and runs `Startup`. If systems of `Startup` fail and the policy is to
    /// end, no frame runs.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn clock(time: Res<Time>, mut shown: ResMut<String>) {
    ///     *shown = format!("{:.1} s", time.elapsed_secs());
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(String::new()).add_systems(Update, clock);
    /// for _ in 0..3 {
    ///     app.update_by(Duration::from_millis(200));
    /// }
    /// assert_eq!(*app.world().resource::<String>(), "0.6 s");
    /// ```
    ///
    /// Returns how the app ended, if it has, like [`update`](Self::update).
    ///
    /// # Panics
    /// If a system panics; the app can be used afterwards. If a system had asked for the end, later calls run nothing.
    pub fn update_by(&mut self, delta: Duration) -> Option<AppExit> {
        self.clock.restart();
        self.advance(delta, delta)
    }

    /// Runs up to `frames` frames of a given length, like [`update_by`](Self::update_by), until the app ends.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn count(mut frames: ResMut<u32>) { *frames += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, count);
    /// assert_eq!(app.update_times(60, Duration::from_millis(16)), None);
    /// assert_eq!(*app.world().resource::<u32>(), 60);
    /// ```
    pub fn update_times(&mut self, frames: u32, delta: Duration) -> Option<AppExit> {
        (0..frames).find_map(|_| self.update_by(delta))
    }

    fn advance(&mut self, delta: Duration, real: Duration) -> Option<AppExit> {
        if let Some(door) = &self.door
            && !door.is_asleep()
        {
            return self.advance_by_door(delta, real);
        }
        if self.begin(delta, real) {
            let Some(Ok(built)) = &mut self.built else {
                unreachable!("the app is ready");
            };
            let result = self.threads.run(&mut built.frame, &mut self.world);
            self.end(result);
        }
        self.exit
    }

    /// Begins a frame; returns false if the app ends before it. `real` is the time that has passed on the wall clock.
    pub(crate) fn begin(&mut self, delta: Duration, real: Duration) -> bool {
        if self.exit.is_some() {
            return false;
        }
        if std::mem::replace(&mut self.is_running, true) {
            // The last frame panicked. If one of its systems had asked for the end, the app ends now.
            self.exit = self.asked();
        }
        if self.exit.is_none() && (!self.is_ready || !self.has_started) {
            self.exit = self.start();
        }
        if self.exit.is_some() {
            self.is_running = false;
            return false;
        }
        let resources = self.world.resources_mut();
        if let Some(time) = resources.get_mut::<RealTime>() {
            time.advance(real);
        }
        if let Some(time) = resources.get_mut::<Time>() {
            time.advance_all(delta);
        }
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is ready");
        };
        built.follow_states(&mut self.world);
        true
    }

    /// Ends a frame.
    pub(crate) fn end(&mut self, result: Result<(), ScheduleError>) {
        if let Err(error) = result {
            self.handle(error, "frame");
        }
        self.exit = self.asked();
        self.is_running = false;
    }

    /// Runs a schedule, and lets hooks see its steps.
    #[inline]
    pub(crate) fn run_schedule(
        &mut self,
        schedule: fn(&mut BuiltApp) -> &mut Schedule,
    ) -> Result<(), ScheduleError> {
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is ready");
        };
        let schedule = schedule(built);
        match &mut self.door {
            Some(door) if door.sees_steps() => {
                schedule.run_watched(&mut self.world, |step, world| door.see_step(step, world))
            }
            _ => self.threads.run(schedule, &mut self.world),
        }
    }

    /// Builds the new parts, and runs `Startup` if it has not run.
    #[cold]
    pub(crate) fn start(&mut self) -> Option<AppExit> {
        if let Err(error) = self.get_ready() {
            if matches!(self.on_error, ErrorPolicy::Panic) {
                panic!("{error}");
            }
            eprintln!("error: {error}");
            return Some(AppExit::error(1));
        }
        if self.has_started {
            return None;
        }
        self.has_started = true;
        let run = || self.run_schedule(|built| &mut built.startup);
        let result = catch_unwind(AssertUnwindSafe(run));
        self.end_startup(result)
    }

    /// Ends `Startup`, and returns how systems asked the app to end.
    pub(crate) fn end_startup(
        &mut self,
        result: thread::Result<Result<(), ScheduleError>>,
    ) -> Option<AppExit> {
        // After a panic too: it does not run again.
        if let Some(Ok(built)) = &mut self.built {
            built.startup.end();
        }
        match result {
            Ok(Ok(())) => {}
            Ok(Err(error)) => self.handle(error, "Startup"),
            Err(panic) => resume_unwind(panic),
        }
        self.asked()
    }

    /// Returns how systems asked the app to end.
    pub(crate) fn asked(&mut self) -> Option<AppExit> {
        // To look is no change: systems would see one in each frame, and snapshots of an app that rests would differ.
        self.world.resources_mut().bypass::<Exit>()?.get()
    }

    /// Treats the errors of a run as the policies say.
    #[cold]
    fn handle(&mut self, error: ScheduleError, schedule: &str) {
        let errors = match error {
            ScheduleError::Systems(errors) => errors,
            // Only a world that was replaced gets here: everything else was found when the app was built.
            error => {
                eprintln!("error: in `{schedule}`: {error}");
                return self.fail();
            }
        };
        let mut panics: Option<SystemError> = None;
        for error in errors {
            match error.policy.unwrap_or(self.on_error) {
                ErrorPolicy::Log => eprintln!("error: {error}"),
                ErrorPolicy::Call(decide) => match decide(&error, &mut self.world) {
                    OnError::Continue => {}
                    OnError::Exit => self.fail(),
                },
                ErrorPolicy::Panic => _ = panics.get_or_insert(error),
                // `Exit`, and the errors to come.
                _ => {
                    eprintln!("error: {error}");
                    self.fail();
                }
            }
        }
        if let Some(error) = panics {
            let message = error.to_string();
            self.world.note_panic(error.system, None, &message);
            panic!("{message}");
        }
    }

    fn fail(&mut self) {
        if !self.world.contains_resource::<Exit>() {
            self.world.insert_resource(Exit::default());
        }
        self.world.resource_mut::<Exit>().error(1);
    }
}
