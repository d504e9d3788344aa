//! The world: all entities, components and resources, and the operations that change them.

use alloc::boxed::Box;
use alloc::sync::Weak;
use alloc::vec::Vec;
mod batch;
mod batch_writer;
mod borrow;
mod bulk;
mod command_error;
mod data_types;
mod despawn;
mod effects;
mod entity_data;
mod entity_ref;
mod erased;
mod error;
mod get;
#[cfg(test)]
mod guard_tests;
pub mod hooks;
mod insert;
mod layout;
mod local_ids;
mod memory;
#[cfg(feature = "std")]
mod non_send;
mod queue;
mod read_only;
mod reference;
mod remove;
mod required;
mod resources;
mod scope;
mod shared;
mod shrink;
mod snapshot;
mod spawn;
#[cfg(test)]
mod tests;
#[cfg(feature = "validate")]
mod validate;

pub use crate::bytes::Bytes;
pub use crate::storage::ErasedColumn;
pub use batch::NoSuchEntities;
pub(crate) use borrow::{borrow, borrow_mut};
pub use command_error::{CommandError, OnCommandError};
#[doc(hidden)]
pub use data_types::NamedData;
pub use entity_data::{EntityData, EntityDataMut, EntityPart};
pub use entity_ref::{EntityMut, EntityRef};
pub use erased::InsertErasedError;
pub use error::{BorrowError, GetError, NoSuchEntity, TakeError};
pub use layout::{Group, Layout, LayoutError, WorldBuilder};
pub use memory::{ComponentMemory, MemoryUsage, TableMemory};
pub use queue::{Command, CommandQueue};
pub(crate) use queue::{Despawn, Insert, Remove, Spawn};
pub use read_only::ReadOnlyWorld;
pub use reference::Ref;
#[doc(hidden)]
pub use resources::MapWorld;
pub use shrink::Shrunk;
pub(crate) use snapshot::{ReturnError, RowsCopy};

use crate::sync::{AtomicU64, Mutex, Ordering, PoisonError};
use core::any::Any;
use core::fmt;
use core::num::NonZeroU64;

use self::command_error::CommandErrors;
use self::data_types::DataNames;
use self::resources::WorldResources;
use crate::bundle::Bundles;
use crate::by_type::ByType;
use crate::component::{Component, ComponentId};
use crate::data_type::DataType;
use crate::entity::{Entity, EntityTable, TableId};
#[cfg(feature = "std")]
use crate::resource::NonSendMap;
use crate::storage::Storage;
use crate::tick::Tick;
use hooks::{HookNesting, Observers, StructuralChange};

/// All entities, their components, and the resources.
///
/// Structural changes (which entities exist, which components they have) need `&mut World`, or are deferred as
/// [commands](CommandQueue). Values can also be read and written through `&World`, with run-time borrows per component and
/// resource. If a [view](Self::view), [query](Self::query) or [single value](Self::get) would alias, the call panics with a
/// message that names the component; the `try_` variants return an error.
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
/// The same calls on a world have the same results in every process. Nothing depends on other worlds, on hashes or
/// addresses, or on the number of threads (except after [a panic in a system](crate::Schedule::run)).
///
/// A component is registered with a world at the latest when the program first inserts it, [observes](Self::observe) it or
/// names it in a [`Layout`]. The components of a bundle are registered in the order of the bundle, followed by the
/// components that they [require](crate::component::Required). When an entity is despawned, its [hooks] are called and its
/// values are dropped in the order of registration: first the components in tables, then the components in sparse sets. To
/// choose the order, call [`register`](Self::register) for the components first.
///
/// A world drops its components first: table by table in the order of creation, then the sparse sets. Its
/// [resources](Self::insert_resource) follow in the order of insertion.
pub struct World {
    id: WorldId,
    pub(crate) storage: Storage,
    pub(crate) bundles: Bundles,
    resources: WorldResources,
    #[cfg(feature = "std")]
    pub(crate) non_send: NonSendMap,
    /// Commands that were queued through `&World`.
    deferred: Mutex<CommandQueue>,
    nesting: HookNesting,
    observers: Observers,
    /// The number of observers registered so far, including observers of single entities.
    observer_count: u64,
    /// The result of the last [`spawn_batch`](Self::spawn_batch) that took the slow path; also the buffer of
    /// [`despawn_batch`](Self::despawn_batch).
    spawned: Vec<Entity>,
    pub(crate) system_states: Mutex<SystemStates>,
    /// The data types that schedules have named, except those of registered components.
    data_types: Vec<&'static DataType>,
    data_names: Mutex<DataNames>,
    pub(crate) command_errors: CommandErrors,
    /// The run of a schedule that the world is in, if it keeps any schedules to be run inside others.
    pub(crate) outer_run: Option<Weak<dyn Any + Send + Sync>>,
}

/// The state that directly called systems and static schedules keep between calls, keyed by their hidden types.
pub(crate) type SystemStates = ByType<Box<dyn Any + Send>>;

/// Identifies a world within a process.
///
/// The number depends on how many worlds the process created before, so it is not exposed: there is no `Ord` and no `Hash`,
/// and `Debug` does not print it.
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
        Self::with_entities(EntityTable::default())
    }
}

