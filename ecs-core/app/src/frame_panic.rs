//! A panic of a frame, for reports.

use std::any::Any;

use ecs_engine::__private::message_of;
use ecs_engine::world::RunPanic;

/// A panic of a frame; see [`App::on_panic`](crate::App::on_panic).
#[derive(Debug)]
pub struct FramePanic<'a> {
    hook: Option<&'static str>,
    is_in_frame: bool,
    system: Option<&'static str>,
    path: String,
    payload: &'a (dyn Any + Send),
}

impl<'a> FramePanic<'a> {
    /// Makes the report of a panic that has gone through these steps.
    #[doc(hidden)]
    #[must_use]
    pub fn new(steps: Option<&RunPanic>, payload: &'a (dyn Any + Send)) -> Self {
        let steps = steps.map_or(&[][..], RunPanic::steps);
        let (system, around) = match steps {
            [system, around @ ..] => (Some(*system), around),
            [] => (None, &[][..]),
        };
        Self {
            hook: None,
            is_in_frame: true,
            system,
            path: path_of(around),
            payload,
        }
    }

    /// Makes the report of a panic of a hook outside of steps, or of a schedule that the hook has run.
    pub(crate) fn of_hook(
        hook: &'static str,
        steps: Option<&RunPanic>,
        payload: &'a (dyn Any + Send),
    ) -> Self {
        Self {
            hook: Some(hook),
            is_in_frame: false,
            ..Self::new(steps, payload)
        }
    }

    /// Makes the report of a panic of a hook after a step, the first of these.
    pub(crate) fn of_step_hook(
        hook: Option<&'static str>,
        steps: &RunPanic,
        payload: &'a (dyn Any + Send),
    ) -> Self {
        Self {
            hook,
            is_in_frame: true,
            system: None,
            path: path_of(steps.steps()),
            payload,
        }
    }

    /// Returns the name of the hook of the app that panicked: the path of its function, such as `game::debugger::{{closure}}`.
    /// `None` if none did.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// fn upload(_: &mut App) { panic!("no connection") }
    ///
    /// let mut app = App::new();
    /// app.after_frame(upload);
    /// app.on_panic(|panic, _| {
    ///     assert!(panic.hook().unwrap().ends_with("upload"));
    ///     assert_eq!((panic.system(), panic.message()), (None, Some("no connection")));
    /// });
    /// let frame = std::panic::AssertUnwindSafe(|| app.update());
    /// assert!(std::panic::catch_unwind(frame).is_err());
    /// ```
    #[must_use]
    pub fn hook(&self) -> Option<&'static str> {
        self.hook
    }

    /// Returns false if a hook before, after or between frames has panicked, so that no frame was interrupted.
    #[doc(hidden)]
    #[must_use]
    pub fn is_in_frame(&self) -> bool {
        self.is_in_frame
    }

    /// Returns the name of the system that panicked, also if a condition or a command of it did. `None` if the panic came
    /// from no system, but from a hook or a destructor, say. If there is a [`hook`](Self::hook), it has run this system.
    #[must_use]
    pub fn system(&self) -> Option<&'static str> {
        self.system
    }

    /// Returns the names of the steps and systems around the system, the outermost first: `FixedUpdate > physics`. Empty if
    /// there are none. For a hook after a step, the last name is the name of the step.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the message, which names the system too if there is one. `None` for a panic whose value is not text.
    #[must_use]
    pub fn message(&self) -> Option<&'a str> {
        message_of(self.payload)
    }

    /// Returns the value of the panic, as [`catch_unwind`](std::panic::catch_unwind) will.
    #[must_use]
    pub fn payload(&self) -> &'a (dyn Any + Send) {
        self.payload
    }
}

/// Returns the path of steps, which are given from the innermost on.
fn path_of(around: &[&str]) -> String {
    let path: Vec<&str> = around.iter().rev().copied().collect();
    path.join(" > ")
}
