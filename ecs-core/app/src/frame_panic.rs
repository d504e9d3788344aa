//! A panic of a frame, for reports.

use std::any::Any;

use ecs_engine::__private::message_of;
use ecs_engine::world::RunPanic;

/// A panic of a frame; see [`App::on_panic`](crate::App::on_panic).
#[derive(Debug)]
pub struct FramePanic<'a> {
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
        let path: Vec<&str> = around.iter().rev().copied().collect();
        Self {
            system,
            path: path.join(" > "),
            payload,
        }
    }

    /// Returns the name of the system that panicked, also if a condition or a command of it did. `None` if the panic came
    /// from no system, but from a destructor, say.
    #[must_use]
    pub fn system(&self) -> Option<&'static str> {
        self.system
    }

    /// Returns the names of the steps and systems around the system, the outermost first: `FixedUpdate > physics`. Empty if
    /// there are none.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the message, which names the system too. `None` for a panic whose value is not text.
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
