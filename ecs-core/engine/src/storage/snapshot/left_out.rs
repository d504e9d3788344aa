//! Copies of storages without some components of tables.

use alloc::vec::Vec;

use crate::component::ComponentId;
use crate::entity::{Location, TableId};
use crate::storage::StorageCopy;
use crate::storage::table::TableCopy;

impl StorageCopy {
    /// Moves the rows of tables with some components, whose columns were not copied, to the tables without these components.
    /// There they come after the other rows, in the order of tables.
    pub(super) fn leave_out(&mut self, components: &[ComponentId]) {
        for index in 0..self.tables.len() {
            let table = &self.tables[index];
            let is_left_out = |id: &ComponentId| components.contains(id);
            if table.entities().is_empty() || !table.components().iter().any(is_left_out) {
                continue;
            }
            let kept = table.components().iter().copied();
            let kept: Vec<ComponentId> = kept.filter(|id| !is_left_out(id)).collect();
            let mut tables = self.tables.iter();
            let target = tables.position(|table| *table.components() == *kept);
            let target = target.unwrap_or_else(|| {
                self.tables.push(TableCopy::of_components(kept));
                self.tables.len() - 1
            });
            let mut moved = self.tables[index].take_rows();
            let first = self.tables[target].entities().len();
            for (row, &entity) in (first..).zip(moved.entities()) {
                let at = Location {
                    table: target as TableId,
                    row: row as u32,
                };
                self.entities.place(entity, at);
            }
            self.tables[target].append(&mut moved);
        }
    }
}
