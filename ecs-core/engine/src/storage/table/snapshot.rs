//! Copies of the rows of a table.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::take;

use super::{Table, TableColumn};
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::storage::column_copy::{ColumnCopy, Copiers};
use crate::storage::compact_ticks::ColumnKind;
use crate::storage::drop_list::DropList;
use crate::tick::{CompactTick, Shift};

/// A copy of the rows of a table.
pub(in crate::storage) struct TableCopy {
    /// The components of the table: they identify it in another world or at another time.
    pub(super) components: Vec<ComponentId>,
    pub(super) entities: Vec<Entity>,
    /// One for each column that is copied, in the order of columns; empty until the table first had rows.
    /// Invariant 1: each has as many values or ticks as `entities`, if a copy was completed.
    pub(super) columns: Vec<Copied>,
}

/// The copy of a column.
pub(super) struct Copied {
    pub(super) component: ComponentId,
    pub(super) kind: ColumnKind,
    pub(super) rows: CopiedRows,
}

pub(super) enum CopiedRows {
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

    /// The copy of a table that has some components, in the order of ranks, and no rows.
    pub(in crate::storage) fn of_components(components: Vec<ComponentId>) -> Self {
        Self {
            components,
            entities: Vec::new(),
            columns: Vec::new(),
        }
    }

    /// Takes the rows out, and leaves a copy of no rows.
    pub(in crate::storage) fn take_rows(&mut self) -> Self {
        Self {
            components: Vec::new(),
            entities: take(&mut self.entities),
            columns: take(&mut self.columns),
        }
    }

    /// Adds the rows of another copy, which has columns of the same components.
    pub(in crate::storage) fn append(&mut self, other: &mut Self) {
        if self.columns.is_empty() {
            self.columns = take(&mut other.columns);
        }
        for (column, more) in self.columns.iter_mut().zip(&mut other.columns) {
            match (&mut column.rows, &mut more.rows) {
                (CopiedRows::Values(values), CopiedRows::Values(more)) => values.append(more),
                (CopiedRows::Ticks(ticks), CopiedRows::Ticks(more)) => ticks.append(more),
                _ => unreachable!("both have the columns of the same components"),
            }
        }
        self.entities.append(&mut other.entities);
    }

    /// Makes it a copy of no rows, without columns.
    pub(in crate::storage) fn clear(&mut self) {
        self.entities.clear();
        self.columns.clear();
    }

    /// The components of the table.
    pub(in crate::storage) fn components(&self) -> &[ComponentId] {
        &self.components
    }

    /// Returns true if it is a copy of the table, or of one with the same components.
    pub(in crate::storage) fn is_of(&self, table: &Table) -> bool {
        table.components().eq(self.components.iter().copied())
    }

    /// Prepares [`Table::put`] in the place of `rows` rows: does everything that may panic.
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

    /// Returns true if a table has the same entities, in the same order.
    pub(in crate::storage) fn has_rows_of(&self, table: &Table) -> bool {
        self.entities == table.entities
    }

    /// Moves the base of all ticks.
    pub(in crate::storage) fn shift(&mut self, shift: Shift) {
        for column in &mut self.columns {
            if let CopiedRows::Ticks(ticks) = &mut column.rows {
                shift.apply(ticks);
            }
        }
    }

    /// Sorts components and columns for a world that ranks components differently.
    pub(in crate::storage) fn sort(&mut self, rank: impl Fn(ComponentId) -> u32) {
        self.components.sort_by_key(|&component| rank(component));
        self.columns
            .sort_by_key(|column| (rank(column.component), column.kind as u8));
    }
}

impl Copied {
    fn is_of(&self, column: &TableColumn) -> bool {
        column.component == self.component && column.key.kind() == self.kind
    }
}

impl Table {
    /// Returns true if it has rows, and at least one of the components.
    pub(in crate::storage) fn has_values_of(&self, components: &[ComponentId]) -> bool {
        self.len() > 0 && self.components().any(|id| components.contains(&id))
    }

