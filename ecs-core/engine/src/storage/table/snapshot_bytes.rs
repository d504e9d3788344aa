//! Copies of tables as bytes.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::snapshot::{Copied, CopiedRows, TableCopy};
use crate::component::{ComponentId, StorageKind};
use crate::entity::{Entity, Location};
use crate::storage::column_copy::{Copiers, read_values};
use crate::storage::compact_ticks::ColumnKind;
use crate::storage::copy_bytes::{
    CopyInput, CopyOutput, CopyProblem, Numbers, put_ids, put_ticks, take_components, take_ids,
    take_ticks,
};
use crate::tick::CompactTick;

impl TableCopy {
    /// The entities of the rows.
    pub(in crate::storage) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Returns true if rows have a component.
    pub(in crate::storage) fn has_values_of(&self, component: ComponentId) -> bool {
        !self.entities.is_empty() && self.components.contains(&component)
    }

    /// Returns the ticks of the additions of a component's values; none if the table lacks it or has no rows.
    pub(in crate::storage) fn added(&self) -> impl Iterator<Item = (ComponentId, &[CompactTick])> {
        self.columns.iter().filter_map(|column| match &column.rows {
            CopiedRows::Ticks(ticks) if matches!(column.kind, ColumnKind::Added) => {
                Some((column.component, &**ticks))
            }
            _ => None,
        })
    }

    /// Writes the copy. Returns false if that is not possible.
    pub(in crate::storage) fn write(&self, out: &mut dyn CopyOutput, numbers: &Numbers) -> bool {
        numbers.put(out, &self.components);
        put_ids(out, &self.entities);
        if self.entities.is_empty() {
            return true;
        }
        self.columns.iter().all(|column| match &column.rows {
            CopiedRows::Values(values) => values.write(out),
            CopiedRows::Ticks(ticks) => {
                put_ticks(out, ticks);
                true
            }
        })
    }

    /// Reads a copy.
    pub(in crate::storage) fn read(
        input: &mut dyn CopyInput,
        all: &[ComponentId],
        copiers: &Copiers,
    ) -> Result<Self, CopyProblem> {
        let components = take_components(input, all)?;
        let number = |id: &ComponentId| all.iter().position(|of| of == id);
        let is_sorted = components.is_sorted_by(|one, other| number(one) < number(other));
        let is_in_table = |id: &ComponentId| id.storage() == StorageKind::Table;
        if !is_sorted || !components.iter().all(is_in_table) {
            return Err(CopyProblem::Malformed("there is no such table"));
        }
        let entities = take_ids(input)?;
        let rows = entities.len();
        if rows > Location::MAX_ROWS {
            return Err(CopyProblem::Malformed("a table has too many rows"));
        }
        let mut columns = Vec::new();
        for &component in components.iter().filter(|_| rows > 0) {
            let values = read_values(input, component, copiers, rows)?;
            let mut add = |kind, rows| {
                columns.push(Copied {
                    component,
                    kind,
                    rows,
                });
            };
            add(ColumnKind::Value, CopiedRows::Values(Box::new(values)));
            if component.is_tracked() {
                for kind in [ColumnKind::Added, ColumnKind::Changed] {
                    add(kind, CopiedRows::Ticks(take_ticks(input, rows)?));
                }
            }
        }
        Ok(Self {
            components,
            entities,
            columns,
        })
    }
}
