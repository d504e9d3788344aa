//! The ages of values that are in no world.

use alloc::vec::Vec;

use super::Storage;
use super::compact_ticks::CompactTicks;
use crate::component::ComponentId;
use crate::entity::TableId;

/// How long ago each value of a column was added, and last changed: in ticks of the world that it comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[doc(hidden)]
pub struct ColumnAges {
    /// The ticks since each value was added.
    pub added: Vec<u32>,
    /// The ticks since each value was changed.
    pub changed: Vec<u32>,
}

impl Storage {
    /// Sets the ticks of the rows after a table's last one from their ages. These rows are not part of the table yet.
    ///
    /// # Safety
    /// The table has the component, which is tracked, and capacity for as many rows as there are ages.
    pub(crate) unsafe fn write_ages(
        &mut self,
        table: TableId,
        component: ComponentId,
        ages: &ColumnAges,
    ) {
        let first = self.table(table).len();
        // SAFETY: the columns of ticks have memory for the rows by the caller's contract.
        let ticks = unsafe { self.store(component).ticks(table).row(first) };
        // SAFETY: the rows are after the last one of the table, so no other code uses their ticks.
        unsafe { self.write_ages_to(ticks, ages) };
    }

    /// Sets the ticks of the last values of a set from their ages.
    ///
    /// # Safety
    /// The component is tracked and in a set, which has at least as many values as there are ages.
    pub(crate) unsafe fn write_ages_of_set(&mut self, component: ComponentId, ages: &ColumnAges) {
        let set = self.store_mut(component).set_mut();
        let first = set.len() - ages.added.len();
        if let Some(ticks) = set.ticks() {
            // SAFETY: there is a value at the position, and ticks are parallel to values.
            let ticks = unsafe { ticks.row(first) };
            // SAFETY: the ticks belong to tracked values, and the storage is borrowed exclusively.
            unsafe { self.write_ages_to(ticks, ages) };
        }
    }

    /// # Safety
    /// The pointers are valid for the ticks of as many values as there are ages, which no other code accesses now.
    unsafe fn write_ages_to(&self, first: CompactTicks, ages: &ColumnAges) {
        for (column, ages) in [(first.added, &ages.added), (first.changed, &ages.changed)] {
            for (row, &age) in ages.iter().enumerate() {
                // SAFETY: there is a tick for each age by the caller's contract.
                let tick = unsafe { column.add(row) };
                // SAFETY: the tick is valid for writing and not accessed otherwise, by the caller's contract.
                unsafe { tick.write(self.clock.of_age(age)) };
            }
        }
    }
}
