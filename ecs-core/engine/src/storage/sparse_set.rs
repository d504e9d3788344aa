//! A sparse set: the values of one component apart from all tables.

use core::ptr::NonNull;

use super::column::Column;
use super::compact_ticks::CompactTicks;
use super::drop_list::DropList;
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::fail;
use crate::tick::Shift;

/// The values of one component, packed, with the entity of each, and an index from entity to position.
///
/// After Briggs and Torczon, "An efficient representation for sparse sets" (1993), as EnTT and its descendants use it.
pub(crate) struct SparseSet {
    /// By entity index: `generation << 32 | position`, or 0.
    /// Invariant 1: an entry that is not 0 names the position of the entity with that index and generation.
    positions: Vec<u64>,
    /// The entity of each value. Invariant 2: the column holds an initialised value for each.
    entities: Vec<Entity>,
    values: Column,
    /// When each value was added and last changed, if the component is tracked: in step with `values`.
    ticks: Option<Box<[Column; 2]>>,
    /// Invariant 3: the number of values that the columns have memory for; at least `entities.len()`.
    capacity: usize,
}

const FIRST_CAPACITY: usize = 8;

impl SparseSet {
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        Self {
            positions: Vec::new(),
            entities: Vec::new(),
            values: Column::new(info),
            ticks: info
                .tracked
                .then(|| Box::new([Column::of_stamps(), Column::of_stamps()])),
            capacity: 0,
        }
    }

    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.entities.len()
    }

    /// The entities that have the component, in the order of their values.
    #[inline]
    pub(crate) fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// The first of the values, which lie in the order of [`entities`](Self::entities).
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.values.data()
    }

    /// The first of the ticks, which lie as the values do; `None` unless the component is tracked.
    #[inline]
    pub(crate) fn stamps(&self) -> Option<CompactTicks> {
        let [added, changed] = &**self.ticks.as_ref()?;
        Some(CompactTicks {
            added: added.data().cast(),
            changed: changed.data().cast(),
        })
    }

    /// The ticks of the entity's value; `None` also if the component is not tracked.
    #[inline]
    pub(crate) fn stamps_of(&self, entity: Entity) -> Option<CompactTicks> {
        let (first, position) = (self.stamps()?, self.position(entity)?);
        // SAFETY: by invariants 1 to 3 a position is below the capacity.
        Some(unsafe { first.row(position) })
    }

    /// Moves the base of all ticks. O(values).
    pub(crate) fn shift(&mut self, shift: Shift) {
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: the column holds ticks, in step with the values, and the set is borrowed exclusively.
            shift.apply(unsafe { column.stamps_mut(self.entities.len()) });
        }
    }

    /// Where the entity's value is. O(1).
    #[inline]
    pub(crate) fn position(&self, entity: Entity) -> Option<usize> {
        let entry = *self.positions.get(entity.index() as usize)?;
        // An empty entry has generation 0, which no entity has.
        ((entry >> 32) as u32 == entity.generation()).then_some(entry as u32 as usize)
    }

    #[inline]
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        self.position(entity).is_some()
    }

    /// The place of the entity's value.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<*mut u8> {
        let position = self.position(entity)?;
        // SAFETY: by invariants 1 to 3 a position is below the capacity.
        Some(unsafe { self.values.row(position) })
    }

    /// Whether there is room for one more value.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.entities.len() < self.capacity
    }

    /// Makes room for `more` values.
    ///
    /// # Panics
    /// If the values would not fit into the address space; nothing has changed then.
    #[inline]
    pub(crate) fn reserve_values(&mut self, more: usize) {
        fail::point();
        if self.capacity - self.entities.len() < more {
            self.grow_values(more);
        }
    }

    /// Makes room for a value of `entity`.
    ///
    /// # Panics
    /// As [`reserve_values`](Self::reserve_values).
    #[inline]
    pub(crate) fn reserve(&mut self, entity: Entity) {
        self.reserve_values(1);
        self.reserve_position(entity);
    }

    /// Makes room for the position of `entity`. Hits no limit, so it may come between writes.
    #[inline]
    pub(crate) fn reserve_position(&mut self, entity: Entity) {
        let index = entity.index() as usize;
        if index >= self.positions.len() {
            self.grow_positions(index);
        }
    }

    #[cold]
    fn grow_positions(&mut self, index: usize) {
        let len = (index + 1)
            .max(self.positions.len() * 2)
            .max(FIRST_CAPACITY);
        self.positions.resize(len, 0);
    }

    #[cold]
    fn grow_values(&mut self, more: usize) {
        let doubled = (self.capacity * 2).max(FIRST_CAPACITY);
        let capacity = doubled.max(self.entities.len() + more);
        self.entities.reserve(capacity - self.entities.len());
        // SAFETY: `capacity` is the capacity (invariant 3), and the new one is larger.
        unsafe { self.values.grow(self.capacity, capacity) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: by invariant 3 the ticks have the same capacity, and the new one is larger.
            unsafe { column.grow(self.capacity, capacity) };
        }
        self.capacity = capacity;
    }

    /// Adds `entity` and returns the place of its value.
    ///
    /// # Safety
    /// The entity has a row, or is about to get one. It is not in the set, and there is room for its
    /// [value](Self::reserve_values) and its [position](Self::reserve_position). The caller initialises the place, and its
    /// ticks if there are any, before anything else happens.
    #[inline]
    pub(crate) unsafe fn push(&mut self, entity: Entity) -> *mut u8 {
        debug_assert!(!self.contains(entity) && self.has_room());
        let position = self.entities.len();
        self.positions[entity.index() as usize] =
            u64::from(entity.generation()) << 32 | position as u64;
        self.entities.push(entity);
        // SAFETY: there was room, so the position is below the capacity.
        unsafe { self.values.row(position) }
    }

    /// Takes the entity's value out of the set and returns its place, behind the last value.
    ///
    /// The caller takes or drops it before anything else happens to the set; otherwise it leaks.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<*mut u8> {
        let (position, last) = self.take_position(entity)?;
        // SAFETY: both were positions of values, so by invariant 3 they are below the capacity.
        unsafe { self.values.swap(position, last) };
        // SAFETY: it was the position of a value, so by invariant 3 it is below the capacity.
        Some(unsafe { self.values.row(last) })
    }

    /// Takes the entity out of the books: returns the position that it had, and the one of the last entity, which has
    /// that position now.
    #[inline]
    fn take_position(&mut self, entity: Entity) -> Option<(usize, usize)> {
        let entry = self.positions.get_mut(entity.index() as usize)?;
        // An empty entry has generation 0, which no entity has.
        if (*entry >> 32) as u32 != entity.generation() {
            return None;
        }
        let position = *entry as u32 as usize;
        *entry = 0;
        self.entities.swap_remove(position);
        if let Some(&moved) = self.entities.get(position) {
            self.positions[moved.index() as usize] =
                u64::from(moved.generation()) << 32 | position as u64;
        }
        let last = self.entities.len();
        if self.ticks.is_some() {
            self.fill_ticks(position, last);
        }
        Some((position, last))
    }

    /// Moves the ticks of the last value to the position of one that was taken out.
    ///
    /// Apart, so that a set without ticks does not pay for the loop.
    #[inline(never)]
    fn fill_ticks(&mut self, position: usize, last: usize) {
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: both were positions of values; that of `position` is gone.
            unsafe { column.fill(position, last) };
        }
    }

    /// Exchanges the entity's value, if it has one, with the one at `position`, which is below the number of values.
    pub(super) fn exchange(&mut self, entity: Entity, position: usize) {
        let Some(from) = self.position(entity) else {
            return;
        };
        let other = self.entities[position];
        self.entities.swap(from, position);
        for (entity, position) in [(entity, position), (other, from)] {
            self.positions[entity.index() as usize] =
                u64::from(entity.generation()) << 32 | position as u64;
        }
        // SAFETY: both are positions of values, so by invariant 3 they are below the capacity.
        unsafe { self.values.swap(from, position) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: both are positions of values, so by invariant 3 they are below the capacity of the ticks.
            unsafe { column.swap(from, position) };
        }
    }

    /// As [`remove`](Self::remove), with a value that needs no drop, or leaks; says whether there was one.
    #[inline(always)]
    pub(super) fn remove_and_forget(&mut self, entity: Entity) -> bool {
        let Some((position, last)) = self.take_position(entity) else {
            return false;
        };
        // SAFETY: both were positions of values; that of `position` counts as moved out.
        unsafe { self.values.fill(position, last) };
        true
    }

    /// As [`remove`](Self::remove), with the value noted to be dropped; says whether there was one.
    // Always: it is called in several places, and half of the cost of taking off a sparse component is in here.
    #[inline(always)]
    pub(super) fn remove_and_drop(&mut self, entity: Entity, drops: &mut DropList) -> bool {
        if self.values.drop_fn().is_none() {
            return self.remove_and_forget(entity);
        }
        let Some(value) = self.remove(entity) else {
            return false;
        };
        // SAFETY: `remove` has left an initialised value that nobody else reaches; the memory is not touched before
        // the caller runs the list.
        unsafe { drops.push(self.values.drop_fn(), value, 1) };
        true
    }

    /// Takes all values out, and notes them to be dropped.
    pub(super) fn clear(&mut self, drops: &mut DropList) {
        for entity in &self.entities {
            self.positions[entity.index() as usize] = 0;
        }
        let len = self.entities.len();
        self.entities.clear();
        // SAFETY: by invariant 2 they are initialised, and nobody reaches them any more.
        unsafe { drops.push(self.values.drop_fn(), self.values.data().as_ptr(), len) };
    }

    /// Checks invariants 1 to 3.
    #[cfg(feature = "validate")]
    pub(crate) fn check(&self) {
        assert!(
            self.entities.len() <= self.capacity,
            "capacity covers the values"
        );
        for (position, &entity) in self.entities.iter().enumerate() {
            assert_eq!(
                self.position(entity),
                Some(position),
                "the index leads to {entity}"
            );
        }
        let entries = self.positions.iter().filter(|&&entry| entry != 0).count();
        assert_eq!(entries, self.entities.len(), "an index entry per value");
    }
}

impl Drop for SparseSet {
    fn drop(&mut self) {
        // SAFETY: `capacity` is the capacity (invariant 3). Values were dropped by the owner, or leak.
        unsafe { self.values.release(self.capacity) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: by invariant 3 it is the capacity of the ticks too, which need no drop.
            unsafe { column.release(self.capacity) };
        }
    }
}
