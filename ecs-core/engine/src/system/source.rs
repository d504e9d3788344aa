//! The construction of systems, for schedules and as values.

use core::any::{TypeId, type_name};

use super::condition::{ConditionOutput, ConditionSource, IntoCondition};
use super::direct::run_in;
use super::error::LockError;
use super::exclusive::ExclusiveSystem;
use super::function::{Exclusive, Named, Shared, SystemFn};
use super::handle::SystemProbe;
use super::name::with_arguments;
use super::runner::{
    BoxError, IntoSystem, RunOutput, Runner, SystemId, SystemOutput, SystemSource,
};
use super::value::{IntoSystemValue, SystemValue};
use super::visitor::{ExclusiveFn, SystemVisitor, VisitSystem};
use crate::world::World;

macro_rules! function {
    ($marker:ident, $($reference:tt)+) => {
        impl<F, S, Out> IntoSystem<Named<fn($marker<S, ()>) -> Out>> for F
        where
            F: Fn($($reference)+ SystemProbe<S>) -> Out,
            S: VisitSystem<Out>,
            Out: 'static,
        {
            type System = S;
            type Out = Out;

            fn named(&self) -> (SystemId, &'static str) {
                let meta = with_arguments(&S::META, type_name::<S>());
                (SystemId::of::<S>(), meta.name)
            }

            fn into_source(self) -> SystemSource
            where
                Out: SystemOutput,
            {
                source::<S, Out>()
            }

            // The function is a zero-sized value: its type determines the system.
            #[inline]
            #[track_caller]
            fn run_in(self, world: &mut World) -> Result<Out, LockError> {
                run_in::<S, Out>(world)
            }
        }
    };
}

function!(Shared, &);
function!(Exclusive, &mut);

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
    Out: RunOutput<E> + 'static,
    Args: 'static,
    E: 'static,
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
    Out: RunOutput<E> + 'static,
    Args: 'static,
    E: 'static,
{
    if const { S::EXCLUSIVE.is_none() } {
        // SAFETY: only `visit` receives it.
        let mut visitor = unsafe { SystemVisitor::<S, Args, Out, E>::new(world, None) };
        S::visit(&mut visitor);
        return Runner {
            system: visitor.built.expect("a system has a function"),
            is_exclusive: false,
        };
    }
    exclusive_runner(S::EXCLUSIVE)
}

/// Returns the runner of an exclusive system. Separate, so that it is compiled once and not for each system.
fn exclusive_runner<Out, Args, E>(function: Option<ExclusiveFn<Out, Args>>) -> Runner<Args, E>
where
    Out: 'static,
    Args: 'static,
    Out: RunOutput<E>,
{
    let run = function.expect("the system is exclusive");
    Runner::exclusive(ExclusiveSystem {
        run,
        has_captured: false,
    })
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
