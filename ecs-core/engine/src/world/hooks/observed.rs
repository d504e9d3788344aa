//! The events that observers receive.

use core::any::{Any, TypeId};
use core::cell::Cell;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::Lifecycle;
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::type_name::type_name;

/// A [triggered](crate::World::trigger) event in the form that observers receive; derefs to the event. An observer that changes it
/// takes a [`TriggerMut`].
///
/// You can make one by hand, to call an observer in a test:
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::world::hooks::Trigger;
///
/// struct Hit(i32);
///
/// #[system]
/// fn count_damage(hit: Trigger<Hit>, mut damage: ResMut<i32>) {
///     *damage += hit.0;
/// }
///
/// let mut world = World::new();
/// world.insert_resource(0_i32);
/// count_damage(Trigger::new(&Hit(3)), &world);
/// assert_eq!(*world.resource::<i32>(), 3);
/// ```
pub struct Trigger<'e, E> {
    event: &'e E,
    path: EventPath<'e>,
}

/// A [`Trigger`] whose event the observer may change: the observers after it see the change, and
/// [`trigger`](crate::World::trigger) returns the event as the last one left it. Observers that take a `Trigger` and those that take
/// a `TriggerMut` of one event are called in one order.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::observer;
/// use ecs_core::world::hooks::{Trigger, TriggerMut};
///
/// #[derive(Component)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Armor(i32);
/// #[derive(Component)]
/// struct Ghost;
///
/// struct Hit {
///     damage: i32,
///     is_deadly: bool,
/// }
///
/// #[system]
/// fn pass_through(hit: Trigger<Hit>, ghosts: Comp<Ghost>) {
///     if ghosts.contains(hit.entity()) {
///         hit.stop_all();
///     }
/// }
///
/// #[system]
/// fn absorb(mut hit: TriggerMut<Hit>, armors: Comp<Armor>) {
///     if let Some(armor) = armors.get(hit.entity()) {
///         hit.damage = (hit.damage - armor.0).max(0);
///     }
/// }
///
/// #[system]
/// fn hurt(mut hit: TriggerMut<Hit>, mut healths: CompMut<Health>) {
///     let health = healths.get_mut(hit.entity()).unwrap();
///     health.0 -= hit.damage;
///     hit.is_deadly = health.0 <= 0;
/// }
///
/// let mut world = World::new();
/// world.observe(hurt);
/// world.observe(observer(absorb).before(hurt));
/// world.observe(observer(pass_through).before(absorb));
/// let hit = |world: &mut World, who| world.trigger_on(who, Hit { damage: 5, is_deadly: false }).unwrap();
///
/// let knight = world.spawn((Health(4), Armor(2)));
/// assert_eq!(hit(&mut world, knight).damage, 3);
/// assert!(hit(&mut world, knight).is_deadly);
/// let ghost = world.spawn((Health(1), Ghost));
/// assert!(!hit(&mut world, ghost).is_deadly);
/// ```
pub struct TriggerMut<'e, E> {
    event: &'e mut E,
    path: EventPath<'e>,
}

/// The entities of an event, and the observers that it reaches.
#[derive(Clone, Copy)]
pub(super) struct EventPath<'e> {
    pub(super) target: Option<Entity>,
    /// The entity that the event was triggered on.
    pub(super) origin: Option<Entity>,
    /// `None` if the event was made by hand: no other observer gets it.
    pub(super) stopped: Option<&'e Cell<Stopped>>,
}

impl EventPath<'_> {
    pub(super) const NONE: Self = Self {
        target: None,
        origin: None,
        stopped: None,
    };

    fn on(entity: Entity) -> Self {
        Self {
            target: Some(entity),
            origin: Some(entity),
            stopped: None,
        }
    }

    fn stop(self, whom: Stopped) {
        if let Some(stopped) = self.stopped {
            stopped.set(stopped.get().max(whom));
        }
    }
}

/// The arguments of a call of observers, the same for all observers of an event.
#[doc(hidden)]
pub struct Call<'e> {
    pub(super) event: &'e mut dyn Any,
    pub(super) path: EventPath<'e>,
}

