//! A sparse set: the values of one component, apart from all tables.

use alloc::boxed::Box;
use alloc::vec::Vec;
mod memory;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(feature = "snapshot")]
mod snapshot_bytes;

use core::ptr::NonNull;

#[cfg(feature = "snapshot")]
pub(super) use snapshot::{SetCopy, Stayed};
#[cfg(feature = "snapshot")]
pub(super) use snapshot_bytes::ReadSet;

use super::column::Column;
use super::compact_ticks::CompactTicks;
use super::drop_list::DropList;
use super::presence::{NumberSet, Presence};
use super::sparse_array::SparseArray;
use crate::component::ComponentInfo;
use crate::entity::Entity;
use crate::fail;
use crate::tick::Shift;

/// The values of one component, packed, with the entity of each, and an index from entities to positions.
///
/// After Briggs and Torczon, "An efficient representation for sparse sets" (1993); EnTT and its descendants use them too.
pub(crate) struct SparseSet {
    /// By entity index: `generation << 32 | position`, or 0.
    /// Invariant 1: an entry that is not 0 is the position of the entity with that index and generation.
    positions: SparseArray,
    /// The entity of each value. Invariant 2: the column holds an initialised value for each.
    entities: Vec<Entity>,
    values: Column,
    /// The ticks at which each value was added and last changed, if the component is tracked and sparse; parallel to `values`.
    ticks: Option<Box<[Column; 2]>>,
    /// Invariant 3: the number of values that all columns, and `entities`, have memory for; at least `entities.len()`.
    capacity: usize,
    /// The component's number among the registered sparse ones; none until it is registered.
    number: NumberSet,
}

const FIRST_CAPACITY: usize = 8;

/// The length of the array of positions for each of them: 512 bytes. If fewer than one in 64 entities have a component, a
/// hash table finds its positions, so the memory of many rare kinds follows their values. With 512 words, 1,000 kinds and 3
/// of them for each of 10,000 entities took 112 MB instead of 9.
const LEN_PER_ENTRY: usize = 64;

