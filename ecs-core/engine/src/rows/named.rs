//! Asks who is named by entities, without a move.

use alloc::vec::Vec;

use super::error::TakeRowsError;
use super::found::{LeavingValues, NamedEntities, RowNumbers};
use super::ids;
use crate::entity::Entity;
use crate::staging::StagedPlace;
use crate::storage::Storage;
use crate::world::World;

/// Finds the entities outside that those name, and the columns whose values name any.
pub(super) fn named(
    storage: &Storage,
    found: &LeavingValues,
    numbers: &RowNumbers<'_>,
) -> Result<(NamedEntities, Vec<StagedPlace>), TakeRowsError> {
    ids::find(storage, found, numbers, NamedEntities::of_edges(found))
}

impl World {
    /// Returns the entities that some others name and that are not among them: the targets of their edges, and the entities in
    /// their values that are [data](crate::data_type). These are the entities for which [`take_rows`](Self::take_rows) would ask
    /// for a key. Each comes once, in the order in which it is found; entities that do not exist are left out.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    ///
    /// let mut world = World::new();
    /// let tree = world.spawn(());
    /// let leaves = [(); 2].map(|()| world.spawn(ChildOf.to(tree)));
    /// assert_eq!(world.named_by(&leaves)?, [tree]);
    /// assert!(world.named_by(&[tree, leaves[0]])?.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// O(values of these entities and their edges). Values of types that cannot name an entity are not read.
    ///
    /// # Errors
    /// As for [`take_rows_leaving_stubs`](Self::take_rows_leaving_stubs).
    ///
    /// # Panics
    /// If the `Serialize` of a value panics.
    pub fn named_by(&mut self, entities: &[Entity]) -> Result<Vec<Entity>, TakeRowsError> {
        self.storage.place_reserved();
        let numbers = RowNumbers::of(entities)?;
        let found = LeavingValues::of(self, &numbers, true)?;
        let (outside, _) = named(&self.storage, &found, &numbers)?;
        Ok(outside.existing(&self.storage))
    }

    /// Returns false if no entity of this world can name another one: it knows no relation, and no type of components that is
    /// data and whose values may have entities in them. O(types of components).
    ///
    /// Then all of its entities can leave it by [`take_rows`](Self::take_rows), which takes less time than
    /// [`take_rows_leaving_stubs`](Self::take_rows_leaving_stubs).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    ///
    /// let mut world = World::new();
    /// let tree = world.spawn(());
    /// assert!(!world.can_name_entities());
    /// world.spawn(ChildOf.to(tree));
    /// assert!(world.can_name_entities());
    /// ```
    #[must_use]
    pub fn can_name_entities(&self) -> bool {
        self.storage.all_registered().any(|component| {
            let info = component.info();
            info.link.is_some() || ids::naming(info.own_data(), info.layout.size()).is_some()
        })
    }
}
