//! Moves values from one column into others.

use ecs_engine::staging::ErasedColumn;

/// The values of a column, which are moved out one by one. Values that never are, are leaked.
pub(crate) struct Moving {
    /// Invariant 1: its first values are initialised, except where `is_taken` is true; it counts as empty.
    values: ErasedColumn,
    is_taken: Vec<bool>,
}

impl Moving {
    /// Takes the values of a column.
    pub(crate) fn new(column: &mut ErasedColumn) -> Self {
        let empty = empty_like(column);
        let mut values = core::mem::replace(column, empty);
        let is_taken = vec![false; values.len()];
        // SAFETY: no values are claimed to be initialised.
        unsafe { values.set_len(0) };
        Self { values, is_taken }
    }

    /// Moves values into a new column.
    ///
    /// # Panics
    /// If there is no such value, or it was moved before.
    pub(crate) fn take(&mut self, rows: &[usize]) -> ErasedColumn {
        let mut column = empty_like(&self.values);
        self.take_into(rows, &mut column);
        column
    }

    /// Moves values to the end of a column.
    ///
    /// # Panics
    /// Like [`take`](Self::take), and if the column belongs to another component.
    pub(crate) fn take_into(&mut self, rows: &[usize], column: &mut ErasedColumn) {
        let ends = |column: &ErasedColumn| (column.component(), column.is_of_edges());
        assert_eq!(ends(column), ends(&self.values), "values stay of one type");
        column.reserve(rows.len());
        let size = column.layout().size();
        for &row in rows {
            let was_taken = core::mem::replace(&mut self.is_taken[row], true);
            assert!(!was_taken, "a value is moved once");
            // SAFETY: there was a value in the row, so it is inside the memory of the column.
            let value = unsafe { self.values.as_ptr().add(row * size) };
            // SAFETY: the value is initialised by invariant 1, of the same type, and no longer used, because it counts as
            // taken.
            unsafe { column.push_bytes(value) };
        }
    }
}

/// Returns a column of the same type without values.
fn empty_like(column: &ErasedColumn) -> ErasedColumn {
    if column.is_of_edges() {
        ErasedColumn::of_edges(column.component()).expect("the column is one of edges")
    } else {
        ErasedColumn::new(column.component())
    }
}
