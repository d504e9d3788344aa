//! Copies of the rows of a table.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Table;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::storage::column_copy::{ColumnCopy, Copiers};
use crate::storage::compact_ticks::ColumnKind;
use crate::storage::drop_list::DropList;
use crate::tick::CompactTick;

/// A copy of the rows of a table.
pub(in crate::storage) struct TableCopy {
    /// The components of the table, by which another world or time finds it.
    components: Vec<ComponentId>,
    entities: Vec<Entity>,
    /// One for each column, in the order of columns; empty until the table first had rows.
    /// Invariant 1: each has as many values or ticks as `entities`, if a copy was completed.
    columns: Vec<Copied>,
}

/// The copy of a column.
struct Copied {
    component: ComponentId,
    kind: ColumnKind,
    rows: CopiedRows,
}

enum CopiedRows {
    Values(Box<ColumnCopy>),
    Ticks(Vec<CompactTick>),
}

impl TableCopy {
    /// The copy of a table without rows.
    pub(in crate::storage) fn of(table: &Table) -> Self {
        Self {
            components: table.components().collect(),
            entities: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// The components of the table.
    pub(in crate::storage) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// Returns true if it is about the table, or one that is equal apart from its rows.
    pub(in crate::storage) fn is_of(&self, table: &Table) -> bool {
        table.components().eq(self.components.iter().copied())
    }

    /// Does what may panic before a [`Table::put`] in the place of `rows` rows.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn stage(&mut self, rows: usize) {
        for column in &mut self.columns {
            if let CopiedRows::Values(values) = &mut column.rows {
                values.stage(rows);
            }
        }
    }

    /// Sorts components and columns for a world in which components have other ranks.
    pub(in crate::storage) fn sort(&mut self, rank: impl Fn(ComponentId) -> u32) {
        self.components.sort_by_key(|&component| rank(component));
        self.columns
            .sort_by_key(|column| (rank(column.component), column.kind as u8));
    }
}

impl Table {
    /// Copies all rows, into the memory of a copy [of this table](TableCopy::is_of). Its components can be copied, if it has
    /// rows.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn copy_to(&self, copy: &mut TableCopy, copiers: &Copiers) {
        let rows = self.entities.len();
        if rows > 0 && copy.columns.is_empty() {
            copy.columns.extend(self.columns.iter().map(|column| {
                let (component, kind) = (column.component, column.key.kind());
                let rows = match kind {
                    ColumnKind::Value => {
                        let copier = copiers.get(component);
                        let copier = copier.expect("components of rows can be copied");
                        CopiedRows::Values(Box::new(ColumnCopy::new(component, copier)))
                    }
                    ColumnKind::Added | ColumnKind::Changed => CopiedRows::Ticks(Vec::new()),
                };
                Copied {
                    component,
                    kind,
                    rows,
                }
            }));
        }
        for (copy, column) in copy.columns.iter_mut().zip(&self.columns) {
            let first = column.column.data().as_ptr();
            match &mut copy.rows {
                // SAFETY: the column has a value of the component in each row (invariant 1).
                CopiedRows::Values(values) => unsafe { values.take(first, rows) },
                CopiedRows::Ticks(ticks) => {
                    // SAFETY: the column holds a tick in each row (invariant 1), and is not written meanwhile.
                    let all = unsafe { core::slice::from_raw_parts(first.cast(), rows) };
                    ticks.clear();
                    ticks.extend_from_slice(all);
                }
            }
        }
        copy.entities.clear();
        copy.entities.extend_from_slice(&self.entities);
    }

    /// Reserves memory for all rows of a copy; the memory of the columns may move. They fit, as a table has had them.
    pub(in crate::storage) fn reserve_for(&mut self, copy: &TableCopy) {
        let more = copy.entities.len().saturating_sub(self.entities.len());
        let _ = self.reserve(more);
    }

    /// Replaces all rows by those of a copy of the table. Runs no code of users; values that are neither exchanged nor
    /// overwritten go to `drops`.
    ///
    /// # Safety
    /// The copy was [staged](TableCopy::stage) for the rows of this table, and memory for it [reserved](Self::reserve_for). The
    /// list is run before the table gets another row.
    pub(in crate::storage) unsafe fn put(&mut self, copy: &mut TableCopy, drops: &mut DropList) {
        debug_assert!(copy.is_of(self) && copy.entities.len() <= self.capacity);
        let rows = self.entities.len();
        if copy.columns.len() < self.columns.len() {
            // The table has never had rows when copies were taken.
            return self.clear(drops);
        }
        for (copy, column) in copy.columns.iter_mut().zip(&mut self.columns) {
            let first = column.column.data().as_ptr();
            match &mut copy.rows {
                // SAFETY: the column has a value of the component in each row (invariant 1), and memory for the capacity
                // (invariant 2), which was reserved; the values were staged by the caller's contract.
                CopiedRows::Values(values) => unsafe { values.put(first, rows) },
                // SAFETY: the column holds ticks, and memory for as many was reserved by the caller's contract.
                CopiedRows::Ticks(ticks) => unsafe {
                    first
                        .cast::<CompactTick>()
                        .copy_from_nonoverlapping(ticks.as_ptr(), ticks.len());
                },
            }
        }
        // Invariant 1: each column has a value for each of these.
        self.entities.clear();
        self.entities.extend_from_slice(&copy.entities);
    }
}
