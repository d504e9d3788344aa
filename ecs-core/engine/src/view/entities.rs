//! The view of the entities of a world.

use crate::entity::Entity;
use crate::join::{EntityFetch, Join, JoinIter, Joined};
use crate::storage::Storage;

/// The ids of a world.
///
/// A system parameter; [`World::entities`](crate::World::entities) makes one too. The member `&entities` of a [`Join`]
/// yields each entity's id.
#[derive(Clone, Copy)]
#[doc(alias = "EntitiesView")]
pub struct Entities<'w> {
    storage: &'w Storage,
}

impl<'w> Entities<'w> {
    pub(crate) fn new(storage: &'w Storage) -> Self {
        Self { storage }
    }

    /// Returns true if the entity is alive. O(1).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.storage.entities.contains(entity)
    }

    /// Returns true if the entity is alive and not [disabled](crate::Disabled). O(1).
    #[must_use]
    pub fn is_enabled(&self, entity: Entity) -> bool {
        self.storage.is_entity_enabled(entity)
    }

    /// Returns the number of entities that are alive, including reserved ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.storage.entities.len()
    }

    /// Returns true if no entity is alive.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Allocates the id of a new entity; see [`World::reserve_entity`](crate::World::reserve_entity).
    #[must_use]
    pub fn reserve(&self) -> Entity {
        self.storage.entities.reserve()
    }

    /// Iterates over all entities that have a row and are not [disabled](crate::Disabled). Entities that are only reserved
    /// have no row.
    #[must_use]
    pub fn iter(&self) -> JoinIter<'w, EntityFetch, ()> {
        Join::joined(*self).iter()
    }
}

impl<'a> Join<'a> for Entities<'a> {
    type Item = Entity;
    type Fetch = EntityFetch;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, EntityFetch, ()> {
        Joined {
            storage: Some(self.storage),
            fetch: EntityFetch,
            filter: (),
        }
    }
}

impl<'a> Join<'a> for &'a Entities<'_> {
    type Item = Entity;
    type Fetch = EntityFetch;
    type Filter = ();

    #[inline]
    fn joined(self) -> Joined<'a, EntityFetch, ()> {
        Join::joined(*self)
    }
}

impl<'a> IntoIterator for &'a Entities<'_> {
    type Item = Entity;
    type IntoIter = JoinIter<'a, EntityFetch, ()>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
