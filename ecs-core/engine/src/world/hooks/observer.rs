//! Observers: functions that are registered with one world.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::cell::Cell;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::ops::Deref;

use super::{DeferredWorld, Lifecycle};
use crate::component::{Component, ComponentId, LifecycleSet};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::sort::sort_short;
use crate::type_name::type_name;
use crate::world::WorldId;

/// A [triggered](crate::World::trigger) event, as passed to observers; derefs to the event.
pub struct Trigger<'e, E> {
    event: &'e E,
    call: Call<'e>,
}

/// The arguments of a call of observers, the same for all of an event.
#[derive(Clone, Copy)]
pub(super) struct Call<'e> {
    pub(super) event: &'e dyn Any,
    pub(super) target: Option<Entity>,
    /// The entity that the event was triggered on.
    pub(super) origin: Option<Entity>,
    pub(super) stopped: &'e Cell<bool>,
}

impl<E> Trigger<'_, E> {
    /// Returns the entity that the event is about.
    ///
    /// # Panics
    /// If the event was triggered without an entity; see [`target`](Self::target).
    #[track_caller]
    #[must_use]
    pub fn entity(&self) -> Entity {
        let Some(entity) = self.call.target else {
            panic!(
                "the event `{}` was triggered without an entity\nhelp: use `trigger_on`, or call `target` instead of `entity`",
                type_name::<E>()
            )
        };
        entity
    }

    /// Returns the entity that the event is about, if it was triggered [on one](crate::World::trigger_on).
    #[must_use]
    pub fn target(&self) -> Option<Entity> {
        self.call.target
    }

    /// Returns the entity that the event was triggered on. [`target`](Self::target) is the same entity, or an ancestor of it
    /// to which the event has [propagated](crate::World::trigger_up).
    #[must_use]
    pub fn origin(&self) -> Option<Entity> {
        self.call.origin
    }

    /// Stops the [propagation](crate::World::trigger_up) of the event. Other observers of this entity are still called.
    pub fn stop(&self) {
        self.call.stopped.set(true);
    }
}

impl<E> Deref for Trigger<'_, E> {
    type Target = E;

    fn deref(&self) -> &E {
        self.event
    }
}

impl<E: fmt::Debug> fmt::Debug for Trigger<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trigger")
            .field("event", &self.event)
            .field("target", &self.call.target)
            .finish()
    }
}

