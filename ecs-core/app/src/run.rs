//! Running an app to its end.

use std::mem;
use std::time::Duration;

use crate::app::App;
use crate::exit::AppExit;
use crate::hooks::Calls;
use ecs_engine::__private::Instant;

/// The number of frames that a run may be late before it gives up the lost time.
const MAX_DEBT: u32 = 4;

/// The time between two calls of hooks while the app is paused and has no rate.
const PAUSED_FRAME: Duration = Duration::from_micros(16_667);

/// The lowest rate: the times of a few frames can be added.
const MIN_RATE: f64 = 1e-6;

impl App {
    /// Runs frames until the app ends, and returns how.
    ///
    /// Frames run at the [rate](Self::rate), or one directly after the other. Afterwards the app still has its
    /// [world](Self::world), and running it again returns the same.
    ///
    /// A [runner](Self::set_runner) takes the app out of `self`, which is a new one from then on, and drops it when it likes.
    /// While the app is [paused](Self::pause), the loop calls the hooks [between frames](Self::between_frames) at its rate,
    /// or 60 times a second.
    ///
    /// ```no_run
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn load(mut commands: Commands) { /* .. */ }
    ///
    /// fn main() -> AppExit {
    ///     App::new().add_systems(Startup, load).rate(60.0).run()
    /// }
    /// ```
    ///
    /// In a browser, whose page has to get control back after each frame, call [`update`](Self::update) or
    /// [`update_by`](Self::update_by) instead, or set a runner that asks the page to: nothing can wait there.
    ///
    /// # Panics
    /// If a system panics, in a hook, and if the app is paused and has no hook that could resume it.
    pub fn run(&mut self) -> AppExit {
        self.refuse_in_hook(Calls::Nothing, "run");
        match self.runner.take() {
            Some(runner) => runner(mem::take(self)),
            None => self.run_frames(),
        }
    }

    /// Sets the number of frames per second of [`run`](Self::run).
    ///
    /// Each frame starts at its own deadline, counted from the first one, so a late frame does not delay all later
    /// ones. If a run is more than four frames late, it gives up that time.
    ///
    /// # Panics
    /// If `hz` is infinite, no number, or less than a millionth: a frame in eleven days.
    #[track_caller]
    pub fn rate(&mut self, hz: f64) -> &mut Self {
        assert!(
            hz.is_finite() && hz >= MIN_RATE,
            "an app cannot run at a rate of {hz} Hz; help: use a positive number, at least {MIN_RATE}"
        );
        self.frame = Some(Duration::from_secs_f64(1.0 / hz));
        self
    }

    /// Sets the function that [`run`](Self::run) calls with the app, in place of its own loop: one that opens a window, say,
    /// and calls [`update`](Self::update) or [`update_by`](Self::update_by) for each frame until that returns an exit.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::prelude::*;
    ///
    /// /// Runs 60 frames of 1/60 s, as fast as they can.
    /// fn one_second(mut app: App) -> AppExit {
    ///     for _ in 0..60 {
    ///         if let Some(exit) = app.update_by(Duration::from_nanos(16_666_667)) {
    ///             return exit;
    ///         }
    ///     }
    ///     AppExit::Success
    /// }
    ///
    /// let mut app = App::new();
    /// app.set_runner(one_second);
    /// assert_eq!(app.run(), AppExit::Success);
    /// ```
    pub fn set_runner(
        &mut self,
        runner: impl FnOnce(App) -> AppExit + Send + 'static,
    ) -> &mut Self {
        self.runner = Some(Box::new(runner));
        self
    }

    fn run_frames(&mut self) -> AppExit {
        let start = Instant::now();
        let mut pace = self.frame.map(Pace::new);
        loop {
            if let Some(exit) = self.update() {
                return exit;
            }
            if let Some(door) = &self.door {
                assert!(
                    !door.is_shut(),
                    "the app is paused, and no hook can resume it; help: call `App::resume` before `App::run`, or in a hook of `App::between_frames`"
                );
            }
            let Some(pace) = &mut pace else {
                if self.is_paused() {
                    std::thread::sleep(PAUSED_FRAME);
                }
                continue;
            };
            let rest = pace.rest(start.elapsed());
            if !rest.is_zero() {
                std::thread::sleep(rest);
            }
        }
    }
}

/// The starts of frames that should have the same length.
struct Pace {
    frame: Duration,
    /// From the start of the first frame to the start of the next one.
    deadline: Duration,
}

impl Pace {
    fn new(frame: Duration) -> Self {
        let deadline = Duration::ZERO;
        Self { frame, deadline }
    }

    /// Returns how long to wait for the next frame, at the end of a frame that is `now` after the start of the first
    /// one.
    fn rest(&mut self, now: Duration) -> Duration {
        self.deadline += self.frame;
        if now.saturating_sub(self.deadline) > self.frame * MAX_DEBT {
            self.deadline = now;
        }
        self.deadline.saturating_sub(now)
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