impl Call<'_> {
    /// Returns the arguments for one observer.
    pub(crate) fn reborrow(&mut self) -> Call<'_> {
        Call {
            event: &mut *self.event,
            path: self.path,
        }
    }

    /// Returns the event, if it is of this type.
    #[cfg(feature = "snapshot")]
    pub(crate) fn event_mut<E: 'static>(&mut self) -> Option<&mut E> {
        self.event.downcast_mut()
    }
}

/// The observers that an event no longer reaches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stopped {
    No,
    Ancestors,
    All,
}

macro_rules! trigger_methods {
    ($name:ident<$e:lifetime, $type:ident>, $event:ty) => {
        impl<$e, $type> $name<$e, $type> {
            /// Makes an event without an entity, to call an observer by hand.
            #[must_use]
            pub fn new(event: $event) -> Self {
                Self { event, path: EventPath::NONE }
            }

            /// Makes an event on an entity, to call an observer by hand.
            #[must_use]
            pub fn on(entity: Entity, event: $event) -> Self {
                Self { event, path: EventPath::on(entity) }
            }

            /// Returns the entity of the event.
            ///
            /// # Panics
            /// If the event was triggered without an entity; see [`target`](Self::target).
            #[track_caller]
            #[must_use]
            pub fn entity(&self) -> Entity {
                let Some(entity) = self.path.target else {
                    panic!(
                        "the event `{}` was triggered without an entity; help: use `trigger_on`, or call `target` instead of `entity`",
                        type_name::<$type>()
                    )
                };
                entity
            }

            /// Returns the entity of the event, if it was triggered [on one](crate::World::trigger_on).
            #[must_use]
            pub fn target(&self) -> Option<Entity> {
                self.path.target
            }

            /// Returns the entity that the event was triggered on. [`target`](Self::target) is the same entity, or an ancestor that
            /// the event has [propagated](crate::World::trigger_up) to.
            #[must_use]
            pub fn origin(&self) -> Option<Entity> {
                self.path.origin
            }

            /// Stops the [propagation](crate::World::trigger_up) of the event. Other observers of this entity are still called.
            pub fn stop(&self) {
                self.path.stop(Stopped::Ancestors);
            }

            /// Ends the event: no further observer is called, neither of this entity nor of others.
            #[doc(alias = "consume")]
            #[doc(alias = "cancel")]
            pub fn stop_all(&self) {
                self.path.stop(Stopped::All);
            }
        }

        impl<$type> Deref for $name<'_, $type> {
            type Target = $type;

            fn deref(&self) -> &$type {
                self.event
            }
        }

        impl<$type: fmt::Debug> fmt::Debug for $name<'_, $type> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("event", &self.event)
                    .field("target", &self.path.target)
                    .finish()
            }
        }
    };
}

trigger_methods!(Trigger<'e, E>, &'e E);
trigger_methods!(TriggerMut<'e, E>, &'e mut E);

impl<E> Clone for Trigger<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Trigger<'_, E> {}

impl<E> DerefMut for TriggerMut<'_, E> {
    fn deref_mut(&mut self) -> &mut E {
        self.event
    }
}

/// A lifecycle event of a component in the form that observers receive: [`OnAdd`] and the like.
pub trait OnComponent: LifecycleEvent {
    /// The component.
    type Component: Component;
    /// The kind of event.
    const KIND: Lifecycle;
    #[doc(hidden)]
    fn of(entity: Entity) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

/// A lifecycle event of any type, a component or not.
#[doc(hidden)]
pub trait LifecycleEvent: sealed::Sealed + 'static {}

macro_rules! on_component {
    ($($name:ident $kind:ident, $when:literal;)*) => {$(
        #[doc = concat!("The event whose observers are called ", $when, "; see [`world::hooks`](crate::world::hooks).")]
        pub struct $name<T> {
            entity: Entity,
            of: Invariant<T>,
        }

        impl<T> $name<T> {
            /// Makes the event, to call an observer by hand.
            #[must_use]
            pub fn new(entity: Entity) -> Self {
                Self { entity, of: PhantomData }
            }

            /// Returns the entity.
            #[must_use]
            pub fn entity(&self) -> Entity {
                self.entity
            }
        }

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T> sealed::Sealed for $name<T> {}

        impl<T: 'static> LifecycleEvent for $name<T> {}

        impl<T: Component> OnComponent for $name<T> {
            type Component = T;
            const KIND: Lifecycle = Lifecycle::$kind;

            fn of(entity: Entity) -> Self {
                Self::new(entity)
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.entity).finish()
            }
        }
    )*};
}

