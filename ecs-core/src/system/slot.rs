//! What systems remember, with its type forgotten where it is kept, and known again where they are run.
//!
//! The code that runs a system through a slot names the function, so that the call is a direct one.

use core::any::{Any, TypeId};
use core::marker::PhantomData;

use super::direct::LockError;
use super::function::{Call, Refused, System, SystemFn, Visit};
use super::joint::{Checked, Joint, checked};
use super::runner::BoxError;
use super::source::SystemOutput;
use crate::world::{CommandQueue, World};

/// The states of a system's parameters.
pub(crate) struct Slot {
    /// Invariant 1: the type of what is in the box.
    of: TypeId,
    built: Box<dyn Any + Send>,
}

struct Built<S, State> {
    checked: Checked,
    state: State,
    of: PhantomData<fn() -> S>,
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
        F: SystemFn<M>,
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
        F: SystemFn<M>,
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

impl<S: System, Out: SystemOutput + 'static> Visit<Out> for Build<'_, S> {
    type Output = Option<Slot>;

    fn shared<State, I, R, F>(self, init: I, _: R, _: F) -> Self::Output
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        Some(Slot::new(Built::<S, State> {
            checked: checked::<S>(),
            state: init(self.world),
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

impl<S: System, Out: SystemOutput + 'static> Visit<Out> for Run<'_, S> {
    type Output = Result<(), BoxError>;

    #[inline]
    fn shared<State, I, R, F>(self, _: I, run: R, flush: F) -> Self::Output
    where
        State: Send + 'static,
        I: FnOnce(&World) -> State,
        R: Fn(&mut State, &World, &Joint<'_>) -> Result<Out, Refused> + Send + 'static,
        F: Fn(&mut State, &mut CommandQueue) + Send + 'static,
    {
        let slot = self.slot.as_mut();
        let built = slot.and_then(Slot::get::<Built<S, State>>);
        let Built { checked, state, .. } = built.expect("the slot was built for the same system");
        let ending = Ending {
            state,
            flush,
            queue: self.queue,
        };
        let (state, world) = (&mut *ending.state, &*self.world);
        let run = |joint: &Joint<'_>| run(state, world, joint);
        let asks = const { S::META.asks_at_run_time() };
        // SAFETY: `S` was checked when it was built, and nobody else has the world.
        match unsafe { checked.with_all(asks, world, run) } {
            Ok(out) => out.into_result(),
            Err(refused) => Err(Box::new(LockError::new(S::META.name, refused))),
        }
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
struct Ending<'a, State, F: Fn(&mut State, &mut CommandQueue)> {
    state: &'a mut State,
    flush: F,
    queue: &'a mut CommandQueue,
}

impl<State, F: Fn(&mut State, &mut CommandQueue)> Drop for Ending<'_, State, F> {
    #[inline]
    fn drop(&mut self) {
        (self.flush)(self.state, self.queue);
    }
}
