//! Conditions and constraints of observers.

use alloc::boxed::Box;
use core::any::TypeId;

use super::condition::{ConditionOutput, ConditionSource, IntoCondition};
#[cfg(feature = "snapshot")]
use super::kept::LentStates;
use super::observer::{OfSystem, failed};
use super::observer_condition::ObserverCondition;
use super::pipe::alone;
use super::remembered::Turn;
use crate::invariant::Invariant;
use crate::sync::{Mutex, PoisonError};
use crate::world::World;
use crate::world::hooks::{
    Call, DeferredWorld, IntoObserver, Observer, ObserverConstraint, OfTrigger,
};

/// Makes an observer that takes conditions and constraints, like a system in a schedule.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::observer;
/// use ecs_core::world::hooks::Trigger;
///
/// struct Hit(i32);
///
/// #[system]
/// fn hurt(hit: Trigger<Hit>, mut health: ResMut<i32>) {
///     *health -= hit.0;
/// }
///
/// #[system]
/// fn armor(_: Trigger<Hit>, mut health: ResMut<i32>) {
///     *health += 1;
/// }
///
/// let mut world = World::new();
/// world.insert_resource(10_i32);
/// world.observe(observer(hurt).run_if(|health: Res<i32>| *health > 0));
/// world.observe(observer(armor).before(hurt));
/// world.trigger(Hit(11)); // armor, then hurt, to 0
/// world.trigger(Hit(11)); // armor, then hurt, to -10
/// world.trigger(Hit(11)); // armor alone
/// assert_eq!(*world.resource::<i32>(), -9);
/// ```
#[inline]
pub fn observer<M>(observer: impl IntoObserver<M>) -> ObserverConfig<M> {
    ObserverConfig {
        observer: observer.into_observer(),
        condition: None,
        of: core::marker::PhantomData,
    }
}

/// An observer with conditions and constraints; see [`observer`].
#[must_use = "does nothing until it is registered with a world"]
pub struct ObserverConfig<M> {
    observer: Observer,
    condition: Option<ConditionSource>,
    of: Invariant<M>,
}

impl<M> ObserverConfig<M> {
    /// Calls the observer only if the condition is true when the event is triggered. An observer with several conditions
    /// needs all of them to be true. Each call asks all of them, so their order makes no difference; their memory moves on
    /// when the observer is called.
    ///
    /// The condition is built when the observer is registered, which panics if the condition's parameters conflict or if the
    /// condition takes `&mut World`.
    #[inline]
    pub fn run_if<N, C>(mut self, condition: C) -> Self
    where
        C: IntoCondition<N, Out: ConditionOutput>,
    {
        self.condition = Some(match self.condition.take() {
            Some(first) => first.and(condition),
            None => condition.into_condition(),
        });
        self
    }

    /// Calls the observer before another one: a `#[system]` function that observes the same event. Both must be registered
    /// with the world, in any order, either both for all entities or both for one entity. Otherwise the constraint has no
    /// effect: observers of all entities are always called before the observers of one entity.
    #[inline]
    pub fn before<F, Ev, S: 'static, Out>(self, other: F) -> Self
    where
        F: IntoObserver<OfSystem<Ev, S, Out>>,
    {
        let _ = other;
        self.constrained(true, TypeId::of::<S>())
    }

    /// Calls the observer after another one; see [`before`](Self::before).
    #[inline]
    pub fn after<F, Ev, S: 'static, Out>(self, other: F) -> Self
    where
        F: IntoObserver<OfSystem<Ev, S, Out>>,
    {
        let _ = other;
        self.constrained(false, TypeId::of::<S>())
    }

    #[inline]
    fn constrained(mut self, is_before: bool, other: TypeId) -> Self {
        self.observer
            .constraints
            .push(ObserverConstraint { is_before, other });
        self
    }
}

/// Marks [`ObserverConfig`] in the `M` of [`IntoObserver`].
#[doc(hidden)]
pub struct Configured<M>(M);

#[diagnostic::do_not_recommend]
impl<M: OfTrigger> OfTrigger for Configured<M> {}

#[diagnostic::do_not_recommend]
impl<M> IntoObserver<Configured<M>> for ObserverConfig<M> {
    #[inline]
    fn into_observer(self) -> Observer {
        let Self {
            mut observer,
            condition,
            ..
        } = self;
        let Some(source) = condition else {
            return observer;
        };
        let event = observer.event;
        let source = Mutex::new(source);
        observer.has_condition = true;
        observer.complete = Some(Box::new(move |mut function, world| {
            let source = source.into_inner().unwrap_or_else(PoisonError::into_inner);
            // Never locked, like `source`: the mutex makes it `Sync`.
            let mut condition = Mutex::new(Some(ObserverCondition::new(source, world)));
            Box::new(move |mut call: Call<'_>, mut world: DeferredWorld<'_>| {
                let condition = condition.get_mut().unwrap_or_else(PoisonError::into_inner);
                let is_lent = lend_condition(&mut call, condition);
                let condition = condition.as_mut();
                if is_lent || condition.is_some_and(|it| holds(it, world.exclusive(), event)) {
                    function(call, world);
                }
            })
        }));
        observer
    }
}

/// Asks the condition, and defers its commands; they are dropped if it panics.
#[inline]
fn holds(condition: &mut ObserverCondition, world: &mut World, event: &str) -> bool {
    let condition = &mut condition.built;
    let result = alone(
        condition,
        world,
        // SAFETY: the world is borrowed exclusively, and no other system runs on it.
        |condition, world| unsafe { condition.run(world, ()) },
        |condition, queue| condition.flush(queue),
    );
    let runs = matches!(result, Ok(true));
    condition.settle(if runs { Turn::RAN } else { Turn::WAITED });
    result.unwrap_or_else(|error| failed(event, &format!("its condition: {error}")))
}

/// Returns true if the observer was called to lend its memory, and lends its condition.
#[cfg(feature = "snapshot")]
fn lend_condition(call: &mut Call<'_>, condition: &mut Option<ObserverCondition>) -> bool {
    let lent = call.event_mut::<LentStates>();
    lent.is_some_and(|lent| {
        core::mem::swap(&mut lent.condition, condition);
        true
    })
}

#[cfg(not(feature = "snapshot"))]
fn lend_condition(_: &mut Call<'_>, _: &mut Option<ObserverCondition>) -> bool {
    false
}