impl World {
    /// Creates an empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    pub(crate) fn with_entities(entities: EntityTable) -> Self {
        Self {
            id: WorldId::next(),
            storage: Storage::new(entities),
            bundles: Bundles::default(),
            resources: WorldResources::default(),
            #[cfg(feature = "std")]
            non_send: NonSendMap::default(),
            deferred: Mutex::default(),
            nesting: HookNesting::default(),
            observers: Observers::default(),
            observer_count: 0,
            spawned: Vec::new(),
            system_states: Mutex::default(),
            data_types: Vec::new(),
            data_names: Mutex::default(),
            command_errors: CommandErrors::default(),
            outer_run: None,
        }
    }

    /// Creates an empty world whose clock starts at tick `now`.
    #[cfg(test)]
    pub(crate) fn starting_at(now: u64) -> Self {
        let mut world = Self::default();
        world.storage.clock = crate::tick::TickClock::starting_at(now);
        world
    }

    /// Returns the identifier of this world.
    #[must_use]
    pub fn id(&self) -> WorldId {
        self.id
    }

    /// Returns the number of living entities, including reserved ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.entities.len()
    }

    /// Returns true if no entity is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if the entity is alive. O(1).
    #[must_use]
    #[doc(alias = "is_alive")]
    #[doc(alias = "is_entity_alive")]
    #[doc(alias = "valid")]
    #[doc(alias = "contains_entity")]
    #[doc(alias = "exists")]
    pub fn contains(&self, entity: Entity) -> bool {
        self.storage.entities.contains(entity)
    }

    /// Returns true if the entity is alive and not [disabled](crate::Disabled), so that loops visit it. O(1).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::Disabled;
    ///
    /// let mut world = World::new();
    /// let entity = world.spawn(Disabled);
    /// assert!(world.contains(entity) && !world.is_enabled(entity));
    /// world.remove::<Disabled>(entity)?;
    /// assert!(world.is_enabled(entity));
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    #[must_use]
    pub fn is_enabled(&self, entity: Entity) -> bool {
        self.storage.is_entity_enabled(entity)
    }

    /// Registers a component, which fixes its position in the [order](#order) of the components.
    ///
    /// This call is needed only before [`CompMut::insert`](crate::CompMut::insert), which has only a shared world: all
    /// structural changes through `&mut World` register components themselves. O(1).
    pub fn register<T: Component>(&mut self) {
        self.storage.register(ComponentId::of::<T>());
    }

    /// Despawns all entities and keeps the resources. Existing ids become invalid for good.
    ///
    /// # Panics
    /// If the `Drop` of a component panics. All entities are despawned nevertheless, and all other components dropped.
    #[doc(alias = "clear_entities")]
    #[doc(alias = "delete_all")]
    #[doc(alias = "despawn_all_entities")]
    #[doc(alias = "clear_all")]
    pub fn clear(&mut self) {
        self.storage.place_reserved();
        let mut tables = self.storage.tables().iter();
        if tables.all(|table| !table.is_observed()) {
            self.storage.clear();
            return;
        }
        let mut change = StructuralChange::new(self);
        for table in 0..change.world.storage.tables().len() as TableId {
            change.before_despawn_table(table);
        }
        // Entities that hooks have reserved meanwhile belong to commands that are still queued: they stay.
        change.world.storage.clear();
        change.finish();
    }

    /// Allocates the id of a new entity through a shared reference, for example to queue a command that inserts its
    /// components.
    ///
    /// The entity is alive immediately ([`contains`](Self::contains) is true), without any component. It becomes
    /// visible to queries when a structural change through `&mut World` first uses it, at the latest at the next
    /// [`flush`](Self::flush); a schedule flushes after each system.
    ///
    /// Can be called from many threads at once; takes a short lock. Threads that reserve at the same time, for example in a
    /// `par_for_each`, get ids in the order of their calls, which differs between runs. Reserve before the loop, or spawn
    /// after it.
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use. The structural change that gives reserved entities their rows panics if
    /// the table has no room for all of them (2^26 rows at most). The first ones then have rows, and the others are dead.
    #[must_use]
    pub fn reserve_entity(&self) -> Entity {
        self.storage.entities.reserve()
    }

    /// Moves the queue's commands to the world's own queue, which the next [`flush`](Self::flush) applies.
    ///
    /// Can be called from many threads at once; commands are queued in the order of the calls, which differs between runs if
    /// threads of a `par_for_each` make them.
    pub fn defer(&self, queue: &mut CommandQueue) {
        if !queue.is_empty() {
            // An append moves all commands or none, so the queue is consistent even if the lock is poisoned.
            self.deferred
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(queue);
        }
    }

    /// Applies the [deferred](Self::defer) commands, and those that they defer in turn, and gives reserved entities their
    /// rows.
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

    /// Returns true if [`flush`](Self::flush) has commands to apply or reserved entities to place.
    pub(crate) fn has_pending(&self) -> bool {
        let deferred = self.deferred.lock();
        !deferred.unwrap_or_else(PoisonError::into_inner).is_empty()
            || self.storage.entities.any_reserved()
    }

    /// Returns the current tick. Earlier changes count as older than it, later ones as newer.
    ///
    /// Ticks do not measure time. The clock advances when tracked data is locked and when this function is called, so each
    /// call returns a greater tick. See [`Comp::since`](crate::Comp::since).
    #[must_use]
    pub fn tick(&self) -> Tick {
        self.storage.clock.tick()
    }

    /// Returns how often this world was [restored](crate::snapshot::Snapshotter::restore) from a snapshot.
    ///
    /// The values that a restore writes count as unchanged. So if you compute something from changes, remember this number,
    /// and compute it anew once the number differs.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// let mut world = World::new();
    /// let mut before = Snapshotter::new().take(&mut world)?;
    /// assert_eq!(world.restores(), 0);
    /// Snapshotter::new().restore(&mut world, &mut before)?;
    /// assert_eq!(world.restores(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn restores(&self) -> u64 {
        self.storage.clock.returns()
    }

    /// Outlined, so that `flush` stays cheap for schedules when nothing is pending.
    #[cold]
    #[inline(never)]
    fn apply_pending(&mut self) {
        // Applying any queue applies the world's pending commands first.
        CommandQueue::new().apply(self);
    }
}
