//! The link between a run and the schedules that systems, commands and observers run by hand inside it.
//!
//! The world knows its current run, so a system, a command or an observer can run a schedule without passing anything on.
//! The world has a `Weak` of the run, because a world that was swapped for another one may outlive the run.
//!
//! # Run a schedule by hand
//! A world that keeps schedules (`schedule/stored.rs`) knows its current run (`execute/outer_run.rs`). `World::run_schedule`
//! leaves traces, and errors with a policy, to that run, which returns them at its end. The run also lends its executor
//! (`lent.rs`): in such a world, `Run::round` also returns `None` before exclusive systems and deferred commands, which then
//! run between two calls of the executor. In a world without schedules, all this costs a run two instructions.
//! (`Schedule::run_known` and `run_as` are separate functions: together they cost 120 more instructions in a frame without
//! systems.)

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::any::Any;
use core::mem::{replace, take};

use super::Trace;
#[cfg(feature = "std")]
use super::lent::Lent;
use super::runs::RunMode;
use crate::schedule::declare::SystemError;
use crate::sync::{Mutex, MutexGuard, PoisonError};
use crate::world::World;

/// A run, seen from the runs inside it.
pub(crate) struct OuterRun {
    /// True if the run uses one thread.
    pub(crate) is_sequential: bool,
    /// True if the run is traced.
    pub(crate) is_traced: bool,
    results: Mutex<Results>,
    /// The executor, while the run has one and does not use it.
    #[cfg(feature = "std")]
    pub(crate) lent: Lent,
}

/// Errors and traces that inner runs leave to the outer one.
#[derive(Default)]
pub(crate) struct Results {
    /// Errors of systems that have a policy of their own.
    pub(crate) errors: Vec<SystemError>,
    pub(crate) traces: Vec<Trace>,
    /// True if the run no longer takes results. A world that was sent to another thread may stay in a run until then.
    has_ended: bool,
}

/// The place of the run in its world. The world has it from its first schedule on.
pub(crate) type InWorld = Option<Weak<dyn Any + Send + Sync>>;

impl OuterRun {
    /// Returns the run that the world is in.
    #[inline]
    pub(crate) fn of(world: &World) -> Option<Arc<Self>> {
        let run = world.outer_run.as_ref()?.upgrade()?;
        Some(run.downcast().expect("only runs are kept there"))
    }

    /// Makes all later runs known to the world.
    #[inline]
    pub(crate) fn make_known_to(world: &mut World) {
        world.outer_run.get_or_insert_with(nothing);
    }

    /// Takes over the errors that have a policy, until the run ends. The other errors stay in the list.
    #[inline]
    pub(crate) fn take_errors(&self, errors: &mut Vec<SystemError>) {
        let of_caller = take(errors);
        let mut results = self.results();
        for error in of_caller {
            match error.policy {
                Some(_) if !results.has_ended => results.errors.push(error),
                _ => errors.push(error),
            }
        }
    }

    #[inline]
    pub(crate) fn add_trace(&self, trace: Trace) {
        self.results().traces.push(trace);
    }

    #[inline]
    fn results(&self) -> MutexGuard<'_, Results> {
        // No code that holds the lock can panic halfway through a change.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn nothing() -> Weak<dyn Any + Send + Sync> {
    Weak::<OuterRun>::new()
}

/// A run that its world knows until it ends.
pub(crate) struct KnownRun<'w> {
    pub(crate) world: &'w mut World,
    /// The run, and the run around it. `None` if the world keeps no schedules.
    known: Option<(Arc<OuterRun>, InWorld)>,
}

impl<'w> KnownRun<'w> {
    #[inline]
    pub(crate) fn new(world: &'w mut World, how: &RunMode<'_>, is_traced: bool) -> Self {
        let known = match &world.outer_run {
            None => None,
            Some(_) => Some(Self::announce(world, how, is_traced)),
        };
        Self { world, known }
    }

    #[inline(never)]
    fn announce(world: &mut World, how: &RunMode<'_>, is_traced: bool) -> (Arc<OuterRun>, InWorld) {
        let run = Arc::new(OuterRun {
            is_sequential: matches!(how, RunMode::Sequential | RunMode::Watched(_)),
            is_traced,
            results: Mutex::default(),
            #[cfg(feature = "std")]
            lent: Lent::default(),
        });
        let known: Arc<dyn Any + Send + Sync> = run.clone();
        let outer = world.outer_run.replace(Arc::downgrade(&known));
        (run, outer)
    }

    /// Ends the run, and returns the results that inner runs have left.
    #[inline]
    pub(crate) fn end(mut self) -> Results {
        self.close()
    }

    #[inline]
    fn close(&mut self) -> Results {
        let Some((run, outer)) = self.known.take() else {
            return Results::default();
        };
        // Systems may have put another world here, one that keeps no schedules.
        if self.world.outer_run.is_some() {
            self.world.outer_run = outer;
        }
        let ended = Results {
            has_ended: true,
            ..Results::default()
        };
        replace(&mut *run.results(), ended)
    }
}

impl Drop for KnownRun<'_> {
    #[inline]
    fn drop(&mut self) {
        // After a panic, nothing of it is reported.
        drop(self.close());
    }
}
