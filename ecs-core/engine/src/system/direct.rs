//! Direct runs of a system: `movement(&world)` and `world.run(movement)`.

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

/// The error of a system that did not run because a parameter could not be locked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    /// The path of the system.
    pub system: &'static str,
    /// The parameter, as `name: Type`; only the type for a closure's.
    pub parameter: String,
    /// The reason.
    pub error: ParamError,
}

impl LockError {
    #[cold]
    #[inline(never)]
    pub(super) fn new(system: &SystemMeta, hidden: &'static str, error: ParamLockError) -> Self {
        let parameter = &system.params[error.parameter];
        Self {
            system: with_arguments(system, hidden).name,
            parameter: format!("{}: {}", parameter.name, parameter.ty),
            error: error.error,
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

/// Runs a system immediately.
///
/// # Safety
/// The parameters of `run` are those that the metadata of `S` lists, in that order.
#[inline]
#[track_caller]
pub(super) unsafe fn run_direct<S: System, Out, R: Run<Out>>(world: &World, run: R) -> Out {
    // SAFETY: by the caller's contract the parameters of `run` are those of the metadata of `S`.
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
    /// The parameters of `run` are those that the metadata of `S` lists, in that order: if filters keep queries among
    /// them disjoint, the components that they share are borrowed once for all of them.
    #[inline]
    #[track_caller]
    unsafe fn run<Out, R: Run<Out>>(self, run: R) -> Result<Out, LockError> {
        if S::REMEMBERS || !S::IS_FREE {
            // SAFETY: by the caller's contract the parameters of `run` are those of the metadata of `S`.
            return unsafe { self.run_with_state(run) };
        }
        let world = self.world;
        let mut state = R::Params::init(world);
        let result = match R::Params::lock(&mut state, world, &HeldBorrows::NONE) {
            Ok(mut guard) => Ok(run.run(&mut guard)),
            Err(error) => Err(LockError::new(&S::META, type_name::<S>(), error)),
        };
        defer(world, &mut state, R::Params::flush);
        result
    }

    /// Like [`run`](Self::run), for a system that has to be checked or has state to keep. Separate, so that there is
    /// less to compile for most systems.
    ///
    /// # Safety
    /// The parameters of `run` are those that the metadata of `S` lists, in that order.
    #[inline]
    #[track_caller]
    unsafe fn run_with_state<Out, R: Run<Out>>(self, run: R) -> Result<Out, LockError> {
        let world = self.world;
        let mut checked = checked::<S>();
        // Most systems keep no state, and pay for no look-up.
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
                Err(error) => Err(error),
            },
            Err(error) => Err(error),
        };
        defer(world, &mut state, R::Params::flush);
        if S::REMEMBERS {
            keep_state::<S>(world, Box::new(state));
        }
        match result {
            Ok(out) => Ok(out),
            Err(error) => Err(LockError::new(&S::META, type_name::<S>(), error)),
        }
    }
}

/// Passes the commands that the parameters deferred to the world.
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
        // SAFETY: `Direct<S>` is only passed to `S::visit`, which calls this with a function of the parameters that
        // `META` lists, in that order, by the contract of `VisitSystem`.
        unsafe { self.run(run) }
    }

    fn exclusive<R>(self, _: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        unreachable!("an exclusive system is only called with `&mut World`")
    }
}

/// Takes the state that the last direct call of `S` left in the world.
///
/// Two calls of the same system at the same time do not share it: the second one starts with a new state.
fn take_state<S: 'static, State: 'static>(world: &World) -> Option<State> {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let state = kept.remove(TypeId::of::<S>())?;
    state.downcast().ok().map(|state| *state)
}

fn keep_state<S: 'static>(world: &World, state: Box<dyn Any + Send>) {
    let mut kept = world
        .system_states
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    // Dropping the state of an overlapping call may run the user's code, so this happens after unlocking.
    let old = kept.insert(TypeId::of::<S>(), state);
    drop(kept);
    drop(old);
}

impl World {
    /// Runs a system once, applies its commands, and returns its result.
    ///
    /// Takes any `#[system]` function without ordinary arguments, with any return type, including exclusive ones. Where
    /// the commands may wait, or only `&World` is available, call the function: `movement(&world)`.
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
    /// If a parameter cannot be locked, for example because a resource is missing; the message names system, parameter
    /// and reason.
    #[track_caller]
    pub fn run<F, M>(&mut self, system: F) -> F::Out
    where
        F: RunnableFn<M>,
        F::System: VisitSystem<F::Out>,
    {
        // The function is a zero-sized value: its type determines the system.
        let _ = system;
        let result = F::System::visit(RunOnWorld {
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

struct RunOnWorld<'w, S> {
    world: &'w mut World,
    system: PhantomData<S>,
}

impl<S: VisitSystem<Out>, Out> SystemVisitor<Out> for RunOnWorld<'_, S> {
    type Output = Result<Out, LockError>;

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Self::Output {
        // SAFETY: `RunNow<S>` is only passed to `S::visit`, which calls this with a function of the parameters that
        // `META` lists, in that order, by the contract of `VisitSystem`.
        unsafe { Direct::<S>::new(self.world).run(run) }
    }

    fn exclusive<R>(self, run: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        Ok(run(self.world))
    }
}