on_component! {
    OnAdd Add, "after an entity without the component got it";
    OnInsert Insert, "after a value was inserted, with or without a previous one";
    OnReplace Replace, "before the value is replaced by another one";
    OnRemove Remove, "before the component is removed from an entity";
    OnDespawn Despawn, "before an entity with the component is despawned";
}

/// The subject of an observer: a lifecycle event of a component, or a type of events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[doc(hidden)]
pub enum ObservedSubject {
    /// The component's index, and the event.
    Component(usize, Lifecycle),
    /// A type of events.
    Event(TypeId),
}

/// The first argument of an observer. [`Triggered<E>`] represents a [`Trigger<E>`](Trigger) of any lifetime; a lifecycle
/// event represents itself.
#[doc(hidden)]
pub trait Observed: 'static {
    /// The argument.
    type Of<'e>;

    /// Returns the subject.
    fn subject() -> ObservedSubject;

    /// Returns the name of the event.
    fn name() -> &'static str;

    /// Returns the argument of a call; `None` if the call has another subject.
    fn receive(call: Call<'_>) -> Option<Self::Of<'_>>;
}

/// Represents a [`Trigger<E>`](Trigger) of any lifetime.
#[doc(hidden)]
pub struct Triggered<E>(Invariant<E>);

impl<E: 'static> Observed for Triggered<E> {
    type Of<'e> = Trigger<'e, E>;

    fn subject() -> ObservedSubject {
        refuse_lifecycle_event(type_name::<E>());
        ObservedSubject::Event(TypeId::of::<E>())
    }

    fn name() -> &'static str {
        type_name::<E>()
    }

    fn receive(call: Call<'_>) -> Option<Trigger<'_, E>> {
        Some(Trigger {
            event: call.event.downcast_ref()?,
            path: call.path,
        })
    }
}

/// Represents a [`TriggerMut<E>`](TriggerMut) of any lifetime.
#[doc(hidden)]
pub struct TriggeredMut<E>(Invariant<E>);

impl<E: 'static> Observed for TriggeredMut<E> {
    type Of<'e> = TriggerMut<'e, E>;

    fn subject() -> ObservedSubject {
        Triggered::<E>::subject()
    }

    fn name() -> &'static str {
        type_name::<E>()
    }

    fn receive(call: Call<'_>) -> Option<TriggerMut<'_, E>> {
        Some(TriggerMut {
            event: call.event.downcast_mut()?,
            path: call.path,
        })
    }
}

/// Represents a lifecycle event `L` of a type that is not a component, which the system of the observer reports.
#[doc(hidden)]
pub struct Unobserved<L>(Invariant<L>);

impl<L: LifecycleEvent> Observed for Unobserved<L> {
    type Of<'e> = L;

    fn subject() -> ObservedSubject {
        ObservedSubject::Event(TypeId::of::<L>())
    }

    fn name() -> &'static str {
        type_name::<L>()
    }

    fn receive(_: Call<'_>) -> Option<L> {
        None
    }
}

/// Panics if `name` is a lifecycle event, because user code cannot trigger those. The names of user types have a path.
#[track_caller]
fn refuse_lifecycle_event(name: &str) {
    let kinds = [
        "OnAdd<",
        "OnInsert<",
        "OnReplace<",
        "OnRemove<",
        "OnDespawn<",
    ];
    assert!(
        !kinds.iter().any(|kind| name.starts_with(kind)),
        "an observer of `Trigger<{name}>` would never be called; help: take `{name}` itself, not in a `Trigger`"
    );
}

impl<L: OnComponent> Observed for L {
    type Of<'e> = L;

    fn subject() -> ObservedSubject {
        ObservedSubject::Component(ComponentId::of::<L::Component>().index(), L::KIND)
    }

    fn name() -> &'static str {
        type_name::<L>()
    }

    fn receive(call: Call<'_>) -> Option<L> {
        call.path.target.map(L::of)
    }
}
