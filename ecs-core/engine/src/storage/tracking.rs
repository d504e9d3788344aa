//! What is noted for those who track components: the time, and who lost what.

use std::sync::Arc;

use super::Storage;
use crate::component::ComponentId;
use crate::entity::{Entity, TableId};
use crate::log::Readers;

impl Storage {
    /// How many removals of a component are kept at most.
    pub(super) const REMOVALS: usize = 1 << 20;

    /// Who reads the removals of a component, perhaps before the world knows it.
    pub(crate) fn removal_readers(&self, id: ComponentId) -> Arc<Readers> {
        self.removal_readers.get(id)
    }

    /// Lets the clock's base catch up with it, if it has fallen far behind.
    #[inline]
    pub(crate) fn keep_time(&mut self) {
        if self.clock.is_behind() {
            self.advance_clock();
        }
    }

    /// O(rows of tracked components); once in 2^30 ticks.
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

    /// Notes which tracked components an entity loses with a move.
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

    /// Notes which tracked components all entities of a table lose with a move.
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
