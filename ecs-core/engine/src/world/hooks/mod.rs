//! Hooks and observers: functions that a world calls when a component comes to an entity or leaves it.
//!
//! ```
//! use ecs_core::prelude::*;
//!
//! /// The entities by their name, always up to date.
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
//! A **hook** is part of its type: it holds for every world, always. It is a `fn(DeferredWorld, Entity)`.
//!
//! An **observer** is any function, registered with one world at run time by [`World::observe`], of [`OnAdd<T>`](OnAdd),
//! [`OnInsert`], [`OnReplace`], [`OnRemove`], [`OnDespawn`], or of a [`Trigger<E>`](Trigger) for events of your own, which
//! [`World::trigger`] and [`World::trigger_on`] send. There can be any number for the same, and they can be
//! [taken out](World::unobserve). Events that are triggered on one entity can be observed there, too
//! ([`World::observe_on`]), and can go [up](World::trigger_up) from a node of a tree to its root.
//!
//! # When they run
//! | hook, observer of | runs | the value, then |
//! |---|---|---|
//! | `on_add`, `OnAdd` | after the entity got the component, which it did not have | the new one |
//! | `on_insert`, `OnInsert` | after a value was put in, the first one or another; after `on_add` | the new one |
//! | `on_replace`, `OnReplace` | before another value takes the place of this one | the old one |
//! | `on_despawn`, `OnDespawn` | before an entity with the component is despawned; before `on_remove` | the old one |
//! | `on_remove`, `OnRemove` | before the component leaves the entity, also because that is despawned | the old one |
//!
//! All verbs of [`World`] do this, one by one or in bulk, called or [queued](CommandQueue), for table and for sparse
//! components. What is no verb does not: writing through a reference, dropping the world, and closed worlds.
//!
//! Hooks and observers keep to the same rules, where the word hook stands for both.
//!
//! 1. **A hook sees a whole world.** What runs after a change finds all of it done: every component of the bundle is there,
//!    what was replaced is dropped. What runs before a change finds nothing of it done. In between, no code of yours runs.
//! 2. **A hook changes values, not structure.** It gets a [`DeferredWorld`], which reads and writes everything and has
//!    commands, but no verbs. So a hook never finds its entity gone, and is never called inside another; observers are
//!    registered, taken out and triggered by commands, between two verbs. Rule 7 is about the one exception.
//! 3. **Order.** Component by component, in the order of the bundle, and then those that
//!    these [require](crate::component::Required); a despawned entity's table components come before its
//!    sparse ones, both in the [order of registration](crate::World#order). After a change the hooks of all components come
//!    first and then the observers, in the order in which they were registered; before a change it is the other way round,
//!    so that observers always find what hooks keep up. Entity by entity, if there are many.
//! 4. **What hooks queue is applied at the end of the verb**, in the order in which it was queued, before the verb
//!    returns. Commands are verbs too, whose hooks may queue more: that comes directly after the command that caused it,
//!    before the next one, as for [`CommandQueue::apply`]. A verb that is called inside a command leaves it to the queue,
//!    which applies it when the command is done. What waited in the world before waits on.
//!
//!    So an entity can be gone when the verb that spawned it returns, because a hook's command despawned it: its id is void
//!    then as any other, which is no error for the commands that are still to come.
//! 5. **What does not end panics.** After 65,536 commands each of which was queued by a hook that the one before it
//!    called, the next one panics with the name of the component or event. Nothing recurses, so the stack does not overflow.
//! 6. **A panic in a hook** leaves a whole world, and every value is dropped once. If it came before the change, the verb
//!    has done nothing: nothing is removed, and what was to be inserted is dropped. If it came after the change, that
//!    stays. The other hooks of the verb are not called, and what its hooks queued is dropped; what a verb over many
//!    entities has done to others stays. It is the same if an iterator or a `Drop` panics that the verb calls. A component that
//!    is [required](crate::component::Required) is made after the hooks before the change: if that panics, `on_replace` was
//!    called and nothing is replaced.
//! 7. **Immediate components come and go under a hook.** A view inserts and removes [them](crate::ImmediateComponent) at
//!    once, for a hook too. So a verb looks again when the hooks before its change have run, and changes what is there then:
//!    * removing and despawning take along what a hook has inserted, and inserting replaces it;
//!    * inserting adds a value that a hook has removed, and brings what is required and lacking then;
//!    * [`take`](World::take) returns an error if a component is missing, and takes nothing;
//!    * [`replace`](World::replace) inserts if the value is missing, and returns `None`.
//!
//!    Which entities a verb over many is about is decided before its first hook. A hook of an immediate component is called
//!    only while the entity has it: not for a value that an earlier hook of the same verb has removed. If a verb replaces or
//!    removes a value that one of its hooks has inserted, no hook is called for that: views call none either.

mod announce;
mod deferred;
mod observer;
#[cfg(test)]
mod observer_tests;
mod own;
#[cfg(test)]
mod own_tests;
#[cfg(test)]
mod tests;
mod verb;
mod world_observe;

pub(super) use announce::{note_added, note_inserted, note_removed, note_replaced};
pub use deferred::DeferredWorld;
pub(super) use observer::Observers;
pub use observer::{
    IntoObserver, ObserverId, OnAdd, OnComponent, OnDespawn, OnInsert, OnRemove, OnReplace, Trigger,
};
pub(super) use verb::{HookNesting, StructuralChange};

pub use crate::component::{Hooks, Lifecycle};

use crate::component::Erased;
use crate::entity::Entity;
#[cfg(doc)]
use crate::world::{CommandQueue, World};

/// What `#[component(on_add = ..)]` and the like name.
pub type Hook = fn(DeferredWorld<'_>, Entity);

macro_rules! builders {
    ($($name:ident $kind:ident, $when:literal;)*) => {
        impl Hooks {$(
            #[doc = concat!("With a function that is called ", $when, "; see [`world::hooks`](crate::world::hooks).")]
            #[must_use]
            pub const fn $name(self, hook: Hook) -> Self {
                // SAFETY: function pointers all look alike, and this one is not called as what it is here.
                let erased = unsafe { core::mem::transmute::<Hook, Erased>(hook) };
                // SAFETY: it is a `Hook`.
                unsafe { self.with(Lifecycle::$kind, erased) }
            }
        )*}
    };
}

builders! {
    on_add Add, "after an entity got the component, which it did not have";
    on_insert Insert, "after a value was put in, the first one or another";
    on_replace Replace, "before another value takes the place of this one";
    on_remove Remove, "before the component leaves an entity";
    on_despawn Despawn, "before an entity with the component is despawned";
}

impl Hooks {
    fn hook(&self, kind: Lifecycle) -> Option<Hook> {
        let erased = self.get(kind)?;
        // SAFETY: by invariant 1 of `Hooks` it is a `Hook`.
        Some(unsafe { core::mem::transmute::<Erased, Hook>(erased) })
    }
}
