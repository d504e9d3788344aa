//! Copies of all rows and values, and the return to them.
//!
//! A copy has everything that determines the future of a storage: ids and the order of their reuse, tables with their order
//! of rows, sets, groups, lists of edges with their gaps, ticks and removals.
//!
//! # Taking and returning
//! `storage/snapshot.rs` copies ids, tables, sets, groups and removals, `resource/snapshot.rs` resources; `column_copy.rs`
//! knows how the values of a component are copied. A return has two parts. First all values that are not `Copy` are cloned
//! into buffers of the snapshot, which may panic. After that nothing can panic: bytes are copied, values are exchanged for
//! those in the buffers, and newer tables and components are forgotten (their numbers determine orders). Leftover values are
//! dropped last. The clock keeps running, so no reader has seen a tick that is still to come. A snapshot of only the
//! components that a schedule can write (`meta/written.rs`) has columns of these components alone
//! (`storage/values_copy.rs`), with the entities of their rows: it is put back if the rows have the same entities, or not at
//! all.

mod left_out;
mod read;
mod write;

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::column_copy::Copiers;
use super::enabling::Disablings;
use super::part::StoragePart;
use super::sparse_set::SetCopy;
use super::table::TableCopy;
use super::{ComponentStore, Storage};
use crate::component::{ComponentId, End};
use crate::entity::{EntitiesCopy, Entity, TableId};
use crate::fail;
use crate::log::Log;
use crate::sort::sort_by_number;

/// A copy of a [`Storage`].
#[derive(Default)]
pub(crate) struct StorageCopy {
    pub(super) entities: EntitiesCopy,
    /// The origin of the ticks in rows.
    pub(super) base: u64,
    /// The time of the clock.
    pub(super) now: u64,
    /// True if it was read from bytes, or parted from its storage: it is of another storage perhaps, and of any time.
    pub(super) is_read: bool,
    /// The registered components, in order of registration. An end of a relation comes with the other end.
    pub(super) registered: Vec<(ComponentId, Option<ComponentId>)>,
    pub(super) tables: Vec<TableCopy>,
    /// The sets with values, by position; the first `used` ones are part of the copy.
    pub(super) sets: Vec<SetCopy>,
    pub(super) used: usize,
    /// The components of each group, and the number of entities that have them all.
    pub(super) groups: Vec<(Vec<ComponentId>, usize)>,
    /// The removals of tracked components.
    pub(super) removed: Vec<(ComponentId, Log<Entity>)>,
    /// The changes of disabled entities that readers have missed.
    pub(super) disablings: Disablings,
    /// The sparse components that are not part of the copy.
    pub(super) without: Vec<ComponentId>,
    /// The entities that were copied; all if `None`.
    pub(super) part: Option<Arc<StoragePart>>,
}

impl StorageCopy {
    /// Parts the copy from its storage, so that another one can return to it, as if it had been read from bytes.
    pub(crate) fn part_from_storage(&mut self) {
        self.is_read = true;
    }
}

impl Storage {
    /// Returns the components whose values have to be copied but cannot be, and an entity that has each.
    pub(crate) fn without_copier(
        &mut self,
        copiers: &Copiers,
        is_copied: &dyn Fn(ComponentId) -> bool,
        part: Option<&StoragePart>,
    ) -> Vec<(ComponentId, Entity)> {
        let mut missing = Vec::new();
        for index in 0..self.components.len() {
            let component = ComponentId::from_index(index);
            let is_copied_of = |&entity: &Entity| part.is_none_or(|part| part.has(entity));
            let set = self.components[index].set_mut();
            let in_set = set.entities().iter().copied().find(is_copied_of);
            let store = &self.components[index];
            let user = if store.info.storage.is_by_entity() {
                in_set
            } else {
                let mut tables = self.occupied(store.tables().blocks());
                let table = tables.find(|&table| part.is_none_or(|part| part.has_table(table)));
                table.and_then(|table| self.tables[table as usize].entities().first().copied())
            };
            if let Some(entity) = user
                && copiers.get(component).is_none()
                && is_copied(component)
            {
                missing.push((component, entity));
            }
        }
        sort_by_number(&mut missing, |&(component, _)| self.rank(component).into());
        missing
    }

