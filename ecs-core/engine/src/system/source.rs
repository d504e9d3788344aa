//! The construction of systems for schedules.

use core::any::{TypeId, type_name};
use core::marker::PhantomData;

use super::execute::{RunResult, run_unlocked};
use super::function::{Known as _, RunnableFn, System, SystemVisitor, VisitSystem};
use super::held_borrows::{Checked, check};
use super::name::with_arguments;
use super::param_tuple::{Params, Run};
use super::runner::{
    BoxCondition, BoxError, ConditionSource, DynExclusive, DynSystem, IntoCondition, IntoSystem,
    Runner, SystemSource,
};
use crate::invariant::Invariant;
use crate::world::{CommandQueue, World};

/// The return type of a scheduled system: `()`, or `Result<(), E>` with any error type.
#[diagnostic::on_unimplemented(
    message = "a scheduled system must return `()` or `Result<(), E>`, not `{Self}`",
    label = "this return value would be lost",
    note = "an error type `E` is one that `Box<dyn Error + Send + Sync>` can be made from"
)]
pub trait SystemOutput {
    /// Erases the type of the error.
    ///
    /// # Errors
    /// The error that the system returned.
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

/// The return type of a condition: `bool`.
#[diagnostic::on_unimplemented(
    message = "a run condition must return `bool`, not `{Self}`",
    label = "not `bool`"
)]
pub trait ConditionOutput {
    /// Returns true if the system runs.
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
    F: RunnableFn<M>,
    F::Out: SystemOutput + 'static,
    F::System: VisitSystem<F::Out>,
{
    fn into_source(self) -> SystemSource {
        SystemSource::of_fn(
            TypeId::of::<F::System>,
            const { &F::System::META },
            type_name::<F::System>,
            build_runner::<F::System, F::Out>,
        )
    }
}

fn build_runner<S: VisitSystem<Out>, Out: SystemOutput + 'static>(world: &World) -> Runner {
    S::visit(BuildRunner {
        world,
        system: PhantomData::<S>,
    })
}

impl<F, M> IntoCondition<M> for F
where
    F: RunnableFn<M>,
    F::Out: ConditionOutput + 'static,
    F::System: VisitSystem<F::Out>,
{
    fn into_condition(self) -> ConditionSource {
        ConditionSource {
            meta: with_arguments(const { &F::System::META }, type_name::<F::System>()).into(),
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
struct BuiltSystem<S, Out, R: Run<Out>> {
    checked: Checked,
    state: <R::Params as Params>::State,
    /// The function that the `visit` of `S` passes on.
    run: R,
    /// `Out` is the return type of `run`.
    of: Invariant<(S, Out)>,
}

impl<S: System, Out, R: Run<Out> + Copy> BuiltSystem<S, Out, R> {
    fn new(world: &World, run: R) -> Self {
        if !S::IS_FREE {
            return Self::checked(world, run);
        }
        let state = R::Params::init(world);
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
        let checked = check(&S::META, type_name::<S>());
        Self {
            checked,
            state: R::Params::init(world),
            run,
            of: PhantomData,
        }
    }
}

struct BuildRunner<'w, S> {
    world: &'w World,
    system: PhantomData<S>,
}

impl<S: VisitSystem<Out>, Out: SystemOutput + 'static> SystemVisitor<Out> for BuildRunner<'_, S> {
    type Output = Runner;

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> Runner {
        Runner::Shared(Box::new(BuiltSystem::<S, Out, R>::new(self.world, run)))
    }

    fn exclusive<R>(self, run: R) -> Runner
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        Runner::Exclusive(Box::new(BuiltExclusive {
            run,
            of: PhantomData,
        }))
    }
}

/// For systems and for conditions.
impl<S, Out, R, E> DynSystem<(), E> for BuiltSystem<S, Out, R>
where
    S: VisitSystem<Out>,
    R: Run<Out> + Copy + Send,
    E: RunResult<Out>,
{
    unsafe fn run(&mut self, world: &World, (): ()) -> E {
        // SAFETY: `checked` is of `S`, as `new` made it, and `run` came from its `visit`. By the contract of
        // `DynSystem::run` no other code uses what the system accesses in a conflicting way.
        unsafe { run_unlocked::<S, Out, R, E>(self.run, &mut self.checked, &mut self.state, world) }
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        R::Params::flush(&mut self.state, into);
    }
}

/// An exclusive system, which has no state.
struct BuiltExclusive<R, Out> {
    run: R,
    of: Invariant<Out>,
}

impl<R, Out> DynExclusive<(), Result<(), BoxError>> for BuiltExclusive<R, Out>
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

impl<S: VisitSystem<Out>, Out: ConditionOutput + 'static> SystemVisitor<Out>
    for BuildCondition<'_, S>
{
    type Output = BoxCondition;

    fn shared<R: Run<Out> + Copy + Send + 'static>(self, run: R) -> BoxCondition {
        Box::new(BuiltSystem::<S, Out, R>::new(self.world, run))
    }

    fn exclusive<R>(self, _: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        panic!(
            "the condition `{}` takes `&mut World`, but a condition only reads; help: take `&World` or parameters",
            with_arguments(&S::META, type_name::<S>()).name
        )
    }
}
