//! The entities that a dynamic query matches, borrowed from a world.

use alloc::boxed::Box;
use core::fmt;

use super::candidates::{Candidates, FoundRows};
use super::plan::DynamicQuery;
use super::term::Term;
use super::walk::RowWalk;
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::meta::Kind;
use crate::storage::{ComponentStore, Frozen, Storage};
use crate::view::{ErasedMut, ErasedRef, ErasedView, ErasedViewMut, Viewed};
use crate::world::{BorrowError, World};

/// The entities of a world that a [`DynamicQuery`] matches, with the components that it borrows.
///
/// See [`DynamicQuery`] for an example.
pub struct Matches<'w> {
    pub(super) storage: &'w Storage,
    query: &'w DynamicQuery,
    /// By term.
    /// Invariant 1: each view is of its term's component. For `'w`, the values of entities that match are accessed through
    /// this alone if they are written, and not written if they are read.
    /// Invariant 2: if views can insert the component, entities neither get nor lose it for `'w`.
    views: Box<[View<'w>]>,
}

/// The borrow of a term.
enum View<'w> {
    Read(ErasedView<'w>),
    Write(ErasedViewMut<'w>),
    /// A component that is only tested needs no borrow: entities neither get nor lose it while the world is borrowed.
    Test(ErasedView<'w>),
    /// The view of the term at this position, which is for the same component.
    Like(usize),
}

impl World {
    /// Borrows the components of a dynamic query.
    ///
    /// # Panics
    /// If a component is borrowed elsewhere in a conflicting way; [`try_query_dynamic`](Self::try_query_dynamic) returns
    /// an error instead.
    #[track_caller]
    #[must_use]
    #[inline]
    pub fn query_dynamic<'w>(&'w self, query: &'w DynamicQuery) -> Matches<'w> {
        self.try_query_dynamic(query)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows the components of a dynamic query. O(terms).
    ///
    /// # Errors
    /// If a component is borrowed elsewhere in a conflicting way.
    #[inline]
    pub fn try_query_dynamic<'w>(
        &'w self,
        query: &'w DynamicQuery,
    ) -> Result<Matches<'w>, BorrowError> {
        Matches::new(self, query, |component, kind| match kind {
            Kind::Read => self.try_view_erased(component).map(View::Read),
            Kind::Write => self.try_view_erased_mut(component).map(View::Write),
        })
    }
}

impl<'w> Matches<'w> {
    /// Uses the components of a query without run-time borrows.
    ///
    /// # Safety
    /// For `'w`, no other code writes values of the components that the query reads, or accesses values of components that
    /// it writes, of entities that the query matches. If the query names components that views can insert, no other code
    /// inserts or removes them.
    #[inline]
    pub(crate) unsafe fn unlocked(world: &'w World, query: &'w DynamicQuery) -> Self {
        let made = Self::new(world, query, |component, kind| {
            let viewed = Viewed::of_id(component);
            match kind {
                Kind::Read => {
                    // SAFETY: the values of entities that match are not written by other code, and no view inserts or
                    // removes values, by the caller's contract.
                    let raw = unsafe { world.view_unlocked(viewed, None) };
                    // SAFETY: the view is used for entities that match alone, whose values are not written.
                    Ok(View::Read(unsafe { ErasedView::of(component, raw) }))
                }
                Kind::Write => {
                    // SAFETY: the values of entities that match are not accessed by other code, and no view inserts or
                    // removes values, by the caller's contract.
                    let raw = unsafe { world.view_unlocked(viewed, None) };
                    // SAFETY: the view is used for entities that match alone, whose values no other code accesses.
                    Ok(View::Write(unsafe { ErasedViewMut::of(component, raw) }))
                }
            }
        });
        made.unwrap_or_else(|error: BorrowError| unreachable!("nothing is borrowed: {error}"))
    }

    /// Borrows the components by a function.
    #[inline]
    fn new(
        world: &'w World,
        query: &'w DynamicQuery,
        mut borrow: impl FnMut(ComponentId, Kind) -> Result<View<'w>, BorrowError>,
    ) -> Result<Self, BorrowError> {
        let terms = query.terms();
        let view = |(index, &term): (usize, &Term)| {
            let component = term.component();
            let fetches = |other: &Term| other.component() == component && other.kind().is_some();
            if let Some(kind) = term.kind() {
                return borrow(component, kind);
            }
            if let Some(fetched) = terms.iter().position(fetches) {
                return Ok(View::Like(fetched));
            }
            if component.is_immediate() {
                // Views may insert and remove it, so testing it is a read.
                let known = |other: &Term| other.component() == component;
                let first = terms.iter().position(known);
                return match first {
                    Some(first) if first < index => Ok(View::Like(first)),
                    _ => borrow(component, Kind::Read),
                };
            }
            let viewed = Viewed::of_id(component);
            // SAFETY: no value is read or written through this view.
            let raw = unsafe { world.view_unlocked(viewed, None) };
            // SAFETY: views do not insert or remove the component, and no value is read through this view.
            let test = unsafe { ErasedView::of(component, raw) };
            Ok(View::Test(test))
        };
        let views = terms.iter().enumerate().map(view);
        Ok(Self {
            storage: &world.storage,
            query,
            views: views.collect::<Result<_, _>>()?,
        })
    }

    /// Returns the query.
    #[must_use]
    #[inline]
    pub fn query(&self) -> &'w DynamicQuery {
        self.query
    }

    /// Returns true if the entity matches. O(terms).
    #[must_use]
    #[inline]
    pub fn contains(&self, entity: Entity) -> bool {
        self.find(entity).is_some()
    }

    /// Returns the location of the entity if it matches.
    #[inline]
    fn find(&self, entity: Entity) -> Option<Location> {
        let at = self.storage.entities.get(entity)?;
        self.holds(entity, at, None, false).then_some(at)
    }

    /// Returns true if the entity at the location matches. It may be known that it has the component of one term, and that its
    /// table has what the terms [ask for](Self::of_table).
    #[inline]
    pub(super) fn holds(
        &self,
        entity: Entity,
        at: Location,
        known: Option<usize>,
        is_table_known: bool,
    ) -> bool {
        let mut terms = self.query.terms().iter().enumerate();
        terms.all(|(index, term)| {
            let wants = match term {
                _ if known == Some(index) => return true,
                Term::OptionalRead(_) | Term::OptionalWrite(_) => return true,
                Term::Read(_) | Term::Write(_) | Term::With(_) => true,
                Term::Without(_) => false,
            };
            let Some(store) = self.store(index) else {
                return !wants;
            };
            let kind = store.info.storage;
            is_table_known && !kind.is_by_entity()
                || store.find(kind, entity, at).is_some() == wants
        })
    }

    /// Returns true if the entities of a table match, false if they do not, and `None` if components in sparse sets decide. It
    /// may be known that they have the component of one term.
    #[inline]
    pub(super) fn of_table(&self, table: TableId, known: Option<usize>) -> Option<bool> {
        let mut of_all = Some(true);
        for (index, term) in self.query.terms().iter().enumerate() {
            let wants = match term {
                _ if known == Some(index) => continue,
                Term::OptionalRead(_) | Term::OptionalWrite(_) => continue,
                Term::Read(_) | Term::Write(_) | Term::With(_) => true,
                Term::Without(_) => false,
            };
            let is_there = match self.view(index) {
                View::Read(view) | View::Test(view) => view.is_in_table(table),
                View::Write(view) => view.is_in_table(table),
                View::Like(_) => unreachable!("the first term of a component has a view"),
            };
            match is_there {
                Some(is_there) if is_there != wants => return Some(false),
                Some(_) => {}
                None => of_all = None,
            }
        }
        of_all
    }

    /// Returns the view of the component of a term.
    #[inline]
    fn view(&self, term: usize) -> &View<'w> {
        match &self.views[term] {
            &View::Like(other) => &self.views[other],
            view => view,
        }
    }

    /// Returns the store of the component of a term; `None` if no entity has it.
    #[inline]
    fn store(&self, term: usize) -> Option<Frozen<'_, ComponentStore>> {
        match self.view(term) {
            View::Read(view) | View::Test(view) => view.frozen(),
            View::Write(view) => view.frozen(),
            View::Like(_) => unreachable!("the first term of a component has a view"),
        }
    }

    /// Returns the number of matches. O(tables) if all terms name components in tables, and otherwise O(entities of the rarest
    /// component that is not optional).
    #[must_use]
    #[inline]
    pub fn count(&self) -> usize {
        self.rows(usize::MAX).map(MatchRows::len).sum()
    }

    /// Returns a number that is not smaller than the number of matches: of entities with the rarest component that is not
    /// optional, or of all. O(terms).
    #[must_use]
    #[inline]
    pub fn upper_bound(&self) -> usize {
        let rarest = self.rarest();
        rarest.map_or_else(|| self.storage.entities.len(), |(_, len)| len)
    }

    /// Returns the position of the required term whose component has the fewest values, and their number.
    #[inline]
    fn rarest(&self) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for (index, term) in self.query.terms().iter().enumerate() {
            let len = match self.view(index) {
                View::Read(view) | View::Test(view) => view.len(),
                View::Write(view) => view.len(),
                View::Like(_) => continue,
            };
            if term.is_required() && best.is_none_or(|(_, least)| len < least) {
                best = Some((index, len));
            }
        }
        best
    }

    /// Returns an entity, for reading; `None` if it does not match.
    #[must_use]
    #[inline]
    pub fn get(&self, entity: Entity) -> Option<MatchRef<'_>> {
        let matches = self;
        let at = matches.find(entity)?;
        Some(MatchRef {
            matches,
            entity,
            at,
        })
    }

    /// Returns an entity, for reading, if iteration returns it too: not if it is disabled, unless the query names a component that
    /// disables entities.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn get_enabled(&self, entity: Entity) -> Option<MatchRef<'_>> {
        let is_skipped = || !self.sees_disabled() && self.storage.is_entity_disabled(entity);
        self.get(entity).filter(|_| !is_skipped())
    }

    /// Returns an entity, for writing; `None` if it does not match.
    #[must_use]
    #[inline]
    pub fn get_mut(&mut self, entity: Entity) -> Option<MatchMut<'_>> {
        let matches = self;
        // Invariant 1 of the match: the matches are borrowed exclusively as long as it.
        let at = matches.find(entity)?;
        Some(MatchMut {
            matches,
            entity,
            at,
        })
    }

    /// Iterates over the matches, for reading, in the order of the tables, or of the smallest sparse set.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = MatchRef<'_>> {
        let matches = self;
        matches.found().map(move |(entity, at)| MatchRef {
            matches,
            entity,
            at,
        })
    }

    /// Iterates over the matches, for writing, in the order of the tables, or of the smallest sparse set.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = MatchMut<'_>> {
        let matches = &*self;
        // Invariant 1 of the match: the matches are borrowed exclusively as long as it, and no entity occurs twice in a
        // table, in another one, or in a sparse set.
        matches.found().map(move |(entity, at)| MatchMut {
            matches,
            entity,
            at,
        })
    }

    /// Iterates over the matches like [`iter`](Self::iter), but returns matches in consecutive rows of a table together, up
    /// to a maximum number.
    #[doc(hidden)]
    #[inline]
    pub fn rows(&self, most: usize) -> RowWalk<'_> {
        RowWalk::new(self.found(), most)
    }

    #[inline]
    fn found(&self) -> FoundRows<'_, 'w> {
        FoundRows {
            matches: self,
            candidates: self.candidates(),
        }
    }

    /// Returns true if the query finds disabled entities.
    #[inline]
    pub(super) fn sees_disabled(&self) -> bool {
        let mut terms = self.query.terms().iter();
        terms.any(|term| term.component().info().disables)
    }

    /// Returns entities that include all matches: the entities of the rarest component that is not optional.
    #[inline]
    fn candidates(&self) -> Candidates<'_> {
        let sees = self.sees_disabled();
        let rarest = self.rarest().map(|(index, _)| index);
        let mut candidates = match rarest.map(|index| self.view(index)) {
            Some(View::Read(view) | View::Test(view)) => view.candidates(sees),
            Some(View::Write(view)) => view.candidates(sees),
            _ => Candidates::all(self.storage, sees),
        };
        let terms = self.query.terms();
        let listed = rarest.filter(|&index| terms[index].component().storage().is_by_entity());
        candidates.listed = listed;
        if let Some(listed) = listed {
            let mut terms = terms.iter().enumerate();
            let is_free = |(index, term): (usize, &Term)| index == listed || term.is_optional();
            candidates.are_tested = candidates.skips_disabled || !terms.all(is_free);
        }
        candidates
    }
}

