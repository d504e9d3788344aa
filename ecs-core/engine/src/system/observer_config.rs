//! Conditions and constraints of observers.

use alloc::boxed::Box;
use core::any::TypeId;

use super::condition::{BoxCondition, ConditionOutput, ConditionSource, IntoCondition};
use super::observer::{OfSystem, failed};
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
    /// The first call builds the condition. It panics if the condition's parameters conflict or if the condition takes
    /// `&mut World`.
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
        let mut condition = ObserverCondition::new(source);
        let (mut function, event) = (observer.function, observer.event);
        observer.function = Box::new(move |call: Call<'_>, mut world: DeferredWorld<'_>| {
            if condition.holds(world.exclusive(), event) {
                function(call, world);
            }
        });
        observer
    }
}

/// The condition of an observer, built by the first call.
struct ObserverCondition {
    source: Mutex<Option<ConditionSource>>,
    /// Never locked, like `source`: the mutex makes it `Sync`. `None` if building it panicked.
    built: Mutex<Option<BoxCondition>>,
}

impl ObserverCondition {
    #[inline]
    fn new(source: ConditionSource) -> Self {
        Self {
            source: Mutex::new(Some(source)),
            built: Mutex::new(None),
        }
    }

    /// Evaluates the condition, and defers its commands; they are dropped if it panics.
    #[inline]
    fn holds(&mut self, world: &mut World, event: &str) -> bool {
        let source = self
            .source
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        let built = self.built.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(source) = source.take() {
            *built = Some(source.build(world));
        }
        let Some(condition) = built else {
            failed(
                event,
                &"its condition could not be built, which panicked before",
            );
        };
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
}
