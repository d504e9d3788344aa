//! The data types that a world knows by their names, and its tables: for saves.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::{World, WorldId};
use crate::bundle::required_by;
use crate::component::{ComponentId, StorageKind};
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::sort::sort_by_number;
use crate::sync::PoisonError;

/// The data types of a world by name and by earlier name, at the time of the last look-up.
#[derive(Default)]
pub(crate) struct DataNames {
    /// The number of registered components, and the number of data types that schedules have named. Both only grow.
    known: (u32, usize),
    /// Keyed by a flag for resources, and by name.
    by_name: BTreeMap<(bool, &'static str), NamedData>,
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
        sort_by_number(&mut components, |&component| {
            self.storage.rank(component).into()
        });
        components.dedup();
        self.storage.table_of(&components);
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