/// Returns entities that include all entities with a value.
macro_rules! candidates {
    ($($view:ident)*) => {$(
        impl $view<'_> {
            #[inline]
            fn candidates(&self, sees: bool) -> Candidates<'_> {
                match self.list() {
                    Some(list) => Candidates::of_list(self.storage(), list, sees),
                    None => match self.store() {
                        Some(store) => Candidates::of_tables(self.storage(), store, sees),
                        None => Candidates::of_list(self.storage(), &[], sees),
                    },
                }
            }
        }
    )*};
}

candidates!(ErasedView ErasedViewMut);

/// An entity that a dynamic query matches, for reading.
#[derive(Clone, Copy)]
pub struct MatchRef<'a> {
    pub(super) matches: &'a Matches<'a>,
    pub(super) entity: Entity,
    /// The location of the entity, which does not move as long as the world is borrowed.
    pub(super) at: Location,
}

/// An entity that a dynamic query matches, for writing.
pub struct MatchMut<'a> {
    /// Invariant 1: as long as `'a`, the values of `entity` that the query writes are accessed through this alone.
    matches: &'a Matches<'a>,
    entity: Entity,
    /// Invariant 2: the location of the entity, which does not move as long as the world is borrowed.
    at: Location,
}

impl<'a> MatchRef<'a> {
    /// Returns the entity.
    #[must_use]
    #[inline]
    pub fn entity(self) -> Entity {
        self.entity
    }

