//! The construction of systems, for schedules and as values.

use alloc::boxed::Box;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;

use super::condition::{ConditionOutput, ConditionSource, IntoCondition};
use super::definition::{ExclusiveFn, VisitSystem};
use super::exclusive::ExclusiveSystem;
use super::execute::{Built, RunResult};
use super::function::{Named, RunnableFn, Shared, SystemFn};
use super::handle::SystemProbe;
use super::run::{Run, SystemVisitor};
use super::runner::{AnySystem, BoxError, DynSystem, Runner, SystemOutput, SystemSource};
use super::value::{IntoSystemValue, SystemValue};
use crate::world::World;

impl<F, M> AnySystem<Named<M>> for F
where
    F: RunnableFn<M>,
    F::Out: 'static,
    F::System: VisitSystem<F::Out>,
{
    type Out = F::Out;

    fn system_source(self) -> SystemSource
    where
        F::Out: SystemOutput,
    {
        source::<F::System, F::Out>()
    }
}

/// Returns a system, found by its type alone.
pub(crate) fn source<S, Out>() -> SystemSource
where
    S: VisitSystem<Out>,
    Out: SystemOutput + 'static,
{
    source_of::<S, Out, (), Result<(), BoxError>>()
}

/// Returns a system whose result becomes an `E`.
fn source_of<S, Out, Args, E>() -> SystemSource<Args, E>
where
    S: VisitSystem<Out, Args>,
    Out: 'static,
    Args: 'static,
    E: RunResult<Out> + 'static,
{
    // Invariant 1 of the source: by the contract of `VisitSystem`, `META` names all accesses of the function.
    SystemSource::of_fn(
        TypeId::of::<S>,
        const { &S::META },
        type_name::<S>,
        build::<S, Out, Args, E>,
    )
}

fn build<S, Out, Args, E>(world: &World) -> Runner<Args, E>
where
    S: VisitSystem<Out, Args>,
    Out: 'static,
    Args: 'static,
    E: RunResult<Out> + 'static,
{
    if const { S::EXCLUSIVE.is_none() } {
        let mut builder = Builder::<S, Args, E> {
            world,
            built: None,
            of: PhantomData,
        };
        S::visit(&mut builder);
        return Runner::Shared(builder.built.expect("a system has a function"));
    }
    exclusive_runner(S::EXCLUSIVE)
}

/// Builds the system `S` with the function that it receives.
struct Builder<'w, S, Args, E> {
    world: &'w World,
    built: Option<Box<dyn DynSystem<Args, E>>>,
    of: PhantomData<S>,
}

impl<S, Out, Args, E> SystemVisitor<Out, Args> for Builder<'_, S, Args, E>
where
    S: VisitSystem<Out, Args>,
    Out: 'static,
    E: RunResult<Out>,
{
    fn visit<R: Run<Out, Args> + Send + 'static>(&mut self, run: R) {
        // SAFETY: only the `visit` of `S` passes it a function, which has the parameters of `META` by the contract of
        // `VisitSystem`.
        let built = unsafe { Built::<S, _, R, Out>::new(self.world, run) };
        self.built = Some(Box::new(built));
    }
}

/// Returns the runner of an exclusive system. Separate, so that it is compiled once and not for each system.
fn exclusive_runner<Out, Args, E>(function: Option<ExclusiveFn<Out, Args>>) -> Runner<Args, E>
where
    Out: 'static,
    Args: 'static,
    E: RunResult<Out>,
{
    let run = function.expect("the system is exclusive");
    Runner::Exclusive(Box::new(ExclusiveSystem {
        run,
        has_captured: false,
    }))
}

impl<F, S, Out> IntoCondition<Named<fn(Shared<S, ()>) -> Out>> for F
where
    F: Fn(&SystemProbe<S>) -> Out,
    S: VisitSystem<Out>,
    Out: 'static,
{
    type Out = Out;

    fn into_condition(self) -> ConditionSource
    where
        Out: ConditionOutput,
    {
        condition_source::<S, Out>()
    }
}

/// Returns a condition, found by its type alone.
pub(crate) fn condition_source<S, Out>() -> ConditionSource
where
    S: VisitSystem<Out>,
    Out: ConditionOutput + 'static,
{
    ConditionSource::of(source_of::<S, Out, (), _>(), false)
}

impl<F, M> IntoSystemValue<Named<M>> for F
where
    F: Copy + SystemFn<M> + 'static,
    F::Args: 'static,
    F::Out: 'static,
    F::System: VisitSystem<F::Out, F::Args>,
{
    type In = F::Args;
    type Out = F::Out;

    fn into_value(self) -> SystemValue<F::Args, F::Out> {
        SystemValue::of(source_of::<F::System, F::Out, F::Args, _>())
    }
}
