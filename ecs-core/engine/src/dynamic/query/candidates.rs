//! The entities among which a dynamic query searches.

use core::slice;

use crate::entity::Entity;
use crate::storage::{ComponentStore, OccupiedTables, Storage};

/// Iterator over entities that include all matches: those of the term with the fewest, or all.
pub(super) struct Candidates<'a> {
    storage: &'a Storage,
    tables: OccupiedTables<'a>,
    entities: slice::Iter<'a, Entity>,
}

impl<'a> Candidates<'a> {
    /// All entities.
    #[inline]
    pub(super) fn all(storage: &'a Storage) -> Self {
        Self {
            storage,
            tables: storage.occupied(storage.all_tables().blocks()),
            entities: [].iter(),
        }
    }

    /// The entities of the tables that have a component.
    #[inline]
    pub(super) fn of_tables(storage: &'a Storage, store: &'a ComponentStore) -> Self {
        Self {
            storage,
            tables: storage.occupied(store.tables().blocks()),
            entities: [].iter(),
        }
    }

    /// The listed entities.
    #[inline]
    pub(super) fn of_list(storage: &'a Storage, list: &'a [Entity]) -> Self {
        Self {
            storage,
            tables: OccupiedTables::none(),
            entities: list.iter(),
        }
    }
}

impl Iterator for Candidates<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        loop {
            if let Some(&entity) = self.entities.next() {
                return Some(entity);
            }
            let table = self.tables.next()?;
            self.entities = self.storage.table(table).entities().iter();
        }
    }
}