    /// Copies all rows of the components that `is_copied` accepts, into the memory of a copy [of this
    /// table](TableCopy::is_of) that had those components. If the table has rows, these components can be copied.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn copy_to(
        &self,
        copy: &mut TableCopy,
        copiers: &Copiers,
        is_copied: &dyn Fn(ComponentId) -> bool,
    ) {
        let rows = self.entities.len();
        if rows > 0 && copy.columns.is_empty() {
            let columns = self.columns.iter();
            let copied = columns.filter(|column| is_copied(column.component));
            copy.columns.extend(copied.map(|column| {
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
        let mut columns = self.columns.iter();
        for copy in &mut copy.columns {
            let column = columns.find(|column| copy.is_of(column));
            let column = column.expect("the table has the columns of its copy");
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

    /// Reserves memory for all rows of a copy; the memory of the columns may move. They fit because a table has had them.
    pub(in crate::storage) fn reserve_for(&mut self, copy: &TableCopy) {
        let more = copy.entities.len().saturating_sub(self.entities.len());
        let _ = self.reserve(more);
    }

    /// Replaces all rows by a copy of the table. Runs no user code; values that are neither exchanged nor overwritten go
    /// to `drops`.
    ///
    /// # Safety
    /// The copy was [staged](TableCopy::stage) for the rows of this table, and memory for it [reserved](Self::reserve_for). The
    /// list is run before the table gets another row.
    pub(in crate::storage) unsafe fn put(&mut self, copy: &mut TableCopy, drops: &mut DropList) {
        debug_assert!(copy.is_of(self) && copy.entities.len() <= self.capacity);
        let rows = self.entities.len();
        if copy.columns.len() < self.columns.len() {
            // The table had no rows whenever copies were taken.
            return self.clear(drops);
        }
        // SAFETY: the copy was staged for the rows, and memory for it reserved, by the caller's contract.
        unsafe { self.put_columns(copy, rows) };
        // Invariant 1: each column has a value for each of these because the copy has all columns.
        self.entities.clear();
        self.entities.extend_from_slice(&copy.entities);
        self.restamp();
    }

    /// Replaces the values and ticks of the columns that a copy of the table has. Runs no user code.
    ///
    /// # Safety
    /// The copy [has the same rows](TableCopy::has_rows_of), and was [staged](TableCopy::stage) for them.
    pub(in crate::storage) unsafe fn put_values(&mut self, copy: &mut TableCopy) {
        debug_assert!(copy.is_of(self) && copy.has_rows_of(self));
        // SAFETY: the copy was staged for the rows by the caller's contract, and there is memory for as many.
        unsafe { self.put_columns(copy, self.entities.len()) };
    }

    /// Replaces the first `rows` values of columns by a copy of the table, which may lack columns.
    ///
    /// # Safety
    /// `rows` is the number of rows, the copy was [staged](TableCopy::stage) for it, and there is memory for the copy's
    /// rows.
    unsafe fn put_columns(&mut self, copy: &mut TableCopy, rows: usize) {
        let mut columns = self.columns.iter_mut();
        for copy in &mut copy.columns {
            let column = columns.find(|column| copy.is_of(column));
            let column = column.expect("the table has the columns of its copy");
            let first = column.column.data().as_ptr();
            match &mut copy.rows {
                // SAFETY: the column has a value of the component in each row (invariant 1), and memory for the copied ones;
                // the values were staged by the caller's contract.
                CopiedRows::Values(values) => unsafe { values.put(first, rows) },
                // SAFETY: the column holds ticks, and has memory for as many by the caller's contract.
                CopiedRows::Ticks(ticks) => unsafe {
                    first
                        .cast::<CompactTick>()
                        .copy_from_nonoverlapping(ticks.as_ptr(), ticks.len());
                },
            }
        }
    }
}
