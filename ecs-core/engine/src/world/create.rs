//! New worlds.

use alloc::vec::Vec;

use super::command_error::CommandErrors;
use super::hooks::{HookNesting, Observers};
use super::resources::WorldResources;
use super::{World, WorldId};
use crate::bundle::Bundles;
use crate::entity::EntityTable;
#[cfg(feature = "std")]
use crate::resource::NonSendMap;
use crate::storage::Storage;
use crate::sync::Mutex;

impl Default for World {
    fn default() -> Self {
        Self::with_entities(EntityTable::default())
    }
}

impl World {
    /// Creates an empty world.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let world = World::new();
    /// assert!(world.is_empty());
    /// ```
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    #[inline]
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
            #[cfg(feature = "data")]
            data_names: Mutex::default(),
            event_kinds: Vec::new(),
            copied_types: Vec::new(),
            loads: 0,
            command_errors: CommandErrors::default(),
            outer_run: None,
            run_panic: None,
        }
    }

    /// Creates an empty world whose clock starts at tick `now`.
    #[cfg(test)]
    pub(crate) fn starting_at(now: u64) -> Self {
        let mut world = Self::default();
        world.storage.clock = crate::tick::TickClock::starting_at(now);
        world
    }
}