    /// Copies everything into the memory of an earlier copy. Every component with values has a copier or is left out, and no
    /// entity is reserved. Components in `without` are sparse, in no group and no end of a relation. Rows have no components in
    /// `lost`, which are in tables; there are none if only some entities are copied. If some entities are copied, they have no
    /// edges to others.
    ///
    /// O(rows), and no allocation if the copy had as much before.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics; in that case the copy is incomplete.
    pub(crate) fn copy_to(
        &mut self,
        copy: &mut StorageCopy,
        copiers: &Copiers,
        without: &[ComponentId],
        lost: &[ComponentId],
        part: Option<StoragePart>,
    ) {
        copy.part = part.map(Arc::new);
        let part = copy.part.as_deref();
        self.entities.copy_to(&mut copy.entities);
        copy.base = self.clock.base();
        copy.now = self.clock.now();
        copy.is_read = false;
        let nothing = (ComponentId::from_index(0), None);
        copy.registered.resize(self.registered as usize, nothing);
        for (index, store) in self.components.iter().enumerate() {
            if store.is_registered() {
                copy.registered[store.rank() as usize] =
                    (ComponentId::from_index(index), store.other);
            }
        }
        copy.without.clear();
        copy.without.extend_from_slice(without);
        copy.tables.truncate(self.tables.len());
        for (index, table) in self.tables.iter().enumerate() {
            match copy.tables.get(index) {
                Some(copied) if copied.is_of(table) => {}
                Some(_) => copy.tables[index] = TableCopy::of(table),
                None => copy.tables.push(TableCopy::of(table)),
            }
            if part.is_none_or(|part| part.has_table(index as TableId)) {
                if table
                    .components()
                    .any(|component| lost.contains(&component))
                {
                    // It may have more columns, from an earlier copy.
                    copy.tables[index].clear();
                }
                let is_copied = |component| !lost.contains(&component);
                table.copy_to(&mut copy.tables[index], copiers, &is_copied);
            } else {
                copy.tables[index].clear();
            }
        }
        copy.used = 0;
        for &component in &self.sparse {
            let store = &mut self.components[component.index()];
            let is_sources = matches!(
                store.info.link.map(|link| link.end),
                Some(End::Sources { .. })
            );
            let set = store.set_mut();
            if set.len() == 0 || without.contains(&component) {
                continue;
            }
            let runs = part.map(|part| part.runs(set, is_sources));
            if runs.as_ref().is_some_and(Vec::is_empty) {
                continue;
            }
            let runs = runs.as_deref();
            set.copy_to_one_of(&mut copy.sets, copy.used, component, copiers, runs);
            if let Some(part) = part
                && is_sources
            {
                copy.sets[copy.used].for_each_list(|list| part.take_out_others(list));
            }
            copy.used += 1;
        }
        self.groups.copy_to(&mut copy.groups);
        let mut logs = 0;
        for (index, store) in self.components.iter().enumerate() {
            let Some(removed) = &store.removed else {
                continue;
            };
            let id = ComponentId::from_index(index);
            match copy.removed.get_mut(logs) {
                Some((component, log)) => {
                    *component = id;
                    log.clone_from(removed);
                }
                None => copy.removed.push((id, removed.clone())),
            }
            logs += 1;
        }
        copy.removed.truncate(logs);
        self.disablings.copy_to(&mut copy.disablings);
        if !lost.is_empty() {
            copy.leave_out(lost);
        }
    }

    /// Registers the components that only the copy has, and adds the copy's tables after the tables that stay.
    pub(super) fn add_kinds_of(&mut self, copy: &mut StorageCopy, kept: usize) {
        for &(component, other) in &copy.registered {
            if !self.component_or_new(component).is_registered() {
                self.register_as(component, other);
            }
        }
        for copy in &mut copy.tables[kept..] {
            let rank = |component: ComponentId| self.components[component.index()].rank();
            copy.sort(rank);
            if let Err(place) = self.find_table(copy.components()) {
                self.add_table(copy.components(), place);
            }
        }
    }

