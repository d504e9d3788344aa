//! All component types of the process, and the allocation of their ids.

#[cfg(feature = "data")]
mod relations;

#[cfg(feature = "data")]
pub(crate) use relations::NamedEnd;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::alloc::Layout;
use core::any::TypeId;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::{AtomicU32, Ordering};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::info::own_data;
use super::{Component, ComponentId, ComponentInfo, End, Hooks, MoreInfo, StorageKind};
use crate::data_type::{DataKind, DataType, DataTypeOf};
use crate::hash::{BuildTypeIdHasher, TypeMap};
use crate::invariant::Invariant;
use crate::meta::ConstTypeId;
use crate::sync::{PoisonError, RwLock};

/// All component types of the process.
struct Registry {
    /// The indices into `infos`. Needed for generic types and at first uses; [`IdSlot`]s cache the other ids.
    ids: TypeMap,
    /// By id.
    infos: Vec<ComponentInfo>,
    by_name: HashMap<&'static str, ComponentsOfName, BuildTypeIdHasher>,
    /// The components of sources of relations that are data, by the names of the data.
    #[cfg(feature = "data")]
    relations: HashMap<&'static str, Vec<u32>, BuildTypeIdHasher>,
}

/// The components of one name.
struct ComponentsOfName {
    first: u32,
    /// Types may share a name.
    others: Vec<u32>,
}

static REGISTRY: RwLock<Registry> = RwLock::new(Registry {
    ids: TypeMap::with_hasher(BuildTypeIdHasher::new()),
    infos: Vec::new(),
    by_name: HashMap::with_hasher(BuildTypeIdHasher::new()),
    #[cfg(feature = "data")]
    relations: HashMap::with_hasher(BuildTypeIdHasher::new()),
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
            Some(slot) => Self::cached(&slot.id, ident_of::<T>, ComponentInfo::of::<T>),
            None => Self::registered(ident_of::<T>, ComponentInfo::of::<T>),
        }
    }

    /// Like [`of`](Self::of), for looking the id up in a list: if no id was allocated yet, it may return one that is in no
    /// list.
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
    fn cached(
        slot: &AtomicU32,
        ident: fn() -> &'static ConstTypeId,
        info: fn() -> ComponentInfo,
    ) -> Self {
        // Relaxed is enough: only the number is communicated; the list behind it has its own lock.
        match slot.load(Ordering::Relaxed) {
            UNSET => {
                let id = Self::registered(ident, info);
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

    /// Returns the path of the type if it is data, although it has a name; otherwise its name.
    #[doc(hidden)]
    #[must_use]
    pub fn rust_name(self) -> &'static str {
        match self.data().or(self.relation()) {
            Some(data) => data.rust_name(),
            None => self.name(),
        }
    }

    /// Returns true if the component has [hooks](Component::HOOKS) of its own, such as `on_add`.
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::DeferredWorld;
    ///
    /// #[derive(Component)]
    /// #[component(on_add = Self::joined)]
    /// struct Player;
    ///
    /// impl Player {
    ///     fn joined(_: DeferredWorld, _: Entity) {}
    /// }
    ///
    /// #[derive(Component)]
    /// struct Wall;
    ///
    /// assert!(ComponentId::of::<Player>().has_hooks());
    /// assert!(!ComponentId::of::<Wall>().has_hooks());
    /// ```
    #[must_use]
    pub fn has_hooks(self) -> bool {
        self.info().more.hooks.has_own()
    }

    /// Returns true if no two entities of a world have equal values of the component: it has `#[component(unique)]`.
    #[doc(hidden)]
    #[must_use]
    pub fn is_unique(self) -> bool {
        self.info().more.hooks.check().is_some()
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

    /// Returns the description of the values, which is for the component's type, if the component is `data`.
    #[doc(hidden)]
    #[must_use]
    pub fn data(self) -> Option<&'static DataType> {
        own_data(self.ident())
    }

    /// Returns true if new values of the component are checked.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn is_checked(self) -> bool {
        self.info().more.hooks.check().is_some()
    }

    /// Returns true if the component is an end of a relation.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn is_end(self) -> bool {
        self.info().link.is_some()
    }

    /// Returns functions that copy the component's own values, even if it is not data.
    pub(crate) fn copied(self) -> Option<&'static DataType> {
        let copied = self.ident().copied();
        copied.filter(|data| data.type_id() == self.ident().type_id())
    }

    /// Returns functions for the values of edges, if the component is an end of a relation that is `data`.
    #[doc(hidden)]
    #[must_use]
    pub fn relation(self) -> Option<&'static DataType> {
        match own_data(self.ident()) {
            Some(_) => None,
            None => self.ident().data(),
        }
    }

    /// Returns the name of the relation whose sources have this component, such as `game::ChildOf` for
    /// `Target<ChildOf>`; `None` for other components.
    #[must_use]
    #[inline]
    pub fn relation_of_sources(self) -> Option<&'static str> {
        let info = self.info();
        match info.link?.end {
            End::Sources { .. } => None,
            End::Target { .. } | End::Targets { .. } => match self.relation() {
                Some(relation) => Some(relation.name()),
                // The type is generic in the relation.
                None => info.name.split_once('<')?.1.strip_suffix('>'),
            },
        }
    }

    /// Returns the component at the other end of the relation: `Sources<ChildOf>` for `Target<ChildOf>`, and the other way around;
    /// `None` for components that are not an end of a relation.
    #[must_use]
    #[inline]
    pub fn other_end(self) -> Option<Self> {
        self.info().link.map(|link| link.other())
    }

    /// Returns true if views insert and remove values; see [`ImmediateComponent`](super::ImmediateComponent).
    #[must_use]
    #[inline]
    pub fn is_immediate(self) -> bool {
        self.info().immediate
    }

    pub(crate) fn info(self) -> ComponentInfo {
        // Entries are added whole, so a poisoned lock does not mean broken data.
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        registry.infos[self.index()]
    }

    /// Calls a function with the descriptions of the components of these indices.
    pub(crate) fn with_infos(indices: Range<usize>, f: impl FnOnce(&[ComponentInfo])) {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        f(&registry.infos[indices]);
    }

    /// Returns the id of a type, allocated now if it has none.
    #[cold]
    #[inline(never)]
    fn registered(ident: fn() -> &'static ConstTypeId, info: fn() -> ComponentInfo) -> Self {
        let ident = ident();
        let type_id = ident.type_id();
        if let Some(id) = Self::find(type_id) {
            return id;
        }
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(&index) = registry.ids.get(&type_id) {
            return Self(index as u32);
        }
        let index = registry.next();
        // The info first: it calls a function of the type, which may panic.
        let info = info();
        registry.add(index, info);
        registry.ids.insert(type_id, index as usize);
        Self(index)
    }

    /// Returns the id of the type of an identity, if one was allocated.
    pub(crate) fn of_ident(ident: &ConstTypeId) -> Option<Self> {
        match ident.dynamic_number() {
            Some(number) => Some(Self(number)),
            None => Self::find(ident.type_id()),
        }
    }

    /// Allocates the id of a component that has no Rust type.
    ///
    /// # Safety
    /// `info` returns a description with the rest that it is given. Its `drop` drops values of the component, which have the
    /// layout `layout`, and are `Send` and `Sync`. The size is a multiple of the alignment. There are no hooks and no link,
    /// and the component is not immediate. `data` returns the description of the values of the component that it is given.
    #[inline]
    pub(crate) unsafe fn allocate(
        info: impl FnOnce(&'static MoreInfo) -> ComponentInfo,
        name: &'static str,
        data: impl FnOnce(Self, TypeId) -> Option<DataType>,
    ) -> Self {
        let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
        let index = registry.next();
        let data = data(Self(index), ConstTypeId::of_dynamic());
        let data = data.map_or(&[][..], |data| Box::leak(Box::new([data])));
        let ident = ConstTypeId::dynamic(index, name, data, ConstTypeId::of_dynamic);
        registry.add(index, info(more_info(ident)));
        Self(index)
    }

    /// Returns the identity that access checks compare.
    #[inline]
    pub(crate) fn ident(self) -> &'static ConstTypeId {
        self.info().more.ident
    }

    /// Returns the components of the process that are called `name`, in the order of first use: their
    /// [`NAME`](Component::NAME), or the type's full path if it has none.
    ///
    /// Names of types are not checked to be unique, so there can be several. A type that was never used is not found. O(1).
    #[must_use]
    #[inline]
    pub fn named(name: &str) -> Vec<Self> {
        let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
        let Some(named) = registry.by_name.get(name) else {
            return Vec::new();
        };
        let others = named.others.iter().copied();
        core::iter::once(named.first)
            .chain(others)
            .map(Self)
            .collect()
    }
}

