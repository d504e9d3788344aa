//! Running a system at once: `movement(&world)` and `world.run(movement)`.

use core::any::{Any, TypeId, type_name};
use core::fmt;
use core::marker::PhantomData;
use std::sync::PoisonError;

use super::function::{Known as _, ParamLockError, RunnableFn, System, SystemVisitor, VisitSystem};
use super::handle::WorldFor;
use super::held_borrows::{HeldBorrows, checked};
use super::name::with_arguments;
use super::param::ParamError;
use super::param_tuple::{Params, Run};
use crate::meta::SystemMeta;
use crate::world::{CommandQueue, World};

/// A system did not run because a parameter could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    /// The path of the system.
    pub system: &'static str,
    /// The parameter, as `name: Type`; only the type for a closure's.
    pub parameter: String,
    /// Why.
    pub error: ParamError,
}

impl LockError {
    #[cold]
    #[inline(never)]
    pub(super) fn new(system: &SystemMeta, hidden: &'static str, refused: ParamLockError) -> Self {
        let parameter = &system.params[refused.parameter];
        Self {
            system: with_arguments(system, hidden).name,
            parameter: format!("{}: {}", parameter.name, parameter.ty),
            error: refused.error,
        }
    }

    #[cold]
    #[track_caller]
    pub(super) fn raise(&self) -> ! {
        panic!("{self}")
    }
}

impl fmt::Display for LockError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            system,
            parameter,
            error,
        } = self;
        write!(f, "system `{system}`, parameter `{parameter}`: {error}")
    }
}

impl core::error::Error for LockError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        Some(&self.error)
    }
}

/// Runs a system without ordinary arguments. Called by the function that `#[system]` generates.
#[inline]
#[track_caller]
pub fn direct<S: VisitSystem<Out>, Out>(world: &impl WorldFor<S>) -> Out {
    match S::visit(Direct::<S>::new(&world.world())) {
        Ok(out) => out,
        Err(error) => error.raise(),
    }
}

/// Runs a system at once.
///
/// # Safety
/// The parameters of `run` are those that the metadata of `S` lists, in that order.
#[inline]
#[track_caller]
pub(super) unsafe fn run_direct<S: System, Out, R: Run<Out>>(world: &World, run: R) -> Out {
    // SAFETY: the caller says that `run` is of `S`.
    match unsafe { Direct::<S>::new(world).run(run) } {
        Ok(out) => out,
        Err(error) => error.raise(),
    }
}

struct Direct<'w, S> {
    world: &'w World,
    system: PhantomData<S>,
}

impl<'w, S: System> Direct<'w, S> {
    #[inline]
    fn new(world: &'w World) -> Self {
        Self {
            world,
            system: PhantomData,
        }
    }

    /// # Safety
    /// The parameters of `run` are those that the metadata of `S` lists, in that order: if it says that queries among them are
    /// kept apart by filters, what they share is borrowed for all of them at once.
    #[inline]
    #[track_caller]
    unsafe fn run<Out, R: Run<Out>>(self, run: R) -> Result<Out, LockError> {
        if S::REMEMBERS || !S::IS_FREE {
            // SAFETY: the caller says that `run` is of `S`.
            return unsafe { self.run_in_full(run) };
        }
        let world = self.world;
        let mut state = R::Params::init(world);
        let result = match R::Params::lock(&mut state, world, &HeldBorrows::NONE) {
            Ok(mut guard) => Ok(run.run(&mut guard)),
            Err(refused) => Err(LockError::new(&S::META, type_name::<S>(), refused)),
        };
        defer(world, &mut state, R::Params::flush);
        result
    }

