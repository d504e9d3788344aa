//! Building systems for schedules.

use core::marker::PhantomData;

use super::direct::LockError;
use super::function::{Call, Refused, System, SystemFn, Visit};
use super::joint::{Checked, Joint, checked};
use super::runner::{
    BoxCondition, BoxError, ConditionSource, DynExclusive, DynSystem, IntoCondition, IntoSystem,
    Runner, SystemId, SystemSource,
};
use crate::world::{CommandQueue, World};

/// What a scheduled system may return: `()`, or `Result<(), E>` with any error type.
#[diagnostic::on_unimplemented(
    message = "a scheduled system must return `()` or `Result<(), E>`, not `{Self}`",
    label = "this return value would be lost",
    note = "an error type `E` is one that `Box<dyn Error + Send + Sync>` can be made from"
)]
pub trait SystemOutput {
    /// Forgets the type of the error.
    ///
    /// # Errors
    /// The system's own.
    fn into_result(self) -> Result<(), BoxError>;
}

impl SystemOutput for () {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        Ok(())
    }
}

impl<E: Into<BoxError>> SystemOutput for Result<(), E> {
    #[inline]
    fn into_result(self) -> Result<(), BoxError> {
        self.map_err(Into::into)
    }
}

/// What a condition returns: `bool`.
#[diagnostic::on_unimplemented(
    message = "a run condition must return `bool`, not `{Self}`",
    label = "not a yes or no"
)]
pub trait ConditionOutput {
    /// The answer.
    fn into_bool(self) -> bool;
}

impl ConditionOutput for bool {
    #[inline]
    fn into_bool(self) -> bool {
        self
    }
}

impl<F, M> IntoSystem<M> for F
where
    F: SystemFn<M>,
    F::Out: SystemOutput + 'static,
    F::System: Call<F::Out>,
{
    fn into_source(self) -> SystemSource {
        SystemSource {
            id: SystemId::of::<F::System>(),
            meta: F::System::META,
            build: Box::new(|world| {
                F::System::visit(BuildRunner {
                    world,
                    system: PhantomData::<F::System>,
                })
            }),
        }
    }
}

impl<F, M> IntoCondition<M> for F
where
    F: SystemFn<M>,
    F::Out: ConditionOutput + 'static,
    F::System: Call<F::Out>,
{
    fn into_condition(self) -> ConditionSource {
        ConditionSource {
            meta: F::System::META.into(),
            build: Box::new(|world| {
                F::System::visit(BuildCondition {
                    world,
                    system: PhantomData::<F::System>,
                })
            }),
        }
    }
}

/// A system's parts with the state between them.
struct Built<S, Out, State, R, F> {
    checked: Checked,
    state: State,
    run: R,
    flush: F,
    /// `Out` is what `run` returns.
    of: PhantomData<fn() -> (S, Out)>,
}

impl<S, Out, State, R, F> Built<S, Out, State, R, F>
where
    S: System,
    R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused>,
{
    /// # Safety
    /// As [`DynSystem::run`].
    #[inline]
    unsafe fn run_once(&mut self, world: &World) -> Result<Out, LockError> {
        let (checked, state, run) = (&mut self.checked, &mut self.state, &self.run);
        let run = |joint: &Joint<'_>| run(state, world, joint);
        // SAFETY: `S` was checked when it was built; the rest is the caller's promise.
        let result = unsafe { checked.with_all(S::ASKS, world, run) };
        result.map_err(|refused| LockError::new(S::META.name, refused))
    }
}

struct BuildRunner<'w, S> {
    world: &'w World,
    system: PhantomData<S>,
}

impl<S: System, Out: SystemOutput + 'static> Visit<Out> for BuildRunner<'_, S> {
    type Output = Runner;

    fn shared<State, I, R, F>(self, init: I, run: R, flush: F) -> Runner
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        Runner::Shared(Box::new(Built::<S, Out, _, _, _> {
            checked: checked::<S>(),
            state: init(self.world),
            run,
            flush,
            of: PhantomData,
        }))
    }

    fn exclusive<R>(self, run: R) -> Runner
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        Runner::Exclusive(Box::new(Alone {
            run,
            of: PhantomData,
        }))
    }
}

impl<S, Out, State, R, F> DynSystem<(), Result<(), BoxError>> for Built<S, Out, State, R, F>
where
    S: System,
    Out: SystemOutput,
    State: Send,
    R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send,
    F: Fn(&mut State, &mut CommandQueue) + Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<(), BoxError> {
        // SAFETY: the caller's promise.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_result(),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        (self.flush)(&mut self.state, into);
    }
}

/// An exclusive system, which has no state.
struct Alone<R, Out> {
    run: R,
    of: PhantomData<fn() -> Out>,
}

impl<R, Out> DynExclusive<(), Result<(), BoxError>> for Alone<R, Out>
where
    Out: SystemOutput,
    R: Fn(&mut World) -> Out + Send,
{
    fn run(&mut self, world: &mut World, (): ()) -> Result<(), BoxError> {
        (self.run)(world).into_result()
    }
}

struct BuildCondition<'w, S> {
    world: &'w World,
    system: PhantomData<S>,
}

impl<S: System, Out: ConditionOutput + 'static> Visit<Out> for BuildCondition<'_, S> {
    type Output = BoxCondition;

    fn shared<State, I, R, F>(self, init: I, run: R, flush: F) -> Self::Output
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        Box::new(Built::<S, Out, _, _, _> {
            checked: checked::<S>(),
            state: init(self.world),
            run,
            flush,
            of: PhantomData,
        })
    }

    fn exclusive<R>(self, _: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        panic!(
            "the condition `{}` takes `&mut World`; a condition only looks: take `&World` or parameters",
            S::META.name
        )
    }
}

impl<S, Out, State, R, F> DynSystem<(), bool> for Built<S, Out, State, R, F>
where
    S: System,
    Out: ConditionOutput,
    State: Send,
    R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send,
    F: Fn(&mut State, &mut CommandQueue) + Send,
{
    /// # Panics
    /// If a parameter cannot be had: a condition has no other way to say so.
    unsafe fn run(&mut self, world: &World, (): ()) -> bool {
        // SAFETY: the caller's promise.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_bool(),
            Err(error) => error.raise(),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        (self.flush)(&mut self.state, into);
    }
}
