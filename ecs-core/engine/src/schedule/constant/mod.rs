//! Schedules that are planned at compile time.
//!
//! `schedule!` turns a list into a type that implements [`SystemList`]. The order, the conflicts and the stages of
//! the list are constants of that trait, each computed only if the program uses it.
//!
//! Lists run like a [`Schedule`], by [`Schedule::run_seq`]. Generated code that called the systems directly was measured and
//! removed: 200 systems that change one value each took 6.69 ns per system, against 6.75 ns by `run_seq` (1.5 and 1.8 times
//! the instructions of plain calls in a row, most of them in the systems). It was a second implementation of conditions,
//! commands, errors and panics, and took a third of the time to compile such a list.
//!
//! # Run a constant schedule
//! `schedule!` (`ecs-macros/src/schedule`) parses the list into numbered systems and the links between them. It identifies a
//! set by its spelling, stores it as a list of numbers, and turns its constraints into links. `schedule/constant/order.rs`
//! sorts the numbers in a constant. `matrix.rs` finds conflicts through sets of systems per type, because comparing all
//! pairs in a constant takes seconds. The compiler skips each constant that the program does not use. The list runs as a
//! `Schedule`, which the world keeps.

use alloc::boxed::Box;
mod list;
mod matrix;
mod order;
mod plan;
mod refuse;

use crate::sync::PoisonError;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;

#[doc(hidden)]
pub use list::{ConstLink, DistinctSets, ListedFunction, SystemList, WrittenCondition};
#[doc(hidden)]
pub use matrix::{matrix, stages, table_size};
#[doc(hidden)]
pub use order::{order, refuse_cycle};
pub use plan::{StaticPlan, StaticStep};
#[doc(hidden)]
pub use refuse::{
    refuse_undetermined, refuse_undetermined_condition, refuse_unknown, refuse_waived,
};

use super::{Schedule, ScheduleError};
use crate::invariant::Invariant;
use crate::world::{SystemStates, World};

/// A list of systems that was planned at compile time; see `schedule!`, which makes it.
pub struct StaticSchedule<S> {
    of: Invariant<S>,
}

impl<S: SystemList> StaticSchedule<S> {
    #[doc(hidden)]
    #[must_use]
    #[allow(clippy::new_without_default, reason = "called by the macro alone")]
    pub const fn new() -> Self {
        Self { of: PhantomData }
    }

    /// Returns the plan: order, conflicts, stages.
    #[must_use]
    pub const fn plan(&self) -> StaticPlan<S> {
        StaticPlan::new()
    }

    /// Returns the number of systems.
    #[must_use]
    pub const fn len(&self) -> usize {
        S::SYSTEMS.len()
    }

    /// Returns true if there are no systems.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        S::SYSTEMS.is_empty()
    }

    /// Returns the same list as a [`Schedule`]: to run it in parallel, to draw it, to call [`why`](super::SchedulePlan::why),
    /// or to add systems that are known only at run time.
    ///
    /// The schedule has its own parameter state.
    #[must_use]
    pub fn to_schedule(&self) -> Schedule {
        let mut schedule = Schedule::new();
        S::add_to(&mut schedule);
        schedule
    }

    /// Runs every system once, in the planned order, on this thread.
    ///
    /// The world stores the state that systems keep between runs (`Local`s and the like): each world has its own state, and
    /// drops it when it is dropped itself. The first run in a world prepares the parameters of all systems before any of
    /// them runs. If a system or command replaces `world` by another world, the run continues with the new one, and the
    /// state is dropped. A run inside a run of the same schedule in the same world starts with new state.
    ///
    /// # Errors
    /// * [`ScheduleError::Plan`] if parameters of a generic system conflict, which is only known at run time: no system ran.
    /// * [`ScheduleError::Systems`] with the errors that systems returned; all systems ran.
    ///
    /// # Panics
    /// If a system, a condition or a command panics, like [`Schedule::run`].
    pub fn run(&self, world: &mut World) -> Result<(), ScheduleError> {
        run_kept(TypeId::of::<S>(), build::<S>, world)
    }
}

type Build = fn(&mut World) -> Result<Box<Schedule>, ScheduleError>;

/// Runs the schedule that the world stores under `key`, and creates it if the world has none.
#[inline]
fn run_kept(key: TypeId, build: Build, world: &mut World) -> Result<(), ScheduleError> {
    let id = world.id();
    let kept = kept_by(world).remove(key);
    let kept = kept.and_then(|kept| kept.downcast::<Schedule>().ok());
    let mut schedule = match kept {
        Some(schedule) => schedule,
        None => build(world)?,
    };
    let result = catch_unwind(AssertUnwindSafe(|| schedule.run_seq(world)));
    // An exclusive system may have replaced the world.
    if world.id() == id {
        kept_by(world).insert(key, schedule);
    }
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Creates the schedule of a list and builds its systems. On an error nothing is stored, and the next run tries again.
fn build<S: SystemList>(world: &mut World) -> Result<Box<Schedule>, ScheduleError> {
    list::verify(S::SYSTEMS, S::LINKS);
    let mut schedule = Box::new(Schedule::new());
    S::add_to(&mut schedule);
    schedule.prepared(world)?;
    Ok(schedule)
}

#[inline]
fn kept_by(world: &mut World) -> &mut SystemStates {
    world
        .system_states
        .get_mut()
        .unwrap_or_else(PoisonError::into_inner)
}

impl<S: SystemList> fmt::Debug for StaticSchedule<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticSchedule ")?;
        f.debug_list()
            .entries(S::SYSTEMS.iter().map(|system| system.meta.name))
            .finish()
    }
}
