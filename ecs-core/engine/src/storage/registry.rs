//! What a storage knows of: components, tables, and where in these the columns of those are.

use super::{ComponentStore, Storage, Table};
use crate::component::{ComponentId, Watch};
use crate::entity::{Location, TableId};
use crate::log::Log;

impl Storage {
    /// What the world holds of a component, which it knows from now on.
    #[inline]
    pub(crate) fn component_or_new(&mut self, id: ComponentId) -> &mut ComponentStore {
        if id.index() < self.components.len() {
            return &mut self.components[id.index()];
        }
        self.register(id);
        &mut self.components[id.index()]
    }

    /// Makes the world know a component, and all with a lower id.
    #[cold]
    #[inline(never)]
    pub(crate) fn register(&mut self, id: ComponentId) {
        let known = self.links.len();
        while self.components.len() <= id.index() {
            let next = ComponentId::from_index(self.components.len());
            let info = next.info();
            if info.storage.is_sparse() {
                self.sparse.push(next);
            }
            let mut store = ComponentStore::new(info);
            if info.tracked {
                let readers = self.removal_readers(next);
                store.removed = Some(Log::new(Self::REMOVALS, readers));
            }
            let watched = store.watch.has_any(Watch::LEAVING);
            self.components.push(store);
            if watched && info.storage.is_sparse() {
                self.watch_leaving();
            }
            if info.link.is_some() {
                self.links.push(next);
            }
        }
        for index in known..self.links.len() {
            let link = self.components[self.links[index].index()].info.link;
            if let Some(link) = link {
                self.component_or_new((link.other)());
            }
        }
    }

    /// The table for exactly these components, which are sorted, registered and not sparse; made if there is none.
    ///
    /// # Panics
    /// If the world has as many tables as it can have.
    pub(crate) fn table_of(&mut self, components: &[ComponentId]) -> TableId {
        let place = match self.find_table(components) {
            Ok(found) => return self.by_components[found],
            Err(place) => place,
        };
        assert!(
            self.tables.len() < Location::MAX_TABLES,
            "more than {} different sets of components in one world; mark those that come and go as `storage = \"sparse\"`",
            Location::MAX_TABLES
        );
        let id = self.tables.len() as TableId;
        self.tables.push(Table::new(
            components
                .iter()
                .map(|&component| (component, self.components[component.index()].info)),
        ));
        self.by_components.insert(place, id);
        self.watch_leaving_of(id);
        self.sync_columns(id);
        id
    }

    /// Where among [`by_components`](Self::by_components) the table for exactly these is, or would be.
    pub(super) fn find_table(&self, components: &[ComponentId]) -> Result<usize, usize> {
        self.by_components.binary_search_by(|&table| {
            let those = self.table(table).components();
            those.cmp(components.iter().copied())
        })
    }

    /// Makes room for `more` rows in a table.
    ///
    /// # Panics
    /// If they do not fit; nothing has changed then.
    #[inline]
    pub(crate) fn reserve_rows(&mut self, table: TableId, more: usize) {
        if self.tables[table as usize].reserve(more) {
            self.sync_columns(table);
        }
    }

    /// Tells the components where their columns in `table` are.
    #[cold]
    pub(super) fn sync_columns(&mut self, table: TableId) {
        for column in self.tables[table as usize].columns() {
            self.components[column.component.index()].set_column(
                table,
                column.part,
                column.column.data(),
            );
        }
    }
}
