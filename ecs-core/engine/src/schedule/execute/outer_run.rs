//! The link between a run and the schedules that are run by hand inside of it.
//!
//! The world knows the run that it is in, so that a system, a command or an observer can run a schedule without passing
//! anything on. It has a `Weak` of it: a world that was swapped for another one may outlive the run.
//!
//! # Run a schedule by hand
//! A world that keeps schedules (`schedule/stored.rs`) knows the run that it is in (`execute/outer_run.rs`): a `Weak`, since a
//! world that was swapped for another one may outlive the run. `World::run_schedule` leaves errors with a policy and traces to
//! that run, which returns them at its end. The executor is lent (`lent.rs`): in such a world `Run::round` returns `None` also
//! before exclusive systems and deferred commands, which then run between two calls of the executor. In a world that keeps
//! none, a run has two instructions for this (`Schedule::run_known` is apart from `run_as`, as 120 more were counted in a frame
//! without systems otherwise).

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

/// A run, as those inside of it see it.
pub(crate) struct OuterRun {
    /// True if it uses one thread.
    pub(crate) is_sequential: bool,
    /// True if it is traced.
    pub(crate) is_traced: bool,
    results: Mutex<Results>,
    /// Its executor, if it has one and does not use it.
    #[cfg(feature = "std")]
    pub(crate) lent: Lent,
}

/// Errors and traces that runs inside of another one leave to it.
#[derive(Default)]
pub(crate) struct Results {
    /// Errors of systems of which is said what is to happen then.
    pub(crate) errors: Vec<SystemError>,
    pub(crate) traces: Vec<Trace>,
    /// True if what is left here is not taken any more. A world that was sent to another thread may be in a run until then.
    has_ended: bool,
}

/// The place of the run in its world, which has one from the first schedule on that it keeps.
pub(crate) type InWorld = Option<Weak<dyn Any + Send + Sync>>;

impl OuterRun {
    /// Returns the run that the world is in.
    #[inline]
    pub(crate) fn of(world: &World) -> Option<Arc<Self>> {
        let run = world.outer_run.as_ref()?.upgrade()?;
        Some(run.downcast().expect("only runs are kept there"))
    }

    /// Makes runs known to the world from now on.
    #[inline]
    pub(crate) fn make_known_to(world: &mut World) {
        world.outer_run.get_or_insert_with(nothing);
    }

    /// Takes over the errors that say what is to happen; the others stay in the list, and all do after the end of the run.
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
        // No code under the lock can leave it inconsistent by a panic.
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[inline]
fn nothing() -> Weak<dyn Any + Send + Sync> {
    Weak::<OuterRun>::new()
}

/// A run that is known to its world until it ends.
pub(crate) struct KnownRun<'w> {
    pub(crate) world: &'w mut World,
    /// The run, and the one that it is inside. `None` if the world keeps no schedules.
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

    /// Ends the run, and returns what those inside have left.
    #[inline]
    pub(crate) fn end(mut self) -> Results {
        self.close()
    }

    #[inline]
    fn close(&mut self) -> Results {
        let Some((run, outer)) = self.known.take() else {
            return Results::default();
        };
        // Systems may have put another world here, which keeps none.
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
        // After a panic they are not reported.
        drop(self.close());
    }
}
