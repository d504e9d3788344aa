//! Built systems, and one run of a system: lock the parameters, call the function.

use alloc::boxed::Box;
use core::any::TypeId;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::definition::{Facts, System, checked};
use super::error::LockError;
use super::held_borrows::{HeldBorrows, NoConflict};
use super::kept::CalledSystem;
use super::param::SystemParam;
use super::remembered::{Memory, Remember, Remembered};
use super::run::Run;
use super::runner::{DynSystem, RunOutput};
use crate::invariant::Invariant;
use crate::sync::PoisonError;
use crate::world::{CommandQueue, World};

/// The system `S` with the state `T` of its parameters.
pub(super) struct Built<S, T, R, Out> {
    /// Invariant 1: the proof for `S`.
    checked: NoConflict,
    state: T,
    /// Invariant 2: has the parameters that the metadata of `S` lists, in that order.
    run: R,
    of: Invariant<(S, Out)>,
}

impl<S: System, T, R, Out> Built<S, T, R, Out> {
    /// Creates the states of the parameters.
    ///
    /// # Safety
    /// `run` has the parameters that the metadata of `S` lists, in that order.
    ///
    /// # Panics
    /// If parameters conflict.
    #[inline]
    pub(super) unsafe fn new<Args>(world: &World, run: R) -> Self
    where
        R: Run<Out, Args, Params: SystemParam<State = T>>,
    {
        // Before the states, because making them may run the user's code.
        let checked = checked::<S>();
        // Invariant 2 is the caller's contract.
        Self {
            checked,
            state: R::Params::init(world),
            run,
            of: PhantomData,
        }
    }
}

/// For systems, for conditions, and for systems as values.
impl<S, T, R, Out, E, Args> DynSystem<Args, E> for Built<S, T, R, Out>
where
    S: System,
    T: Send,
    R: Run<Out, Args, Params: SystemParam<State = T>> + Send,
    Out: RunOutput<E>,
{
    // The parameters take no run-time borrows, unless some of them always do.
    unsafe fn run(&mut self, world: NonNull<World>, args: Args) -> E {
        // SAFETY: the world lives, and this system only shares it, by the caller's contract.
        let world = unsafe { world.as_ref() };
        let (run, state) = (&mut self.run, &mut self.state);
        if Facts::<S>::LOCKS_AT_RUN_TIME {
            return Out::convert(run_locked::<S, R, Out, Args>(
                run,
                &mut self.checked,
                state,
                world,
                args,
            ));
        }
        // SAFETY: it is passed to the parameters in the metadata of `S` (invariant 2), which were checked by the compiler,
        // or by `check` when the system was built (invariant 1); none of them locks at run time. By the contract of
        // `DynSystem::run` no other code uses their data in a conflicting way.
        let held = unsafe { HeldBorrows::all() };
        // Each is converted on its own, so the optimizer makes no `Result` to match on.
        match R::Params::lock_list(state, world, held) {
            Ok(mut guard) => Out::convert(Ok(run.run(&mut guard, args))),
            Err(error) => Out::convert(Err(LockError::new(const { &S::META }, S::NAMES, error))),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        R::Params::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        R::Params::skip(&mut self.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        if const { size_of::<R>() > 0 } {
            remember(Remembered(Memory::Captured));
        }
        R::Params::remembered(&mut self.state, remember);
    }
}

/// Runs the system `S` immediately: locks its parameters, calls its function, and passes its deferred commands to the
/// world.
pub struct Direct<'w, S> {
    world: &'w World,
    /// Invariant 1: runs a function only if its parameters are the ones listed by `S::META`, in that order. If only
    /// filters keep queries disjoint, the queries borrow their shared components once together.
    system: Invariant<S>,
}

impl<'w, S: System + 'static> Direct<'w, S> {
    /// # Safety
    /// The functions passed to it have the parameters that the metadata of `S` lists, in that order.
    #[inline]
    #[must_use]
    pub unsafe fn new(world: &'w World) -> Self {
        // Invariant 1 is the caller's contract.
        Self {
            world,
            system: PhantomData,
        }
    }

    /// Runs the system.
    ///
    /// # Panics
    /// If a parameter cannot be locked.
    #[inline]
    #[track_caller]
    pub fn call<Out, Args, R: Run<Out, Args>>(&self, run: R, args: Args) -> Out {
        match self.try_call(run, args) {
            Ok(out) => out,
            Err(error) => error.raise(),
        }
    }

    #[inline]
    #[track_caller]
    pub(super) fn try_call<Out, Args, R: Run<Out, Args>>(
        &self,
        mut run: R,
        args: Args,
    ) -> Result<Out, LockError> {
        let world = self.world;
        // Separate, so that most systems have less to compile.
        if Facts::<S>::REMEMBERS || !Facts::<S>::IS_FREE {
            return run_kept::<S, R, Out, Args>(TypeId::of::<S>, &mut run, world, args);
        }
        let mut state = R::Params::init(world);
        let result = match R::Params::lock_list(&mut state, world, &HeldBorrows::NONE) {
            Ok(mut guard) => Ok(run.run(&mut guard, args)),
            Err(error) => Err(LockError::new(&S::META, S::NAMES, error)),
        };
        defer(world, &mut state, R::Params::flush);
        result
    }
}

