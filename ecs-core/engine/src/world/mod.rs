//! The world: all entities, components and resources, and the verbs that change them.

mod borrow;
mod bulk;
mod despawn;
mod entity_ref;
mod error;
mod get;
#[cfg(test)]
mod guard_tests;
pub mod hooks;
mod insert;
mod layout;
mod non_send;
mod queue;
mod reference;
mod remove;
mod required;
mod resources;
mod spawn;
#[cfg(test)]
mod tests;
#[cfg(feature = "validate")]
mod validate;

pub(crate) use borrow::{borrow, borrow_mut};
pub use entity_ref::{EntityMut, EntityRef};
pub use error::{BorrowError, NoSuchEntity, TakeError};
pub use layout::{Group, Layout, LayoutError, WorldBuilder};
pub use queue::{Command, CommandQueue};
pub(crate) use queue::{Despawn, Insert, Remove, Spawn};
pub use reference::Ref;
pub use resources::MapWorld;

use core::any::Any;
use core::fmt;
use core::num::NonZeroU64;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use self::resources::Resources;
use crate::bundle::Bundles;
use crate::by_type::ByType;
use crate::component::{Component, ComponentId};
use crate::entity::{Entities, Entity, TableId};
use crate::resource::NonSendMap;
use crate::storage::Storage;
use crate::tick::Tick;
use hooks::{HookNesting, Observers, StructuralChange};

/// All entities, their components, and the resources.
///
/// A world is changed in its structure (which entities, which components) through `&mut World` alone, or later by
/// [commands](CommandQueue). Values are read and written through `&World` as well, with run-time borrows per component
/// and resource: [views](Self::view), [queries](Self::query) and [single values](Self::get) that would alias panic with
/// a message that names the component, and their `try_` twins return an error.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
///
/// let mut world = World::new();
/// let entity = world.spawn((Position(1.0), Velocity(0.5)));
/// for (position, velocity) in &mut world.query::<(&mut Position, &Velocity)>() {
///     position.0 += velocity.0;
/// }
/// assert_eq!(world.get::<Position>(entity).unwrap().0, 1.5);
/// ```
///
/// # Order
/// The same calls on a world have the same results in every process: nothing depends on other worlds, on hashes or addresses, or
/// on the number of threads (except after [a panic in a system](crate::Schedule::run)).
///
/// A component is registered with a world at the latest when the program first gives it to an entity, [observes](Self::observe)
/// it or names it in a [`Layout`]; the components of a bundle in the order of the bundle, then those that they
/// [require](crate::component::Required). When an entity is despawned, its [hooks] are called and its values dropped in
/// the order of registration: first the components in tables, then those in sparse sets. To choose the order, call
/// [`register`](Self::register) for the components first.
///
/// When a world is dropped, its components are dropped first: table by table in the order of creation, then the sparse ones.
/// Its [resources](Self::insert_resource) follow in the order of insertion.
pub struct World {
    id: WorldId,
    pub(crate) storage: Storage,
    pub(crate) bundles: Bundles,
    resources: Resources,
    non_send: NonSendMap,
    /// Commands that came in through a shared world.
    deferred: Mutex<CommandQueue>,
    settling: HookNesting,
    observers: Observers,
    /// How many observers were registered, those of single entities included.
    observed: u64,
    /// The entities of the last [`spawn_batch`](Self::spawn_batch) that called hooks.
    spawned: Vec<Entity>,
    pub(crate) kept: Mutex<Kept>,
}

/// What systems that are called directly remember between calls, by the system's hidden type, and what static schedules
/// do, by theirs.
pub(crate) type Kept = ByType<Box<dyn Any + Send>>;

/// Tells the worlds of a process apart.
///
/// The number inside depends on how many worlds the process made before, so nothing shows it: there is neither an order nor a
/// hash, and `Debug` leaves it out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct WorldId(NonZeroU64);

impl fmt::Debug for WorldId {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WorldId(..)")
    }
}

impl WorldId {
    fn next() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self(NonZeroU64::new(id).expect("a process makes fewer than 2^64 worlds"))
    }
}

impl Default for World {
    fn default() -> Self {
        Self::with_entities(Entities::default())
    }
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with_entities(entities: Entities) -> Self {
        Self {
            id: WorldId::next(),
            storage: Storage::new(entities),
            bundles: Bundles::default(),
            resources: Resources::default(),
            non_send: NonSendMap::default(),
            deferred: Mutex::default(),
            settling: HookNesting::default(),
            observers: Observers::default(),
            observed: 0,
            spawned: Vec::new(),
            kept: Mutex::default(),
        }
    }