    /// Returns the value of a term, given by its position: one that reads or writes. `None` if the term is optional and
    /// the entity lacks the component. O(1).
    ///
    /// # Panics
    /// If the query has no such term, or it is `With` or `Without`.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn read(self, term: usize) -> Option<ErasedRef<'a>> {
        match self.matches.views.get(term) {
            Some(View::Read(view)) => view.get_at(self.entity, self.at),
            Some(View::Write(view)) => view.get_at(self.entity, self.at),
            _ => no_access(self.matches.query, term, "reads"),
        }
    }

    /// Returns the match as a row alone.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn alone(self) -> MatchRows<'a> {
        MatchRows {
            first: self,
            entities: &[],
            is_of_list: false,
            listed: None,
        }
    }
}

/// Entities that a dynamic query matches, for reading: one, or several in consecutive rows of a table or of a sparse set.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct MatchRows<'a> {
    pub(super) first: MatchRef<'a>,
    /// Includes the first entity; empty if there is no other.
    pub(super) entities: &'a [Entity],
    /// True if they are in the rows of a sparse set, and may be in several tables.
    pub(super) is_of_list: bool,
    /// The position of the term whose values are in these rows, if they are rows of a sparse set.
    pub(super) listed: Option<usize>,
}

impl<'a> MatchRows<'a> {
    /// Returns the number of entities, which is not 0.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    #[must_use]
    #[inline]
    pub fn len(self) -> usize {
        self.entities.len().max(1)
    }

