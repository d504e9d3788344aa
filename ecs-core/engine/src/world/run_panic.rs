//! The panic that ended the last run of a schedule: the systems that it went through.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::Any;

use super::World;

/// The steps that a panic went through, noted at the end of each run that it ends.
#[derive(Default)]
pub struct RunPanic {
    /// The name of the system that panicked, and of the systems around it.
    steps: Vec<&'static str>,
    message: Option<String>,
    /// The address of the payload, for one that is not a message.
    address: usize,
    /// True if the first step did not panic, but the function that watches the run, after that step.
    is_of_watcher: bool,
}

impl RunPanic {
    /// Returns the name of the system that panicked, and of the systems around it, the innermost first. At least one.
    #[must_use]
    pub fn steps(&self) -> &[&'static str] {
        &self.steps
    }

    /// Returns true if the function that watches the run has panicked, after the first of the [`steps`](Self::steps).
    #[must_use]
    pub fn is_of_watcher(&self) -> bool {
        self.is_of_watcher
    }

    /// Returns true if it is about this panic. A system may have caught the last one.
    fn is_of(&self, payload: &(dyn Any + Send)) -> bool {
        match message_of(payload) {
            Some(message) => self.message.as_deref() == Some(message),
            None => self.message.is_none() && self.address == address_of(payload),
        }
    }
}

/// Returns the message of a panic, if it is text.
#[must_use]
pub fn message_of(payload: &(dyn Any + Send)) -> Option<&str> {
    match payload.downcast_ref::<&str>() {
        Some(message) => Some(message),
        None => payload.downcast_ref::<String>().map(String::as_str),
    }
}

fn address_of(payload: &(dyn Any + Send)) -> usize {
    (&raw const *payload).addr()
}

impl World {
    /// Notes that a panic goes through a step. `before` is its payload so far, `payload` the one that it gets.
    #[doc(hidden)]
    pub fn note_panic(
        &mut self,
        step: &'static str,
        before: Option<&RunPanic>,
        payload: &(dyn Any + Send),
    ) {
        let mut steps = before.map_or_else(Vec::new, |before| before.steps.clone());
        steps.push(step);
        self.run_panic = Some(Box::new(RunPanic {
            steps,
            message: message_of(payload).map(ToOwned::to_owned),
            address: address_of(payload),
            is_of_watcher: before.is_some_and(|before| before.is_of_watcher),
        }));
    }

    /// Notes that a panic, which was noted last, is of the function that watches the run.
    pub(crate) fn note_watcher(&mut self) {
        if let Some(panic) = &mut self.run_panic {
            panic.is_of_watcher = true;
        }
    }

    /// Takes the note of a panic with this payload, if it ended a run of a schedule.
    #[doc(hidden)]
    pub fn take_run_panic(&mut self, payload: &(dyn Any + Send)) -> Option<Box<RunPanic>> {
        self.run_panic.take().filter(|panic| panic.is_of(payload))
    }
}
