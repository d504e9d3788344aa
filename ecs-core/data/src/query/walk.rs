//! A walk over the matches of a text query, and the places where it can be cut.

use std::fmt;

use ecs_engine::Entity;
use ecs_engine::dynamic::{MatchRef, MatchRows, RowPlace, RowWalk};
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::view::ErasedRef;

use super::column::TextColumn;
use super::plan::QueryPlan;
use crate::EncodedValue;
use crate::codec::SomeRows;

/// A place in the walk over the matches of a text query: a table, and a row in it, with a stamp of the rows that were passed; see
/// [`TextMatches::resume`](super::TextMatches::resume). It belongs to a query and a world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextPlace(pub(super) RowPlace);

impl TextPlace {
    /// The place before all rows.
    pub const START: Self = Self(RowPlace::START);
}

/// Iterator over the matches of a text query, in the order of tables, or of the smallest sparse set.
pub struct TextWalk<'a> {
    plan: &'a QueryPlan,
    rows: RowWalk<'a>,
    /// Matches that are still to be tested, in consecutive rows.
    rest: Option<MatchRows<'a>>,
    /// True if all of `rest` pass.
    all_pass: bool,
    /// Matches whose test has the result `held`, apart from those that were returned.
    tested: Option<MatchRows<'a>>,
    held: SomeRows,
    /// The match that was returned last, until the rows after it are looked at.
    last: Option<TextMatch<'a>>,
    /// `None` unless the walk goes by tables.
    has_moved: Option<bool>,
}

impl<'a> TextWalk<'a> {
    pub(super) fn new(plan: &'a QueryPlan, rows: RowWalk<'a>, has_moved: Option<bool>) -> Self {
        Self {
            plan,
            rows,
            rest: None,
            all_pass: false,
            tested: None,
            held: SomeRows::NONE,
            last: None,
            has_moved,
        }
    }

    /// Returns the place after the match that was returned last, or after all rows that were looked at if there was no other
    /// match; `None` at the end of the world, and for a walk by [`TextMatches::iter`](super::TextMatches::iter). O(tables).
    #[must_use]
    pub fn place(&self) -> Option<TextPlace> {
        self.has_moved?;
        let place = match self.last {
            Some(last) => Some(last.item.place_after()),
            None => self.rows.place(),
        };
        place.map(TextPlace)
    }

    /// Returns true if rows have moved since the place was returned where this walk began, so that matches may be missing, or come
    /// again: entities were despawned or have changed their table, or the world was restored. Only the tables of the query count.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        self.has_moved == Some(true)
    }

    /// Passes over up to `count` matches, and returns their number, which is smaller only at the end of the walk. O(matches), but
    /// without a look at the rows of a table if all of them match.
    ///
    /// ```
    /// use ecs_core::data::{TextPlace, TextQuery};
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// #[component(name = "game.rat")]
    /// struct Rat;
    ///
    /// let mut world = World::new();
    /// let rats: Vec<Entity> = (0..1000).map(|_| world.spawn(Rat)).collect();
    /// let query = TextQuery::new(&world, "game.rat")?;
    /// let matches = query.matches(&world)?;
    /// let mut walk = matches.resume(&TextPlace::START, usize::MAX);
    /// assert_eq!(walk.skip_matches(998), 998);
    /// assert_eq!(walk.next().map(|found| found.entity()), Some(rats[998]));
    /// assert_eq!(walk.skip_matches(9), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn skip_matches(&mut self, count: usize) -> usize {
        let mut left = count;
        while left > 0 {
            if self.held.len() == 0 {
                let Some(rows) = self.take_rest() else {
                    self.last = None;
                    break;
                };
                if self.all_pass {
                    let (passed, rest) = rows.split(left);
                    left -= passed.len();
                    self.rest = rest;
                    self.last = Some(TextMatch {
                        item: passed.get(passed.len() - 1),
                        columns: &self.plan.columns,
                    });
                    continue;
                }
                self.rest = Some(rows);
            }
            if self.next().is_none() {
                break;
            }
            left -= 1;
        }
        count - left
    }

    /// Takes matches in consecutive rows that are still to be tested, unless all of them pass.
    fn take_rest(&mut self) -> Option<MatchRows<'a>> {
        if let Some(rest) = self.rest.take() {
            return Some(rest);
        }
        loop {
            let rows = self.rows.next()?;
            let of_all = if rows.len() > 1 {
                self.plan.of_all(rows)
            } else {
                None
            };
            if of_all != Some(false) {
                self.all_pass = of_all == Some(true);
                return Some(rows);
            }
        }
    }

    /// Tests the next matches; returns false if there are none.
    fn test_more(&mut self) -> bool {
        let Some(rest) = self.take_rest() else {
            return false;
        };
        let (rows, rest) = rest.split(SomeRows::MOST);
        self.rest = rest;
        self.held = if self.all_pass {
            SomeRows::first(rows.len())
        } else {
            self.plan.holds(rows, &Session::new(IdForm::Bits))
        };
        self.tested = Some(rows);
        true
    }
}