    /// Returns one of the entities.
    ///
    /// # Panics
    /// If there are fewer entities.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn get(self, row: usize) -> MatchRef<'a> {
        if row == 0 {
            return self.first;
        }
        let MatchRef { matches, at, .. } = self.first;
        let entity = self.entities[row];
        let at = match self.is_of_list {
            false => Location {
                row: at.row + row as u32,
                ..at
            },
            true => {
                let at = matches.storage.entities.get(entity);
                at.expect("entities in sparse sets exist")
            }
        };
        MatchRef {
            matches,
            entity,
            at,
        }
    }

    /// Returns true if all of them are in one table, so that they have the same components in tables.
    #[must_use]
    #[inline]
    pub fn are_in_one_table(self) -> bool {
        !self.is_of_list || self.entities.len() < 2
    }

    /// Returns true if the values of a term, given by its position, follow each other in these rows: those of a component in tables, if
    /// the entities [are in one](Self::are_in_one_table), and those of the sparse set whose rows these are.
    #[must_use]
    #[inline]
    pub fn has_in_order(self, term: usize) -> bool {
        match self.is_of_list {
            true => self.listed == Some(term),
            false => !self.component(term).storage().is_by_entity(),
        }
    }

    /// Returns the first rows, up to a maximum number, and the others.
    #[inline]
    pub fn split(self, most: usize) -> (Self, Option<Self>) {
        let Some((first, rest)) = self.entities.split_at_checked(most) else {
            return (self, None);
        };
        let rows = |row, entities| Self {
            first: self.get(row),
            entities,
            ..self
        };
        let rest = (!rest.is_empty()).then(|| rows(most, rest));
        (rows(0, first), rest)
    }

    /// Returns the component of a term.
    ///
    /// # Panics
    /// If the query has no such term.
    #[must_use]
    #[inline]
    pub fn component(self, term: usize) -> ComponentId {
        self.first.matches.query.terms()[term].component()
    }

    /// Passes a pointer to the value of a term, given by its position, to a function for each of some rows that has one, with the
    /// row. The pointers are valid for reading for `'a`. The values of the rows follow each other if they are
    /// [in order](Self::has_in_order).
    ///
    /// # Panics
    /// As for [`MatchRef::read`], and as for [`get`](Self::get).
    #[inline]
    pub fn pointers(
        self,
        term: usize,
        rows: impl Iterator<Item = usize>,
        mut found: impl FnMut(usize, *const u8),
    ) {
        let matches = self.first.matches;
        let Some(View::Read(_) | View::Write(_)) = matches.views.get(term) else {
            no_access(matches.query, term, "reads")
        };
        let Some(store) = matches.store(term) else {
            return;
        };
        let (kind, size) = (store.info.storage, store.info.layout.size());
        for row in rows {
            let MatchRef { entity, at, .. } = self.get(row);
            if let Some((first, place)) = store.find(kind, entity, at) {
                found(row, first.as_ptr().wrapping_add(place * size));
            }
        }
    }
}

