//! The entities among which a dynamic query searches.

use core::slice;

use crate::entity::Entity;
use crate::storage::{ComponentStore, OccupiedTables, Storage, TableBlock};

/// Iterator over entities that include all matches: those of the term with the fewest, or all.
pub(super) struct Candidates<'a> {
    storage: &'a Storage,
    tables: OccupiedTables<'a>,
    entities: slice::Iter<'a, Entity>,
    /// True if the list has to be searched for disabled entities.
    skips_disabled: bool,
}

impl<'a> Candidates<'a> {
    /// All entities, but disabled ones only if the query `sees` these.
    #[inline]
    pub(super) fn all(storage: &'a Storage, sees: bool) -> Self {
        Self::of(storage, storage.all_tables().blocks(), sees)
    }

    /// The entities of the tables that have a component, but disabled ones only if the query `sees` these.
    #[inline]
    pub(super) fn of_tables(storage: &'a Storage, store: &'a ComponentStore, sees: bool) -> Self {
        Self::of(storage, store.tables().blocks(), sees)
    }

    fn of(storage: &'a Storage, tables: &'a [TableBlock], sees: bool) -> Self {
        Self {
            storage,
            tables: if sees {
                storage.occupied(tables)
            } else {
                storage.enabled(tables)
            },
            entities: [].iter(),
            skips_disabled: false,
        }
    }

    /// The listed entities, but disabled ones only if the query `sees` these.
    #[inline]
    pub(super) fn of_list(storage: &'a Storage, list: &'a [Entity], sees: bool) -> Self {
        Self {
            storage,
            tables: OccupiedTables::none(),
            entities: list.iter(),
            skips_disabled: !sees && storage.any_disabled(),
        }
    }
}

impl Iterator for Candidates<'_> {
    type Item = Entity;

    #[inline]
    fn next(&mut self) -> Option<Entity> {
        loop {
            if let Some(&entity) = self.entities.next() {
                if self.skips_disabled && self.storage.is_entity_disabled(entity) {
                    continue;
                }
                return Some(entity);
            }
            let table = self.tables.next()?;
            self.entities = self.storage.table(table).entities().iter();
        }
    }
}
