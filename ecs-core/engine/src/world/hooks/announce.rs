//! Calls hooks and observers for entities that were added without them.

use alloc::vec::Vec;

use super::lifecycle_events::{NotedEvent, note_added};
use super::structural_change::StructuralChange;
use crate::component::{ComponentId, End, LifecycleSet};
use crate::entity::{Entity, Location, TableId};
use crate::storage::{Frozen, Storage};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use crate::world::World;

impl World {
    /// Calls a function without hooks and observers for its structural changes: for changes that restore a state whose hooks
    /// were called before. Ends of relations, groups, ticks and records of removals are kept up to date as always.
    #[doc(hidden)]
    #[inline]
    pub fn without_hooks<R>(&mut self, f: impl FnOnce(&mut Self) -> R) -> R {
        let outer = core::mem::replace(&mut self.nesting.is_muted, true);
        let result = catch_unwind(AssertUnwindSafe(|| f(self)));
        self.nesting.is_muted = outer;
        result.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Calls the hooks and observers of all components of these entities, as if all of them had just been added. For use
    /// after a [commit](Self::commit), which calls none. Entities that are not alive are skipped.
    ///
    /// Goes entity by entity. Within an entity, table components come before sparse ones, both in the [order of
    /// registration](Self#order). As in a spawn, no hook is called for [`Sources`](crate::relation::Sources).
    ///
    /// # Panics
    /// If a hook or an observer panics. The remaining ones are not called, and the commands of the earlier ones are dropped.
    #[doc(hidden)]
    #[inline]
    pub fn announce(&mut self, entities: &[Entity]) {
        let mut change = StructuralChange::new(self);
        // All are noted before the first one is called, because that one may insert immediate components.
        let mut noted: Vec<NotedEvent> = Vec::new();
        let mut ends: Vec<(Entity, usize)> = Vec::new();
        let storage = Frozen::of(&mut change.world.storage);
        let mut of_sets: Vec<ComponentId> = storage.get().sparse().to_vec();
        of_sets.retain(|&component| is_announced(storage, component));
        // The last table, and its events.
        let mut of_table: (Option<TableId>, Vec<NotedEvent>) = (None, Vec::new());
        // Usually there are none. Then checking all components saves looking at many entities, but a single entity is
        // checked faster than all components.
        let mut is_any = entities.len() == 1;
        if !is_any {
            let mut registered = storage.get().all_registered();
            is_any = registered.any(|component| is_announced(storage, component));
        }
        for &entity in if is_any { entities } else { &[] } {
            let Some(at) = storage.entities.get(entity) else {
                continue;
            };
            if of_table.0 != Some(at.table) {
                of_table = (Some(at.table), Vec::new());
                let components: Vec<_> = storage.table(at.table).components().collect();
                note_added(storage.get(), &mut of_table.1, &components);
            }
            noted.extend_from_slice(&of_table.1);
            note_sets(storage, &mut noted, &of_sets, (entity, at));
            if noted.len() > ends.last().map_or(0, |&(_, end)| end) {
                ends.push((entity, noted.len()));
            }
        }
        let mut start = 0;
        for (entity, end) in ends {
            change.events.extend_from_slice(&noted[start..end]);
            start = end;
            change.after(entity);
        }
        change.finish();
    }
}

/// Notes the events of the sparse components that the entity has.
#[inline]
fn note_sets(
    storage: Frozen<'_, Storage>,
    noted: &mut Vec<NotedEvent>,
    components: &[ComponentId],
    (entity, at): (Entity, Location),
) {
    for &component in components {
        if storage.store(component).has(entity, at) {
            note_added(storage.get(), noted, &[component]);
        }
    }
}

/// Returns true if hooks or observers are called when the component is added.
#[inline]
fn is_announced(storage: Frozen<'_, Storage>, component: ComponentId) -> bool {
    let store = storage.store(component);
    let end = store.info.link.map(|link| link.end);
    store.observed.has_any(LifecycleSet::COMING) && !matches!(end, Some(End::Sources { .. }))
}
