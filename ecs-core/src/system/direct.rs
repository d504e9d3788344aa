//! Running a system at once: `movement(&world)` and `world.run(movement)`.

use core::any::{Any, TypeId};
use core::fmt;
use core::marker::PhantomData;
use std::sync::PoisonError;

use super::function::{Call, Refused, System, SystemFn, Visit};
use super::joint::{Joint, checked};
use super::param::ParamError;
use crate::world::{CommandQueue, World};

/// A system did not run because a parameter could not be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockError {
    /// The path of the system.
    pub system: &'static str,
    /// The parameter, as `name: Type`.
    pub parameter: &'static str,
    /// Why.
    pub error: ParamError,
}

impl LockError {
    #[cold]
    pub(super) fn new(system: &'static str, refused: Refused) -> Self {
        Self {
            system,
            parameter: refused.parameter,
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
pub fn direct<S: Call<Out>, Out>(world: &World) -> Out {
    match S::visit(Direct::<S>::new(world)) {
        Ok(out) => out,
        Err(error) => error.raise(),
    }
}

/// Runs a system with ordinary arguments, which `run` has captured. Called by the function that `#[system]` generates.
#[inline]
#[track_caller]
pub fn direct_with<S, Out, State, I, R, F>(world: &World, init: I, run: R, flush: F) -> Out
where
    S: System,
    State: Send + 'static,
    I: FnOnce(&World) -> State,
    R: FnOnce(&mut State, &World, &Joint<'_>) -> Result<Out, Refused>,
    F: FnOnce(&mut State, &mut CommandQueue),
{
    match Direct::<S>::new(world).run(init, run, flush) {
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

    #[inline]
    #[track_caller]
    fn run<Out, State, I, R, F>(self, init: I, run: R, flush: F) -> Result<Out, LockError>
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: FnOnce(&mut State, &World, &Joint<'_>) -> Result<Out, Refused>,
        F: FnOnce(&mut State, &mut CommandQueue),
    {
        let mut checked = checked::<S>();
        // Most systems remember nothing; they pay for no look-up.
        let remembers = S::REMEMBERS;
        let mut state = if remembers {
            take_state::<S, State>(self.world).unwrap_or_else(|| init(self.world))
        } else {
            init(self.world)
        };
        let result = checked.with(self.world, |joint| run(&mut state, self.world, joint));
        let mut queue = CommandQueue::new();
        flush(&mut state, &mut queue);
        if !queue.is_empty() {
            self.world.defer(&mut queue);
        }
        if remembers {
            keep_state::<S>(self.world, Box::new(state));
        }
        result.map_err(|refused| LockError::new(S::META.name, refused))
    }
}

impl<S: System, Out> Visit<Out> for Direct<'_, S> {
    type Output = Result<Out, LockError>;

    #[inline]
    fn shared<State, I, R, F>(self, init: I, run: R, flush: F) -> Self::Output
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        self.run(init, run, flush)
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
    let state = kept.remove(&TypeId::of::<S>())?;
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
        F: SystemFn<M>,
        F::System: Call<F::Out>,
    {
        // The function is a zero-sized name: its system is in its type.
        let _ = system;
        let result = F::System::visit(Once {
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

struct Once<'w, S> {
    world: &'w mut World,
    system: PhantomData<S>,
}

impl<S: System, Out> Visit<Out> for Once<'_, S> {
    type Output = Result<Out, LockError>;

    fn shared<State, I, R, F>(self, init: I, run: R, flush: F) -> Self::Output
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        Direct::<S>::new(self.world).run(init, run, flush)
    }

    fn exclusive<R>(self, run: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        Ok(run(self.world))
    }
}
