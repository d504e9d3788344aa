//! Copies of the values of some components, and the return to them as long as the same entities have these components.

use alloc::vec::Vec;

use super::Storage;
use super::column_copy::Copiers;
use super::sparse_set::SetCopy;
use super::table::TableCopy;
use crate::component::ComponentId;
use crate::entity::TableId;
use crate::fail;

/// A copy of the values of some components of a [`Storage`].
#[derive(Default)]
pub(crate) struct ValuesCopy {
    /// The origin of the ticks in rows.
    base: u64,
    /// The registered components that are copied.
    components: Vec<ComponentId>,
    /// The components at a return; a field only to reuse its memory.
    now: Vec<ComponentId>,
    /// The tables with rows that have one of them, by ascending numbers; the first `used_tables` ones are part of the copy.
    tables: Vec<(TableId, TableCopy)>,
    used_tables: usize,
    /// The sets of these components that have values; the first `used_sets` ones are part of the copy.
    sets: Vec<SetCopy>,
    used_sets: usize,
}

impl Storage {
    /// Copies the values of the components that `is_copied` accepts, into the memory of an earlier copy. Those with values
    /// have a copier.
    ///
    /// O(values), and no allocation if the copy had as much of the same components before.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; in that case the copy is incomplete.
    pub(crate) fn copy_values_to(
        &mut self,
        copy: &mut ValuesCopy,
        copiers: &Copiers,
        is_copied: &dyn Fn(ComponentId) -> bool,
    ) {
        copy.base = self.clock.base();
        self.list_registered(is_copied, &mut copy.now);
        if copy.now != copy.components {
            core::mem::swap(&mut copy.now, &mut copy.components);
            // They have columns of other components.
            copy.tables.clear();
        }
        let components = &copy.components;
        copy.used_tables = 0;
        for (index, table) in self.tables.iter().enumerate() {
            let index = index as TableId;
            if !table.has_values_of(components) {
                continue;
            }
            let used = copy.used_tables;
            let is_known =
                |(number, known): &(TableId, TableCopy)| *number == index && known.is_of(table);
            match copy.tables[used..].iter().position(is_known) {
                Some(known) => copy.tables.swap(used, used + known),
                None => copy.tables.insert(used, (index, TableCopy::of(table))),
            }
            let is_copied = &|id| components.contains(&id);
            table.copy_to(&mut copy.tables[used].1, copiers, is_copied);
            copy.used_tables += 1;
        }
        copy.used_sets = 0;
        for &component in &self.sparse {
            let set = self.components[component.index()].set_mut();
            if set.len() > 0 && components.contains(&component) {
                set.copy_to_one_of(&mut copy.sets, copy.used_sets, component, copiers, None);
                copy.used_sets += 1;
            }
        }
    }

    /// Fills the list with the registered components that the function accepts.
    fn list_registered(
        &self,
        is_listed: &dyn Fn(ComponentId) -> bool,
        list: &mut Vec<ComponentId>,
    ) {
        list.clear();
        list.extend(self.all_registered().filter(|&id| is_listed(id)));
    }

    /// Returns true if the components have the same entities, in the same rows, as when a copy was taken. O(values).
    fn has_rows_of(
        &mut self,
        copy: &mut ValuesCopy,
        is_copied: &dyn Fn(ComponentId) -> bool,
    ) -> bool {
        self.list_registered(is_copied, &mut copy.now);
        let components = &copy.now;
        let mut copies = copy.tables[..copy.used_tables].iter();
        for (index, table) in self.tables.iter().enumerate() {
            if !table.has_values_of(components) {
                continue;
            }
            let is_same = copies.next().is_some_and(|(number, copy)| {
                *number as usize == index && copy.is_of(table) && copy.has_rows_of(table)
            });
            if !is_same {
                return false;
            }
        }
        let mut sets = 0;
        for &component in &self.sparse {
            let set = self.components[component.index()].set_mut();
            if set.len() == 0 || !components.contains(&component) {
                continue;
            }
            let mut known = copy.sets[..copy.used_sets].iter();
            let known = known.find(|copy| copy.component() == component);
            if !known.is_some_and(|copy| copy.has_rows_of(set)) {
                return false;
            }
            sets += 1;
        }
        copies.next().is_none() && sets == copy.used_sets
    }

    /// Returns to the values of a copy, and calls `finish`, which must not panic. The clock keeps running. Returns false, and
    /// changes nothing, if other entities have the components now, or in other rows.
    ///
    /// # Panics
    /// If a `Clone` or the `Drop` of a copy panics; in that case nothing has changed.
    #[must_use]
    pub(crate) fn return_to_values(
        &mut self,
        copy: &mut ValuesCopy,
        is_copied: &dyn Fn(ComponentId) -> bool,
        finish: impl FnOnce(),
    ) -> bool {
        if !self.has_rows_of(copy, is_copied) {
            return false;
        }
        fail::point();
        let base = self.clock.base();
        let tables = &mut copy.tables[..copy.used_tables];
        let sets = &mut copy.sets[..copy.used_sets];
        for (index, copy) in &mut *tables {
            copy.stage(self.tables[*index as usize].len());
        }
        for copy in &mut *sets {
            copy.stage(self.components[copy.component().index()].set_mut().len());
        }
        if base != copy.base {
            let shift = self.clock.shift_since(copy.base);
            tables.iter_mut().for_each(|(_, copy)| copy.shift(shift));
            sets.iter_mut().for_each(|copy| copy.shift(shift));
            copy.base = base;
        }
        // From here on nothing panics.
        for (index, copy) in tables {
            // SAFETY: the copy was just staged for the rows of this table, and the rows were just compared: they are the
            // same.
            unsafe { self.tables[*index as usize].put_values(copy) };
        }
        for copy in sets {
            let set = self.components[copy.component().index()].set_mut();
            // SAFETY: the copy was just staged for the values of this set, and the entities were just compared: they are the
            // same.
            unsafe { set.put_values(copy) };
        }
        self.clock.return_to(base);
        finish();
        true
    }
}