impl SparseSet {
    #[inline]
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        Self {
            positions: SparseArray::new(LEN_PER_ENTRY),
            entities: Vec::new(),
            values: Column::new(info),
            ticks: (info.tracked && info.storage.is_by_entity())
                .then(|| Box::new([Column::of_ticks(), Column::of_ticks()])),
            capacity: 0,
            number: NumberSet::default(),
        }
    }

    /// Sets the component's number in [`Presence`].
    pub(super) fn set_number(&mut self, number: NumberSet) {
        self.number = number;
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
        Self::position_in(self.positions.get(entity.index()), entity)
    }

    /// The index entries of the entities with the first indices; [`far_position`](Self::far_position) knows the others.
    #[inline]
    pub(crate) fn near_positions(&self) -> &[u64] {
        self.positions.near()
    }

    /// Returns the position of the value of an entity whose index is beyond [`near_positions`](Self::near_positions).
    #[inline]
    pub(crate) fn far_position(&self, entity: Entity) -> Option<usize> {
        Self::position_in(self.positions.get_far(entity.index()), entity)
    }

    /// Returns the position in the index entry of an entity's index, if the entry belongs to the entity.
    #[inline]
    pub(crate) fn position_in(entry: u64, entity: Entity) -> Option<usize> {
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
    /// If the values would not fit into the address space; in that case nothing has changed.
    #[inline]
    pub(crate) fn reserve_values(&mut self, more: usize) {
        fail::point();
        if self.capacity - self.entities.len() < more {
            self.grow_values(more);
        }
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

    /// Adds `entity`, notes that it has the component, and returns a pointer to its value, which is not initialised.
    ///
    /// # Safety
    /// The entity has a row, or is about to get one. It is not in the set, which has capacity for its
    /// [value](Self::reserve_values). The caller initialises the value, and its ticks if there are any, before anything
    /// else happens.
    #[inline]
    pub(super) unsafe fn push(&mut self, presence: &mut Presence, entity: Entity) -> *mut u8 {
        presence.note(entity, self.number);
        // SAFETY: the caller's contract is the same.
        unsafe { self.push_unnoted(entity) }
    }

    /// Like [`push`](Self::push), for a component that every entity may have, as far as [`Presence`] knows.
    ///
    /// # Safety
    /// As for [`push`](Self::push).
    #[inline]
    pub(crate) unsafe fn push_unnoted(&mut self, entity: Entity) -> *mut u8 {
        debug_assert!(!self.contains(entity) && self.has_room());
        let position = self.entities.len();
        self.positions
            .set(entity.index(), entry(entity, position), position);
        // SAFETY: there is capacity for the value by the caller's contract.
        unsafe { self.append(entity) }
    }

    /// Adds an entity whose position was written to the list, and returns a pointer to its value.
    ///
    /// # Safety
    /// There is capacity for one more value, which the caller initialises.
    #[inline]
    unsafe fn append(&mut self, entity: Entity) -> *mut u8 {
        let position = self.entities.len();
        // SAFETY: the list has memory for the capacity (invariant 3), which is larger by the caller's contract.
        let place = unsafe { self.entities.as_mut_ptr().add(position) };
        // SAFETY: the place is in the list's memory, after its last entity.
        unsafe { place.write(entity) };
        // SAFETY: the entity was just written, after `position` others, in the list's memory.
        unsafe { self.entities.set_len(position + 1) };
        // SAFETY: there is capacity for the value by the caller's contract, so the position is below it.
        unsafe { self.values.row(position) }
    }

    /// Returns the place of the entity's value, and true if it holds one; otherwise the entity is [added](Self::push).
    /// `size` is a constant where the type of the component is known.
    ///
    /// # Safety
    /// Values have this size. The entity has a row. If the place holds no value, the caller initialises it, and its ticks if
    /// there are any, before anything else happens.
    ///
    /// # Panics
    /// If the values would not fit into the address space; in that case nothing has changed.
    // Always inlined: it does everything to insert a sparse component except writing the value.
    #[inline(always)]
    pub(super) unsafe fn find_or_push(
        &mut self,
        presence: &mut Presence,
        entity: Entity,
        size: usize,
    ) -> (*mut u8, bool) {
        debug_assert_eq!(size, self.values.size());
        if !self.has_room() {
            // SAFETY: the caller's contract is the same.
            return unsafe { self.find_or_grow(presence, entity) };
        }
        fail::point();
        let end = self.entities.len();
        let Some(place) = self.positions.near_mut(entity.index()) else {
            // SAFETY: the caller's contract is the same.
            return unsafe { self.find_or_grow(presence, entity) };
        };
        if (*place >> 32) as u32 == entity.generation() {
            let position = *place as u32 as usize;
            // SAFETY: the position of an entity is below the number of values (invariants 1 and 2), and so below the
            // capacity (invariant 3); values have this size by the caller's contract.
            return (
                unsafe { self.values.data().as_ptr().add(position * size) },
                true,
            );
        }
        *place = entry(entity, end);
        presence.note(entity, self.number);
        // SAFETY: there is room for one more value, which the caller initialises by its contract.
        unsafe { self.append(entity) };
        // SAFETY: `end` is below the capacity, which is room for values of this size by the caller's contract.
        (
            unsafe { self.values.data().as_ptr().add(end * size) },
            false,
        )
    }

    /// Like [`find_or_push`](Self::find_or_push), for a set without capacity, or an entity whose position is far away.
    ///
    /// # Safety
    /// As for [`find_or_push`](Self::find_or_push).
    #[cold]
    #[inline(never)]
    unsafe fn find_or_grow(&mut self, presence: &mut Presence, entity: Entity) -> (*mut u8, bool) {
        if let Some(place) = self.get(entity) {
            return (place, true);
        }
        self.reserve_values(1);
        // SAFETY: the entity is not in the set, and there is capacity for its value; the other requirements are those
        // of the caller's contract.
        (unsafe { self.push(presence, entity) }, false)
    }

    /// Removes the entity's value from the set and returns a pointer to it, after the last value.
    ///
    /// The caller moves the value out or drops it before anything else happens to the set; otherwise it leaks.
    #[inline]
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<*mut u8> {
        let (position, last) = self.take_position(entity, self.ticks.is_some())?;
        // SAFETY: both were positions of values, so they are below the capacity (invariant 3).
        unsafe { self.values.swap(position, last) };
        // SAFETY: it was the position of a value, so it is below the capacity (invariant 3).
        Some(unsafe { self.values.row(last) })
    }

    /// Removes the entity from the index and the list, and fills its ticks. Returns its former position, and the former
    /// position of the last entity, which took its place. `tracked` says whether the component is tracked.
    #[inline(always)]
    fn take_position(&mut self, entity: Entity, tracked: bool) -> Option<(usize, usize)> {
        debug_assert_eq!(tracked, self.ticks.is_some());
        let position = match self.positions.near_mut(entity.index()) {
            Some(entry) => {
                // An empty entry has generation 0, which no entity has.
                if (*entry >> 32) as u32 != entity.generation() {
                    return None;
                }
                core::mem::take(entry) as u32 as usize
            }
            None => self.take_far(entity)?,
        };
        let last = self.entities.len() - 1;
        let moved = self.entities[last];
        self.entities.truncate(last);
        if position != last {
            self.entities[position] = moved;
            self.place(moved, position);
        }
        if tracked {
            self.fill_ticks(position, last);
        }
        Some((position, last))
    }

    /// Removes the position of an entity from the index, if the entity is beyond the array there, and returns the
    /// position.
    #[cold]
    #[inline(never)]
    fn take_far(&mut self, entity: Entity) -> Option<usize> {
        let entry = self.positions.take(entity.index());
        let position = Self::position_in(entry, entity);
        if position.is_none() && entry != 0 {
            // It is the position of another entity with this index.
            self.positions
                .set(entity.index(), entry, self.entities.len());
        }
        position
    }

    /// Writes the position of an entity in the set.
    #[inline]
    fn place(&mut self, entity: Entity, position: usize) {
        self.positions
            .set(entity.index(), entry(entity, position), self.entities.len());
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
        self.place(entity, position);
        self.place(other, from);
        // SAFETY: both are positions of values, so they are below the capacity (invariant 3).
        unsafe { self.values.swap(from, position) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: both are positions of values, so they are below the capacity, which the ticks have too (invariant 3).
            unsafe { column.swap(from, position) };
        }
    }

    /// Like [`remove`](Self::remove), for a value that needs no drop, or leaks; returns true if there was one. `size` and
    /// `tracked` describe the component, and are constants where its type is known.
    ///
    /// # Safety
    /// Values have this size.
    #[inline(always)]
    pub(super) unsafe fn remove_and_forget(
        &mut self,
        entity: Entity,
        size: usize,
        tracked: bool,
    ) -> bool {
        let Some((position, last)) = self.take_position(entity, tracked) else {
            return false;
        };
        // SAFETY: both were positions of values, so they are below the capacity (invariant 3); the value at `position`
        // counts as moved out; values have this size by the caller's contract.
        unsafe { self.values.fill_sized(size, position, last) };
        true
    }

    /// Like [`remove`](Self::remove), but moves the value to `drops`; returns true if there was one.
    // Always inlined: it is called in several places, and takes half of the time for removing a sparse component.
    #[inline(always)]
    pub(super) fn remove_and_drop(&mut self, entity: Entity, drops: &mut DropList) -> bool {
        if self.values.drop_fn().is_none() {
            let (size, tracked) = (self.values.size(), self.ticks.is_some());
            // SAFETY: values have this size.
            return unsafe { self.remove_and_forget(entity, size, tracked) };
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
            self.positions.take(entity.index());
        }
        let len = self.entities.len();
        self.entities.clear();
        // SAFETY: the values are initialised (invariant 2), and not reachable any more: the index and the list are empty.
        unsafe { drops.push(self.values.drop_fn(), self.values.data().as_ptr(), len) };
    }

    /// Checks invariants 1 to 3, and that the entities are [known](Presence) to be in the set, unless all may be.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self, presence: &Presence) {
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
            presence.check_noted(entity, self.number);
        }
        assert!(
            self.capacity <= self.entities.capacity(),
            "the list has memory for the capacity"
        );
        assert_eq!(
            self.positions.check().len(),
            self.entities.len(),
            "each value has one index entry"
        );
    }
}

/// Returns the index entry of an entity at a position.
#[inline]
fn entry(entity: Entity, position: usize) -> u64 {
    u64::from(entity.generation()) << 32 | position as u64
}

impl Drop for SparseSet {
    fn drop(&mut self) {
        if self.capacity == 0 {
            return;
        }
        // SAFETY: `self.capacity` is the capacity of the column (invariant 3). The owner has dropped the values, or
        // they leak.
        unsafe { self.values.release(self.capacity) };
        for column in self.ticks.as_deref_mut().into_iter().flatten() {
            // SAFETY: `self.capacity` is the capacity of the ticks too (invariant 3), which need no drop.
            unsafe { column.release(self.capacity) };
        }
    }
}
