//! The construction of systems, for schedules and as values.

use alloc::boxed::Box;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;

use super::condition::{
    BoxCondition, ConditionOutput, ConditionSource, IntoCondition, function, refuse_exclusive,
};
use super::definition::{
    ExclusiveFn, Known as _, System, SystemVisitor, VisitSystem, checked, visit,
};
use super::error::LockError;
use super::execute::{RunResult, run_unlocked};
use super::function::{Arguments, Named, RunnableFn, Shared, SystemFn};
use super::handle::SystemProbe;
use super::held_borrows::NoConflict;
use super::name::with_arguments;
use super::param_tuple::{Params, Run};
use super::remembered::Remember;
use super::runner::{
    AnySystem, BoxError, DynExclusive, DynSystem, Runner, SystemId, SystemOutput, SystemSource,
};
use super::value::{IntoSystemValue, SystemValue, ValueRunner};
use crate::invariant::Invariant;
use crate::world::{CommandQueue, World};

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
    SystemSource::of_fn(
        TypeId::of::<S>,
        const { &S::META },
        type_name::<S>,
        build_system::<S, Out>,
    )
}

fn build_system<S: VisitSystem<Out>, Out: SystemOutput + 'static>(world: &World) -> Runner {
    if const { S::EXCLUSIVE.is_none() } {
        return visit::<S, Out, _, ()>(BuildSystem::<S>(world, PhantomData));
    }
    exclusive_runner(S::EXCLUSIVE)
}

/// Returns the runner of an exclusive system. Separate, so that it is compiled once and not for each system.
fn exclusive_runner<Out: SystemOutput + 'static>(function: Option<ExclusiveFn<Out>>) -> Runner {
    Runner::Exclusive(Box::new(BuiltExclusive(
        function.expect("the system is exclusive"),
    )))
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
    ConditionSource {
        meta: with_arguments(const { &S::META }, type_name::<S>()).into(),
        build: Box::new(build_condition::<S, Out>),
        depth: 0,
    }
}

fn build_condition<S: VisitSystem<Out>, Out: ConditionOutput + 'static>(
    world: &World,
) -> BoxCondition {
    if const { S::EXCLUSIVE.is_some() } {
        refuse_exclusive(with_arguments(&S::META, type_name::<S>()).name);
    }
    visit::<S, Out, _, ()>(BuildCondition::<S>(world, PhantomData))
}

/// Builds a system.
struct BuildSystem<'w, S>(&'w World, PhantomData<S>);

impl<S: VisitSystem<Out>, Out: SystemOutput + 'static> SystemVisitor<Out> for BuildSystem<'_, S> {
    type Output = Runner;

    fn visit<P, R>(self, run: R) -> Runner
    where
        P: Params + 'static,
        R: Run<P, Out> + Copy + Send + 'static,
    {
        Runner::Shared(Box::new(BuiltSystem::<S, P, Out, R>::new(self.0, run)))
    }
}

/// Builds a condition.
struct BuildCondition<'w, S>(&'w World, PhantomData<S>);

impl<S: VisitSystem<Out>, Out: ConditionOutput + 'static> SystemVisitor<Out>
    for BuildCondition<'_, S>
{
    type Output = BoxCondition;

    fn visit<P, R>(self, run: R) -> BoxCondition
    where
        P: Params + 'static,
        R: Run<P, Out> + Copy + Send + 'static,
    {
        function(Box::new(BuiltSystem::<S, P, Out, R>::new(self.0, run)))
    }
}

impl<F, M> IntoSystemValue<Named<M>> for F
where
    F: Copy + SystemFn<M> + 'static,
    F::Args: Arguments,
    F::Out: 'static,
    F::System: VisitSystem<F::Out, F::Args>,
{
    type In = <F::Args as Arguments>::In;
    type Out = F::Out;

    fn into_value(self) -> SystemValue<Self::In, F::Out> {
        // Invariant 1 of the value: by the contract of `VisitSystem`, `META` names all accesses of the function.
        SystemValue::new(
            SystemId::of::<F::System>(),
            with_arguments(const { &F::System::META }, type_name::<F::System>()),
            Box::new(build_value::<F::System, F::Out, F::Args>),
        )
    }
}

