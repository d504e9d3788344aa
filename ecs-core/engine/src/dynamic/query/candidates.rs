//! The entities that a dynamic query searches.

use super::matches::Matches;
use crate::entity::{Entity, Location, TableId};
use crate::storage::{ComponentStore, OccupiedTables, Storage, TableBlock};

/// Entities that include all matches: the entities of the term with the fewest, or all.
pub(super) struct Candidates<'a> {
    storage: &'a Storage,
    tables: OccupiedTables<'a>,
    /// The entities of `table`, or of the list.
    entities: &'a [Entity],
    /// The position of the next one.
    next: usize,
    /// `None` while the list is walked.
    table: Option<TableId>,
    /// True if entities have to be tested one by one: in a list, and in tables if terms name sparse sets.
    are_tested: bool,
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
            entities: &[],
            next: 0,
            table: None,
            are_tested: false,
            skips_disabled: false,
        }
    }

    /// The listed entities, but disabled ones only if the query `sees` these.
    #[inline]
    pub(super) fn of_list(storage: &'a Storage, list: &'a [Entity], sees: bool) -> Self {
        Self {
            storage,
            tables: OccupiedTables::none(),
            entities: list,
            next: 0,
            table: None,
            are_tested: true,
            skips_disabled: !sees && storage.any_disabled(),
        }
    }
}

/// Iterator over the matches among some candidates, with their locations.
pub(super) struct FoundRows<'a, 'w> {
    pub(super) matches: &'a Matches<'w>,
    pub(super) candidates: Candidates<'a>,
}

impl<'a> FoundRows<'a, '_> {
    /// Returns the next matches that are in consecutive rows of one table, up to a maximum number, and the location of the
    /// first.
    #[inline]
    pub(super) fn next_rows(&mut self, most: usize) -> Option<(&'a [Entity], Location)> {
        let Self {
            matches,
            candidates,
        } = self;
        loop {
            while let Some(rest) = candidates.entities.get(candidates.next..)
                && let Some(&entity) = rest.first()
            {
                let row = candidates.next as u32;
                if let Some(table) = candidates.table
                    && !candidates.are_tested
                {
                    let rows = &rest[..most.min(rest.len())];
                    candidates.next += rows.len();
                    return Some((rows, Location { table, row }));
                }
                candidates.next += 1;
                let at = match candidates.table {
                    Some(table) => Some(Location { table, row }),
                    None => candidates.storage.entities.get(entity),
                };
                if let Some(at) = at
                    && candidates.passes(matches, entity, at)
                {
                    return Some((&rest[..1], at));
                }
            }
            let table = candidates.tables.next()?;
            let of_all = matches.of_table(table);
            candidates.table = Some(table);
            candidates.are_tested = of_all.is_none();
            candidates.next = 0;
            candidates.entities = match of_all {
                Some(false) => &[],
                _ => candidates.storage.table(table).entities(),
            };
        }
    }
}

impl Iterator for FoundRows<'_, '_> {
    type Item = (Entity, Location);

    #[inline]
    fn next(&mut self) -> Option<(Entity, Location)> {
        let (rows, at) = self.next_rows(1)?;
        Some((rows[0], at))
    }
}

impl Candidates<'_> {
    fn passes(&self, matches: &Matches<'_>, entity: Entity, at: Location) -> bool {
        let is_skipped = self.skips_disabled && self.storage.is_entity_disabled(entity);
        !is_skipped && matches.holds(entity, at)
    }
}
