//! Building systems for schedules.

use core::marker::PhantomData;

use super::direct::LockError;
use super::function::{Call, System, SystemFn, Visit};
use super::joint::{Checked, checked};
use super::list::{Params, Run};
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

/// A system with the states of its parameters.
struct Built<S, Out, R: Run<Out>> {
    checked: Checked,
    state: <R::Params as Params>::State,
    run: R,
    /// `Out` is what `run` returns.
    of: PhantomData<fn() -> (S, Out)>,
}

impl<S: System, Out, R: Run<Out> + Copy> Built<S, Out, R> {
    fn new(world: &World, run: R) -> Self {
        Self {
            checked: checked::<S>(),
            state: R::Params::init(world),
            run,
            of: PhantomData,
        }
    }

    /// # Safety
    /// As [`DynSystem::run`].
    #[inline]
    unsafe fn run_once(&mut self, world: &World) -> Result<Out, LockError> {
        // SAFETY: `S` was checked when it was built; the rest is the caller's promise.
        let refused = match unsafe { self.checked.enter_alone(S::ASKS, world) } {
            Ok(joint) => match R::Params::lock(&mut self.state, world, &joint) {
                Ok(mut guard) => return Ok(self.run.run(&mut guard)),
                Err(refused) => refused,
            },
            Err(refused) => refused,
        };
        Err(LockError::new(&S::META, refused))
    }
}

struct BuildRunner<'w, S> {
    world: &'w World,
    system: PhantomData<S>,
}

impl<S: System, Out: SystemOutput + 'static> Visit<Out> for BuildRunner<'_, S> {
    type Output = Runner;

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Runner {
        Runner::Shared(Box::new(Built::<S, Out, R>::new(self.world, run)))
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

impl<S, Out, R> DynSystem<(), Result<(), BoxError>> for Built<S, Out, R>
where
    S: System,
    Out: SystemOutput,
    R: Run<Out> + Copy + Send,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> Result<(), BoxError> {
        // SAFETY: the caller's promise.
        match unsafe { self.run_once(world) } {
            Ok(out) => out.into_result(),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        R::Params::flush(&mut self.state, into);
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

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> BoxCondition {
        Box::new(Built::<S, Out, R>::new(self.world, run))
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

impl<S, Out, R> DynSystem<(), bool> for Built<S, Out, R>
where
    S: System,
    Out: ConditionOutput,
    R: Run<Out> + Copy + Send,
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
        R::Params::flush(&mut self.state, into);
    }
}
