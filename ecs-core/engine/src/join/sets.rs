//! The sparse sets of a join, and the rows where their common entities lie side by side.

use core::fmt;
use core::ops::Range;

use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::storage::{FrozenStore, GroupMembers, Storage};
use crate::type_name::type_name;

/// The sparse sets that every entity of a join is in.
#[derive(Default)]
pub struct JoinSets<'a> {
    /// Invariant 1: the set of a sparse component, like all that follow.
    first: Option<FrozenStore<'a>>,
    /// The components of the same group family as `first`.
    all: GroupMembers,
    /// A set that entities must not be in.
    lacking: Option<FrozenStore<'a>>,
    /// True if there is a set besides `first`.
    several: bool,
    /// The last component that has no store because it is not registered.
    unknown: Option<ComponentId>,
    /// True if `all` and `lacking` do not cover all sets because some are not in one family of groups.
    scattered: bool,
}

impl<'a> JoinSets<'a> {
    /// Requires the component of the store, if it is sparse.
    #[inline]
    pub(super) fn require<T: Component>(&mut self, store: Option<FrozenStore<'a>>) {
        if !T::STORAGE.is_by_entity() {
            return;
        }
        let Some(store) = store else {
            let id = ComponentId::of::<T>();
            self.several |= self.first.is_some() || self.unknown.is_some_and(|other| other != id);
            self.unknown = Some(id);
            return;
        };
        let first = *self.first.get_or_insert(store);
        self.several |= self.unknown.is_some() || !core::ptr::eq(first.get(), store.get());
        self.scattered |= !self.all.add(store.member);
    }

    /// Requires that entities lack the component of the store.
    #[inline]
    pub(super) fn require_absence(&mut self, store: Option<FrozenStore<'a>>) {
        match store {
            Some(store) => {
                self.scattered |= self.lacking.is_some();
                self.lacking = Some(store);
            }
            // Treated like a component that is in no group.
            None => (self.several, self.scattered) = (true, true),
        }
    }

    /// Returns the entities of one of the sets, in the order of its values.
    #[inline]
    pub(super) fn entities(&self) -> &'a [Entity] {
        self.first.map_or(&[], |store| store.set().entities())
    }

    /// Returns the rows of the values of all matching entities, which are the same in each of the sets; `None` if the
    /// values do not lie side by side.
    #[inline]
    pub(super) fn range(&self, storage: &Storage) -> Option<Range<usize>> {
        if !self.several && self.lacking.is_none() {
            return Some(0..self.entities().len());
        }
        let in_groups = self.unknown.is_none() && !self.scattered;
        in_groups.then(|| self.range_of_group(storage)).flatten()
    }

    #[cold]
    #[inline(never)]
    fn range_of_group(&self, storage: &Storage) -> Option<Range<usize>> {
        let end = if self.several {
            storage.groups().len(self.all)?
        } else {
            self.entities().len()
        };
        let Some(lacking) = self.lacking else {
            return Some(0..end);
        };
        // Entities that also have the lacking component come first, if there is such a group.
        let mut with = self.all;
        if !with.add(lacking.member) {
            return None;
        }
        Some(storage.groups().len(with)?..end)
    }

    /// Returns a list of entities that contains all matching ones. Uses the groups of the world.
    pub(super) fn candidates(&self, storage: &'a Storage) -> Option<&'a [Entity]> {
        if storage.groups().is_empty() {
            return None;
        }
        let (component, len) = storage.groups().narrowest(self.all)?;
        // Members of a group are never immediate.
        Some(&storage.store(component).frozen_shared().set().entities()[..len])
    }
}

/// The error if the members of a join do not lie side by side because they are not a group of their world; see
/// [`Join::try_slices`](super::Join::try_slices).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotGrouped {
    /// The type of the join's items.
    pub items: &'static str,
}

impl NotGrouped {
    pub(super) fn of<Items>() -> Self {
        Self {
            items: type_name::<Items>(),
        }
    }
}

impl fmt::Display for NotGrouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the components of a join over `{}` are not a group of this world; help: declare the group with `World::builder().group::<(..)>()` or `World::set_layout`, or use `iter` or `for_each`",
            self.items
        )
    }
}

impl core::error::Error for NotGrouped {}