impl<'a> Iterator for TextWalk<'a> {
    type Item = TextMatch<'a>;

    #[inline]
    fn next(&mut self) -> Option<TextMatch<'a>> {
        loop {
            if let Some(tested) = self.tested
                && let Some(row) = self.held.take_first()
            {
                let found = TextMatch {
                    item: tested.get(row),
                    columns: &self.plan.columns,
                };
                self.last = Some(found);
                return Some(found);
            }
            if !self.test_more() {
                self.last = None;
                return None;
            }
        }
    }

    fn count(mut self) -> usize {
        let mut count = self.held.len();
        while let Some(rest) = self.take_rest() {
            if self.all_pass {
                count += rest.len();
            } else {
                self.rest = Some(rest);
                self.test_more();
                count += self.held.len();
            }
        }
        count
    }
}

impl fmt::Debug for TextWalk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TextWalk")
            .field("place", &self.place())
            .field("has_moved", &self.has_moved())
            .finish_non_exhaustive()
    }
}

/// An entity that a text query matches.
#[derive(Clone, Copy, Debug)]
pub struct TextMatch<'a> {
    item: MatchRef<'a>,
    columns: &'a [TextColumn],
}

impl<'a> TextMatch<'a> {
    /// Returns the entity.
    #[must_use]
    pub fn entity(self) -> Entity {
        self.item.entity()
    }

    /// Returns the component of a [column](super::TextQuery::columns), given by its position, even if the column is a field of it; `None`
    /// if the entity lacks the component, or if there is no such column.
    #[must_use]
    pub fn column(self, index: usize) -> Option<ErasedRef<'a>> {
        let column = self.columns.get(index)?;
        self.item.read(column.term())
    }

    /// Returns the value of a [column](super::TextQuery::columns), given by its position, for any format: the component, or the field of
    /// it. `None` if the entity lacks the component, the value has no such field, the component is not data, or there is no such
    /// column.
    ///
    /// ```
    /// use ecs_core::data::TextQuery;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health {
    ///     now: u32,
    ///     most: u32,
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn(Health { now: 3, most: 10 });
    /// let query = TextQuery::new(&world, "health, health.now < 5")?;
    /// let names: Vec<String> = query.columns().iter().map(ToString::to_string).collect();
    /// assert_eq!(names, ["game.health", "game.health.now"]);
    /// for found in query.matches(&world)?.iter() {
    ///     let cells = [0, 1].map(|column| found.value(column));
    ///     assert_eq!(serde_json::to_string(&cells)?, r#"[{"now":3,"most":10},3]"#);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value(self, index: usize) -> Option<EncodedValue<'a>> {
        self.columns.get(index)?.value(self.item)
    }
}