impl Registry {
    /// The number of the next component.
    ///
    /// # Panics
    /// If there is none left.
    fn next(&self) -> u32 {
        let index = u32::try_from(self.infos.len()).unwrap_or(UNSET);
        assert!(index != UNSET, "too many component types: ids have 32 bits");
        index
    }

    /// Adds the component of this number, which is the next one.
    fn add(&mut self, index: u32, info: ComponentInfo) {
        self.infos.push(info);
        #[cfg(feature = "data")]
        if let Some(name) = relations::data_name_of(&info) {
            self.relations.entry(name).or_default().push(index);
        }
        let new = || ComponentsOfName {
            first: index,
            others: Vec::new(),
        };
        match self.by_name.entry(info.name) {
            Entry::Occupied(mut named) => named.get_mut().others.push(index),
            Entry::Vacant(place) => drop(place.insert(new())),
        }
    }
}

/// Describes a component that has no Rust type.
#[inline]
fn more_info(ident: ConstTypeId) -> &'static MoreInfo {
    Box::leak(Box::new(MoreInfo {
        hooks: Hooks::NONE,
        required: &[],
        ident: Box::leak(Box::new(ident)),
        turned: || None,
        copy_help: None,
    }))
}

fn ident_of<T: Component>() -> &'static ConstTypeId {
    const { &T::IDENT }
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
            DataKind::Dynamic(values) => Some(ComponentId::from_index(values.index())),
            #[cfg(feature = "data")]
            DataKind::DynamicRelation(index) => Some(ComponentId::from_index(index)),
            DataKind::Value | DataKind::Resource => None,
        }
    }

    /// Returns true if the values belong to edges of a relation.
    #[must_use]
    pub const fn is_relation(&self) -> bool {
        match self.kind() {
            DataKind::Relation(_) => true,
            #[cfg(feature = "data")]
            DataKind::DynamicRelation(_) => true,
            _ => false,
        }
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
