//! Process-wide component ids: one small integer per type, given out at first use.

use core::any::TypeId;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock};

use super::{Component, ComponentInfo};
use crate::invariant::Invariant;

/// The id of a component type, the same in every world of the process.
///
/// Ids are numbered in the order of first use in any world. No program should depend on that order, so ids have no order, and
/// `Debug` and `Hash` show the component's [name](Self::name). The order in a world is that of
/// [registration](crate::World#order).
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ComponentId(u32);

/// All component types of the process; an id is an index into it.
///
/// A linear list beside the ids held in [`IdSlot`]s: only generic types and first uses search it.
static REGISTRY: RwLock<Vec<(TypeId, ComponentInfo)>> = RwLock::new(Vec::new());

impl ComponentId {
    /// The id of `T`, given out now if this is the first use.
    ///
    /// One relaxed load for a type with an [`id_slot`](Component::id_slot).
    ///
    /// # Panics
    /// If the process uses more than 2^32 - 2 component types.
    #[inline]
    #[must_use]
    pub fn of<T: Component>() -> Self {
        match T::id_slot() {
            Some(slot) => Self::remembered(&slot.id, TypeId::of::<T>, ComponentInfo::of::<T>),
            None => Self::registered(TypeId::of::<T>, ComponentInfo::of::<T>),
        }
    }

    /// As [`of`](Self::of), for a caller who looks the id up in a list: if no id was given out yet it may be one that is in
    /// none.
    #[inline]
    pub(crate) fn of_known<T: Component>() -> Self {
        match T::id_slot() {
            // `UNSET` is an index that no list has.
            Some(slot) => Self(slot.id.load(Ordering::Relaxed)),
            None => Self::of::<T>(),
        }
    }

    /// The id in a slot; compiled once, and not for each type.
    #[inline]
    fn remembered(slot: &AtomicU32, type_id: fn() -> TypeId, info: fn() -> ComponentInfo) -> Self {
        // Relaxed is enough: the number is all that is communicated, the list behind it has its own lock.
        match slot.load(Ordering::Relaxed) {
            UNSET => {
                let id = Self::registered(type_id, info);
                slot.store(id.0, Ordering::Relaxed);
                id
            }
            id => Self(id),
        }
    }

    /// The id of the type, if one was given out.
    pub(crate) fn find(type_id: TypeId) -> Option<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let index = registry.iter().position(|(id, _)| *id == type_id)?;
        Some(Self(index as u32))
    }

    /// The position in any list by component.
    #[inline]
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }

    /// The component's [`NAME`](Component::NAME), or the type's full path if it was given none.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// The id with a number that is given out already, or will be.
    pub(crate) fn from_index(index: usize) -> Self {
        Self(index as u32)
    }

    pub(crate) fn info(self) -> ComponentInfo {
        // The list only grows by whole entries, so a poisoned lock guards nothing broken.
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        registry[self.index()].1
    }

    /// The id of a type, given out now if it has none.
    #[cold]
    #[inline(never)]
    fn registered(type_id: fn() -> TypeId, info: fn() -> ComponentInfo) -> Self {
        let type_id = type_id();
        if let Some(id) = Self::find(type_id) {
            return id;
        }
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = registry.iter().position(|(id, _)| *id == type_id) {
            return Self(index as u32);
        }
        let index = u32::try_from(registry.len()).unwrap_or(UNSET);
        assert!(
            index != UNSET,
            "more component types than a `u32` can count"
        );
        registry.push((type_id, info()));
        Self(index)
    }
}

impl fmt::Debug for ComponentId {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ComponentId({})", self.name())
    }
}

impl Hash for ComponentId {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

/// Remembers the id of `T` in a `static`.
///
/// Tied to `T` by its type, so that two components cannot share a slot and be taken for each other.
pub struct IdSlot<T> {
    id: AtomicU32,
    of: Invariant<T>,
}

/// The content of an empty slot.
const UNSET: u32 = u32::MAX;

impl<T> IdSlot<T> {
    /// An empty slot.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            id: AtomicU32::new(UNSET),
            of: PhantomData,
        }
    }
}

impl<T> Default for IdSlot<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for IdSlot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IdSlot").finish_non_exhaustive()
    }
}
