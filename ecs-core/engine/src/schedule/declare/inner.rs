//! Steps with schedules inside: nested ones, fixed rates, and states.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::list::List;
use super::setup::Setups;
use super::state_error::{StateError, StateType};
use crate::system::{BoxError, Remember};
use crate::world::World;

/// The schedules inside a step, which the planner, the builder and the executors treat like the outer one.
pub(crate) struct Inner {
    pub(crate) schedules: Vec<InnerSchedule>,
    /// The states whose transitions the step makes, which no other step can do.
    pub(crate) states: Vec<StateType>,
    /// What is wrong with these states.
    pub(crate) state_error: Option<StateError>,
    /// `None` when the step is built.
    pub(crate) driver: Option<Box<dyn Driver>>,
}

/// A schedule inside a step.
pub(crate) struct InnerSchedule {
    /// Distinguishes the schedules of one step; empty if there is only one.
    pub(crate) name: String,
    pub(crate) list: List,
    pub(crate) setups: Setups,
}

/// Decides which schedules of a step run, one after the other, whenever the step runs.
pub(crate) trait Driver: Send + Sync {
    /// Prepares the world, once, before any system is built or run.
    fn set_up(&mut self, _world: &mut World) {}

    /// Begins a run of the step. What an earlier run left over after a panic is forgotten, unless it is to be caught up
    /// on.
    ///
    /// # Errors
    /// If the world lacks what the step needs; then nothing runs.
    fn start(&mut self, world: &mut World) -> Result<(), BoxError>;

    /// Returns the position of the schedule that runs next; `None` at the end of the run.
    fn next(&mut self, world: &mut World) -> Option<usize>;

    /// Ends a run in which the schedule that was named last has panicked. Called while that unwinds.
    fn abort(&mut self, _world: &mut World) {}

    /// Calls a function with all that it remembers from one run of the step to the next.
    fn remembered(&mut self, _remember: &mut Remember<'_>) {}
}

impl Inner {
    pub(crate) fn new(schedules: Vec<InnerSchedule>, driver: impl Driver + 'static) -> Self {
        Self {
            schedules,
            states: Vec::new(),
            state_error: None,
            driver: Some(Box::new(driver)),
        }
    }
}
