//! One run of a system that was built: its parameters are locked, and its function is called.

use core::any::type_name;

use super::direct::LockError;
use super::function::{Known as _, ParamLockError, System};
use super::held_borrows::{Checked, HeldBorrows};
use super::param_tuple::{Params, Run};
use super::runner::BoxError;
use super::source::{ConditionOutput, SystemOutput};
use crate::meta::SystemMeta;
use crate::world::World;

/// `type_name` of a hidden type.
type TypeName = fn() -> &'static str;

/// What a run comes to, for who started it.
pub(super) trait Ending<Out> {
    /// The function has returned.
    fn done(out: Out) -> Self;

    /// A parameter could not be had by the system with the hidden type of that name.
    fn refused(system: &'static SystemMeta, hidden: TypeName, refused: ParamLockError) -> Self;
}

/// Of a system.
impl<Out: SystemOutput> Ending<Out> for Result<(), BoxError> {
    #[inline]
    fn done(out: Out) -> Self {
        out.into_result()
    }

    fn refused(system: &'static SystemMeta, hidden: TypeName, refused: ParamLockError) -> Self {
        Err(Box::new(LockError::new(system, hidden(), refused)))
    }
}

/// Of a condition.
impl<Out: ConditionOutput> Ending<Out> for bool {
    #[inline]
    fn done(out: Out) -> Self {
        out.into_bool()
    }

    /// # Panics
    /// Always: a condition has no other way to say so.
    fn refused(system: &'static SystemMeta, hidden: TypeName, refused: ParamLockError) -> Self {
        LockError::new(system, hidden(), refused).raise()
    }
}

/// The states of a list of parameters.
type State<R, Out> = <<R as Run<Out>>::Params as Params>::State;

/// Runs a system without run-time borrows, unless parameters [ask for them](SystemMeta::asks_at_run_time).
///
/// # Safety
/// `checked` is of `S`, and `run` is what its `visit` hands out, so that its parameters are those in the metadata. Nobody else
/// uses what the system touches, in a way that conflicts, while it runs.
#[inline]
pub(super) unsafe fn run_alone<S: System, Out, R: Run<Out> + Copy, E: Ending<Out>>(
    run: R,
    checked: &mut Checked,
    state: &mut State<R, Out>,
    world: &World,
) -> E {
    if S::ASKS {
        return run_locked::<S, Out, R, E>(run, checked, state, world);
    }
    // SAFETY: it is handed to the parameters in the metadata of `S`, which the compiler has checked, or which were checked when it
    // was built; none of them asks. The caller says that nobody else uses what they touch.
    let held = unsafe { HeldBorrows::everything() };
    run_beside::<S, Out, R, E>(run, state, world, held)
}

/// Runs a system with run-time borrows: what a `&World` gives out must find those of the other parameters.
#[inline]
fn run_locked<S: System, Out, R: Run<Out> + Copy, E: Ending<Out>>(
    run: R,
    checked: &mut Checked,
    state: &mut State<R, Out>,
    world: &World,
) -> E {
    match checked.enter(world) {
        Ok(entered) => run_beside::<S, Out, R, E>(run, state, world, entered.held()),
        Err(refused) => E::refused(const { &S::META }, type_name::<S>, refused),
    }
}

// `R` is `Copy`, so that there is nothing to drop when a parameter panics: less to compile for each system.
#[inline]
fn run_beside<S: System, Out, R: Run<Out> + Copy, E: Ending<Out>>(
    run: R,
    state: &mut State<R, Out>,
    world: &World,
    held: &HeldBorrows<'_>,
) -> E {
    match R::Params::lock(state, world, held) {
        Ok(mut guard) => E::done(run.run(&mut guard)),
        Err(refused) => E::refused(const { &S::META }, type_name::<S>, refused),
    }
}
