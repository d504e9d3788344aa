//! A walk over the matches of a dynamic query that ends at a place, and goes on there later.

use super::candidates::{Candidates, FoundRows};
use super::matches::{MatchRef, MatchRows, Matches};
use crate::entity::{Location, TableId};

/// A place between two rows in a walk over the tables of a world; first before all rows.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowPlace {
    table: TableId,
    row: u32,
    /// The stamps of all tables of the query and of this table; `None` before all rows.
    stamps: Option<(u64, u64)>,
}

impl RowPlace {
    /// The place before all rows.
    pub const START: Self = Self {
        table: 0,
        row: 0,
        stamps: None,
    };
}

/// Iterator over the matches of a dynamic query, with consecutive rows of a table or of a sparse set together.
#[doc(hidden)]
pub struct RowWalk<'a> {
    found: FoundRows<'a, 'a>,
    most: usize,
}

impl<'a> RowWalk<'a> {
    #[inline]
    pub(super) fn new(found: FoundRows<'a, 'a>, most: usize) -> Self {
        Self { found, most }
    }

    /// Returns the place of the row to look at next; `None` after the last one. Only for a walk that was resumed. O(tables).
    #[must_use]
    #[inline]
    pub fn place(&self) -> Option<RowPlace> {
        let at = self.found.next_row()?;
        Some(self.found.matches.place_of(at))
    }
}

impl<'a> Iterator for RowWalk<'a> {
    type Item = MatchRows<'a>;

    #[inline]
    fn next(&mut self) -> Option<MatchRows<'a>> {
        let (entities, at) = self.found.next_rows(self.most)?;
        let first = MatchRef {
            matches: self.found.matches,
            entity: *entities.first()?,
            at,
        };
        Some(MatchRows {
            first,
            entities,
            is_of_list: self.found.is_of_list(),
            listed: self.found.candidates.listed,
        })
    }
}

impl MatchRef<'_> {
    /// Returns the place after this row. O(tables).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn place_after(self) -> RowPlace {
        let Location { table, row } = self.at;
        self.matches.place_of(Location {
            table,
            row: row + 1,
        })
    }
}

impl Matches<'_> {
    /// Iterates over the matches from a place on, in the order of tables, and looks at no more than `limit` rows. Returns matches
    /// in consecutive rows together, up to a maximum number.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn resume(&self, place: RowPlace, limit: usize, most: usize) -> RowWalk<'_> {
        let (storage, sees) = (self.storage, self.sees_disabled());
        let mut found = FoundRows {
            matches: self,
            candidates: Candidates::all(storage, sees),
        };
        let RowPlace { table, row, .. } = place;
        found.skip_to(Location { table, row }, limit);
        RowWalk::new(found, most)
    }

    /// Returns true if rows were removed from the tables of the query, or exchanged there, since the place was found. Rows that
    /// are added do not count. O(tables).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn has_moved(&self, place: RowPlace) -> bool {
        let RowPlace { table, row, .. } = place;
        let now = self.place_of(Location { table, row });
        place.stamps.is_some() && place.stamps != now.stamps
    }

    #[inline]
    fn place_of(&self, at: Location) -> RowPlace {
        let Location { table, row } = at;
        let here = self.storage.tables().get(table as usize);
        let here = here.map_or(0, |table| table.stamp());
        RowPlace {
            table,
            row,
            stamps: Some((self.stamp(), here)),
        }
    }

    /// Returns a number that differs if rows were removed from the tables of the query, or exchanged there, since it was last
    /// asked for.
    #[inline]
    fn stamp(&self) -> u64 {
        let tables = self.storage.tables().iter().enumerate();
        let stamps = tables.filter_map(|(id, table)| {
            let is_as_made = table.stamp() as u32 == 0;
            let is_left_out = is_as_made || self.of_table(id as TableId, None) == Some(false);
            (!is_left_out).then(|| table.stamp())
        });
        // Mixed, so that no two sets of stamps have the same sum.
        stamps.fold(0, |sum, stamp| {
            let mixed = (stamp ^ stamp >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sum.wrapping_add((mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9))
        })
    }
}
