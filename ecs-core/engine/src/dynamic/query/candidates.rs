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
    /// True if entities have to be tested one by one: in a list if other terms decide too, and in tables if terms name sparse sets.
    pub(super) are_tested: bool,
    /// True if the list has to be searched for disabled entities.
    pub(super) skips_disabled: bool,
    /// The number of rows of tables to look at after those in `entities`.
    left: usize,
    /// The position of the term whose list is walked, which therefore needs no test.
    pub(super) listed: Option<usize>,
    /// The table of the last entity of a list that was tested, and what its components in tables decide.
    last: Option<(TableId, Option<bool>)>,
}

/// The greatest number of candidates that are tested ahead.
const AHEAD: usize = 64;

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

    #[inline]
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
            left: usize::MAX,
            listed: None,
            last: None,
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
            left: usize::MAX,
            listed: None,
            last: None,
        }
    }
}

/// Iterator over the matches among some candidates, with their locations.
pub(super) struct FoundRows<'a, 'w> {
    pub(super) matches: &'a Matches<'w>,
    pub(super) candidates: Candidates<'a>,
}

impl<'a> FoundRows<'a, '_> {
    /// Goes on at a row of a table, and looks at no more than `limit` rows. The candidates are tables, and none was entered so far.
    #[inline]
    pub(super) fn skip_to(&mut self, at: Location, limit: usize) {
        self.candidates.left = limit;
        if let Some(table) = self.candidates.tables.find(|&table| table >= at.table) {
            self.enter(table, if table == at.table { at.row } else { 0 });
        }
    }

    /// Returns the row to look at next; `None` if there is no other table.
    #[inline]
    pub(super) fn next_row(&self) -> Option<Location> {
        let Candidates { table, next, .. } = self.candidates;
        table.map(|table| Location {
            table,
            row: next as u32,
        })
    }

    #[inline]
    fn enter(&mut self, table: TableId, row: u32) {
        let Self {
            matches,
            candidates,
        } = self;
        let (of_all, row) = (matches.of_table(table, None), row as usize);
        let all = match of_all {
            Some(false) => &[],
            _ => candidates.storage.table(table).entities(),
        };
        let end = all.len().min(row.saturating_add(candidates.left));
        candidates.left -= end.saturating_sub(row);
        candidates.table = Some(table);
        candidates.are_tested = of_all.is_none();
        candidates.next = row;
        candidates.entities = &all[..end];
    }

    /// Returns true if a list is walked, and not tables.
    #[inline]
    pub(super) fn is_of_list(&self) -> bool {
        self.candidates.table.is_none()
    }

    /// Returns the next matches that are in consecutive rows of one table or of the list, up to a maximum number, and the location
    /// of the first.
    #[inline]
    pub(super) fn next_rows(&mut self, most: usize) -> Option<(&'a [Entity], Location)> {
        loop {
            let Self {
                matches,
                candidates,
            } = &mut *self;
            while let Some(rest) = candidates.entities.get(candidates.next..)
                && let Some(&entity) = rest.first()
            {
                let row = candidates.next as u32;
                let at = match candidates.table {
                    Some(table) => Some(Location { table, row }),
                    None => candidates.storage.entities.get(entity),
                };
                if let Some(at) = at
                    && !candidates.are_tested
                {
                    let rows = &rest[..most.min(rest.len())];
                    candidates.next += rows.len();
                    return Some((rows, at));
                }
                candidates.next += 1;
                if let Some(at) = at
                    && candidates.passes(matches, entity, at)
                {
                    let others = &rest[1..rest.len().min(most).min(AHEAD)];
                    let len = 1 + candidates.also_pass(matches, others, row + 1);
                    candidates.next += len - 1;
                    return Some((&rest[..len], at));
                }
            }
            if candidates.left == 0 {
                return None;
            }
            let Some(table) = candidates.tables.next() else {
                candidates.table = None;
                return None;
            };
            self.enter(table, 0);
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
    #[inline]
    fn passes(&mut self, matches: &Matches<'_>, entity: Entity, at: Location) -> bool {
        if self.skips_disabled && self.storage.is_entity_disabled(entity) {
            return false;
        }
        let of_table = match self.table {
            // Tables without what terms ask for were left out.
            Some(_) => None,
            None => self.of_table(matches, at.table),
        };
        of_table.unwrap_or_else(|| matches.holds(entity, at, self.listed, true))
    }

    /// Returns what the table of a listed entity decides. Most entities of a list are in the table of the one before.
    #[inline]
    fn of_table(&mut self, matches: &Matches<'_>, table: TableId) -> Option<bool> {
        match self.last {
            Some((last, of_all)) if last == table => of_all,
            _ => {
                let of_all = matches.of_table(table, self.listed);
                self.last = Some((table, of_all));
                of_all
            }
        }
    }

    /// Returns the number of first entities that pass; they are in consecutive rows, in a table from this one on.
    #[inline]
    fn also_pass(&mut self, matches: &Matches<'_>, entities: &[Entity], row: u32) -> usize {
        let mut passes = |(number, &entity): (usize, &Entity)| {
            let at = match self.table {
                Some(table) => Some(Location {
                    table,
                    row: row + number as u32,
                }),
                None => self.storage.entities.get(entity),
            };
            at.is_some_and(|at| self.passes(matches, entity, at))
        };
        let mut entities = entities.iter().enumerate();
        let all = entities.len();
        entities.position(|entity| !passes(entity)).unwrap_or(all)
    }
}
