//! Steps with schedules inside: nested ones, fixed rates, and states.
//!
//! # Run a schedule inside a step
//! A schedule, a fixed rate or the handlers of states become a step that carries lists (`declare/inner.rs`), not a closure.
//! So `SchedulePlan::of` plans them with the outer list (`plan/inner.rs`), `Schedule::prepare` sets up and builds all depths
//! before the first step runs, and timings, traces, `SchedulePlan::why` and pictures walk down the same tree. When the step
//! runs, its `Driver` (`steps/{nested,fixed}.rs`, `states/driver.rs`) names one of its schedules after the other, and
//! `execute/runs.rs` runs each of them like the outer one. The driver of fixed steps gets the length of a frame from a
//! function, and calls another one at the start and end of each step (`Fixed::driven_by`), so `ecs-app` can show the time of
//! the step as `Time` there. A run with an executor pauses for such a step: `Run::round` returns `None`, so `Executor::run`
//! returns. The same executor then runs the schedules inside, and is called again with the outer run.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::{Any, TypeId};

use super::list::{StepBody, StepList};
use super::setup::Setups;
use super::state_error::{StateError, StateType};
use crate::system::{BoxError, Remember};
use crate::world::World;

/// The maximum number of levels of schedules inside steps. Planning, building, running and dropping recurse into them. This
/// many levels take less than a quarter of a thread's 2 MiB stack, without optimisation.
pub(crate) const MAX_DEPTH: usize = 64;

/// The schedules inside a step, which the planner, the builder and the executors treat like the outer one.
pub(crate) struct Inner {
    pub(crate) schedules: Vec<InnerSchedule>,
    /// The number of levels of schedules inside; the planner refuses more than [`MAX_DEPTH`].
    pub(crate) depth: usize,
    /// The states whose transitions this step makes; no other step can make them.
    pub(crate) states: Vec<StateType>,
    /// The error in these states.
    pub(crate) state_error: Option<StateError>,
    /// `None` when the step is built.
    pub(crate) driver: Option<Box<dyn Driver>>,
}

/// A schedule inside a step.
pub(crate) struct InnerSchedule {
    /// Distinguishes the schedules of one step; empty if there is only one.
    pub(crate) name: String,
    pub(crate) list: StepList,
    pub(crate) setups: Setups,
}

/// Returns the resource of a type.
pub(crate) type FindResource<'a> = &'a dyn Fn(TypeId) -> Option<&'a dyn Any>;

/// Decides which schedules of a step run, one after the other, whenever the step runs.
pub(crate) trait Driver: Send + Sync {
    /// Prepares the world, once, before any system is built or run.
    fn set_up(&mut self, _world: &mut World) {}

    /// Begins a run of the step. Forgets work that an earlier run left behind when it panicked, except time still to be
    /// caught up on.
    ///
    /// # Errors
    /// If the world lacks a value that the step needs; in that case nothing runs.
    fn start(&mut self, world: &mut World) -> Result<(), BoxError>;

    /// Returns the position of the schedule that runs next; `None` at the end of the run.
    fn next(&mut self, world: &mut World) -> Option<usize>;

    /// Ends a run because the schedule that was named last has panicked. Called during the unwinding.
    fn abort(&mut self, _world: &mut World) {}

    /// Returns the resource of a type, if it follows from other resources, which a function finds.
    fn computed(&self, _id: TypeId, _find: FindResource<'_>) -> Option<Box<dyn Any + Send + Sync>> {
        None
    }

    /// Calls a function with all state that it keeps from one run of the step to the next.
    fn remembered(&mut self, _remember: &mut Remember<'_>) {}
}

impl Inner {
    pub(crate) fn new(schedules: Vec<InnerSchedule>, driver: impl Driver + 'static) -> Self {
        Self::of(schedules, Box::new(driver))
    }

    fn of(schedules: Vec<InnerSchedule>, driver: Box<dyn Driver>) -> Self {
        let mut inner = Self {
            schedules,
            depth: 0,
            states: Vec::new(),
            state_error: None,
            driver: Some(driver),
        };
        inner.update_depth();
        if inner.depth > MAX_DEPTH {
            // The planner will refuse these. They are dropped here level by level: all at once would take too much of the
            // stack.
            for schedule in &mut inner.schedules {
                schedule.list = StepList::default();
                schedule.setups = Setups::default();
            }
        }
        inner
    }

    /// Updates the number of levels; has to be called after something was added to a list inside.
    pub(crate) fn update_depth(&mut self) {
        let inside = self.schedules.iter().map(|inner| inner.list.depth());
        self.depth = 1 + inside.max().unwrap_or(0);
    }
}

impl StepList {
    /// Returns the number of levels of schedules inside its steps.
    fn depth(&self) -> usize {
        let depths = self.systems.iter().map(|listed| match &listed.body {
            StepBody::Inner(inner) => inner.depth,
            StepBody::System(_) => 0,
        });
        depths.max().unwrap_or(0)
    }
}
