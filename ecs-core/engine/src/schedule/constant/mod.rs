//! Schedules that are planned while compiling.
//!
//! `schedule!` turns a list into a type that implements [`SystemList`]. The order, the conflicts and the stages of
//! the list are constants of that trait, each computed only if somebody asks for it; `run.rs` is what is left to do at
//! run time.

mod list;
mod matrix;
mod order;
mod plan;
mod refuse;
mod run;

use core::any::TypeId;
use core::fmt;
use core::marker::PhantomData;
use std::sync::PoisonError;

#[doc(hidden)]
pub use list::{Link, StepOf, SystemList, Written};
#[doc(hidden)]
pub use matrix::{matrix, stages, table_size};
#[doc(hidden)]
pub use order::{order, refuse_cycle};
pub use plan::{StaticPlan, StaticStep};
#[doc(hidden)]
pub use refuse::{refuse_unknown, refuse_waived};
#[doc(hidden)]
pub use run::{Builder, Running};

use self::run::States;
use super::{PlanError, Schedule, ScheduleError};
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
        let (key, id) = (TypeId::of::<S>(), world.id());
        let states = kept(world).remove(key);
        let states = states.and_then(|states| states.downcast::<States>().ok());
        let mut states = match states {
            Some(states) => states,
            None => Box::new(build::<S>(world)?),
        };
        let outcome = run::run::<S>(&mut states, world);
        // An exclusive system may have put another world in the place of this one.
        if world.id() == id {
            kept(world).insert(key, states);
        }
        match outcome {
            Ok(errors) if errors.is_empty() => Ok(()),
            Ok(errors) => Err(ScheduleError::Systems(errors)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

/// What the world keeps for systems that run without a schedule, and for static schedules.
fn kept(world: &mut World) -> &mut Kept {
    world.kept.get_mut().unwrap_or_else(PoisonError::into_inner)
}

#[inline(never)]
fn build<S: SystemList>(world: &World) -> Result<States, PlanError> {
    list::verify(S::SYSTEMS, S::LINKS);
    let mut builder = Builder::new(world);
    S::build(&mut builder);
    builder.finish()
}

impl<S: SystemList> fmt::Debug for StaticSchedule<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StaticSchedule ")?;
        f.debug_list()
            .entries(S::SYSTEMS.iter().map(|system| system.meta.name))
            .finish()
    }
}
