//! The world: all entities, components and resources, and the operations that change them.

use alloc::boxed::Box;
use alloc::sync::Weak;
use alloc::vec::Vec;

// The documentation of `World` has its methods in the order of these modules.
mod create;

mod spawn;

mod get;

mod insert;

mod remove;

mod despawn;

mod entity_ref;

mod resources;

mod basics;

mod batch;
mod batch_writer;
mod borrow;
mod bulk;
#[cfg(feature = "checks")]
mod check;
mod command_error;
mod data_types;
mod effects;
mod entity_data;
mod erased;
mod error;
#[cfg(feature = "data")]
mod exchange_erased;
mod from_world;
#[cfg(test)]
mod guard_tests;
pub mod hooks;
mod layout;
#[cfg(feature = "snapshot")]
mod local_ids;
mod memory;
#[cfg(feature = "std")]
mod non_send;
mod place_erased;
mod queue;
mod read_only;
mod reference;
mod required;
pub(crate) mod run_panic;
#[cfg(feature = "data")]
mod saved_types;
mod scope;
mod shared;
mod shrink;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(test)]
mod tests;
#[cfg(feature = "validate")]
mod validate;

pub use crate::bytes::Bytes;
pub use crate::storage::ErasedColumn;
pub use batch::NoSuchEntities;
pub(crate) use borrow::{borrow, borrow_mut};
#[cfg(feature = "checks")]
#[doc(hidden)]
pub use check::CheckValues;
#[cfg(feature = "checks")]
pub use check::TryInsertError;
pub use command_error::{CommandError, OnCommandError};
pub use entity_data::{EntityData, EntityDataMut, EntityPart};
pub use entity_ref::{EntityMut, EntityRef};
pub use erased::InsertErasedError;
pub use error::{BorrowError, GetError, NoSuchEntity, TakeError, ValueTaken};
pub use from_world::FromWorld;
pub use layout::{Group, Layout, LayoutError, WorldBuilder};
pub use memory::{ComponentMemory, MemoryUsage, TableMemory};
pub use queue::{Command, CommandQueue};
pub(crate) use queue::{Despawn, Insert, Remove, Spawn};
pub use read_only::ReadOnlyWorld;
pub use reference::Ref;
#[doc(hidden)]
pub use resources::MapWorld;
#[doc(hidden)]
pub use run_panic::RunPanic;
pub(crate) use run_panic::message_of;
#[doc(hidden)]
#[cfg(feature = "data")]
pub use saved_types::NamedData;
pub use shrink::Shrunk;
#[cfg(feature = "snapshot")]
pub(crate) use snapshot::{CopiedTypes, KnownTypes, ReturnError, RowsCopy};

use crate::sync::{AtomicU64, Mutex, Ordering};
use core::any::Any;
use core::fmt;
use core::num::NonZeroU64;

use self::command_error::CommandErrors;
use self::resources::WorldResources;
#[cfg(feature = "data")]
use self::saved_types::DataNames;
use crate::bundle::Bundles;
use crate::by_type::ByType;
use crate::data_type::{DataType, EventKind};
use crate::entity::Entity;
#[cfg(feature = "std")]
use crate::resource::NonSendMap;
use crate::storage::Storage;
use hooks::{HookNesting, Observers};

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
    pub(crate) nesting: HookNesting,
    observers: Observers,
    /// The number of observers registered so far, including observers of single entities.
    observer_count: u64,
    /// The result of the last [`spawn_batch`](Self::spawn_batch) that took the slow path; also the buffer of
    /// [`despawn_batch`](Self::despawn_batch).
    spawned: Vec<Entity>,
    pub(crate) system_states: Mutex<SystemStates>,
    /// The data types that schedules have named, except those of registered components.
    data_types: Vec<&'static DataType>,
    #[cfg(feature = "data")]
    data_names: Mutex<DataNames>,
    /// The types of events that were added.
    pub(crate) event_kinds: Vec<EventKind>,
    /// The types that snapshots copy although they are not data.
    copied_types: Vec<&'static DataType>,
    /// The number of times that resources of the world were loaded.
    pub(crate) loads: u64,
    pub(crate) command_errors: CommandErrors,
    /// The run of a schedule that the world is in, if it keeps any schedules to be run inside others.
    pub(crate) outer_run: Option<Weak<dyn Any + Send + Sync>>,
    /// The panic that ended the last run of a schedule, until it is asked for.
    run_panic: Option<Box<RunPanic>>,
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
