//! Measuring an app's systems.

use ecs_engine::schedule::{Timing, Trace};

use crate::app::App;
use crate::built::BuiltApp;

impl App {
    /// Enables or disables measuring how long each system of a frame takes, and each of the schedules that are [run by
    /// hand](Self::add_schedule); see [`Schedule::record_timings`](ecs_engine::Schedule::record_timings).
    ///
    /// Does nothing unless the app was [built](Self::build).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, think);
    /// app.build()?;
    /// app.record_timings(true);
    /// for _ in 0..3 {
    ///     app.update();
    /// }
    /// assert_eq!(app.timings()[0].count(), 3);
    ///
    /// app.trace_next_frame();
    /// app.update();
    /// let trace = app.take_trace().expect("a frame was traced");
    /// assert_eq!(trace.spans().len(), 1);
    /// # Ok::<(), ecs_core::app::AppError>(())
    /// ```
    pub fn record_timings(&mut self, on: bool) {
        if let Some(Ok(built)) = &mut self.built {
            built.frame.record_timings(on);
            self.world
                .for_each_schedule(|_, _, schedule| schedule.record_timings(on));
        }
    }

    /// Returns the time that each system of a frame has taken since [`record_timings`](Self::record_timings) was enabled,
    /// including systems inside fixed steps and states. The systems of schedules that are [run by hand](Self::add_schedule)
    /// follow, whose [path](Timing::path) starts with the label.
    #[must_use]
    pub fn timings(&self) -> Vec<Timing> {
        match &self.built {
            Some(Ok(built)) => {
                let mut timings = built.frame.timings().to_vec();
                timings.extend(self.world.timings_of_schedules());
                timings
            }
            _ => Vec::new(),
        }
    }

    /// Makes the next frame record when and on which thread each system ran, including systems of schedules that it runs by
    /// hand; [`take_trace`](Self::take_trace) returns it.
    ///
    /// Does nothing unless the app was [built](Self::build).
    pub fn trace_next_frame(&mut self) {
        if let Some(built) = self.built_mut() {
            built.frame.trace_next_run();
        }
    }

    /// Takes the trace of the last [traced](Self::trace_next_frame) frame; `None` if there was none since the last call.
    pub fn take_trace(&mut self) -> Option<Trace> {
        self.built_mut()?.frame.take_trace()
    }

    fn built_mut(&mut self) -> Option<&mut BuiltApp> {
        self.built.as_mut()?.as_mut().ok()
    }
}