/// Runs the system `S` with run-time borrows: parameters such as `&World`, and guards that were leaked, need them.
#[inline]
pub(super) fn run_locked<S: System, R: Run<Out, Args>, Out, Args>(
    run: &mut R,
    checked: &mut NoConflict,
    state: &mut <R::Params as SystemParam>::State,
    world: &World,
    args: Args,
) -> Result<Out, LockError> {
    let result = match checked.enter(world) {
        Ok(entered) => match R::Params::lock_list(state, world, entered.held()) {
            Ok(mut guard) => Ok(run.run(&mut guard, args)),
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    match result {
        Ok(out) => Ok(out),
        Err(error) => Err(LockError::new(const { &S::META }, S::NAMES, error)),
    }
}

/// Runs the system `S` once, with the states that its last run left in the world under `id`.
#[inline]
#[track_caller]
pub(super) fn run_kept<S: System, R: Run<Out, Args>, Out, Args>(
    id: fn() -> TypeId,
    run: &mut R,
    world: &World,
    args: Args,
) -> Result<Out, LockError> {
    let mut checked = checked::<S>();
    // Most systems keep no state and need no look-up.
    let mut called = if Facts::<S>::REMEMBERS {
        take_called(world, id())
    } else {
        None
    };
    let kept = match &mut called {
        Some(called) => called.states.of::<R::Params>().take(),
        None => None,
    };
    let mut state = match kept {
        Some(state) => state,
        None => R::Params::init(world),
    };
    let result = run_locked::<S, R, Out, Args>(run, &mut checked, &mut state, world, args);
    defer(world, &mut state, R::Params::flush);
    if Facts::<S>::REMEMBERS {
        let mut called = match called {
            Some(called) => called,
            None => Box::new(CalledSystem {
                #[cfg(feature = "snapshot")]
                name: super::name::with_arguments(&S::META, (S::NAMES.hidden)()).name,
                ..CalledSystem::default()
            }),
        };
        *called.states.of::<R::Params>() = Some(state);
        keep_called(world, id(), called);
    }
    result
}

/// Passes the commands that the parameters deferred to the world.
#[inline]
pub(super) fn defer<State>(
    world: &World,
    state: &mut State,
    flush: fn(&mut State, &mut CommandQueue),
) {
    let mut queue = CommandQueue::new();
    flush(state, &mut queue);
    if !queue.is_empty() {
        world.defer(&mut queue);
    }
}

/// Takes the states that the last direct call of a system left in the world, by the type of the system.
///
/// Two calls of the same system at the same time do not share it: the second one starts with new states.
fn take_called(world: &World, system: TypeId) -> Option<Box<CalledSystem>> {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    kept.remove(system)?.downcast().ok()
}

fn keep_called(world: &World, system: TypeId, called: Box<CalledSystem>) {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // Dropping the states of an overlapping call may run the user's code, so this happens after unlocking.
    let old = kept.insert(system, called);
    drop(kept);
    drop(old);
}