impl<'a> MatchMut<'a> {
    /// Returns the entity.
    #[must_use]
    #[inline]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// Returns the value of a term that reads, given by its position. `None` if the term is optional and the entity lacks
    /// the component. O(1).
    ///
    /// # Panics
    /// If the query has no such term, or it is of another kind.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn read(&self, term: usize) -> Option<ErasedRef<'a>> {
        match self.matches.views.get(term) {
            // No other term writes the component, by invariant 1 of the query.
            Some(View::Read(view)) => view.get_at(self.entity, self.at),
            _ => no_access(self.matches.query, term, "reads"),
        }
    }

    /// Returns the value of a term that writes, given by its position. `None` if the term is optional and the entity
    /// lacks the component. O(1).
    ///
    /// # Panics
    /// If the query has no such term, or it is of another kind.
    #[must_use]
    #[track_caller]
    #[inline]
    pub fn write(&mut self, term: usize) -> Option<ErasedMut<'_>> {
        match self.matches.views.get(term) {
            // SAFETY: the location belongs to the entity by invariant 2. The value is accessed through this match alone by
            // invariant 1, which is borrowed exclusively as long as the result; no other term accesses the component.
            Some(View::Write(view)) => unsafe { view.get_unlocked_at(self.entity, self.at) },
            _ => no_access(self.matches.query, term, "writes"),
        }
    }
}

#[cold]
#[track_caller]
#[inline(never)]
fn no_access(query: &DynamicQuery, term: usize, accesses: &str) -> ! {
    match query.terms().get(term) {
        Some(found) => panic!(
            "term {term} of the query `{query}` is `{found}`, and not one that {accesses}; help: give the position of a term that does"
        ),
        None => panic!(
            "the query `{query}` has {} terms, and no term {term}; help: count them from 0",
            query.terms().len()
        ),
    }
}

impl fmt::Debug for Matches<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Matches({}: {} entities)", self.query, self.count())
    }
}

impl fmt::Debug for MatchRef<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchRef({}, {})", self.entity, self.matches.query)
    }
}

impl fmt::Debug for MatchMut<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MatchMut({}, {})", self.entity, self.matches.query)
    }
}
