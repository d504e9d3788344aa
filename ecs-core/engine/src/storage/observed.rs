//! Keeps track of the tables with entities whose removal or despawn is observed.

use super::Storage;
use crate::component::{ComponentId, LifecycleSet};
use crate::entity::TableId;

impl Storage {
    /// Updates all flags. O(tables x their components).
    pub(crate) fn update_observed(&mut self) {
        self.leaving_observed = self.is_any_leaving_observed();
        self.sparse_observed = self.linked || self.is_any_observed(self.sparse.iter().copied());
        for table in 0..self.tables.len() {
            self.update_observed_of(table as TableId);
        }
    }

    /// Returns true if the removal or despawn of any component is observed.
    #[inline]
    pub(crate) fn is_leaving_observed(&self) -> bool {
        self.leaving_observed
    }

    fn is_any_leaving_observed(&self) -> bool {
        let mut stores = self.components.iter();
        stores.any(|store| store.observed.has_any(LifecycleSet::LEAVING))
    }

    /// Updates the flag of a table.
    pub(super) fn update_observed_of(&mut self, table: TableId) {
        let is_observed =
            self.sparse_observed || self.is_any_observed(self.table(table).components());
        self.table_mut(table).set_observed(is_observed);
    }

    fn is_any_observed(&self, mut components: impl Iterator<Item = ComponentId>) -> bool {
        components.any(|component| {
            self.store(component)
                .observed
                .has_any(LifecycleSet::LEAVING)
        })
    }

    /// Checks that the flags are up to date.
    #[cfg(feature = "validate")]
    pub(super) fn check_observed(&self) {
        assert_eq!(
            self.leaving_observed,
            self.is_any_leaving_observed(),
            "observed components are known"
        );
        let sparse = self.linked || self.is_any_observed(self.sparse.iter().copied());
        assert_eq!(
            self.sparse_observed, sparse,
            "observed sparse components are known"
        );
        for (index, table) in self.tables.iter().enumerate() {
            let is_observed = sparse || self.is_any_observed(table.components());
            assert_eq!(
                table.is_observed(),
                is_observed,
                "table {index} knows whether it is observed"
            );
            assert_eq!(table.is_plain(), !is_observed && !table.is_tracked());
        }
    }
}
