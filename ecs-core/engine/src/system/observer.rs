//! `#[system]` functions as observers, and the runs of such observers.

use alloc::boxed::Box;
use core::any::{TypeId, type_name};
use core::fmt::Display;
use core::marker::PhantomData;

use super::definition::{System, checked};
use super::error::LockError;
use super::execute::{defer, run_locked};
use super::handle::SystemProbe;
use super::held_borrows::NoConflict;
use super::kept::KeptStates;
use super::name::with_arguments;
use super::param::SystemParam;
use super::run::Run;
use super::runner::{BoxError, SystemOutput, erased};
use crate::invariant::Invariant;
use crate::sync::{Mutex, PoisonError};
use crate::world::World;
use crate::world::hooks::{
    Call, DeferredWorld, IntoObserver, LifecycleEvent, Observed, Observer, OfTrigger, Trigger,
    TriggerMut, Triggered, TriggeredMut,
};

/// A system whose one ordinary argument is an event, so that it can be an observer. `Ev` stands for the event.
///
/// Implemented by `#[system]`.
///
/// # Safety
/// `META` lists the parameters, and the system accesses nothing else of the world: `observe` passes `run` a function of
/// these parameters, in the listed order.
#[diagnostic::on_unimplemented(
    message = "the system `{Self}` is not an observer",
    label = "not an observer",
    note = "the event is the only ordinary argument of an observer, and comes first: `fn on_hit(hit: Trigger<Hit>, mut health: CompMut<Health>)`"
)]
pub unsafe trait ObserverSystem<Ev, Out>: System + 'static {
    /// `Ev` itself, unless it is an event of a type that is not a component, which the implementation reports.
    type Event: Observed;

    /// Runs the function once with this event. Without an event, it makes the states of the parameters.
    ///
    /// # Errors
    /// If a parameter cannot be locked.
    fn observe(
        event: Option<<Self::Event as Observed>::Of<'_>>,
        run: Observing<'_, Self>,
    ) -> Option<Result<Out, LockError>>;
}

/// One run of the system `S` as an observer.
pub struct Observing<'w, S> {
    world: &'w World,
    checked: &'w mut NoConflict,
    states: &'w mut KeptStates,
    of: Invariant<S>,
}

impl<'w, S: System> Observing<'w, S> {
    #[inline]
    fn new(world: &'w World, checked: &'w mut NoConflict, states: &'w mut KeptStates) -> Self {
        Self {
            world,
            checked,
            states,
            of: PhantomData,
        }
    }

    /// Calls the function with the event, if there is one.
    ///
    /// # Errors
    /// If a parameter cannot be locked.
    #[inline]
    pub fn call<Out, Event, R: Run<Out, Event>>(
        self,
        mut run: R,
        event: Option<Event>,
    ) -> Option<Result<Out, LockError>> {
        let (world, states) = (self.world, self.states.of::<R::Params>());
        let Some(event) = event else {
            states.get_or_insert_with(|| R::Params::init(world));
            return None;
        };
        let result = observe_once::<S, R, Out, Event>(&mut run, states, self.checked, world, event);
        Some(result)
    }
}

/// Runs an observer once, with run-time borrows, because `&World` and leaked guards may exist, and defers its commands.
///
/// The first call makes the states. A call after a panic makes them anew, and drops the commands that the panicking call
/// deferred.
#[inline]
pub(super) fn observe_once<S: System, R: Run<Out, Event>, Out, Event>(
    run: &mut R,
    kept: &mut Option<<R::Params as SystemParam>::State>,
    checked: &mut NoConflict,
    world: &World,
    event: Event,
) -> Result<Out, LockError> {
    let mut state = match kept.take() {
        Some(state) => state,
        None => R::Params::init(world),
    };
    let result = run_locked::<S, R, Out, Event>(run, checked, &mut state, world, event);
    defer(world, &mut state, R::Params::flush);
    *kept = Some(state);
    result
}

/// Ends an observer's call: no caller could receive an error, so it panics.
#[inline]
pub(super) fn finish(event: &str, name: &str, result: Result<Result<(), BoxError>, LockError>) {
    match result {
        Ok(Ok(())) => {}
        Ok(Err(error)) => failed(event, &format!("system `{name}`: {error}")),
        Err(error) => failed(event, &error),
    }
}

#[cold]
pub(super) fn failed(event: &str, error: &dyn Display) -> ! {
    panic!("observer of `{event}`: {error}")
}

/// Marks `#[system]` functions in the `M` of [`IntoObserver`].
#[doc(hidden)]
pub struct OfSystem<Ev, S, Out>(Ev, S, Out);

#[diagnostic::do_not_recommend]
impl<E: 'static, S, Out> OfTrigger for OfSystem<Triggered<E>, S, Out> {}

#[diagnostic::do_not_recommend]
impl<E: 'static, S, Out> OfTrigger for OfSystem<TriggeredMut<E>, S, Out> {}

#[diagnostic::do_not_recommend]
impl<F, E, S, Out> IntoObserver<OfSystem<Triggered<E>, S, Out>> for F
where
    F: Fn(Trigger<'_, E>, &SystemProbe<S>) -> Out,
    E: 'static,
    S: ObserverSystem<Triggered<E>, Out>,
    Out: SystemOutput + 'static,
{
    #[inline]
    fn into_observer(self) -> Observer {
        observer::<Triggered<E>, S, Out>()
    }
}

#[diagnostic::do_not_recommend]
impl<F, E, S, Out> IntoObserver<OfSystem<TriggeredMut<E>, S, Out>> for F
where
    F: Fn(TriggerMut<'_, E>, &SystemProbe<S>) -> Out,
    E: 'static,
    S: ObserverSystem<TriggeredMut<E>, Out>,
    Out: SystemOutput + 'static,
{
    #[inline]
    fn into_observer(self) -> Observer {
        observer::<TriggeredMut<E>, S, Out>()
    }
}

#[diagnostic::do_not_recommend]
impl<F, L, S, Out> IntoObserver<OfSystem<L, S, Out>> for F
where
    F: Fn(L, &SystemProbe<S>) -> Out,
    L: LifecycleEvent,
    S: ObserverSystem<L, Out>,
    Out: SystemOutput + 'static,
{
    #[inline]
    fn into_observer(self) -> Observer {
        observer::<L, S, Out>()
    }
}

/// Returns the observer of a system, found by the system's type alone.
///
/// # Panics
/// If parameters conflict.
#[inline]
fn observer<Ev, S, Out>() -> Observer
where
    S: ObserverSystem<Ev, Out>,
    Out: SystemOutput + 'static,
{
    let (name, event) = (
        with_arguments(&S::META, type_name::<S>()).name,
        S::Event::name(),
    );
    let mut checked = checked::<S>();
    // Never locked; the mutex makes the states `Sync`.
    let mut states = Mutex::new(KeptStates::default());
    let function = move |mut call: Call<'_>, world: DeferredWorld<'_>| {
        let states = states.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(received) = S::Event::receive(call.reborrow()) else {
            #[cfg(feature = "snapshot")]
            super::kept::lend(call, states, |states| {
                S::observe(None, Observing::new(&world, &mut checked, states));
            });
            return;
        };
        let run = Observing::new(&world, &mut checked, states);
        if let Some(result) = S::observe(Some(received), run) {
            finish(event, name, result.map(erased));
        }
    };
    Observer {
        system: Some(TypeId::of::<S>()),
        params: S::META.params,
        ..Observer::new::<S::Event>(name, Box::new(function))
    }
}