    /// As [`run`](Self::run), for a system with something to check or to keep. Apart, so that there is less to compile for most.
    ///
    /// # Safety
    /// As for [`run`](Self::run).
    #[inline]
    #[track_caller]
    unsafe fn run_in_full<Out, R: Run<Out>>(self, run: R) -> Result<Out, LockError> {
        let world = self.world;
        let mut checked = checked::<S>();
        // Most systems remember nothing; they pay for no look-up.
        let kept = if S::REMEMBERS {
            take_state::<S, State<R, Out>>(world)
        } else {
            None
        };
        let mut state = match kept {
            Some(state) => state,
            None => R::Params::init(world),
        };
        let result = match checked.enter(world) {
            Ok(entered) => match R::Params::lock(&mut state, world, entered.held()) {
                Ok(mut guard) => Ok(run.run(&mut guard)),
                Err(refused) => Err(refused),
            },
            Err(refused) => Err(refused),
        };
        defer(world, &mut state, R::Params::flush);
        if S::REMEMBERS {
            keep_state::<S>(world, Box::new(state));
        }
        match result {
            Ok(out) => Ok(out),
            Err(refused) => Err(LockError::new(&S::META, type_name::<S>(), refused)),
        }
    }
}

/// Hands what the parameters put off to the world.
#[inline]
fn defer<State>(world: &World, state: &mut State, flush: fn(&mut State, &mut CommandQueue)) {
    let mut queue = CommandQueue::new();
    flush(state, &mut queue);
    if !queue.is_empty() {
        world.defer(&mut queue);
    }
}

/// The states of the parameters of a function.
type State<R, Out> = <<R as Run<Out>>::Params as Params>::State;

impl<S: VisitSystem<Out>, Out> SystemVisitor<Out> for Direct<'_, S> {
    type Output = Result<Out, LockError>;

    #[inline]
    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Self::Output {
        // SAFETY: this is made for the `visit` of `S`, which hands over a function of the parameters that `META` lists, by
        // the contract of `VisitSystem`.
        unsafe { self.run(run) }
    }

    fn exclusive<R>(self, _: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        unreachable!("`#[system]` lets an exclusive function be called with `&mut World` only")
    }
}

/// Takes the state that the last direct call of `S` left in the world.
///
/// Two calls of the same system at the same time do not share it: the second starts with a fresh one.
fn take_state<S: 'static, State: 'static>(world: &World) -> Option<State> {
    let mut kept = world.kept.lock().unwrap_or_else(PoisonError::into_inner);
    let state = kept.remove(TypeId::of::<S>())?;
    state.downcast().ok().map(|state| *state)
}

fn keep_state<S: 'static>(world: &World, state: Box<dyn Any + Send>) {
    let mut kept = world.kept.lock().unwrap_or_else(PoisonError::into_inner);
    // Dropping the state of an overlapping call may run the user's code: not under the lock.
    let old = kept.insert(TypeId::of::<S>(), state);
    drop(kept);
    drop(old);
}

impl World {
    /// Runs a system once, applies the commands that it issued, and returns what it returned.
    ///
    /// Takes any `#[system]` function without ordinary arguments, whatever it returns, exclusive ones too. Where the
    /// commands may wait, or only `&World` is at hand, call the function: `movement(&world)`.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn double(mut number: ResMut<u32>) -> u32 {
    ///     *number *= 2;
    ///     *number
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(21_u32);
    /// assert_eq!(world.run(double), 42);
    /// ```
    ///
    /// # Panics
    /// If a parameter cannot be had, for example because a resource is missing; the message names system, parameter
    /// and reason.
    #[track_caller]
    pub fn run<F, M>(&mut self, system: F) -> F::Out
    where
        F: RunnableFn<M>,
        F::System: VisitSystem<F::Out>,
    {
        // The function is a zero-sized name: its system is in its type.
        let _ = system;
        let result = F::System::visit(RunNow {
            world: &mut *self,
            system: PhantomData::<F::System>,
        });
        self.flush();
        match result {
            Ok(out) => out,
            Err(error) => error.raise(),
        }
    }
}

struct RunNow<'w, S> {
    world: &'w mut World,
    system: PhantomData<S>,
}

impl<S: VisitSystem<Out>, Out> SystemVisitor<Out> for RunNow<'_, S> {
    type Output = Result<Out, LockError>;

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Self::Output {
        // SAFETY: this is made for the `visit` of `S`, which hands over a function of the parameters that `META` lists, by
        // the contract of `VisitSystem`.
        unsafe { Direct::<S>::new(self.world).run(run) }
    }

    fn exclusive<R>(self, run: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        Ok(run(self.world))
    }
}
