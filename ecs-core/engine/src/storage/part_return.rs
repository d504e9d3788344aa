//! The return to a copy of some entities, while all others stay.
//!
//! # Returning some entities
//! A snapshot of some entities has the tables that a filter matches, and the sparse values of their entities; its lists of
//! sources have no other entities (`storage/part.rs`). At a return (`part_return.rs`) the tables of others stay where they
//! are, or are taken out and put back unchanged after the others. The sparse values of others are moved out, and back after
//! the copied ones. Edges of others are taken off before, and added to the lists of the copy after (`part_links.rs`). No
//! value is dropped in place, because other values follow there. For ids (`entity/part.rs`) an index either belongs to
//! another entity now, or is as in the copy. Others have a range of their own if the program asks for it
//! (`entity/local.rs`): a second set of free indices that changes places with the first one. A despawn finds the set by the
//! index, in the cold path for entities of the last generation, so `free` has no instruction for it.

use alloc::vec::Vec;

use super::part::StoragePart;
use super::sparse_set::Stayed;
use super::{DropList, ErasedColumn, SparseSet, Storage, StorageCopy, Table};
use crate::component::{ComponentId, DropFn};
use crate::entity::{Entity, Location, PartError, TableId};

impl Storage {
    /// Returns to a copy of some entities; `now` are the entities that would be copied at present. All others stay. No
    /// entity is reserved. Returns entities that were related to some that are gone now, by relations whose sources are
    /// despawned with their target.
    ///
    /// * If others have rows in a table that is new since the copy was taken, it is made again after all other tables.
    /// * In sets, others follow the entities of the copy, in their order. The same holds among the sources of a target.
    ///
    /// `finish` is called as in [`return_to`](Self::return_to).
    ///
    /// # Errors
    /// If an entity cannot return to its id, or the part has changed otherwise; in that case nothing has changed.
    ///
    /// # Panics
    /// As for [`return_to`](Self::return_to).
    pub(crate) fn return_to_part(
        &mut self,
        copy: &mut StorageCopy,
        now: StoragePart,
        finish: impl FnOnce(bool),
    ) -> Result<Vec<Entity>, PartError> {
        let part = copy.part.clone().expect("it is a copy of some entities");
        let (orphans, drops, gone) = self.return_to_part_of(copy, &part, now, finish)?;
        self.run(drops);
        drop(gone);
        Ok(orphans)
    }

    /// Implements [`return_to_part`](Self::return_to_part), but returns the values to be dropped and does not drop them.
    fn return_to_part_of(
        &mut self,
        copy: &mut StorageCopy,
        part: &StoragePart,
        now: StoragePart,
        finish: impl FnOnce(bool),
    ) -> Result<(Vec<Entity>, DropList, Gone), PartError> {
        let StoragePart {
            members: mut inside,
            tables: now,
        } = now;
        self.entities
            .check_part(&copy.entities, &part.members, &mut inside)?;
        let pairs = self.tables.iter().zip(&copy.tables);
        let kept = pairs.take_while(|(table, copy)| copy.is_of(table)).count();
        let others = (kept..self.tables.len()).filter(|&table| !now.contains(table));
        assert!(
            copy.tables.len() + others.count() <= Location::MAX_TABLES,
            "too many tables: the snapshot and the other entities need more than {}",
            Location::MAX_TABLES
        );
        self.prepare(copy, kept);
        // From here on nothing panics before the end.
        let base = self.clock.base();
        if base != copy.base {
            let shift = self.clock.shift_since(copy.base);
            copy.tables.iter_mut().for_each(|copy| copy.shift(shift));
            copy.sets.iter_mut().for_each(|copy| copy.shift(shift));
            copy.base = base;
        }
        let mut drops = self.take_drops();
        let mut gone = Gone::default();
        let is_inside = |entity: Entity| inside.contains(entity.index() as usize);
        let returns = |entity| part.has(entity) && copy.entities.has(entity);
        let (edges, orphans) = self.detach_others(&is_inside, &returns, &mut drops);

        // Entities of the copy that are in tables of others now leave their rows there.
        let mut next = inside.from(0);
        while let Some(index) = next {
            next = inside.from(index + 1);
            let entity = self.entities.placed_at(index as u32);
            let at = entity.and_then(|entity| self.entities.get(entity));
            if let Some(at) = at
                && !now.contains(at.table as usize)
            {
                let table = &mut self.tables[at.table as usize];
                let vacated = table.vacate(at.row as usize);
                // SAFETY: the row was just vacated, and the table gets no other row before the drops are run.
                unsafe { table.fill_vacated(at.row as usize, &mut drops) };
                if let Some(filler) = vacated.filled_by {
                    self.entities.relocate(filler, at);
                }
            }
        }

        let members = self.groups.members();
        self.groups.set(&mut self.components, Vec::new());
        let mut others = Vec::new();
        for (table, index) in self.tables.split_off(kept).into_iter().zip(kept..) {
            // An empty one may have values that wait to be dropped, too.
            match now.contains(index) || table.len() == 0 {
                true => gone.tables.push(table),
                false => others.push(table),
            }
        }
        for table in &mut gone.tables {
            table.clear(&mut drops);
        }
        let is_forgotten = self.all_tables.len() > kept;
        self.forget_tables(kept as TableId);
        self.add_kinds_of(copy, kept);
        self.entities
            .return_part(&copy.entities, &part.members, &inside);
        for table in others {
            self.put_back(table);
        }
        self.occupied.clear();
        for index in 0..self.tables.len() {
            let table = &mut self.tables[index];
            if part.tables.contains(index) {
                let copy = &mut copy.tables[index];
                // New tables have no memory yet.
                table.reserve_for(copy);
                // SAFETY: the copy was staged for the rows of this table by `prepare`, or for none if the table is new, and
                // memory was just reserved. The list is run before anything else happens to the table.
                unsafe { table.put(copy, &mut drops) };
            }
            if table.len() > 0 {
                self.occupied.insert(index as TableId);
            }
            self.sync_columns(index as TableId);
        }
        self.return_sets(copy, &is_inside, &mut drops, &mut gone);
        self.attach_others(edges);
        self.groups.set(&mut self.components, members);
        // Changes that readers have missed of disabled entities stay noted: they include all from before the copy was taken.
        self.return_removed(copy);
        self.clock.return_to(base);
        self.keep_time();
        if is_forgotten {
            self.update_observed();
        }
        finish(is_forgotten);
        Ok((orphans, drops, gone))
    }

