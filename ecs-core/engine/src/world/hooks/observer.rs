//! Observers: functions that are registered with one world.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::any::TypeId;
use core::error::Error;
use core::fmt;
use core::hash::{Hash, Hasher};

use super::observed::{Call, Observed, ObservedSubject, Triggered, TriggeredMut};
use super::{DeferredWorld, OnComponent, Trigger, TriggerMut};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::meta::ParamInfo;
use crate::sync::{Mutex, PoisonError};
use crate::type_name::type_name;
use crate::world::{World, WorldId};

/// A function that [`World::observe`](crate::World::observe) can register. It is a `#[system]` function or a closure of
/// system parameters that takes a [`Trigger<E>`](Trigger), an [`OnAdd<T>`](super::OnAdd) or the like as first argument, a
/// function of such an event and a [`DeferredWorld`], or one of these with conditions and constraints
/// ([`observer`](crate::observer)).
///
/// `M` is inferred: it distinguishes the kinds of observers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an observer",
    label = "not an observer",
    note = "an observer is a `#[system]` function whose first parameter is its event, `fn on_hit(hit: Trigger<Hit>, mut health: CompMut<Health>)`, passed by name, or a closure like `|added: OnAdd<Health>, mut count: ResMut<Count>| ..` or `|hit: Trigger<Hit>, world: DeferredWorld| ..`; parameters need their types",
    note = "it takes no `&mut World`, but `Commands`, and no other ordinary arguments, and returns `()` or `Result<(), E>`",
    note = "`before` and `after` name a `#[system]` function, not a closure"
)]
pub trait IntoObserver<M> {
    #[doc(hidden)]
    fn into_observer(self) -> Observer;
}

/// An observer of triggered events, for registering on [one entity](crate::World::observe_on).
#[diagnostic::on_unimplemented(
    message = "this function does not observe a triggered event",
    label = "not an observer of a `Trigger`",
    note = "lifecycle events, `OnAdd` and the like, are observed for all entities: `world.observe(..)`"
)]
#[doc(hidden)]
pub trait OfTrigger {}

#[diagnostic::do_not_recommend]
impl<E> OfTrigger for fn(Trigger<'static, E>) {}

#[diagnostic::do_not_recommend]
impl<E> OfTrigger for fn(TriggerMut<'static, E>) {}

/// A function, its subject, and its place among the observers of the same subject.
#[doc(hidden)]
pub struct Observer {
    pub(crate) subject: ObservedSubject,
    /// The name of the event.
    pub(crate) event: &'static str,
    /// The name of the function.
    pub(crate) name: &'static str,
    /// The id of the function as a system, which constraints name.
    pub(crate) system: Option<TypeId>,
    pub(crate) constraints: Vec<ObserverConstraint>,
    /// The parameters of the system or closure.
    pub(crate) params: &'static [ParamInfo],
    pub(crate) function: Function,
    /// Makes the function that asks a condition before, when the observer is registered.
    pub(crate) complete: Option<Complete>,
    /// True if it has a condition.
    pub(crate) has_condition: bool,
    /// True if it is a closure that has captured values.
    pub(crate) captures: bool,
    /// The function, if copies of the observer call it too: an observer of an entity, of which a snapshot has a copy.
    pub(crate) shared: Option<Arc<Mutex<Function>>>,
}

/// The place of an observer relative to a system that observes the same subject.
#[derive(Clone)]
pub(crate) struct ObserverConstraint {
    /// True if the observer is called before the system, false if after it.
    pub(crate) is_before: bool,
    pub(crate) other: TypeId,
}

/// A type-erased observer.
pub(crate) type Function = Box<dyn FnMut(Call<'_>, DeferredWorld<'_>) + Send + Sync>;

/// Completes the function of an observer.
pub(crate) type Complete = Box<dyn FnOnce(Function, &mut World) -> Function + Send + Sync>;

impl Observer {
    /// Returns an observer that is not a system, and has no constraints.
    pub(crate) fn new<Ev: Observed>(name: &'static str, function: Function) -> Self {
        Self {
            subject: Ev::subject(),
            event: Ev::name(),
            name,
            system: None,
            constraints: Vec::new(),
            params: &[],
            function,
            complete: None,
            has_condition: false,
            captures: false,
            shared: None,
        }
    }

    /// Builds the condition of an observer that is being registered.
    #[inline]
    pub(super) fn completed(mut self, world: &mut World) -> Self {
        if let Some(complete) = self.complete.take() {
            self.function = complete(self.function, world);
        }
        self
    }

    /// Returns an observer with the same function, which copies of it call too.
    pub(crate) fn into_shared(mut self) -> Self {
        let shared = Arc::new(Mutex::new(self.function));
        self.function = call_shared(&shared);
        self.shared = Some(shared);
        self
    }

    /// Returns a copy, if the function is shared.
    pub(super) fn copy(&self) -> Option<Self> {
        let shared = self.shared.as_ref()?;
        Some(Self {
            function: call_shared(shared),
            complete: None,
            shared: Some(Arc::clone(shared)),
            constraints: self.constraints.clone(),
            ..*self
        })
    }
}

/// Returns a function that calls a shared one. No two calls are at the same time: each has its world for itself, and snapshots return
/// to their own world alone.
fn call_shared(shared: &Arc<Mutex<Function>>) -> Function {
    let shared = Arc::clone(shared);
    Box::new(move |call, world| {
        let function = shared.lock();
        let mut function = function.unwrap_or_else(PoisonError::into_inner);
        (*function)(call, world);
    })
}

impl<F, E: 'static> IntoObserver<fn(Trigger<'static, E>)> for F
where
    F: FnMut(Trigger<'_, E>, DeferredWorld<'_>) + Send + Sync + 'static,
{
    fn into_observer(self) -> Observer {
        of_function::<Triggered<E>, F>(self)
    }
}

impl<F, E: 'static> IntoObserver<fn(TriggerMut<'static, E>)> for F
where
    F: FnMut(TriggerMut<'_, E>, DeferredWorld<'_>) + Send + Sync + 'static,
{
    fn into_observer(self) -> Observer {
        of_function::<TriggeredMut<E>, F>(self)
    }
}

