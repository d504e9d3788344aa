//! Keeps track of the tables with entities whose removal or despawn is observed.

use super::Storage;
use crate::component::{ComponentId, LifecycleSet};
use crate::entity::TableId;

impl Storage {
    /// Updates all flags. O(tables x their components).
    pub(crate) fn watch_leaving(&mut self) {
        self.sparse_watched = self.linked || self.is_any_watched(self.sparse.iter().copied());
        for table in 0..self.tables.len() {
            self.watch_leaving_of(table as TableId);
        }
    }

    /// Updates the flag of a table.
    pub(super) fn watch_leaving_of(&mut self, table: TableId) {
        let is_watched = self.sparse_watched || self.is_any_watched(self.table(table).components());
        self.table_mut(table).set_watched(is_watched);
    }

    fn is_any_watched(&self, mut components: impl Iterator<Item = ComponentId>) -> bool {
        components.any(|component| self.store(component).watch.has_any(LifecycleSet::LEAVING))
    }

    /// Checks that the flags are up to date.
    #[cfg(feature = "validate")]
    pub(super) fn check_watch(&self) {
        let sparse = self.linked || self.is_any_watched(self.sparse.iter().copied());
        assert_eq!(
            self.sparse_watched, sparse,
            "watched sparse components are known"
        );
        for (index, table) in self.tables.iter().enumerate() {
            let is_watched = sparse || self.is_any_watched(table.components());
            assert_eq!(
                table.is_watched(),
                is_watched,
                "table {index} knows whether it is watched"
            );
            assert_eq!(table.is_plain(), !is_watched && !table.is_tracked());
        }
    }
}
