//! One run of a built system: locks its parameters and calls its function.

use alloc::boxed::Box;
use core::any::type_name;

use super::condition::ConditionOutput;
use super::definition::{Known as _, System};
use super::error::{LockError, ParamLockError, TypeName};
use super::held_borrows::{HeldBorrows, NoConflict};
use super::param_tuple::{Params, Run};
use super::runner::{BoxError, SystemOutput};
use crate::meta::SystemMeta;
use crate::world::World;

/// The result of a run in the form that the caller of the system needs.
pub(super) trait RunResult<Out> {
    /// Converts the result of the function.
    fn from_output(out: Out) -> Self;

    /// Converts the error of a parameter that the system could not lock; `hidden` returns the name of the system's
    /// hidden type.
    fn from_lock_error(
        system: &'static SystemMeta,
        hidden: TypeName,
        error: ParamLockError,
    ) -> Self;
}

/// The result of a system.
impl<Out: SystemOutput> RunResult<Out> for Result<(), BoxError> {
    #[inline]
    fn from_output(out: Out) -> Self {
        out.into_result()
    }

    fn from_lock_error(
        system: &'static SystemMeta,
        hidden: TypeName,
        error: ParamLockError,
    ) -> Self {
        Err(Box::new(LockError::new(system, hidden, error)))
    }
}

/// The result of a condition.
impl<Out: ConditionOutput> RunResult<Out> for Result<bool, BoxError> {
    #[inline]
    fn from_output(out: Out) -> Self {
        Ok(out.into_bool())
    }

    fn from_lock_error(
        system: &'static SystemMeta,
        hidden: TypeName,
        error: ParamLockError,
    ) -> Self {
        Err(Box::new(LockError::new(system, hidden, error)))
    }
}

/// The result of a system as a value.
impl<Out> RunResult<Out> for Result<Out, LockError> {
    #[inline]
    fn from_output(out: Out) -> Self {
        Ok(out)
    }

    fn from_lock_error(
        system: &'static SystemMeta,
        hidden: TypeName,
        error: ParamLockError,
    ) -> Self {
        Err(LockError::new(system, hidden, error))
    }
}

/// Runs a system without run-time borrows, unless parameters [take them](SystemMeta::locks_at_run_time).
///
/// # Safety
/// `checked` is of `S`, and `run` is the function that its `visit` passes on, so the metadata lists its parameters. No
/// other code uses the system's data in a conflicting way while it runs.
#[inline]
pub(super) unsafe fn run_unlocked<
    S: System,
    P: Params,
    Out,
    R: Run<P, Out, Args> + Copy,
    E: RunResult<Out>,
    Args,
>(
    run: R,
    checked: &mut NoConflict,
    state: &mut P::State,
    world: &World,
    args: Args,
) -> E {
    if S::LOCKS_AT_RUN_TIME {
        return run_locked::<S, P, Out, R, E, Args>(run, checked, state, world, args);
    }
    // SAFETY: it is passed to the parameters in the metadata of `S`, which were checked by the compiler, or by `check`
    // when the system was built; none of them locks at run time. By the caller's contract no other code uses their data
    // in a conflicting way.
    let held = unsafe { HeldBorrows::all() };
    run_with::<S, P, Out, R, E, Args>(run, state, world, held, args)
}

/// Runs a system with run-time borrows: a parameter such as `&World` needs them to detect the borrows of the other
/// parameters.
#[inline]
fn run_locked<S: System, P: Params, Out, R: Run<P, Out, Args> + Copy, E: RunResult<Out>, Args>(
    run: R,
    checked: &mut NoConflict,
    state: &mut P::State,
    world: &World,
    args: Args,
) -> E {
    match checked.enter(world) {
        Ok(entered) => run_with::<S, P, Out, R, E, Args>(run, state, world, entered.held(), args),
        Err(error) => E::from_lock_error(const { &S::META }, type_name::<S>, error),
    }
}

// `R` is `Copy`: a panicking parameter has nothing to drop, so each system has less to compile.
#[inline]
fn run_with<S: System, P: Params, Out, R: Run<P, Out, Args> + Copy, E: RunResult<Out>, Args>(
    run: R,
    state: &mut P::State,
    world: &World,
    held: &HeldBorrows<'_>,
    args: Args,
) -> E {
    match P::lock(state, world, held) {
        Ok(mut guard) => E::from_output(run.run(&mut guard, args)),
        Err(error) => E::from_lock_error(const { &S::META }, type_name::<S>, error),
    }
}
