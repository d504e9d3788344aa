//! The construction of systems for schedules.

use alloc::boxed::Box;
use core::any::{TypeId, type_name};
use core::marker::PhantomData;

use super::condition::{BoxCondition, ConditionOutput, ConditionSource, IntoCondition};
use super::definition::{Known as _, System, SystemVisitor, VisitSystem, checked, visit};
use super::execute::{RunResult, run_unlocked};
use super::function::{Named, RunnableFn};
use super::held_borrows::Checked;
use super::name::with_arguments;
use super::param_tuple::{Params, Run};
use super::runner::{
    BoxError, DynExclusive, DynSystem, IntoSystem, Runner, SystemOutput, SystemSource,
};
use crate::invariant::Invariant;
use crate::world::{CommandQueue, World};

impl<F, M> IntoSystem<Named<M>> for F
where
    F: RunnableFn<M>,
    F::Out: SystemOutput + 'static,
    F::System: VisitSystem<F::Out>,
{
    fn into_source(self) -> SystemSource {
        source::<F::System, F::Out>()
    }
}

/// Returns a system, by its type alone.
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
        return visit::<S, Out, _>(BuildSystem::<S>(world, PhantomData));
    }
    exclusive_runner(S::EXCLUSIVE)
}

/// The runner of an exclusive system. Separate, as it is compiled once and not for each system.
fn exclusive_runner<Out: SystemOutput + 'static>(
    function: Option<fn(&mut World) -> Out>,
) -> Runner {
    Runner::Exclusive(Box::new(BuiltExclusive(
        function.expect("the system is exclusive"),
    )))
}

impl<F, M> IntoCondition<Named<M>> for F
where
    F: RunnableFn<M>,
    F::Out: 'static,
    F::System: VisitSystem<F::Out>,
{
    type Out = F::Out;

    fn into_condition(self) -> ConditionSource
    where
        F::Out: ConditionOutput,
    {
        condition_source::<F::System, F::Out>()
    }
}

/// Returns a condition, by its type alone.
pub(crate) fn condition_source<S, Out>() -> ConditionSource
where
    S: VisitSystem<Out>,
    Out: ConditionOutput + 'static,
{
    ConditionSource {
        meta: with_arguments(const { &S::META }, type_name::<S>()).into(),
        build: Box::new(build_condition::<S, Out>),
    }
}

fn build_condition<S: VisitSystem<Out>, Out: ConditionOutput + 'static>(
    world: &World,
) -> BoxCondition {
    assert!(
        const { S::EXCLUSIVE.is_none() },
        "the condition `{}` takes `&mut World`, but a condition only reads; help: take `&World` or parameters",
        with_arguments(&S::META, type_name::<S>()).name
    );
    visit::<S, Out, _>(BuildCondition::<S>(world, PhantomData))
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
        Box::new(BuiltSystem::<S, P, Out, R>::new(self.0, run))
    }
}

/// A system with the states of its parameters.
struct BuiltSystem<S, P: Params, Out, R> {
    /// Invariant 1: of `S`.
    checked: Checked,
    state: P::State,
    /// Invariant 2: what the `visit` of `S` passes on.
    run: R,
    of: Invariant<(S, Out)>,
}

impl<S: System, P: Params, Out, R: Copy> BuiltSystem<S, P, Out, R> {
    fn new(world: &World, run: R) -> Self {
        if !S::IS_FREE {
            return Self::checked(world, run);
        }
        let state = P::init(world);
        Self {
            checked: Checked::NOTHING,
            state,
            run,
            of: PhantomData,
        }
    }

    /// Like [`new`](Self::new), for a system that the compiler could not check.
    fn checked(world: &World, run: R) -> Self {
        // Before the states, whose construction may run the user's code.
        let checked = checked::<S>();
        Self {
            checked,
            state: P::init(world),
            run,
            of: PhantomData,
        }
    }
}

/// For systems and for conditions.
impl<S, P, Out, R, E> DynSystem<(), E> for BuiltSystem<S, P, Out, R>
where
    S: VisitSystem<Out>,
    P: Params,
    R: Run<P, Out> + Copy + Send,
    E: RunResult<Out>,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> E {
        // SAFETY: `checked` is of `S` by invariant 1, and `run` is what its `visit` passes on by invariant 2. By the
        // contract of `DynSystem::run` no other code uses what the system accesses in a conflicting way.
        unsafe {
            run_unlocked::<S, P, Out, R, E>(self.run, &mut self.checked, &mut self.state, world)
        }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        P::flush(&mut self.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        P::skip(&mut self.state, world);
    }
}

/// An exclusive system, which has no state.
struct BuiltExclusive<Out>(fn(&mut World) -> Out);

impl<Out: SystemOutput> DynExclusive<(), Result<(), BoxError>> for BuiltExclusive<Out> {
    fn run(&mut self, world: &mut World, (): ()) -> Result<(), BoxError> {
        (self.0)(world).into_result()
    }
}
