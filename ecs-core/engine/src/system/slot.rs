//! What systems remember, with its type forgotten where it is kept, and known again where they are run.
//!
//! The code that runs a system through a slot names the function, so that the call is a direct one.

use core::any::{Any, TypeId};
use core::marker::PhantomData;

use super::function::{Call, RunnableFn, Visit};
use super::joint::{Checked, checked};
use super::list::{self, Params};
use super::once::run_alone;
use super::runner::BoxError;
use super::source::SystemOutput;
use crate::invariant::Invariant;
use crate::world::{CommandQueue, World};

/// The states of a system's parameters.
pub(crate) struct Slot {
    /// Invariant 1: the type of what is in the box.
    of: TypeId,
    built: Box<dyn Any + Send>,
}

/// The states of a list of parameters.
type State<P> = <P as Params>::State;

struct Built<S, State> {
    checked: Checked,
    state: State,
    of: Invariant<S>,
}

impl Slot {
    fn new<T: Send + 'static>(built: T) -> Self {
        Self {
            of: TypeId::of::<T>(),
            built: Box::new(built),
        }
    }

    /// As `downcast_mut`, which would call through a pointer to find out.
    #[inline]
    fn get<T: 'static>(&mut self) -> Option<&mut T> {
        if self.of != TypeId::of::<T>() {
            return None;
        }
        let built = (&raw mut *self.built).cast::<T>();
        // SAFETY: it is a `T` (invariant 1), borrowed like the box.
        Some(unsafe { &mut *built })
    }

    /// Builds a system for the world; `None` if it is exclusive, which needs no building.
    ///
    /// # Panics
    /// If parameters of the system conflict, or preparing one of them panics.
    pub(crate) fn build<F, M>(world: &World) -> Option<Self>
    where
        F: RunnableFn<M>,
        F::Out: SystemOutput + 'static,
        F::System: Call<F::Out>,
    {
        F::System::visit(Build {
            world,
            of: PhantomData::<F::System>,
        })
    }

    /// Runs the system once; what it put off goes to `queue`.
    ///
    /// `slot` is what [`build`](Self::build) made of the same function.
    ///
    /// # Errors
    /// Those of the system, and if a parameter cannot be had.
    #[inline]
    pub(crate) fn run<F, M>(
        slot: &mut Option<Self>,
        world: &mut World,
        queue: &mut CommandQueue,
    ) -> Result<(), BoxError>
    where
        F: RunnableFn<M>,
        F::Out: SystemOutput + 'static,
        F::System: Call<F::Out>,
    {
        F::System::visit(Run {
            slot,
            world,
            queue,
            of: PhantomData::<F::System>,
        })
    }
}

struct Build<'w, S> {
    world: &'w World,
    of: PhantomData<S>,
}

impl<S: Call<Out>, Out: SystemOutput + 'static> Visit<Out> for Build<'_, S> {
    type Output = Option<Slot>;

    fn shared<R: list::Run<Out> + Copy + Send + 'static>(self, _: R) -> Self::Output {
        Some(Slot::new(Built::<S, State<R::Params>> {
            checked: checked::<S>(),
            state: R::Params::init(self.world),
            of: PhantomData,
        }))
    }

    fn exclusive<R>(self, _: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        None
    }
}

struct Run<'a, S> {
    slot: &'a mut Option<Slot>,
    world: &'a mut World,
    queue: &'a mut CommandQueue,
    of: PhantomData<S>,
}

impl<S: Call<Out>, Out: SystemOutput + 'static> Visit<Out> for Run<'_, S> {
    type Output = Result<(), BoxError>;

    #[inline]
    fn shared<R: list::Run<Out> + Copy + Send + 'static>(self, run: R) -> Self::Output {
        let slot = self.slot.as_mut();
        let built = slot.and_then(Slot::get::<Built<S, State<R::Params>>>);
        let Built { checked, state, .. } = built.expect("the slot was built for the same system");
        let ending = Ending::<R::Params> {
            state,
            queue: self.queue,
        };
        let state = &mut *ending.state;
        // SAFETY: `S` was checked when it was built, `run` comes from its `visit`, and nobody else has the world.
        unsafe { run_alone::<S, Out, R, _>(run, checked, state, self.world) }
    }

    #[inline]
    fn exclusive<R>(self, run: R) -> Self::Output
    where
        R: Fn(&mut World) -> Out + Send + 'static,
    {
        run(self.world).into_result()
    }
}

/// Collects what was put off when the system has come to its end, be it a panic.
struct Ending<'a, P: Params> {
    state: &'a mut P::State,
    queue: &'a mut CommandQueue,
}

impl<P: Params> Drop for Ending<'_, P> {
    #[inline]
    fn drop(&mut self) {
        P::flush(self.state, self.queue);
    }
}
