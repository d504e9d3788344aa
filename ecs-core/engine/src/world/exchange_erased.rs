//! Exchanging the values of many entities.

use core::ptr;

use super::World;
use crate::component::LifecycleSet;
use crate::entity::Entity;
use crate::storage::ErasedColumn;

impl World {
    /// Exchanges the values of entities for the values in the same rows of a column, which has the old ones afterwards.
    ///
    /// It is [`insert_erased`](Self::insert_erased) for many values at once, where that does nothing else. Returns false, and
    /// exchanges nothing, if the column has another number of values, an entity is dead or lacks the component, or the component
    /// requires others, has hooks or observers, is an end of a relation, or turns others off.
    #[doc(hidden)]
    pub fn exchange_erased(&mut self, entities: &[Entity], column: &mut ErasedColumn) -> bool {
        let component = column.component();
        let store = self.storage.component(component);
        let Some(store) = store.filter(|store| store.is_registered()) else {
            return false;
        };
        let info = store.info;
        let has = |&entity: &Entity| self.has_component(entity, component);
        if column.is_of_edges() || column.len() != entities.len() || !entities.iter().all(has) {
            return false;
        }
        let bundle = self.bundles.info_of_component(component, &mut self.storage);
        let more = LifecycleSet::INSERTION
            .and(LifecycleSet::LINK)
            .and(LifecycleSet::CHECKED);
        if bundle.observed().has_any(more)
            || !bundle.requirements().is_empty()
            || info.disables
            || (info.more.turned)().is_some()
        {
            return false;
        }
        let size = info.layout.size();
        let now = self.storage.clock.between();
        for (row, &entity) in entities.iter().enumerate() {
            let Some(at) = self.storage.locate(entity) else {
                continue;
            };
            let store = self.storage.store_mut(component).frozen();
            let Some(place) = store.value(entity, at) else {
                continue;
            };
            // SAFETY: the column has a value for each entity, so the row is inside its memory.
            let value = unsafe { column.as_mut_ptr().add(row * size) };
            // SAFETY: `place` holds a value of the component in the storage, `value` holds one in the column: different memory,
            // both borrowed exclusively.
            unsafe { ptr::swap_nonoverlapping(place, value, size) };
            if info.tracked
                && let Some(ticks) = store.ticks_of(entity, at)
            {
                // SAFETY: the ticks belong to a tracked value, and the storage is borrowed exclusively.
                unsafe { ticks.change(now) };
            }
        }
        true
    }
}
