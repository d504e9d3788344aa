//! Hooks and observers: functions that a world calls when a component is inserted into an entity or removed from it.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::world::hooks::DeferredWorld;
//!
//! /// An index of the entities by name, always up to date.
//! #[derive(Resource, Default)]
//! struct ByName(std::collections::HashMap<String, Entity>);
//!
//! #[derive(Component)]
//! #[component(on_insert = Name::enter, on_replace = Name::leave, on_remove = Name::leave)]
//! struct Name(String);
//!
//! impl Name {
//!     fn enter(world: DeferredWorld, entity: Entity) {
//!         let name = world.get::<Name>(entity).unwrap();
//!         world.resource_mut::<ByName>().0.insert(name.0.clone(), entity);
//!     }
//!
//!     fn leave(world: DeferredWorld, entity: Entity) {
//!         let name = world.get::<Name>(entity).unwrap();
//!         world.resource_mut::<ByName>().0.remove(&name.0);
//!     }
//! }
//!
//! let mut world = World::new();
//! world.insert_resource(ByName::default());
//! let bob = world.spawn(Name("Bob".into()));
//! world.insert(bob, Name("Rob".into()))?;
//! assert_eq!(world.resource::<ByName>().0.get("Rob"), Some(&bob));
//! world.despawn(bob)?;
//! assert!(world.resource::<ByName>().0.is_empty());
//! # Ok::<(), ecs_core::world::NoSuchEntity>(())
//! ```
//!
//! A **hook** is part of the component type and applies in every world. It is a `fn(DeferredWorld, Entity)`.
//!
//! An **observer** is registered with one world at run time, by [`World::observe`]. It is a `#[system]` function or a
//! closure of system parameters that takes its event as first argument, or a function of the event and a [`DeferredWorld`].
//! The event is an [`OnAdd<T>`](OnAdd), [`OnInsert`], [`OnReplace`], [`OnRemove`] or [`OnDespawn`], or a
//! [`Trigger<E>`](Trigger) for custom events, which [`World::trigger`] and [`World::trigger_on`] send. An event can have any
//! number of observers, and they can be [unregistered](World::unobserve). Events that are triggered on an entity can also be
//! observed on that entity alone ([`World::observe_on`]), and can propagate [up](World::trigger_up) from a node of a tree to
//! its root.
//!
//! # Observers that are systems
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::observer;
//! use ecs_core::world::hooks::Trigger;
//!
//! #[derive(Component)]
//! struct Health(i32);
//! struct Hit(i32);
//!
//! #[system]
//! fn on_hit(hit: Trigger<Hit>, mut health: CompMut<Health>, mut commands: Commands) {
//!     let Some(health) = health.get_mut(hit.entity()) else { return };
//!     health.0 -= hit.0;
//!     if health.0 <= 0 {
//!         commands.despawn(hit.entity());
//!     }
//! }
//!
//! let mut world = World::new();
//! world.observe(on_hit);
//! world.observe(observer(|_: Trigger<Hit>, mut hits: ResMut<u32>| *hits += 1).after(on_hit));
//! world.insert_resource(0_u32);
//! let rat = world.spawn(Health(3));
//! world.trigger_on(rat, Hit(5))?;
//! assert!(!world.contains(rat));
//! # Ok::<(), ecs_core::world::NoSuchEntity>(())
//! ```
//!
//! All parameters of systems work, except `&mut World`. Each registration has its own state ([`Local`](crate::Local), the
//! position of readers), which its first call creates. After a call that panics, the state starts anew.
//! [`observer`](crate::observer) adds conditions and constraints to an observer.
//!
//! If a call is impossible or fails, it panics, because no caller could receive an error. A call is impossible if a
//! parameter cannot be locked, for example because a resource is missing. It fails if the system returns an error. The
//! message names event, system and parameter. If parameters of one observer conflict, that is the same compile error as for
//! any system. Two observers, or an observer and a system of a schedule, cannot conflict: a structural change or a trigger
//! has the world exclusively, and calls observers one at a time. Views that insert immediate components call none.
//!
//! # When they run
//! | hook, observer of | runs | value at that time |
//! |---|---|---|
//! | `on_add`, `OnAdd` | after an entity without the component got it | the new one |
//! | `on_insert`, `OnInsert` | after a value was inserted, with or without a previous one; after `on_add` | the new one |
//! | `on_replace`, `OnReplace` | before the value is replaced by another one | the old one |
//! | `on_despawn`, `OnDespawn` | before an entity with the component is despawned; before `on_remove` | the old one |
//! | `on_remove`, `OnRemove` | before the component is removed, or the entity despawned | the old one |
//!
//! All structural changes of a [`World`] call hooks: single or bulk changes, direct or [queued](CommandQueue), of table and
//! sparse components. Writing through a reference, dropping the world, and closed worlds call none. Neither do
//! snapshots, and differences unless you ask for it: they restore a state that contains the work of hooks.
//!
//! Hooks and observers follow the same rules; below, "hook" means both.
//!
//! 1. **A hook sees a consistent world.** A hook that runs after a change finds all of it done: every component of the
//!    bundle is present, replaced values are dropped. A hook that runs before a change finds none of it done. No user code
//!    runs in between.
//! 2. **A hook changes values, not structure.** It gets a [`DeferredWorld`], which reads and writes all data and queues
//!    commands, but makes no structural changes. So a hook never finds its entity despawned and is never called inside
//!    another hook. Commands register, unregister and trigger observers, between two changes. The one exception is rule 7.
//! 3. **Order.** Component by component, in the order of the bundle, followed by the components that these
//!    [require](crate::component::Required). For a despawned entity, table components come before sparse ones, both in the
//!    [order of registration](crate::World#order). After a change, the hooks of all components run first, then the
//!    observers. Before a change, observers run first, so they always see the data that hooks maintain. Observers of one
//!    event are called in the order of registration, changed as little as
//!    [constraints](crate::system::ObserverConfig::before) require: the next one is always the first registered one that
//!    waits for no other. A change of many entities proceeds entity by entity.
//! 4. **Commands that hooks queue are applied at the end of the structural change**, in the order they were queued,
//!    before the change returns. Hooks of these commands may queue more. Those are applied directly after the command that
//!    caused them, before the next one, as by [`CommandQueue::apply`]. A change inside a command leaves them to the queue,
//!    which applies them when the command is done. Commands that were pending in the world before stay pending.
//!
//!    So a hook's command can despawn an entity before the call that spawned it returns. Its id is then invalid, like the id
//!    of any despawned entity. Later commands do not treat that as an error.
//! 5. **Endless chains panic.** After a chain of 65,536 commands, each queued by a hook of the previous one, the next
//!    command panics with the name of the component or event. Nothing recurses, so the stack does not overflow.
//! 6. **A panic in a hook** leaves the world consistent, and every value is dropped once. A panic before the change cancels
//!    it: nothing is removed, and the values to be inserted are dropped. A panic after the change does not undo it. The
//!    remaining hooks of the change are not called, and the commands that its hooks queued are dropped. If the change has
//!    already reached other entities, they stay changed. The same holds if an iterator or a `Drop` that the change calls
//!    panics. [Required](crate::component::Required) components are constructed after the hooks that run before the change:
//!    if a constructor panics, `on_replace` was called and nothing is replaced.
//! 7. **A hook may insert and remove immediate components.** A view inserts and removes [them](crate::ImmediateComponent)
//!    immediately, even in a hook. So a structural change looks up the components again after the hooks that run before it:
//!    * removing and despawning include components that a hook has inserted, and inserting replaces them;
//!    * inserting adds a value that a hook has removed, and the required components that are missing at that time;
//!    * [`take`](World::take) returns an error if a component is missing, and takes nothing;
//!    * [`replace`](World::replace) inserts if the value is missing, and returns `None`.
//!
//!    The entities of a bulk change are determined before its first hook. A hook of an immediate component is called only
//!    while the entity has it: not for a value that an earlier hook of the same change has removed. If a change replaces or
//!    removes a value that one of its hooks has inserted, no hook is called for that value, because views call none.

