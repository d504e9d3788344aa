//! Which sparse sets a join asks an entity to be in, and where such entities stand side by side.

use core::fmt;
use core::ops::Range;

use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::storage::{FrozenStore, Members, Storage};

/// The sparse sets that every entity of a join is in.
#[derive(Default)]
pub struct Sets<'a> {
    /// Invariant 1: the set of a sparse component, as are all that follow.
    first: Option<FrozenStore<'a>>,
    /// Those of the family of `first`.
    all: Members,
    /// One that entities must not be in.
    lacking: Option<FrozenStore<'a>>,
    /// Whether there is another one than `first`.
    several: bool,
    /// The last one that has no store, as its component is not registered.
    unknown: Option<ComponentId>,
    /// Whether `all` and `lacking` are not all of them, as some are not in one family of groups.
    scattered: bool,
}

impl<'a> Sets<'a> {
    /// Asks for the component of the store, if it is sparse.
    #[inline]
    pub(super) fn ask<T: Component>(&mut self, store: Option<FrozenStore<'a>>) {
        if !T::STORAGE.is_sparse() {
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

    /// Asks for those that lack the component of the store.
    #[inline]
    pub(super) fn refuse(&mut self, store: Option<FrozenStore<'a>>) {
        match store {
            Some(store) => {
                self.scattered |= self.lacking.is_some();
                self.lacking = Some(store);
            }
            // As any other component that is in no group.
            None => (self.several, self.scattered) = (true, true),
        }
    }

    /// The entities of one of the sets, which lie as its values do.
    #[inline]
    pub(super) fn entities(&self) -> &'a [Entity] {
        self.first.map_or(&[], |store| store.set().entities())
    }

    /// Where the values of all matching entities lie, in the same order in each of the sets; `None` if they do not lie
    /// side by side.
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
        // Those that have it too stand further left, if that makes a group.
        let mut with = self.all;
        if !with.add(lacking.member) {
            return None;
        }
        Some(storage.groups().len(with)?..end)
    }

    /// The entities among which all matching ones are, by what groups know.
    pub(super) fn candidates(&self, storage: &'a Storage) -> Option<&'a [Entity]> {
        if storage.groups().is_empty() {
            return None;
        }
        let (component, len) = storage.groups().narrowest(self.all)?;
        // The members of a group are not immediate.
        Some(&storage.store(component).settled().set().entities()[..len])
    }
}

/// The members of a join do not lie side by side, as they are not a group of their world; see
/// [`Join::try_slices`](super::Join::try_slices).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotGrouped {
    /// The type of the join's items.
    pub items: &'static str,
}

impl NotGrouped {
    pub(super) fn of<Items>() -> Self {
        Self {
            items: core::any::type_name::<Items>(),
        }
    }
}

impl fmt::Display for NotGrouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the components of a join over `{}` are not a group of this world: name them in `World::builder().group::<(..)>()` or `World::set_layout`, or visit them with `iter` or `for_each`",
            self.items
        )
    }
}

impl core::error::Error for NotGrouped {}