fn build_value<S, Out, Args>(world: &World) -> ValueRunner<Args::In, Out>
where
    S: VisitSystem<Out, Args>,
    Out: 'static,
    Args: Arguments,
{
    match S::EXCLUSIVE {
        None => visit::<S, Out, _, Args>(BuildValue::<S>(world, PhantomData)),
        Some(function) => Runner::Exclusive(Box::new(ExclusiveValue(function))),
    }
}

/// Builds a system that is a value.
struct BuildValue<'w, S>(&'w World, PhantomData<S>);

impl<S: System, Out: 'static, Args: Arguments> SystemVisitor<Out, Args> for BuildValue<'_, S> {
    type Output = ValueRunner<Args::In, Out>;

    fn visit<P, R>(self, run: R) -> Self::Output
    where
        P: Params + 'static,
        R: Run<P, Out, Args> + Copy + Send + 'static,
    {
        let run = ByInput(run, PhantomData::<fn(Args)>);
        Runner::Shared(Box::new(BuiltSystem::<S, P, Out, _>::new(self.0, run)))
    }
}

/// A function whose ordinary arguments are one value.
struct ByInput<R, Args>(R, PhantomData<fn(Args)>);

impl<R: Copy, Args> Clone for ByInput<R, Args> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: Copy, Args> Copy for ByInput<R, Args> {}

impl<P, Out, Args, R> Run<P, Out, Args::In> for ByInput<R, Args>
where
    P: Params,
    Args: Arguments,
    R: Run<P, Out, Args>,
{
    fn run(self, guard: &mut P::Guard<'_>, input: Args::In) -> Out {
        self.0.run(guard, Args::of(input))
    }
}

struct ExclusiveValue<Out, Args>(ExclusiveFn<Out, Args>);

impl<Out, Args: Arguments> DynExclusive<Args::In, Result<Out, LockError>>
    for ExclusiveValue<Out, Args>
{
    fn run(&mut self, world: &mut World, input: Args::In) -> Result<Out, LockError> {
        Ok((self.0)(world, Args::of(input)))
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}

/// A system with the states of its parameters.
struct BuiltSystem<S, P: Params, Out, R> {
    /// Invariant 1: of `S`.
    checked: NoConflict,
    state: P::State,
    /// Invariant 2: the function that the `visit` of `S` passes on, or that function with its arguments in a
    /// [`ByInput`].
    run: R,
    of: Invariant<(S, Out)>,
}

impl<S: System, P: Params, Out, R: Copy> BuiltSystem<S, P, Out, R> {
    /// Creates the states of the parameters.
    fn new(world: &World, run: R) -> Self {
        if !S::IS_FREE {
            return Self::checked(world, run);
        }
        let state = P::init(world);
        Self {
            checked: NoConflict::NOTHING,
            state,
            run,
            of: PhantomData,
        }
    }

    /// Like [`new`](Self::new), for a system that the compiler could not check.
    fn checked(world: &World, run: R) -> Self {
        // Before the states, because making them may run the user's code.
        let checked = checked::<S>();
        Self {
            checked,
            state: P::init(world),
            run,
            of: PhantomData,
        }
    }
}

/// For systems, for conditions, and for systems as values.
impl<S, P, Out, R, E, Args> DynSystem<Args, E> for BuiltSystem<S, P, Out, R>
where
    S: System,
    P: Params,
    R: Run<P, Out, Args> + Copy + Send,
    E: RunResult<Out>,
{
    unsafe fn run(&mut self, world: &World, args: Args) -> E {
        // SAFETY: `checked` is of `S` by invariant 1, and `run` is the function that its `visit` passes on by invariant
        // 2. By the contract of `DynSystem::run` no other code uses the system's data in a conflicting way.
        unsafe {
            run_unlocked::<S, P, Out, R, E, Args>(
                self.run,
                &mut self.checked,
                &mut self.state,
                world,
                args,
            )
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        P::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        P::skip(&mut self.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        P::remembered(&mut self.state, remember);
    }
}

/// An exclusive system, which has no state.
struct BuiltExclusive<Out>(ExclusiveFn<Out>);

impl<Out: SystemOutput> DynExclusive<(), Result<(), BoxError>> for BuiltExclusive<Out> {
    fn run(&mut self, world: &mut World, (): ()) -> Result<(), BoxError> {
        (self.0)(world, ()).into_result()
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}
