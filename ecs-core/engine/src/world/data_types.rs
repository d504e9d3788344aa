//! The basis for saving a world: its tables, and the data types that it knows.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::any::TypeId;

use super::{World, WorldId};
use crate::bundle::required_by;
use crate::component::{ComponentId, StorageKind};
use crate::data_type::DataType;
use crate::entity::Entity;
#[cfg(feature = "serde")]
use crate::meta::ConstTypeId;
use crate::meta::ParamInfo;
use crate::sync::PoisonError;

/// The data types of a world by name and by earlier name, at the time of the last look-up.
#[derive(Default)]
pub(crate) struct DataNames {
    /// The number of registered components, and the number of data types that schedules have named. Both only grow.
    known: (u32, usize),
    /// Keyed by a flag for resources, and by name.
    by_name: BTreeMap<(bool, &'static str), NamedData>,
}

/// The types whose values snapshots can copy, beside those of components.
#[derive(Clone, Copy)]
pub(crate) struct CopiedTypes<'a>(&'a [&'static DataType], &'a [&'static DataType]);

impl<'a> CopiedTypes<'a> {
    pub(crate) fn new(data: &'a [&'static DataType], others: &'a [&'static DataType]) -> Self {
        Self(data, others)
    }

    /// Returns the description of a type.
    pub(crate) fn find(self, id: TypeId) -> Option<&'static DataType> {
        let mut all = self.0.iter().chain(self.1);
        all.find(|data| data.type_id() == id).copied()
    }

    /// Returns the description of a type of resources by its name in snapshots.
    pub(crate) fn named(self, name: &str) -> Option<&'static DataType> {
        let is_it = |data: &&&DataType| data.is_boxed() && data.name_in_snapshots() == name;
        self.0.iter().chain(self.1).find(is_it).copied()
    }
}

/// The data type with a certain name in a world.
#[derive(Clone, Copy, Debug)]
pub struct NamedData {
    /// The data type.
    pub data: &'static DataType,
    /// The name.
    pub name: &'static str,
    /// Another type of the world with the same name.
    pub other: Option<&'static DataType>,
}

impl World {
    /// Tells the world about a data type. A schedule does so for all types that its systems name.
    #[doc(hidden)]
    #[inline]
    pub fn make_data_known(&mut self, data: &'static DataType) {
        let mut known = self.data_types.iter();
        if known.all(|known| !known.is_same(data)) {
            self.data_types.push(data);
        }
    }

    /// Tells the world about a type whose values snapshots copy, although it is not data.
    #[doc(hidden)]
    #[inline]
    pub fn make_copied_known(&mut self, data: &'static DataType) {
        let mut known = self.copied_types.iter_mut();
        match known.find(|known| known.is_same(data)) {
            // The program has named the type since.
            Some(known) if !known.is_known_to_bytes() => *known = data,
            Some(_) => {}
            None => self.copied_types.push(data),
        }
    }

