//! Running an app to its end.

use std::mem;
use std::time::Duration;

use crate::app::App;
use crate::exit::AppExit;
use ecs_engine::__private::Instant;

/// How late frames may be before the time that was lost is given up, in frames.
const MAX_DEBT: u32 = 4;

impl App {
    /// Runs frames until the app ends, and returns how.
    ///
    /// Without a [runner](Self::set_runner) frames run at the [rate](Self::rate), or one directly after the other. The app is
    /// taken out of `self`, which is a new one afterwards; what is left of this one is dropped at the end.
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
    /// # Panics
    /// If a system panics.
    pub fn run(&mut self) -> AppExit {
        let mut app = mem::take(self);
        match app.runner.take() {
            Some(runner) => runner(app),
            None => app.run_frames(),
        }
    }

    /// Sets the number of frames per second of [`run`](Self::run).
    ///
    /// Each frame starts at its own deadline, counted from the first one, so what one of them lacks is not lost to all
    /// later ones. If frames are more than four too late, that time is given up.
    ///
    /// # Panics
    /// If `hz` is not positive, or no number.
    #[track_caller]
    pub fn rate(&mut self, hz: f64) -> &mut Self {
        assert!(
            hz.is_finite() && hz > 0.0,
            "an app cannot run at a rate of {hz} Hz; help: use a positive number"
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
        let Some(frame) = self.frame else {
            loop {
                if let Some(exit) = self.update() {
                    return exit;
                }
            }
        };
        let mut deadline = Instant::now();
        loop {
            if let Some(exit) = self.update() {
                return exit;
            }
            deadline += frame;
            let now = Instant::now();
            if let Some(rest) = deadline.checked_duration_since(now) {
                std::thread::sleep(rest);
            } else if now - deadline > frame * MAX_DEBT {
                deadline = now;
            }
        }
    }
}
