//! Copies of sparse sets.

use alloc::vec::Vec;
use core::ops::Range;

use super::SparseSet;
use crate::component::{ComponentId, End};
use crate::entity::Entity;
use crate::storage::column_copy::{ColumnCopy, Copier, Copiers};
use crate::storage::drop_list::DropList;
use crate::storage::presence::Presence;
use crate::storage::{EdgeList, ErasedColumn};
use crate::tick::{CompactTick, Shift};

/// A copy of the values of a sparse set, in their order.
pub(in crate::storage) struct SetCopy {
    pub(super) component: ComponentId,
    pub(super) entities: Vec<Entity>,
    /// Invariant 1: has a value for each of `entities`, if a copy was completed.
    pub(super) values: ColumnCopy,
    /// The ticks of the addition and the last change of values; empty unless the component is tracked.
    pub(super) ticks: [Vec<CompactTick>; 2],
}

impl SetCopy {
    /// A copy without values.
    pub(super) fn new(component: ComponentId, copier: Copier) -> Self {
        Self {
            component,
            entities: Vec::new(),
            values: ColumnCopy::new(component, copier),
            ticks: [const { Vec::new() }; 2],
        }
    }

    /// The component.
    pub(in crate::storage) fn component(&self) -> ComponentId {
        self.component
    }

    /// Prepares [`SparseSet::put`] in the place of `replaced` values: does everything that may panic.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn stage(&mut self, replaced: usize) {
        self.values.stage(replaced);
    }

    /// Returns true if a set has values of the same entities, in the same order.
    pub(in crate::storage) fn has_rows_of(&self, set: &SparseSet) -> bool {
        self.entities == set.entities
    }

    /// Calls a function with each value. The values are lists: it is a copy of sources.
    pub(in crate::storage) fn for_each_list(&mut self, visit: impl FnMut(&mut EdgeList)) {
        debug_assert!(matches!(
            self.component.info().link.map(|link| link.end),
            Some(End::Sources { .. })
        ));
        let values = self.values.values_mut();
        let first = values.as_mut_ptr().cast::<EdgeList>();
        // SAFETY: each value is an `EdgeList`, see `End::Sources`, and the values are borrowed exclusively.
        let lists = unsafe { core::slice::from_raw_parts_mut(first, values.len()) };
        lists.iter_mut().for_each(visit);
    }

    /// Moves the base of all ticks.
    pub(in crate::storage) fn shift(&mut self, shift: Shift) {
        for ticks in &mut self.ticks {
            shift.apply(ticks);
        }
    }
}

/// Values that were [split](SparseSet::split) off, to be put back.
pub(in crate::storage) struct Stayed {
    entities: Vec<Entity>,
    /// Invariant 1: has a value for each of `entities`.
    values: ErasedColumn,
    /// The ticks of the addition and the last change of values; empty unless the component is tracked.
    ticks: [Vec<CompactTick>; 2],
}

impl Stayed {
    pub(in crate::storage) fn new(component: ComponentId) -> Self {
        Self {
            entities: Vec::new(),
            values: ErasedColumn::new(component),
            ticks: [const { Vec::new() }; 2],
        }
    }
}