    /// Returns to a copy of this storage: the same ids, rows, order and past. The clock keeps running. Readers of
    /// removals have read everything afterwards.
    ///
    /// `finish` is called when everything is done except dropping values. Its argument is true if tables or components were
    /// forgotten. It must not panic.
    ///
    /// # Panics
    /// If a `Clone` or the `Drop` of a copy panics; in that case nothing has changed. If the `Drop` of a value of the
    /// storage panics; in that case the return is complete.
    pub(crate) fn return_to(&mut self, copy: &mut StorageCopy, finish: impl FnOnce(bool)) {
        if copy.is_read {
            // The storage may never have had them.
            for &(component, _) in &copy.registered {
                self.component_or_new(component);
            }
        }
        let same = copy.registered.iter().enumerate();
        let same = same.take_while(|(rank, (id, _))| {
            let store = self.component(*id);
            store.is_some_and(|store| store.is_registered() && store.rank() as usize == *rank)
        });
        let same = same.count() as u32;
        let pairs = self.tables.iter().zip(&copy.tables);
        let kept = pairs.take_while(|(table, copy)| {
            let mut components = table.components();
            copy.is_of(table) && components.all(|component| self.rank(component) < same)
        });
        let kept = kept.count();
        self.prepare(copy, kept);
        // From here on nothing panics before the end.
        let mut drops = self.take_drops();
        let mut gone = self.tables.split_off(kept);
        let is_forgotten = !gone.is_empty();
        for table in &mut gone {
            table.clear(&mut drops);
        }
        self.forget_tables(kept as TableId);
        let mut members = copy.groups.iter().flat_map(|(members, _)| members);
        let are_groups_kept = !copy.is_read
            && self.groups.are_of(&copy.groups)
            && members.all(|&member| self.rank(member) < same);
        if !are_groups_kept {
            self.groups.set(&mut self.components, Vec::new());
        }
        // Sets of components that were not registered keep their memory until the list was run.
        let mut unknown = self.unregister(same, &copy.without);
        for store in &mut unknown {
            store.set_mut().clear(&mut drops);
        }
        let is_forgotten = is_forgotten || !unknown.is_empty();
        self.add_kinds_of(copy, kept);
        self.occupied.clear();
        for index in 0..self.tables.len() {
            let (table, copy) = (&mut self.tables[index], &mut copy.tables[index]);
            // New tables have no memory yet.
            table.reserve_for(copy);
            // SAFETY: the copy was staged for the rows of this table by `prepare`, or for none if the table is new, and memory
            // was just reserved. The list is run before anything else happens.
            unsafe { table.put(copy, &mut drops) };
            if table.len() > 0 {
                self.occupied.insert(index as TableId);
            }
            self.sync_columns(index as TableId);
        }
        self.entities.return_to(&copy.entities);
        self.presence.clear();
        let sets = &mut copy.sets[..copy.used];
        for &component in &self.sparse {
            let store = &mut self.components[component.index()];
            let (set, entities) = (store.sparse.get_mut(), &self.entities);
            if copy.without.contains(&component) {
                set.retain(|entity| entities.get(entity).is_some(), &mut drops);
            } else if let Some(copy) = sets.iter_mut().find(|set| set.component() == component) {
                // A set that was just registered has no memory yet.
                set.reserve_for(copy);
                // SAFETY: the copy was staged for the values of the set by `prepare`, or for more if the set is new, and
                // memory was just reserved. All entities of the copy have rows again.
                unsafe { set.put(copy) };
            } else {
                set.clear(&mut drops);
            }
            if !store.info.immediate {
                store.sparse.get_mut().note_all(&mut self.presence);
            }
        }
        if are_groups_kept {
            self.groups.return_to(&copy.groups);
        } else {
            // Their entities are the first ones of each set already, in this order.
            let groups = copy.groups.iter().map(|(members, _)| members.clone());
            self.groups.set(&mut self.components, groups.collect());
        }
        self.return_removed(copy);
        // Toggles keep their past if they are left out.
        if copy.without.is_empty() {
            copy.disablings.copy_to(&mut self.disablings);
        }
        self.clock.return_to(copy.base);
        let was_linked = self.linked;
        if copy.is_read {
            self.clock.reach(copy.now);
            let is_end = |set: &SetCopy| set.component().is_end();
            self.linked |= copy.sets[..copy.used].iter().any(is_end);
        }
        self.keep_time();
        if is_forgotten || self.linked != was_linked {
            self.update_observed();
        }
        finish(is_forgotten);
        self.run(drops);
    }

    /// Returns to the removals of a copy.
    pub(super) fn return_removed(&mut self, copy: &StorageCopy) {
        for (index, store) in self.components.iter_mut().enumerate() {
            if let Some(removed) = &mut store.removed {
                let id = ComponentId::from_index(index);
                let copy = copy.removed.iter().find(|(component, _)| *component == id);
                match copy {
                    Some((_, copy)) => removed.return_to(copy),
                    None => removed.clear(),
                }
            }
        }
    }

    /// Does everything that may panic before the return to a copy. The copy's first `kept` tables exist.
    pub(super) fn prepare(&mut self, copy: &mut StorageCopy, kept: usize) {
        fail::point();
        for (index, copy) in copy.tables.iter_mut().enumerate() {
            let replaced = if index < kept {
                self.tables[index].len()
            } else {
                0
            };
            copy.stage(replaced);
        }
        for copy in &mut copy.sets[..copy.used] {
            let set = self.components[copy.component().index()].set_mut();
            copy.stage(set.len());
        }
    }

    /// Forgets all tables from `first` on, which no longer exist.
    pub(super) fn forget_tables(&mut self, first: TableId) {
        self.all_tables.truncate(first);
        self.by_components.retain(|&table| table < first);
        for store in &mut self.components {
            store.forget_tables(first);
        }
    }

    /// Forgets components that were registered after the first `registered` ones, so that the next ones that are registered
    /// get the same places in the order. Starts from the last one, and stops at one that is left out, or observed by more
    /// than its hooks. Returns their stores, which may have sparse values, but are in no table.
    ///
    /// A component that stays may have a different place in the order than in the copy. This only affects the order of
    /// hooks and drops.
    fn unregister(&mut self, registered: u32, without: &[ComponentId]) -> Vec<ComponentStore> {
        let mut gone = Vec::new();
        while self.registered > registered {
            let last = self.registered - 1;
            let mut stores = self.components.iter();
            let index = stores.position(|store| store.is_registered() && store.rank() == last);
            let index = index.expect("ranks have no gaps");
            let id = ComponentId::from_index(index);
            let store = &mut self.components[index];
            if store.observed != store.info.observed() || without.contains(&id) {
                break;
            }
            if let Some(removed) = &mut store.removed {
                removed.end_readers();
            }
            let new = ComponentStore::new(&store.info);
            gone.push(core::mem::replace(store, new));
            self.sparse.retain(|&sparse| sparse != id);
            self.registered = last;
        }
        gone
    }
}