#[cfg(feature = "data")]
mod announce;
mod deferred;
#[cfg(test)]
mod entity_observer_tests;
mod entity_observers;
#[cfg(feature = "snapshot")]
mod lend;
mod lifecycle_events;
mod notify;
mod observed;
mod observer;
mod observer_list;
#[cfg(test)]
mod observer_tests;
mod observers;
mod structural_change;
#[cfg(test)]
mod tests;
mod world_observe;

pub use deferred::DeferredWorld;
pub(super) use lifecycle_events::{NotedEvent, note_added, note_inserted, note_present};
#[doc(hidden)]
pub use observed::{Call, LifecycleEvent, Observed, Triggered, TriggeredMut, Unobserved};
pub use observed::{
    OnAdd, OnComponent, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger, TriggerMut,
};
pub(crate) use observer::ObserverConstraint;
pub use observer::{IntoObserver, ObserverCycle, ObserverId};
#[doc(hidden)]
pub use observer::{Observer, OfTrigger};
pub use observer_list::ListedObserver;
pub(super) use observers::Observers;
pub(super) use structural_change::{HookNesting, StructuralChange};

pub use crate::component::{Hooks, Lifecycle};

use crate::component::ErasedFn;
use crate::entity::Entity;
#[cfg(doc)]
use crate::world::{CommandQueue, World};

/// The signature of a hook, which attributes such as `#[component(on_add = ..)]` take.
pub type Hook = fn(DeferredWorld<'_>, Entity);

macro_rules! builders {
    ($($name:ident $kind:ident, $when:literal;)*) => {
        impl Hooks {$(
            #[doc = concat!("Adds a function that is called ", $when, "; see [`world::hooks`](crate::world::hooks).")]
            #[must_use]
            pub const fn $name(self, hook: Hook) -> Self {
                // SAFETY: all function pointers have the same layout, and the erased one is not called before it is
                // transmuted back to a `Hook`.
                let erased = unsafe { core::mem::transmute::<Hook, ErasedFn>(hook) };
                // SAFETY: `erased` was transmuted from a `Hook`.
                unsafe { self.with(Lifecycle::$kind, erased) }
            }
        )*}
    };
}

builders! {
    on_add Add, "after an entity without the component got it";
    on_insert Insert, "after a value was inserted, with or without a previous one";
    on_replace Replace, "before the value is replaced by another one";
    on_remove Remove, "before the component is removed from an entity";
    on_despawn Despawn, "before an entity with the component is despawned";
}

impl Hooks {
    /// Adds the function that removes the toggle with its component.
    #[doc(hidden)]
    #[must_use]
    pub const fn on_remove_toggle(self, hook: Hook) -> Self {
        self.on_remove(hook).with_toggle()
    }

    fn hook(&self, kind: Lifecycle) -> Option<Hook> {
        let erased = self.get(kind)?;
        // SAFETY: by invariant 1 of `Hooks` each stored pointer is a `Hook`.
        Some(unsafe { core::mem::transmute::<ErasedFn, Hook>(erased) })
    }
}