/// A lifecycle event of a component, as passed to observers: [`OnAdd`] and the like.
pub trait OnComponent: sealed::Sealed {
    /// The component.
    type Component: Component;
    /// The kind of event.
    const KIND: Lifecycle;
    #[doc(hidden)]
    fn new(entity: Entity) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! on_component {
    ($($name:ident $kind:ident, $when:literal;)*) => {$(
        #[doc = concat!("The event whose observers are called ", $when, "; see [`world::hooks`](crate::world::hooks).")]
        pub struct $name<T> {
            entity: Entity,
            of: Invariant<T>,
        }

        impl<T> $name<T> {
            /// Returns the entity.
            #[must_use]
            pub fn entity(&self) -> Entity {
                self.entity
            }
        }

        impl<T> sealed::Sealed for $name<T> {}

        impl<T: Component> OnComponent for $name<T> {
            type Component = T;
            const KIND: Lifecycle = Lifecycle::$kind;

            fn new(entity: Entity) -> Self {
                Self { entity, of: PhantomData }
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

/// A function that can be registered by [`World::observe`](crate::World::observe). Its parameters are a
/// [`Trigger<E>`](Trigger), or an [`OnAdd<T>`](OnAdd) or the like, and a [`DeferredWorld`].
///
/// `M` is inferred: it distinguishes the kinds of observers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer",
    label = "not an observer",
    note = "an observer is a function like `|hit: Trigger<Hit>, world: DeferredWorld| ..` or `|added: OnAdd<Health>, world: DeferredWorld| ..`; parameters need their types"
)]
pub trait IntoObserver<M> {
    #[doc(hidden)]
    fn into_observer(self) -> Observer;
}

/// A function, and the subject that it observes.
#[doc(hidden)]
pub struct Observer {
    subject: Subject,
    function: Function,
}

/// The subject of an observer: a lifecycle event of a component, or a type of events.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// The component's index, and the event.
    Component(usize, Lifecycle),
    Event(TypeId),
}

type Function = Box<dyn FnMut(Call<'_>, DeferredWorld<'_>) + Send + Sync>;

impl<F, E: 'static> IntoObserver<fn(Trigger<'static, E>)> for F
where
    F: FnMut(Trigger<'_, E>, DeferredWorld<'_>) + Send + Sync + 'static,
{
    fn into_observer(mut self) -> Observer {
        Observer {
            subject: Subject::Event(TypeId::of::<E>()),
            function: Box::new(move |call, world| {
                if let Some(event) = call.event.downcast_ref() {
                    self(Trigger { event, call }, world);
                }
            }),
        }
    }
}

impl<F, L: OnComponent> IntoObserver<(L,)> for F
where
    F: FnMut(L, DeferredWorld<'_>) + Send + Sync + 'static,
{
    fn into_observer(mut self) -> Observer {
        Observer {
            subject: Subject::Component(ComponentId::of::<L::Component>().index(), L::KIND),
            function: Box::new(move |call, world| {
                if let Some(entity) = call.target {
                    self(L::new(entity), world);
                }
            }),
        }
    }
}

/// Identifies a registered observer; see [`World::unobserve`](crate::World::unobserve).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ObserverId {
    world: WorldId,
    /// The number of the observer among all that were registered with the world, from 1.
    number: u64,
    subject: Subject,
    /// The entity whose events are observed; `None` for all entities.
    entity: Option<Entity>,
}

impl ObserverId {
    /// Returns the entity whose events are observed; `None` for all entities.
    pub(super) fn entity(self) -> Option<Entity> {
        self.entity
    }

    /// Returns the observed component; `None` for an observer of events.
    pub(super) fn component(self) -> Option<ComponentId> {
        match self.subject {
            Subject::Component(index, _) => Some(ComponentId::from_index(index)),
            Subject::Event(_) => None,
        }
    }
}

impl Hash for ObserverId {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl fmt::Debug for ObserverId {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObserverId").field(&self.number).finish()
    }
}

/// The observers of a world or of an entity.
#[derive(Default)]
pub(crate) struct Observers {
    /// Sorted by subject. Each list is in the order of registration and not empty.
    by_subject: Vec<(Subject, Vec<(ObserverId, Function)>)>,
}

impl Observers {
    /// Adds an observer, which has this number in this world.
    pub(super) fn add(
        &mut self,
        (world, number): (WorldId, u64),
        entity: Option<Entity>,
        observer: Observer,
    ) -> ObserverId {
        let Observer { subject, function } = observer;
        let id = ObserverId {
            world,
            number,
            subject,
            entity,
        };
        match self.find(subject) {
            Ok(found) => self.by_subject[found].1.push((id, function)),
            Err(place) => {
                let list = vec![(id, function)];
                self.by_subject.insert(place, (subject, list));
            }
        }
        id
    }

    /// Removes an observer and returns its function, to be dropped once the world is consistent.
    pub(super) fn remove(&mut self, id: ObserverId) -> Option<Function> {
        let found = self.find(id.subject).ok()?;
        let list = &mut self.by_subject[found].1;
        let position = list.iter().position(|(other, _)| *other == id)?;
        let (_, function) = list.remove(position);
        if list.is_empty() {
            self.by_subject.remove(found);
        }
        Some(function)
    }

    /// Returns the index of a subject's observers, or the index at which to insert them.
    fn find(&self, subject: Subject) -> Result<usize, usize> {
        self.by_subject
            .binary_search_by(|(other, _)| other.cmp(&subject))
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.by_subject.is_empty()
    }

    /// Returns the observed lifecycle events of a component.
    pub(super) fn observed(&self, component: ComponentId) -> LifecycleSet {
        let mut observed = LifecycleSet::NOTHING;
        for kind in Lifecycle::ALL {
            if self
                .find(Subject::Component(component.index(), kind))
                .is_ok()
            {
                observed = observed.and(LifecycleSet::of(kind));
            }
        }
        observed
    }

    /// Returns the observers of a lifecycle event of a component.
    pub(super) fn of_component(
        &mut self,
        component: ComponentId,
        kind: Lifecycle,
    ) -> impl Iterator<Item = &mut Function> {
        self.of(Subject::Component(component.index(), kind))
    }

    /// Returns the observers of a type of events.
    pub(super) fn of_event(&mut self, event: TypeId) -> impl Iterator<Item = &mut Function> {
        self.of(Subject::Event(event))
    }

    fn of(&mut self, subject: Subject) -> impl Iterator<Item = &mut Function> {
        let list = match self.find(subject) {
            Ok(found) => &mut self.by_subject[found].1[..],
            Err(_) => &mut [],
        };
        list.iter_mut().map(|(_, function)| function)
    }
}

impl Drop for Observers {
    /// Drops the functions in the order of registration.
    fn drop(&mut self) {
        let mut all: Vec<(ObserverId, Function)> = Vec::new();
        for (_, list) in &mut self.by_subject {
            all.append(list);
        }
        sort_short(&mut all, |(id, _)| id.number);
    }
}
