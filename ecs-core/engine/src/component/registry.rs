//! All component types of the process, and the allocation of their ids.

use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::TypeId;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU32, Ordering};

use super::{Component, ComponentId, ComponentInfo, StorageKind};
use crate::data_type::{DataKind, DataType, DataTypeOf};
use crate::hash::{BuildTypeIdHasher, TypeMap};
use crate::invariant::Invariant;
use crate::sync::{PoisonError, RwLock};

/// All component types of the process.
struct Registry {
    /// The indices into `infos`. Asked for generic types and at first uses; [`IdSlot`]s cache the other ids.
    ids: TypeMap,
    /// By id.
    infos: Vec<ComponentInfo>,
}

static REGISTRY: RwLock<Registry> = RwLock::new(Registry {
    ids: TypeMap::with_hasher(BuildTypeIdHasher::new()),
    infos: Vec::new(),
});

impl ComponentId {
    /// Returns the id of `T`, allocated now if this is the first use.
    ///
    /// One relaxed load for a type with an [`id_slot`](Component::id_slot).
    ///
    /// # Panics
    /// If the process uses more than 2^32 - 2 component types.
    #[inline]
    #[must_use]
    pub fn of<T: Component>() -> Self {
        match T::id_slot() {
            Some(slot) => Self::cached(&slot.id, TypeId::of::<T>, ComponentInfo::of::<T>),
            None => Self::registered(TypeId::of::<T>, ComponentInfo::of::<T>),
        }
    }

    /// Like [`of`](Self::of), for a lookup in a list: if no id was allocated yet, it may return one that is in no list.
    #[inline]
    pub(crate) fn of_known<T: Component>() -> Self {
        match T::id_slot() {
            // `UNSET` is an index beyond every list.
            Some(slot) => Self(slot.id.load(Ordering::Relaxed)),
            None => Self::of::<T>(),
        }
    }

    /// Returns the id in a slot. Not generic, so compiled once.
    #[inline]
    fn cached(slot: &AtomicU32, type_id: fn() -> TypeId, info: fn() -> ComponentInfo) -> Self {
        // Relaxed is enough: only the number is communicated; the list behind it has its own lock.
        match slot.load(Ordering::Relaxed) {
            UNSET => {
                let id = Self::registered(type_id, info);
                slot.store(id.0, Ordering::Relaxed);
                id
            }
            id => Self(id),
        }
    }

    /// Returns the id of the type, if one was allocated.
    pub(crate) fn find(type_id: TypeId) -> Option<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let &index = registry.ids.get(&type_id)?;
        Some(Self(index as u32))
    }

    /// The component's [`NAME`](Component::NAME), or the type's full path if it has none.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the size and alignment of the component's values.
    #[must_use]
    #[inline]
    pub fn layout(self) -> Layout {
        self.info().layout
    }

    /// Returns the storage of the component's values.
    #[must_use]
    #[inline]
    pub fn storage(self) -> StorageKind {
        self.info().storage
    }

    /// Returns true if changes of the component's values are [tracked](crate::component::Tracked).
    #[must_use]
    #[inline]
    pub fn is_tracked(self) -> bool {
        self.info().tracked
    }

    /// Returns what can be done with values, if the component is `data`.
    #[doc(hidden)]
    #[must_use]
    pub fn data(self) -> Option<&'static DataType> {
        self.info().data
    }

    /// Returns what can be done with the values of edges, if the component is an end of a relation that is `data`.
    #[doc(hidden)]
    #[must_use]
    pub fn relation(self) -> Option<&'static DataType> {
        self.info().relation
    }

    pub(crate) fn info(self) -> ComponentInfo {
        // Entries are added whole, so a poisoned lock does not mean broken data.
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        registry.infos[self.index()]
    }

    /// Returns the id of a type, allocated now if it has none.
    #[cold]
    #[inline(never)]
    fn registered(type_id: fn() -> TypeId, info: fn() -> ComponentInfo) -> Self {
        let type_id = type_id();
        if let Some(id) = Self::find(type_id) {
            return id;
        }
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&index) = registry.ids.get(&type_id) {
            return Self(index as u32);
        }
        let index = u32::try_from(registry.infos.len()).unwrap_or(UNSET);
        assert!(index != UNSET, "too many component types: ids have 32 bits");
        // The info first: it calls a function of the type, which may panic.
        let info = info();
        registry.infos.push(info);
        registry.ids.insert(type_id, index as usize);
        Self(index)
    }
}

impl DataType {
    /// Returns the component, if the values are components, or the component of sources, if they are the values of edges of
    /// a relation.
    #[must_use]
    pub fn component_id(&self) -> Option<ComponentId> {
        match self.kind() {
            DataKind::Component(index) | DataKind::Relation(index) => {
                Some(ComponentId::from_index(index()))
            }
            DataKind::Value | DataKind::Resource => None,
        }
    }

    /// Returns true if the values are those of edges of a relation.
    #[must_use]
    pub const fn is_relation(&self) -> bool {
        matches!(self.kind(), DataKind::Relation(_))
    }
}

impl<T: Component> DataTypeOf<T> {
    /// Says that the type is a component.
    #[must_use]
    pub const fn component(self) -> Self {
        self.of_kind(DataKind::Component(|| ComponentId::of::<T>().index()))
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

/// A `static` that caches the id of `T`.
///
/// Tied to `T` by its type, so that two components cannot share a slot and be mistaken for each other.
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