impl<F, L: OnComponent> IntoObserver<(L,)> for F
where
    F: FnMut(L, DeferredWorld<'_>) + Send + Sync + 'static,
{
    fn into_observer(self) -> Observer {
        of_function::<L, F>(self)
    }
}

/// Returns an observer that is a function of an event and the world.
fn of_function<Ev, F>(mut function: F) -> Observer
where
    Ev: Observed,
    F: for<'e> FnMut(Ev::Of<'e>, DeferredWorld<'_>) + Send + Sync + 'static,
{
    let observer = Box::new(move |call: Call<'_>, world: DeferredWorld<'_>| {
        if let Some(event) = Ev::receive(call) {
            function(event, world);
        }
    });
    Observer {
        captures: size_of::<F>() > 0,
        ..Observer::new::<Ev>(type_name::<F>(), observer)
    }
}

/// The error if observers wait for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ObserverCycle {
    /// The name of the event.
    pub event: &'static str,
    /// The names of the observers: each must be called before the next one, and the last one before the first.
    pub observers: Vec<&'static str>,
}

impl fmt::Display for ObserverCycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "observers of `{}` wait for each other: ", self.event)?;
        for name in &self.observers {
            write!(f, "`{name}` before ")?;
        }
        let first = self.observers.first().unwrap_or(&"");
        write!(f, "`{first}`; help: remove one of these constraints")
    }
}

impl Error for ObserverCycle {}

/// Identifies a registered observer; see [`World::unobserve`](crate::World::unobserve).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ObserverId {
    pub(super) world: WorldId,
    /// The number of the observer among all observers that were registered with the world, from 1.
    pub(super) number: u64,
    pub(super) subject: ObservedSubject,
    /// The entity whose events are observed; `None` for all entities.
    pub(super) entity: Option<Entity>,
}

impl ObserverId {
    /// Returns the entity whose events are observed; `None` for all entities.
    pub(super) fn entity(self) -> Option<Entity> {
        self.entity
    }

    /// Returns the observed component; `None` for an observer of events.
    pub(super) fn component(self) -> Option<ComponentId> {
        match self.subject {
            ObservedSubject::Component(index, _) => Some(ComponentId::from_index(index)),
            ObservedSubject::Event(_) => None,
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