    /// An empty world whose clock has run for a while.
    #[cfg(test)]
    pub(crate) fn starting_at(now: u64) -> Self {
        let mut world = Self::default();
        world.storage.clock = crate::tick::Clock::starting_at(now);
        world
    }

    /// Which world this is.
    #[must_use]
    pub fn id(&self) -> WorldId {
        self.id
    }

    /// The number of living entities, reserved ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.entities.len()
    }

    /// Whether no entity lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the entity lives. O(1).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.storage.entities.contains(entity)
    }

    /// Registers a component that no entity has had yet, which determines its [order](#order) among the components.
    ///
    /// Otherwise needed only for [`CompMut::insert`](crate::CompMut::insert), which has only a shared world; all verbs of
    /// `&mut World` do it by themselves. O(1).
    pub fn register<T: Component>(&mut self) {
        self.storage.register(ComponentId::of::<T>());
    }

    /// Despawns all entities; resources stay. Ids that were given out stay void.
    ///
    /// # Panics
    /// If the `Drop` of a component panics; all entities are gone then, and all other components dropped.
    pub fn clear(&mut self) {
        self.storage.place_reserved();
        let mut tables = self.storage.tables().iter();
        if tables.all(|table| !table.is_watched()) {
            self.storage.clear();
            return;
        }
        let mut verb = StructuralChange::new(self);
        for table in 0..verb.world.storage.tables().len() as TableId {
            verb.before_despawn_table(table);
        }
        // Those that hooks have reserved meanwhile are for the commands that come, and stay.
        verb.world.storage.clear();
        verb.settle();
    }

    /// Gives out the id of a new entity through a shared reference, for example to a command that will fill it.
    ///
    /// The entity lives at once ([`contains`](Self::contains) is true), without any component. It becomes visible to
    /// queries when it is first used by a verb of `&mut World`, at the latest at the next [`flush`](Self::flush); a
    /// schedule flushes after each system.
    ///
    /// Callable from many threads at once; takes a short lock. Threads that reserve at the same time, as in a `par_for_each`,
    /// get ids in the order in which they arrive, which differs between runs: reserve before the loop, or spawn after it.
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use. The verb that has to give the entity a row panics if there is no room for all
    /// that wait for one, 2^26 at most; they stay reserved then.
    #[must_use]
    pub fn reserve_entity(&self) -> Entity {
        self.storage.entities.reserve()
    }

    /// Moves the queue's commands to the world's own, which the next [`flush`](Self::flush) applies.
    ///
    /// Callable from many threads at once; the order among threads is the order of the calls.
    pub fn defer(&self, queue: &mut CommandQueue) {
        if !queue.is_empty() {
            // An append moves whole commands or nothing, so a poisoned lock guards nothing broken.
            self.deferred
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(queue);
        }
    }

    /// Applies the commands that were [deferred](Self::defer), and those that they defer in turn, and gives reserved
    /// entities their rows.
    ///
    /// # Panics
    /// If a command panics; see [`CommandQueue::apply`].
    #[inline]
    pub fn flush(&mut self) {
        if !self.pending().is_empty() {
            self.apply_pending();
        }
        self.storage.place_reserved();
        self.storage.keep_time();
    }

    /// Whether [`flush`](Self::flush) has something to do.
    pub(crate) fn has_pending(&self) -> bool {
        let deferred = self.deferred.lock();
        !deferred.unwrap_or_else(PoisonError::into_inner).is_empty()
            || self.storage.entities.any_reserved()
    }

    /// The current tick. What was done before counts as older, and what is done from now on as newer.
    ///
    /// Only what tells apart before and after makes ticks, not time: locks of what is tracked, and this function, each
    /// call of which returns a greater one. See [`Comp::since`](crate::Comp::since).
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.storage.clock.tick()
    }

    /// Apart, so that the usual check for nothing to do costs schedules little.
    #[cold]
    #[inline(never)]
    fn apply_pending(&mut self) {
        // Every queue takes care of what is pending in the world first.
        CommandQueue::new().apply(self);
    }
}

impl fmt::Debug for World {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World")
            .field("entities", &self.len())
            .field("tables", &self.storage.tables().len())
            .field("resources", &self.resources)
            .field("non_send", &self.non_send)
            .finish()
    }
}