impl SparseSet {
    /// Copies all values, or the values in some runs of positions, to the copy at a position in a list. Reuses the memory of
    /// a copy of the same component at this position or after it. The set belongs to the component, which has a copier.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    pub(in crate::storage) fn copy_to_one_of(
        &self,
        copies: &mut Vec<SetCopy>,
        position: usize,
        component: ComponentId,
        copiers: &Copiers,
        runs: Option<&[Range<usize>]>,
    ) {
        let mut known = copies[position..].iter();
        match known.position(|copy| copy.component == component) {
            Some(known) => copies.swap(position, position + known),
            None => {
                let copier = copiers.get(component);
                let copier = copier.expect("components with values can be copied");
                copies.insert(position, SetCopy::new(component, copier));
            }
        }
        let all = 0..self.entities.len();
        self.copy_to(&mut copies[position], runs.unwrap_or(&[all]));
    }

    /// Copies the values in some runs of positions, into the memory of a copy of a set of the same component.
    ///
    /// # Panics
    /// If a `Clone` or a `Drop` panics.
    fn copy_to(&self, copy: &mut SetCopy, runs: &[Range<usize>]) {
        let len = self.entities.len();
        debug_assert!(runs.iter().all(|run| run.end <= len));
        // SAFETY: the set has a value of the component for each entity (invariant 2), and the runs are of them.
        unsafe { copy.values.take_runs(self.values.data().as_ptr(), runs) };
        for (copy, column) in copy
            .ticks
            .iter_mut()
            .zip(self.ticks.as_deref().into_iter().flatten())
        {
            let ticks = column.data().as_ptr().cast();
            // SAFETY: the column holds a tick for each value, and is not written meanwhile.
            let ticks = unsafe { core::slice::from_raw_parts(ticks, len) };
            copy.clear();
            for run in runs {
                copy.extend_from_slice(&ticks[run.clone()]);
            }
        }
        copy.entities.clear();
        for run in runs {
            copy.entities.extend_from_slice(&self.entities[run.clone()]);
        }
    }

    /// Moves all values out: some entities' values, by position, to `stay`, and the others to `gone`, a column of the
    /// component. Runs no user code.
    pub(in crate::storage) fn split(
        &mut self,
        stays: impl Fn(Entity) -> bool,
        stay: &mut Stayed,
        gone: &mut ErasedColumn,
    ) {
        let size = self.values.size();
        for (position, &entity) in self.entities.iter().enumerate() {
            self.positions.take(entity.index());
            // SAFETY: the position is one of a value, so it is below the capacity (invariant 3).
            let value = unsafe { self.values.row(position) };
            let column = if stays(entity) {
                stay.entities.push(entity);
                let columns = self.ticks.as_deref().into_iter().flatten();
                for (ticks, column) in stay.ticks.iter_mut().zip(columns) {
                    let first = column.data().as_ptr().cast::<CompactTick>();
                    // SAFETY: the column holds a tick for each value.
                    let tick = unsafe { first.add(position) };
                    // SAFETY: the column holds a tick there, and is not written meanwhile.
                    ticks.push(unsafe { tick.read() });
                }
                &mut stay.values
            } else {
                &mut *gone
            };
            debug_assert_eq!(column.layout().size(), size);
            // SAFETY: both the value and the column belong to the component, and the value is not accessed here again: the
            // list is cleared.
            unsafe { column.push_bytes(value) };
        }
        self.entities.clear();
    }

    /// Makes room for more values. They fit because the set had as many at one time.
    pub(in crate::storage) fn make_room(&mut self, more: usize) {
        if self.capacity - self.entities.len() < more {
            self.grow_values(more);
        }
    }

    /// Moves values that were [split off](Self::split) to the end. Their entities have rows, or are about to get them.
    pub(in crate::storage) fn append_stayed(&mut self, mut stay: Stayed) {
        self.make_room(stay.entities.len());
        let (first, size) = (self.entities.len(), self.values.size());
        // SAFETY: there is room for more values, so the position is not beyond the capacity.
        let place = unsafe { self.values.row(first) };
        let bytes = stay.entities.len() * size;
        // SAFETY: there is room for these values, which lie in another column.
        unsafe { place.copy_from_nonoverlapping(stay.values.as_ptr(), bytes) };
        // SAFETY: the values have moved to the set.
        unsafe { stay.values.set_len(0) };
        let columns = self.ticks.as_deref_mut().into_iter().flatten();
        for (ticks, column) in stay.ticks.iter().zip(columns) {
            let all = column.data().as_ptr().cast::<CompactTick>();
            // SAFETY: there is room for as many ticks as values (invariant 3).
            let place = unsafe { all.add(first) };
            // SAFETY: there is room for these ticks, which lie in another list.
            unsafe { place.copy_from_nonoverlapping(ticks.as_ptr(), ticks.len()) };
        }
        for &entity in &stay.entities {
            self.entities.push(entity);
            self.place(entity, self.entities.len() - 1);
        }
    }

    /// Reserves memory for all values of a copy. They fit because a set has had them.
    pub(in crate::storage) fn reserve_for(&mut self, copy: &SetCopy) {
        let more = copy.entities.len().saturating_sub(self.entities.len());
        if self.capacity - self.entities.len() < more {
            self.grow_values(more);
        }
    }

    /// Replaces all values by a copy of a set of the same component. Runs no user code and does not panic.
    ///
    /// # Safety
    /// The copy was [staged](SetCopy::stage) for the values of this set, and memory for it [reserved](Self::reserve_for). Its
    /// entities have rows, or are about to get them.
    pub(in crate::storage) unsafe fn put(&mut self, copy: &mut SetCopy) {
        debug_assert!(copy.entities.len() <= self.capacity);
        for entity in &self.entities {
            self.positions.take(entity.index());
        }
        // SAFETY: staged and reserved by the caller's contract.
        unsafe { self.put_columns(copy) };
        self.entities.clear();
        self.entities.extend_from_slice(&copy.entities);
        for position in 0..self.entities.len() {
            self.place(self.entities[position], position);
        }
    }

    /// Replaces all values by a copy of a set of the same component. Runs no user code and does not panic.
    ///
    /// # Safety
    /// The copy [has the same rows](SetCopy::has_rows_of), and was [staged](SetCopy::stage) for them.
    pub(in crate::storage) unsafe fn put_values(&mut self, copy: &mut SetCopy) {
        debug_assert!(copy.has_rows_of(self));
        // SAFETY: the copy was staged by the caller's contract, and the set has memory for as many values.
        unsafe { self.put_columns(copy) };
    }

    /// Replaces the values and ticks by a copy.
    ///
    /// # Safety
    /// The copy was [staged](SetCopy::stage) for the values of this set, and there is memory for its own.
    unsafe fn put_columns(&mut self, copy: &mut SetCopy) {
        let (len, replaced) = (copy.entities.len(), self.entities.len());
        // SAFETY: the set has a value for each entity (invariant 2), and memory for the copied values, which were staged by
        // the caller's contract.
        unsafe { copy.values.put(self.values.data().as_ptr(), replaced) };
        for (copy, column) in copy
            .ticks
            .iter()
            .zip(self.ticks.as_deref_mut().into_iter().flatten())
        {
            let ticks = column.data().as_ptr().cast::<CompactTick>();
            // SAFETY: the column holds ticks, and has memory for as many by the caller's contract.
            unsafe { ticks.copy_from_nonoverlapping(copy.as_ptr(), len) };
        }
    }

    /// Removes the values of entities that are not kept, and moves them to `drops`, which is run before the set gets another
    /// value.
    pub(in crate::storage) fn retain(
        &mut self,
        mut is_kept: impl FnMut(Entity) -> bool,
        drops: &mut DropList,
    ) {
        let mut position = 0;
        while let Some(&entity) = self.entities.get(position) {
            if is_kept(entity) {
                position += 1;
            } else {
                self.remove_and_drop(entity, drops);
            }
        }
    }

    /// Notes that all entities of the set have its component.
    pub(in crate::storage) fn note_all(&self, presence: &mut Presence) {
        for &entity in &self.entities {
            presence.note(entity, self.number);
        }
    }
}