    /// Puts back a table that was taken out, with its rows: in place of an empty one with the same components, or after all
    /// others.
    fn put_back(&mut self, table: Table) {
        let components: Vec<ComponentId> = table.components().collect();
        let id = match self.find_table(&components) {
            Ok(table) => table,
            Err(place) => self.add_table(&components, place),
        };
        debug_assert_eq!(self.tables[id as usize].len(), 0);
        self.tables[id as usize] = table;
        // It may come before tables that it came after.
        self.tables[id as usize].restamp();
        for row in 0..self.tables[id as usize].len() {
            let entity = self.tables[id as usize].entities()[row];
            let row = row as u32;
            self.entities.relocate(entity, Location { table: id, row });
        }
    }

    /// Returns all sets to a copy, and puts the values of others after the copied ones.
    fn return_sets(
        &mut self,
        copy: &mut StorageCopy,
        is_inside: &dyn Fn(Entity) -> bool,
        drops: &mut DropList,
        gone: &mut Gone,
    ) {
        self.presence.clear();
        let sets = &mut copy.sets[..copy.used];
        for &component in &self.sparse {
            let store = &mut self.components[component.index()];
            let (set, entities) = (store.sparse.get_mut(), &self.entities);
            let copied = sets.iter_mut().find(|set| set.component() == component);
            if copy.without.contains(&component) {
                set.retain(|entity| entities.get(entity).is_some(), drops);
            } else if let Some(copied) = copied {
                let mut stay = Stayed::new(component);
                if !set.entities().iter().all(|&entity| is_inside(entity)) {
                    stay = gone.split(set, component, is_inside, store.info.drop, drops);
                }
                // A set that was just registered has no memory yet.
                set.reserve_for(copied);
                // SAFETY: the copy was staged for the values of the set by `prepare`, or for more, and memory was just
                // reserved. All entities of the copy have rows again.
                unsafe { set.put(copied) };
                set.append_stayed(stay);
            } else if set.entities().iter().any(|&entity| is_inside(entity)) {
                // Not dropped in place: the set may get other values before the list is run, such as the sources of a
                // target.
                let stay = gone.split(set, component, is_inside, store.info.drop, drops);
                set.append_stayed(stay);
            }
            if !store.info.immediate {
                store.sparse.get_mut().note_all(&mut self.presence);
            }
        }
    }
}

/// The memory of values that wait to be dropped.
#[derive(Default)]
struct Gone {
    tables: Vec<Table>,
    columns: Vec<ErasedColumn>,
}

impl Gone {
    /// Moves all values out of a set. Returns the values of entities that are not inside; the others go to `drops`.
    fn split(
        &mut self,
        set: &mut SparseSet,
        component: ComponentId,
        is_inside: &dyn Fn(Entity) -> bool,
        drop: Option<DropFn>,
        drops: &mut DropList,
    ) -> Stayed {
        let mut stay = Stayed::new(component);
        let mut column = ErasedColumn::new(component);
        set.split(|entity| !is_inside(entity), &mut stay, &mut column);
        let (values, len) = (column.as_mut_ptr(), column.len());
        // SAFETY: no value is made an initialised one. Those that there are belong to the list from now on.
        unsafe { column.set_len(0) };
        // SAFETY: they are values of the component whose function it is, which the column has forgotten; its memory is kept
        // until the list was run.
        unsafe { drops.push(drop, values, len) };
        self.columns.push(column);
        stay
    }
}
