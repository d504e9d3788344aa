//! A sparse set: the values of one component, apart from all tables.

mod memory;

use core::ptr::NonNull;

use super::column::Column;
use super::compact_ticks::CompactTicks;
use super::drop_list::DropList;
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::fail;
use crate::tick::Shift;

/// The values of one component, packed, with the entity of each, and an index from entities to positions.
///
/// After Briggs and Torczon, "An efficient representation for sparse sets" (1993), as EnTT and its descendants use it.
pub(crate) struct SparseSet {
    /// By entity index: `generation << 32 | position`, or 0.
    /// Invariant 1: an entry that is not 0 is the position of the entity with that index and generation.
    positions: Vec<u64>,
    /// The entity of each value. Invariant 2: the column holds an initialised value for each.
    entities: Vec<Entity>,
    values: Column,
    /// The ticks at which each value was added and last changed, if the component is tracked; parallel to `values`.
    ticks: Option<Box<[Column; 2]>>,
    /// Invariant 3: the number of values that all columns have memory for; at least `entities.len()`.
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
                .then(|| Box::new([Column::of_ticks(), Column::of_ticks()])),
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

    /// The address of the first value; values are in the order of [`entities`](Self::entities).
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.values.data()
    }

    /// Pointers to the first ticks, in the order of the values; `None` unless the component is tracked.
    #[inline]
    pub(crate) fn ticks(&self) -> Option<CompactTicks> {
        let [added, changed] = &**self.ticks.as_ref()?;
        Some(CompactTicks {
            added: added.data().cast(),
            changed: changed.data().cast(),
        })
    }

    /// Pointers to the ticks of the entity's value; `None` if it has none or the component is not tracked.
    #[inline]
    pub(crate) fn ticks_of(&self, entity: Entity) -> Option<CompactTicks> {
        let (first, position) = (self.ticks()?, self.position(entity)?);
        // SAFETY: the position of an entity is below the number of values (invariants 1 and 2), and so below the
        // capacity (invariant 3).
        Some(unsafe { first.row(position) })
    }

    /// Moves the base of all ticks. O(values).
    pub(crate) fn shift(&mut self, shift: Shift) {
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: the column holds ticks, one for each value, and the set is borrowed exclusively.
            shift.apply(unsafe { column.ticks_mut(self.entities.len()) });
        }
    }

    /// Returns the position of the entity's value. O(1).
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

    /// Returns a pointer to the entity's value.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<*mut u8> {
        let position = self.position(entity)?;
        // SAFETY: the position of an entity is below the number of values (invariants 1 and 2), and so below the
        // capacity (invariant 3).
        Some(unsafe { self.values.row(position) })
    }

    /// Returns true if there is capacity for one more value.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        self.entities.len() < self.capacity
    }

    /// Reserves capacity for `more` values.
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

    /// Reserves capacity for a value of `entity`, and for its position.
    ///
    /// # Panics
    /// If the values would not fit into the address space; nothing has changed then.
    #[inline]
    pub(crate) fn reserve(&mut self, entity: Entity) {
        self.reserve_values(1);
        self.reserve_position(entity);
    }

    /// Reserves memory for the position of `entity`. Hits no limit, so it may be called between writes.
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
        // SAFETY: `self.capacity` is the capacity of the column (invariant 3), and the new one is larger.
        unsafe { self.values.grow(self.capacity, capacity) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: `self.capacity` is the capacity of the column (invariant 3), and the new one is larger.
            unsafe { column.grow(self.capacity, capacity) };
        }
        self.capacity = capacity;
    }

    /// Adds `entity` and returns a pointer to its value, which is not initialised.
    ///
    /// # Safety
    /// The entity has a row, or is about to get one. It is not in the set, which has capacity for its
    /// [value](Self::reserve_values) and its [position](Self::reserve_position). The caller initialises the value, and
    /// its ticks if there are any, before anything else happens.
    #[inline]
    pub(crate) unsafe fn push(&mut self, entity: Entity) -> *mut u8 {
        debug_assert!(!self.contains(entity) && self.has_room());
        let position = self.entities.len();
        self.positions[entity.index() as usize] =
            u64::from(entity.generation()) << 32 | position as u64;
        self.entities.push(entity);
        // SAFETY: there is capacity for the value by the caller's contract, so the position is below it.
        unsafe { self.values.row(position) }
    }

    /// Removes the entity's value from the set and returns a pointer to it, after the last value.
    ///
    /// The caller moves the value out or drops it before anything else happens to the set; otherwise it leaks.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<*mut u8> {
        let (position, last) = self.take_position(entity)?;
        // SAFETY: both were positions of values, so they are below the capacity (invariant 3).
        unsafe { self.values.swap(position, last) };
        // SAFETY: it was the position of a value, so it is below the capacity (invariant 3).
        Some(unsafe { self.values.row(last) })
    }

    /// Removes the entity from the index and the list, and fills its ticks; returns its former position, and that of
    /// the last entity, which took its position.
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

    /// Moves the ticks of the last value to the position of a removed one.
    ///
    /// Out of line, so that a set without ticks does not pay for the loop.
    #[inline(never)]
    fn fill_ticks(&mut self, position: usize, last: usize) {
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: both were positions of values, so they are below the capacity (invariant 3); the ticks at
            // `position` belong to a removed value.
            unsafe { column.fill(position, last) };
        }
    }

    /// Swaps the entity's value, if it has one, with the one at `position`, which must be below the number of values.
    pub(super) fn swap_to(&mut self, entity: Entity, position: usize) {
        let Some(from) = self.position(entity) else {
            return;
        };
        let other = self.entities[position];
        self.entities.swap(from, position);
        for (entity, position) in [(entity, position), (other, from)] {
            self.positions[entity.index() as usize] =
                u64::from(entity.generation()) << 32 | position as u64;
        }
        // SAFETY: both are positions of values, so they are below the capacity (invariant 3).
        unsafe { self.values.swap(from, position) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: both are positions of values, so they are below the capacity, which is that of the ticks too
            // (invariant 3).
            unsafe { column.swap(from, position) };
        }
    }

    /// Like [`remove`](Self::remove), for a value that needs no drop, or leaks; returns true if there was one.
    #[inline(always)]
    pub(super) fn remove_and_forget(&mut self, entity: Entity) -> bool {
        let Some((position, last)) = self.take_position(entity) else {
            return false;
        };
        // SAFETY: both were positions of values, so they are below the capacity (invariant 3); the value at `position`
        // counts as moved out.
        unsafe { self.values.fill(position, last) };
        true
    }

    /// Like [`remove`](Self::remove), but moves the value to `drops`; returns true if there was one.
    // Always inlined: it is called in several places, and takes half of the time of removing a sparse component.
    #[inline(always)]
    pub(super) fn remove_and_drop(&mut self, entity: Entity, drops: &mut DropList) -> bool {
        if self.values.drop_fn().is_none() {
            return self.remove_and_forget(entity);
        }
        let Some(value) = self.remove(entity) else {
            return false;
        };
        // SAFETY: `remove` returned an initialised value that is not reachable otherwise; its memory is not accessed
        // before the caller runs the list, by the contract of `remove`.
        unsafe { drops.push(self.values.drop_fn(), value, 1) };
        true
    }

    /// Removes all values, and adds them to `drops`.
    pub(super) fn clear(&mut self, drops: &mut DropList) {
        for entity in &self.entities {
            self.positions[entity.index() as usize] = 0;
        }
        let len = self.entities.len();
        self.entities.clear();
        // SAFETY: the values are initialised (invariant 2), and not reachable any more, as the index and the list are
        // empty.
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
        assert_eq!(
            entries,
            self.entities.len(),
            "each value has one index entry"
        );
    }
}

impl Drop for SparseSet {
    fn drop(&mut self) {
        // SAFETY: `self.capacity` is the capacity of the column (invariant 3). The owner has dropped the values, or
        // they leak.
        unsafe { self.values.release(self.capacity) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: `self.capacity` is the capacity of the ticks too (invariant 3), which need no drop.
            unsafe { column.release(self.capacity) };
        }
    }
}
