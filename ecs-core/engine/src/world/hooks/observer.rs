//! Observers: functions that one world calls, while they are registered.

use core::any::{Any, TypeId, type_name};
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
use crate::world::WorldId;

/// An event that was [triggered](crate::World::trigger), as observers get it; derefs to it.
pub struct Trigger<'e, E> {
    event: &'e E,
    call: Call<'e>,
}

/// What all observers of an event are given.
#[derive(Clone, Copy)]
pub(super) struct Call<'e> {
    pub(super) event: &'e dyn Any,
    pub(super) target: Option<Entity>,
    /// The entity that the event was about at first.
    pub(super) origin: Option<Entity>,
    pub(super) stopped: &'e Cell<bool>,
}

impl<E> Trigger<'_, E> {
    /// The entity that the event is about.
    ///
    /// # Panics
    /// If it was triggered without one; see [`target`](Self::target).
    #[track_caller]
    #[must_use]
    pub fn entity(&self) -> Entity {
        let Some(entity) = self.call.target else {
            panic!(
                "the event `{}` was triggered without an entity; use `trigger_on`, or ask for `target`",
                type_name::<E>()
            )
        };
        entity
    }

    /// The entity that the event is about, if it was triggered [on one](crate::World::trigger_on).
    #[must_use]
    pub fn target(&self) -> Option<Entity> {
        self.call.target
    }

    /// The entity that the event was triggered on, of which [`target`](Self::target) is an ancestor if the event
    /// [has come up](crate::World::trigger_up) to it, and the same one if not.
    #[must_use]
    pub fn origin(&self) -> Option<Entity> {
        self.call.origin
    }

    /// Lets the event [go no further up](crate::World::trigger_up). Other observers of this entity are called even so.
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

/// What can happen to a component, as observers get it: [`OnAdd`] and the like.
pub trait OnComponent: sealed::Sealed {
    /// The component.
    type Component: Component;
    /// What happens.
    const KIND: Lifecycle;
    #[doc(hidden)]
    fn new(entity: Entity) -> Self;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! on_component {
    ($($name:ident $kind:ident, $when:literal;)*) => {$(
        #[doc = concat!("Observers of it are called ", $when, "; when exactly, stands in [`world::hooks`](crate::world::hooks).")]
        pub struct $name<T> {
            entity: Entity,
            of: Invariant<T>,
        }

        impl<T> $name<T> {
            /// The entity.
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
    OnAdd Add, "after an entity got the component, which it did not have";
    OnInsert Insert, "after a value was put in, the first one or another";
    OnReplace Replace, "before another value takes the place of this one";
    OnRemove Remove, "before the component leaves an entity";
    OnDespawn Despawn, "before an entity with the component is despawned";
}

/// A function that [`World::observe`](crate::World::observe) takes: one of [`Trigger<E>`](Trigger) or of [`OnAdd<T>`](OnAdd)
/// and the like, and of a [`DeferredWorld`].
///
/// `M` is inferred: it tells the kinds of observers apart.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer",
    label = "not an observer",
    note = "an observer is a function like `|hit: Trigger<Hit>, world: DeferredWorld| ..` or `|added: OnAdd<Health>, world: DeferredWorld| ..`; parameters need their types"
)]
pub trait IntoObserver<M> {
    #[doc(hidden)]
    fn into_observer(self) -> Observer;
}

/// What is observed, and by whom.
#[doc(hidden)]
pub struct Observer {
    subject: Subject,
    function: Function,
}

/// What is observed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    /// By index.
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

/// A registered observer; for [`World::unobserve`](crate::World::unobserve).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ObserverId {
    world: WorldId,
    /// How many observers were registered with the world before.
    number: u64,
    subject: Subject,
    /// The one entity whose events it observes.
    entity: Option<Entity>,
}

impl ObserverId {
    /// The one entity whose events are observed.
    pub(super) fn entity(self) -> Option<Entity> {
        self.entity
    }

    /// The component that is observed.
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

/// The observers of a world, or of an entity.
#[derive(Default)]
pub(crate) struct Observers {
    /// Sorted by subject. Those of one are in the order in which they were registered; no list is empty.
    by_subject: Vec<(Subject, Vec<(ObserverId, Function)>)>,
}

impl Observers {
    /// Adds an observer, which is the one of that number in its world.
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

    /// Hands back the function of an observer, to be dropped when all books are in order.
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

    /// Where the observers of something are, or would be.
    fn find(&self, subject: Subject) -> Result<usize, usize> {
        self.by_subject
            .binary_search_by(|(other, _)| other.cmp(&subject))
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.by_subject.is_empty()
    }

    /// What of a component is observed.
    pub(super) fn watch(&self, component: ComponentId) -> LifecycleSet {
        let mut watch = LifecycleSet::NOTHING;
        for kind in Lifecycle::ALL {
            if self
                .find(Subject::Component(component.index(), kind))
                .is_ok()
            {
                watch = watch.and(LifecycleSet::of(kind));
            }
        }
        watch
    }

    /// Those of something that happens to a component.
    pub(super) fn of_component(
        &mut self,
        component: ComponentId,
        kind: Lifecycle,
    ) -> impl Iterator<Item = &mut Function> {
        self.of(Subject::Component(component.index(), kind))
    }

    /// Those of an event.
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
    /// In the order in which they were registered.
    fn drop(&mut self) {
        let mut all: Vec<(ObserverId, Function)> = Vec::new();
        for (_, list) in &mut self.by_subject {
            all.append(list);
        }
        sort_short(&mut all, |(id, _)| id.number);
    }
}
