//! Schedules that are planned while compiling.
//!
//! `schedule!` turns a list into a type that implements [`SystemList`]. The order, the conflicts and the stages of
//! the list are constants of that trait, each computed only if the program uses it.
//!
//! Lists run as a [`Schedule`] does, by [`Schedule::run_seq`]. Code of their own that called the systems directly was
//! measured and removed: 200 systems that change one value each took 6.69 ns per system, and 6.75 ns by `run_seq` (1.5
//! and 1.8 times the instructions of calling the functions in a row, most of them in the systems). It was a second
//! implementation of conditions, commands, errors and panics, and a third of what compiling such a list takes.

mod list;
mod matrix;
mod order;
mod plan;
mod refuse;

use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

#[doc(hidden)]
pub use list::{Link, SystemList, Written};
#[doc(hidden)]
pub use matrix::{matrix, stages, table_size};
#[doc(hidden)]
pub use order::{order, refuse_cycle};
pub use plan::{StaticPlan, StaticStep};
#[doc(hidden)]
pub use refuse::{refuse_unknown, refuse_waived};

use super::{Schedule, ScheduleError};
use crate::invariant::Invariant;
use crate::world::{Kept, World};

/// A list of systems that was planned while compiling; made by `schedule!`, which tells all about
/// it.
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

    /// The plan: order, conflicts, stages.
    #[must_use]
    pub const fn plan(&self) -> StaticPlan<S> {
        StaticPlan::new()
    }

    /// The number of systems.
    #[must_use]
    pub const fn len(&self) -> usize {
        S::SYSTEMS.len()
    }

    /// Whether there are no systems.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        S::SYSTEMS.is_empty()
    }

    /// The same list as a [`Schedule`]: to run it in parallel, to draw it, to ask it
    /// [`why`](super::Plan::why), or to add systems that are known at run time only.
    ///
    /// The schedule has parameter states of its own.
    #[must_use]
    pub fn to_schedule(&self) -> Schedule {
        let mut schedule = Schedule::new();
        S::add_to(&mut schedule);
        schedule
    }

    /// Runs every system once, in the planned order, on this thread.
    ///
    /// What systems remember from run to run (`Local`s and the like) is kept in the world: each world has its own, and
    /// it goes with the world. The first run in a world prepares the parameters of all systems before any of them runs.
    /// If a system or command puts another world in the place of `world`, the run goes on with that one, and what systems
    /// remember is dropped.
    /// A run inside of a run of the same schedule in the same world starts with fresh ones.
    ///
    /// # Errors
    /// * [`ScheduleError::Plan`] if parameters of a generic system conflict, which only the run time knows: no system
    ///   was run.
    /// * [`ScheduleError::Systems`] with the errors that systems returned; all systems were run.
    ///
    /// # Panics
    /// If a system, a condition or a command panics, exactly as [`Schedule::run`] does.
    pub fn run(&self, world: &mut World) -> Result<(), ScheduleError> {
        run_kept(TypeId::of::<S>(), build::<S>, world)
    }
}

type Build = fn(&mut World) -> Result<Box<Schedule>, ScheduleError>;

/// Runs the schedule that the world keeps under `key`; without one, makes it first.
fn run_kept(key: TypeId, build: Build, world: &mut World) -> Result<(), ScheduleError> {
    let id = world.id();
    let kept = kept_by(world).remove(key);
    let kept = kept.and_then(|kept| kept.downcast::<Schedule>().ok());
    let mut schedule = match kept {
        Some(schedule) => schedule,
        None => build(world)?,
    };
    let result = catch_unwind(AssertUnwindSafe(|| schedule.run_seq(world)));
    // An exclusive system may have put another world in the place of this one.
    if world.id() == id {
        kept_by(world).insert(key, schedule);
    }
    result.unwrap_or_else(|panic| resume_unwind(panic))
}

/// Makes the schedule of a list and builds its systems. Where that fails nothing is kept, and the next run tries again.
fn build<S: SystemList>(world: &mut World) -> Result<Box<Schedule>, ScheduleError> {
    list::verify(S::SYSTEMS, S::LINKS);
    let mut schedule = Box::new(Schedule::new());
    S::add_to(&mut schedule);
    schedule.prepare(world)?;
    Ok(schedule)
}

fn kept_by(world: &mut World) -> &mut Kept {
    world.kept.get_mut().unwrap_or_else(PoisonError::into_inner)
}

impl<S: SystemList> fmt::Debug for StaticSchedule<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticSchedule ")?;
        f.debug_list()
            .entries(S::SYSTEMS.iter().map(|system| system.meta.name))
            .finish()
    }
}
