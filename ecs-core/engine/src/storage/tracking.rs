//! Records for tracked components: ticks and removals.

use alloc::sync::Arc;

use super::Storage;
use crate::component::ComponentId;
use crate::entity::{Entity, TableId};
use crate::log::Readers;

impl Storage {
    /// The maximum number of removals of a component that are kept.
    pub(super) const REMOVALS: usize = 1 << 20;

    /// Returns the readers of the removals of a component, which need not be registered.
    pub(crate) fn removal_readers(&self, id: ComponentId) -> Arc<Readers> {
        self.removal_readers.get(id.index())
    }

    /// Moves the base of the clock, if it is too far behind the current tick.
    #[inline]
    pub(crate) fn keep_time(&mut self) {
        if self.clock.is_behind() {
            self.advance_clock();
        }
    }

    /// Moves the base of all ticks. O(rows of tracked components); once in 2^30 ticks.
    #[cold]
    #[inline(never)]
    fn advance_clock(&mut self) {
        let shift = self.clock.advance();
        for table in &mut self.tables {
            table.shift(shift);
        }
        for &component in &self.sparse {
            self.components[component.index()].set_mut().shift(shift);
        }
    }

    /// Prepares for an entity to lose components by moving to another table: records the removal of tracked ones, and
    /// [shows](super::enabling) the changes that readers missed while it was disabled.
    #[inline]
    pub(crate) fn note_leaving(&mut self, entity: Entity, from: TableId, to: TableId) {
        // Components that disable are tracked.
        if self.tables[from as usize].is_tracked() {
            self.note_ticks_left(entity, from, to);
            self.show_missed(entity, from, to);
        }
    }

    /// Records the removal of the tracked components that an entity loses by moving to another table, or by its end.
    #[inline]
    pub(crate) fn note_left(&mut self, entity: Entity, from: TableId, to: TableId) {
        if self.tables[from as usize].is_tracked() {
            self.note_ticks_left(entity, from, to);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_ticks_left(&mut self, entity: Entity, from: TableId, to: TableId) {
        for component in self.tables[from as usize].tracked() {
            let store = &mut self.components[component.index()];
            if store.column(to).is_null() {
                store.note_removed(entity);
            }
        }
    }

    /// Records the removal of the tracked components that all entities of a table lose by moving to another one.
    pub(crate) fn note_all_left(&mut self, from: TableId, to: TableId) {
        let table = &self.tables[from as usize];
        for component in table.tracked() {
            let store = &mut self.components[component.index()];
            if store.column(to).is_null() {
                let entities = table.entities().iter();
                entities.for_each(|&entity| store.note_removed(entity));
            }
        }
    }
}