    /// Returns the types that snapshots can copy: data types that systems have named, and others.
    #[inline]
    pub(crate) fn copied_types(&self) -> CopiedTypes<'_> {
        CopiedTypes::new(&self.data_types, &self.copied_types)
    }

    /// Tells the world about a component that it is going to have, and about its required components.
    #[doc(hidden)]
    #[inline]
    pub fn make_component_known(&mut self, component: ComponentId) {
        let required = required_by(&[component]).into_iter().map(|(id, _)| id);
        for id in core::iter::once(component).chain(required) {
            if let Some(data) = id.data().or(id.relation()) {
                self.make_data_known(data);
            }
        }
    }

    /// Tells the world about the data of a type that a system names: the data type of the type itself, and its required
    /// components.
    #[cfg(feature = "serde")]
    #[inline]
    pub(crate) fn make_type_known(&mut self, ident: &ConstTypeId) {
        ident.for_each_data(&mut |data| self.make_data_known(data));
    }

    /// Tells the world about all data that the parameters of a system name. Does nothing without the feature `serde`.
    #[inline]
    pub(crate) fn make_params_known(&mut self, params: &'static [ParamInfo]) {
        #[cfg(feature = "serde")]
        for param in params {
            let access = param.of.access;
            access.for_each_type(&mut |ident| self.make_type_known(ident));
        }
        #[cfg(not(feature = "serde"))]
        let _ = params;
    }

    /// Returns the entities and the components of each table that has rows, in the order of creation of the tables.
    ///
    /// Reserved entities are missing: they have no row before the next [`flush`](Self::flush).
    #[doc(hidden)]
    #[inline]
    pub fn tables_with_rows(&self) -> impl Iterator<Item = (&[Entity], Vec<ComponentId>)> {
        let tables = self.storage.tables().iter();
        let occupied = tables.filter(|table| table.len() > 0);
        occupied.map(|table| (table.entities(), table.components().collect()))
    }

    /// Returns all tables, including empty ones, in the order of loops: the entities in row order, and the components. An entity
    /// is in the table of the components that it has, apart from those in sparse sets; [disabled](crate::Disabled) ones are there, too,
    /// and reserved ones are not before the next [`flush`](Self::flush). O(tables).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Tree;
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..7).map(|_| Tree));
    /// let sizes: Vec<usize> = world.all_tables().map(|(entities, _)| entities.len()).collect();
    /// assert_eq!(sizes, [0, 7]);
    /// ```
    #[inline]
    pub fn all_tables(&self) -> impl Iterator<Item = (&[Entity], Vec<ComponentId>)> {
        let tables = self.storage.tables().iter();
        tables.map(|table| (table.entities(), table.components().collect()))
    }

    /// Creates the empty table for a set of components; loops visit it before tables that are created later. Does nothing if
    /// the table exists.
    ///
    /// # Panics
    /// If the world has the maximum number of tables, or a component is sparse.
    #[doc(hidden)]
    #[inline]
    pub fn make_table(&mut self, mut components: Vec<ComponentId>) {
        for &component in &components {
            self.storage.register(component);
            assert!(
                component.storage() == StorageKind::Table,
                "`{}` is not in tables",
                component.name()
            );
        }
        components.sort_unstable_by_key(|&component| self.storage.rank(component));
        components.dedup();
        self.storage.table_of(&components);
    }

    /// Returns the registered components in the order of registration: by [`register`](Self::register), or because an entity had one.
    /// O(component types of the process).
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Tree;
    ///
    /// let mut world = World::new();
    /// world.spawn(Tree);
    /// assert!(world.registered_components().contains(&ComponentId::of::<Tree>()));
    /// ```
    #[must_use]
    #[inline]
    pub fn registered_components(&self) -> Vec<ComponentId> {
        self.storage.registered_components()
    }

    /// Registers a component by its id, like [`register`](Self::register).
    #[doc(hidden)]
    #[inline]
    pub fn register_erased(&mut self, component: ComponentId) {
        self.storage.register(component);
    }

    /// Returns numbers that stay while [`data_types`](Self::data_types) and the registered components do: the world, its
    /// [returns](Self::restores), and how many there are. O(1).
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn data_types_known(&self) -> (WorldId, u64, u32, usize) {
        let registered = self.storage.registered_count();
        (
            self.id(),
            self.restores(),
            registered,
            self.data_types.len(),
        )
    }

    /// Returns the data type with a name or an earlier name, either among resources or among other types. O(log types), and
    /// O(types) after the world has learnt of more.
    #[doc(hidden)]
    #[must_use]
    pub fn data_type_named(&self, name: &str, is_resource: bool) -> Option<NamedData> {
        let names = self.data_names.lock();
        let mut names = names.unwrap_or_else(PoisonError::into_inner);
        let known = (self.storage.registered_count(), self.data_types.len());
        if names.known != known {
            *names = DataNames::of(self, known);
        }
        names.by_name.get(&(is_resource, name)).copied()
    }

    /// Returns data types: first of the registered components, their required components, and relations, in the order of
    /// registration; then of the types that schedules have named. A type may occur twice.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn data_types(&self) -> Vec<&'static DataType> {
        let registered = self.storage.registered_components().into_iter();
        let known = registered.flat_map(|id| {
            let required = required_by(&[id]).into_iter().map(|(id, _)| id);
            core::iter::once(id).chain(required)
        });
        let known = known.filter_map(|id| id.data().or(id.relation()));
        known.chain(self.data_types.iter().copied()).collect()
    }
}

impl DataNames {
    #[cold]
    fn of(world: &World, known: (u32, usize)) -> Self {
        let mut by_name = BTreeMap::<_, NamedData>::new();
        for data in world.data_types() {
            for &name in core::iter::once(&data.name()).chain(data.aliases()) {
                let new = NamedData {
                    data,
                    name,
                    other: None,
                };
                let named = by_name.entry((data.is_resource(), name)).or_insert(new);
                if !named.data.is_same(data) {
                    named.other = Some(data);
                }
            }
        }
        Self { known, by_name }
    }
}
