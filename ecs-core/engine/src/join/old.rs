//! New values computed from old ones: all reads come before all writes.

use alloc::vec::Vec;
use core::fmt;

use super::engine::Joined;
use super::fetch::Fetch;
use super::iter::JoinIter;
use super::reborrow::{Reborrow, ReborrowFilter};
use crate::entity::Entity;

/// Reads all entities of a join as they were before any of them is changed; see
/// [`JoinMut::for_each_from_old`](super::JoinMut::for_each_from_old).
pub struct Old<'a, T, F> {
    /// Invariant 1: while the `Old` is borrowed, no writing items of the join are used.
    pub(super) join: Joined<'a, T, F>,
}

/// The items that are read per entity.
pub(super) type OldItem<'b, 'a, T> = <<T as Reborrow<'a>>::Shared<'b> as Fetch<'b>>::Item;
/// The join that reads.
pub(super) type OldJoin<'b, 'a, T, F> =
    Joined<'b, <T as Reborrow<'a>>::Shared<'b>, <F as ReborrowFilter<'a>>::Short<'b>>;
type Iter<'b, 'a, T, F> =
    JoinIter<'b, <T as Reborrow<'a>>::Shared<'b>, <F as ReborrowFilter<'a>>::Short<'b>>;

impl<'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> Old<'a, T, F> {
    #[inline]
    pub(super) fn read<'b>(&'b self) -> OldJoin<'b, 'a, T, F> {
        Joined {
            storage: self.join.storage,
            // SAFETY: `self` is borrowed for `'b`, so `'b` ends before `'a` does, and no items that write are used in
            // `'b` by invariant 1.
            fetch: unsafe { self.join.fetch.shared() },
            // SAFETY: `self` is borrowed for `'b`, so `'b` ends before `'a` does.
            filter: unsafe { self.join.filter.reborrow() },
        }
    }

    /// Iterates over all entities, with `&mut` items as `&`.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> Iter<'_, 'a, T, F> {
        self.read().iter()
    }

    /// Returns the items of one entity, with `&mut` as `&`; `None` if it does not match or is despawned. O(members).
    #[inline]
    #[must_use]
    pub fn get(&self, entity: Entity) -> Option<OldItem<'_, 'a, T>> {
        self.read().get(entity)
    }

    /// Returns true if the entity matches. O(members).
    #[must_use]
    pub fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some()
    }
}

impl<'b, 'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> IntoIterator for &'b Old<'a, T, F> {
    type Item = OldItem<'b, 'a, T>;
    type IntoIter = Iter<'b, 'a, T, F>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T, F> fmt::Debug for Old<'_, T, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Old")
    }
}

/// Calls `read` with each entity and an [`Old`] of all, and then `write` with each entity and the value that `read` returned
/// for it.
#[inline]
pub(super) fn for_each_from_old<'a, T, F, N, R, W>(
    join: Joined<'a, T, F>,
    mut read: R,
    mut write: W,
) where
    T: Reborrow<'a>,
    F: ReborrowFilter<'a>,
    R: for<'b> FnMut(OldItem<'b, 'a, T>, &'b Old<'a, T, F>) -> N,
    W: FnMut(T::Item, N),
{
    let old = Old { join };
    let mut new = Vec::new();
    old.read().each(&mut |item| new.push(read(item, &old)));
    // Both loops visit the same entities in the same order: they have the same members, and nothing was changed.
    let mut new = new.into_iter();
    old.join.each(&mut |item| {
        if let Some(value) = new.next() {
            write(item, value);
        }
    });
}
