//! Registration of components, and creation of tables and their columns.
//!
//! # Stores without registration
//! `components` is indexed by the process-wide id, so that a look-up is one load. A world therefore also has stores of
//! components that are not registered with it, below the highest id of a registered one. Their set of observed events is not
//! empty (`LifecycleSet::UNREGISTERED`): the fast paths of structural changes test that set anyway, and leave registration
//! to the slow paths.

use alloc::vec::Vec;

use super::presence::NumberSet;
use super::{ComponentStore, Storage, Table};
use crate::component::{ComponentId, LifecycleSet};
use crate::entity::{Location, TableId};
use crate::fail;
use crate::log::Log;
use crate::sort::sort_by_number;

impl Storage {
    /// Returns the store of a component, which need not be [registered](Self::register).
    #[inline]
    pub(crate) fn component_or_new(&mut self, id: ComponentId) -> &mut ComponentStore {
        if id.index() < self.components.len() {
            return &mut self.components[id.index()];
        }
        self.add_stores(id);
        &mut self.components[id.index()]
    }

    /// Makes the stores of some components that have none, all at once.
    pub(crate) fn make_stores<'a>(&mut self, ids: impl Iterator<Item = &'a ComponentId>) {
        if let Some(id) = ids.max_by_key(|id| id.index()) {
            self.component_or_new(*id);
        }
    }

    /// Registers a component with the world, after all others, unless it is registered. All orders of components that a
    /// program can observe follow registration, because the order of ids depends on the worlds of the process and the
    /// components that each of them used first.
    ///
    /// An end of a relation is registered together with the other end.
    ///
    /// A component that is not registered behaves the same whether or not it has a store: it can be borrowed without conflict,
    /// is in no group, and views do not insert it.
    #[inline]
    pub(crate) fn register(&mut self, id: ComponentId) {
        if !self.component_or_new(id).is_registered() {
            self.register_new(id);
        }
    }

    #[cold]
    #[inline(never)]
    fn register_new(&mut self, id: ComponentId) {
        let info = self.store(id).info;
        // Called before anything changes: the function that names the other end is user code.
        let other = info.link.map(|link| link.other());
        self.register_as(id, other);
        if let Some(other) = other {
            // The recursion ends: the other end's other end is this component, which is registered.
            self.register(other);
        }
    }

    /// Registers a component that is not registered yet, after all others. `other` is the other end, if it is an end of a
    /// relation. Runs no user code.
    pub(super) fn register_as(&mut self, id: ComponentId, other: Option<ComponentId>) {
        let info = self.store(id).info;
        let removed = info
            .tracked
            .then(|| Log::new(Self::REMOVALS, self.removal_readers(id)));
        let rank = self.registered;
        self.registered += 1;
        let number = if info.storage.is_by_entity() {
            NumberSet::of(self.sparse.len())
        } else {
            NumberSet::default()
        };
        if info.immediate {
            self.presence.note_always(number);
        }
        let store = self.store_mut(id);
        store.set_registered(rank, number);
        store.removed = removed;
        store.other = other;
        if info.storage.is_by_entity() {
            self.sparse.push(id);
        }
        if info.observed().has_any(LifecycleSet::LEAVING) {
            self.update_observed();
        }
    }

    /// Adds the stores of a component and of all with a lower id. A component that is not registered behaves the same
    /// with and without a store.
    #[cold]
    #[inline(never)]
    fn add_stores(&mut self, id: ComponentId) {
        let missing = self.components.len()..id.index() + 1;
        ComponentId::with_infos(missing, |infos| {
            self.components
                .extend(infos.iter().map(ComponentStore::new));
        });
    }

    /// The registered components, in any order.
    pub(crate) fn all_registered(&self) -> impl Iterator<Item = ComponentId> {
        let stores = self.components.iter().enumerate();
        let registered = stores.filter(|(_, store)| store.is_registered());
        registered.map(|(index, _)| ComponentId::from_index(index))
    }

    /// The number of registered components.
    pub(crate) fn registered_count(&self) -> u32 {
        self.registered
    }

    /// The registered components, in order of registration. O(component types of the process).
    #[inline]
    pub(crate) fn registered_components(&self) -> Vec<ComponentId> {
        let ids = (0..self.components.len()).map(ComponentId::from_index);
        let mut registered: Vec<_> = ids.filter(|&id| self.store(id).is_registered()).collect();
        sort_by_number(&mut registered, |&id| self.rank(id).into());
        registered
    }

    /// The number of components that were registered before this one, which must be registered.
    pub(crate) fn rank(&self, id: ComponentId) -> u32 {
        self.store(id).rank()
    }

    /// Returns the table for exactly these components, which are registered, sorted by rank and not sparse; created if
    /// there is none.
    ///
    /// # Panics
    /// If the world has the maximum number of tables.
    pub(crate) fn table_of(&mut self, components: &[ComponentId]) -> TableId {
        let place = match self.find_table(components) {
            Ok(table) => return table,
            Err(place) => place,
        };
        fail::point();
        assert!(
            self.tables.len() < Location::MAX_TABLES,
            "too many tables: a world has at most {} different sets of components; help: mark components that are often inserted and removed as `storage = \"sparse\"`",
            Location::MAX_TABLES
        );
        self.add_table(components, place)
    }

    /// Returns the table with the components of another table and one more component, which is registered and not sparse.
    pub(crate) fn table_with(&mut self, table: TableId, component: ComponentId) -> TableId {
        let mut components: Vec<ComponentId> = self.table(table).components().collect();
        if components.contains(&component) {
            return table;
        }
        components.push(component);
        sort_by_number(&mut components, |&component| self.rank(component).into());
        self.table_of(&components)
    }

    /// Creates the table for exactly these components, which are registered, sorted by rank and not sparse. There is no such
    /// table yet: [`find_table`](Self::find_table) has returned its place. There are fewer tables than the maximum.
    pub(super) fn add_table(&mut self, components: &[ComponentId], place: usize) -> TableId {
        let id = self.tables.len() as TableId;
        let columns = components.iter().map(|&component| {
            let store = &self.components[component.index()];
            (component, store.rank(), store.info)
        });
        self.tables.push(Table::new(self.tables_made, columns));
        self.tables_made = self.tables_made.wrapping_add(1);
        self.all_tables.push(id);
        let disables = |component: &ComponentId| self.components[component.index()].info.disables;
        let is_disabled = components.iter().any(disables);
        self.occupied.add_table(id, is_disabled);
        self.by_components.insert(place, id);
        self.update_observed_of(id);
        self.sync_columns(id);
        id
    }

    /// Searches for the table with exactly these components. If there is none, returns its place in
    /// [`by_components`](Self::by_components).
    pub(crate) fn find_table(&self, components: &[ComponentId]) -> Result<TableId, usize> {
        if components.is_empty() {
            return Ok(Self::EMPTY_TABLE);
        }
        let found = self.by_components.binary_search_by(|&table| {
            let those = self.table(table).components().map(ComponentId::index);
            those.cmp(components.iter().map(|component| component.index()))
        });
        found.map(|place| self.by_components[place])
    }

    /// Reserves memory for `more` rows in a table.
    ///
    /// # Panics
    /// If they do not fit; in that case nothing has changed.
    #[inline]
    pub(crate) fn reserve_rows(&mut self, table: TableId, more: usize) {
        fail::point();
        let rows = &mut self.tables[table as usize];
        let is_empty = rows.len() == 0;
        if rows.reserve(more) {
            self.sync_columns(table);
        }
        if is_empty {
            self.occupied.insert(table);
        }
    }

    /// Notes that rows of a table were removed.
    #[inline]
    pub(super) fn note_rows_removed(&mut self, table: TableId) {
        if self.tables[table as usize].len() == 0 {
            self.occupied.remove(table);
        }
    }

    /// Updates the pointers of the components to their columns in `table`.
    #[cold]
    pub(super) fn sync_columns(&mut self, table: TableId) {
        for column in self.tables[table as usize].columns() {
            self.components[column.component.index()].set_column(
                table,
                column.key.kind(),
                column.column.data(),
            );
        }
    }
}
