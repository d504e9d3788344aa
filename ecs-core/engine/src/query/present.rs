//! The fetch of entities that have at least one, or exactly one, of a list of members.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables and rows"
)]

use super::data::QueryData;
use super::structs::ItemOf;
use crate::entity::{Entity, Location, TableId};
use crate::join::{Fetch, OptionFetch, Reborrow};
use crate::meta::QueryAccess;
use crate::storage::Storage;
use crate::tick::Window;

/// Optional members: nested pairs `(Option<A>, (Option<B>, ()))`.
///
/// # Safety
/// `ANY` has the access of each member, as an alternative.
pub unsafe trait OptionList: QueryData {
    /// True if there is no member.
    const IS_EMPTY: bool;
    /// The access of entities that have at least one of the members.
    const ANY: &'static QueryAccess;

    /// Returns the number of members that the entities of a table have.
    fn count_columns(columns: &PtrOf<'_, Self>) -> usize;

    /// Returns the number of members of an entity that is placed at `at`.
    fn count(fetch: &FetchOf<'_, Self>, entity: Entity, at: Location) -> usize;
}

/// The fetch of some data.
pub(super) type FetchOf<'a, D> = <D as QueryData>::Fetch<'a>;
type PtrOf<'a, D> = <FetchOf<'a, D> as Fetch<'a>>::Ptr;

// SAFETY: there is no member.
unsafe impl OptionList for () {
    const IS_EMPTY: bool = true;
    const ANY: &'static QueryAccess = &QueryAccess::Or(&[]);

    #[inline]
    fn count_columns((): &()) -> usize {
        0
    }

    #[inline]
    fn count((): &(), _: Entity, _: Location) -> usize {
        0
    }
}

// SAFETY: `ANY` has the access of the first member and of the others.
unsafe impl<D: QueryData, Rest: OptionList> OptionList for (Option<D>, Rest) {
    const IS_EMPTY: bool = false;
    const ANY: &'static QueryAccess = match Rest::IS_EMPTY {
        // An alternative that no entity matches would hide that the filter of another query excludes all the others.
        true => &QueryAccess::Or(&[D::ACCESS]),
        false => &QueryAccess::Or(&[D::ACCESS, Rest::ANY]),
    };

    #[inline]
    fn count_columns((first, rest): &PtrOf<'_, Self>) -> usize {
        usize::from(first.is_some()) + Rest::count_columns(rest)
    }

    #[inline]
    fn count((first, rest): &FetchOf<'_, Self>, entity: Entity, at: Location) -> usize {
        let OptionFetch(first) = first;
        let is_first = first.as_ref().is_some_and(|first| first.has(entity, at));
        usize::from(is_first) + Rest::count(rest, entity, at)
    }
}

/// Query data that is made of optional members.
pub trait PresentData: QueryData {
    /// The members.
    type Members: OptionList;
    /// The item, which is made of them.
    type Made<'a>;

    /// True if entities have exactly one member; otherwise they have at least one.
    const EXACTLY_ONE: bool;

    /// Makes the item of an entity.
    fn make<'a>(members: ItemOf<'a, Self::Members>) -> Self::Made<'a>;

    /// Returns true if entities with this number of members match.
    #[inline]
    fn matches(count: usize) -> bool {
        match Self::EXACTLY_ONE {
            true => count == 1,
            false => count > 0,
        }
    }
}

/// The fetch of [`PresentData`].
pub struct PresentFetch<'a, S: PresentData> {
    /// Invariant 1: for `'a`, the clauses of [`QueryData::fetch`] hold for the members, except for fetches that were
    /// reborrowed from this one.
    storage: &'a Storage,
    window: Window,
    pub(super) members: FetchOf<'a, S::Members>,
}

impl<S: PresentData> Clone for PresentFetch<'_, S> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: PresentData> Copy for PresentFetch<'_, S> {}

impl<'a, S: PresentData> PresentFetch<'a, S> {
    /// Creates the fetch from the members' fetch.
    ///
    /// # Safety
    /// As for [`QueryData::fetch`] of the members, which `S` fetches.
    #[inline]
    pub(super) unsafe fn new(storage: &'a Storage, window: Window) -> Self {
        Self {
            storage,
            window,
            // SAFETY: clauses 1 to 3 by the caller's contract.
            members: unsafe { <S::Members as QueryData>::fetch(storage, window) },
        }
    }
}

// SAFETY: `Short` is the same type with another lifetime; `Shared` fetches the same components of the same storage, and
// `ReadOnly` only reads.
unsafe impl<'a, S: PresentData> Reborrow<'a> for PresentFetch<'a, S> {
    type ShortItem<'b> = S::Made<'b>;
    type Short<'b> = PresentFetch<'b, S>;
    type Shared<'b> = FetchOf<'b, S::ReadOnly>;

    #[inline]
    unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
        // SAFETY: by the caller's contract `'b` ends before `'a`; for `'a` the storage and its borrows (invariant 1) are
        // held.
        let storage: &'b Storage = unsafe { &*core::ptr::from_ref(self.storage) };
        // SAFETY: clause 1 by invariant 1 because `'a` is longer than `'b` and `ReadOnly` fetches from the same components.
        // Clause 2 by invariant 1, and because items that write, of fetches that were made from this one, are not used in
        // `'b` for entities that the new fetch is used for, by the caller's contract.
        unsafe { <S::ReadOnly as QueryData>::fetch(storage, self.window) }
    }
}

// SAFETY: the members keep the contract; `column` is `Some` only for tables whose entities all have enough members, and the
// fetch is not dense.
unsafe impl<'a, S: PresentData> Fetch<'a> for PresentFetch<'a, S> {
    type Item = S::Made<'a>;
    type Ptr = PtrOf<'a, S::Members>;
    type Block<const LEN: usize> = <FetchOf<'a, S::Members> as Fetch<'a>>::Block<LEN>;
    type Chunk = <FetchOf<'a, S::Members> as Fetch<'a>>::Chunk;
    type Lookup = ();

    const BY_ENTITY: bool = <FetchOf<'a, S::Members> as Fetch<'a>>::BY_ENTITY;
    const SEES_DISABLED: bool = <FetchOf<'a, S::Members> as Fetch<'a>>::SEES_DISABLED;

    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        let columns = self.members.column(storage, table);
        columns.filter(|columns| S::matches(S::Members::count_columns(columns)))
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the columns have `LEN` rows from `row` on, and no other item of them is alive.
        unsafe { <FetchOf<'a, S::Members>>::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.members.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the columns have `len` rows from `row` on, and no other item of them is alive.
        unsafe { <FetchOf<'a, S::Members>>::chunk(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the columns have `row`, and no other item of it is alive.
        S::make(unsafe { <FetchOf<'a, S::Members>>::at(column, row) })
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        S::matches(S::Members::count(&self.members, entity, at))
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        if !self.has(entity, at) {
            return None;
        }
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other item of it is alive.
        unsafe { self.members.get(storage, entity, at) }.map(S::make)
    }
}
