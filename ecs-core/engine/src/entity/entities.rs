//! The allocator of entity ids, and the location of each entity's row.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::num::NonZeroU32;

use super::Entity;
use super::dead::DeadIds;
use super::free_set::FreeSet;
use super::local::LocalIds;
use super::revived::Revived;
use crate::bytes::Bytes;
use crate::fail;
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The number of a table. Below [`Location::MAX_TABLES`].
pub(crate) type TableId = u32;

/// The location of an entity's row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) table: TableId,
    pub(crate) row: u32,
}

impl Location {
    pub(crate) const MAX_TABLES: usize = (1 << TABLE_BITS) - 1;
    pub(crate) const MAX_ROWS: usize = 1 << ROW_BITS;
}

const ROW_BITS: u32 = 26;
const TABLE_BITS: u32 = 16;
const GENERATION_SHIFT: u32 = ROW_BITS + TABLE_BITS;
/// The highest generation that fits into a slot: 4,194,303 entities can use an index before it is retired.
pub(super) const MAX_GENERATION: u32 = (1 << (u64::BITS - GENERATION_SHIFT)) - 1;

/// Packed generation, table and row of the entity that has an index: `generation << 42 | table << 26 | row`. One word,
/// so that finding a row is one load and one comparison.
///
/// If no entity is placed, the upper part is 0, a generation that no entity has; the lower part is then the generation
/// of the next entity, or 0 if the index is retired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntitySlot(u64);

impl EntitySlot {
    pub(super) const FRESH: Self = Self::unplaced(1);

    pub(super) const fn unplaced(next_generation: u32) -> Self {
        Self(next_generation as u64)
    }

    #[inline]
    pub(super) const fn placed(generation: u32, at: Location) -> Self {
        Self(
            (generation as u64) << GENERATION_SHIFT | (at.table as u64) << ROW_BITS | at.row as u64,
        )
    }

    /// Returns the same slot with a row that is further down. The table has that row, so its number fits.
    #[inline]
    pub(super) const fn below(self, rows: u64) -> Self {
        Self(self.0 + rows)
    }

    /// The generation of the placed entity; 0 if there is none.
    #[inline]
    pub(super) const fn generation(self) -> u32 {
        (self.0 >> GENERATION_SHIFT) as u32
    }

    /// The generation of the next entity. The slot must not be placed.
    #[inline]
    pub(super) const fn next_generation(self) -> u32 {
        debug_assert!(!self.is_placed());
        self.0 as u32
    }

    /// The next entity of the slot, whose index this is. The slot must neither be placed nor retired.
    #[inline(always)]
    fn next_entity(self, index: u32) -> Entity {
        let generation = NonZeroU32::new(self.next_generation())
            .expect("a retired index is in the free set, against invariant 2");
        Entity::new(index, generation)
    }

    #[inline]
    const fn location(self) -> Location {
        Location {
            table: (self.0 >> ROW_BITS) as u32 & ((1 << TABLE_BITS) - 1),
            row: self.0 as u32 & ((1 << ROW_BITS) - 1),
        }
    }

    #[inline]
    pub(super) const fn is_placed(self) -> bool {
        self.generation() != 0
    }
}

/// The entity ids of a world.
///
/// An index in use has one of three states: *free* (in the free set, or never used), *reserved* (allocated through a
/// shared reference, without a row yet) and *placed* (its slot has the location).
#[derive(Debug)]
pub(crate) struct EntityTable {
    /// The slots by index. Invariant 1: the slot of a placed entity holds its generation and its row.
    pub(super) slots: Vec<EntitySlot>,
    /// The number of placed entities.
    pub(super) placed: u32,
    pub(super) max_generation: u32,
    /// Entities with a generation below this are freed without looking at `revived`. Invariant 3: if the index of a placed
    /// entity had later entities, its generation is at least this, and it has an entry in `revived`; no other entity has
    /// one.
    pub(super) plain_below: u32,
    pub(super) revived: Revived,
    pub(super) dead: DeadIds,
    /// The lock is only taken for reservation through a shared reference; exclusive access never locks.
    ids: Mutex<IdAllocator>,
}

#[derive(Debug, Default)]
pub(super) struct IdAllocator {
    /// Invariant 2: holds exactly the used indices that are free and not retired, apart from those that wait in `local`.
    pub(super) free: FreeSet,
    /// The lowest index that was never allocated.
    pub(super) fresh: u32,
    /// The ids that the allocator does not give at present; see [`LocalIds`].
    pub(super) local: LocalIds,
    /// The entities reserved since the last [`EntityTable::take_reserved`]; some may be placed, or even despawned, by now.
    pub(super) reserved: Vec<Entity>,
}

impl IdAllocator {
    /// Allocates the lowest free index.
    #[inline]
    fn take_index(&mut self) -> u32 {
        match self.free.take_first() {
            Some(index) => index,
            None => self.take_fresh(),
        }
    }

    /// Allocates the lowest index that was never allocated.
    fn take_fresh(&mut self) -> u32 {
        self.local.check_fresh();
        let index = self.fresh;
        self.fresh = index
            .checked_add(1)
            .expect("all 2^32 - 1 entity indices are in use");
        index
    }

    /// Returns true if the index is allocated, provided that it is not retired.
    #[inline]
    fn is_allocated(&self, index: u32) -> bool {
        index < self.fresh && !self.is_free(index)
    }
}

impl Default for EntityTable {
    fn default() -> Self {
        Self::with_max_generation(MAX_GENERATION)
    }
}

impl EntityTable {
    /// Creates a table with a lower limit of generations, so that tests can reach it.
    pub(crate) fn with_max_generation(max_generation: u32) -> Self {
        assert!(
            (1..=MAX_GENERATION).contains(&max_generation),
            "generations count from 1 to {MAX_GENERATION}"
        );
        Self {
            slots: Vec::new(),
            placed: 0,
            max_generation,
            plain_below: max_generation,
            revived: Revived::default(),
            dead: DeadIds::default(),
            ids: Mutex::new(IdAllocator::default()),
        }
    }

    pub(super) fn ids(&self) -> MutexGuard<'_, IdAllocator> {
        // No code that panics under the lock leaves an incomplete change.
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline(always)]
    pub(super) fn ids_mut(&mut self) -> &mut IdAllocator {
        self.ids.get_mut().unwrap_or_else(PoisonError::into_inner)
    }

    /// The slots, and the allocator.
    #[inline]
    pub(super) fn parts(&mut self) -> (&[EntitySlot], &IdAllocator) {
        let ids = self.ids.get_mut().unwrap_or_else(PoisonError::into_inner);
        (&self.slots, ids)
    }

    /// The number of entities, including reserved ones.
    pub(crate) fn len(&self) -> usize {
        let mut len = self.placed as usize;
        for &entity in &self.ids().reserved {
            len += usize::from(self.awaits_place(entity));
        }
        len
    }

    /// Returns the location of a placed entity; `None` for a reserved, dead or foreign id.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<Location> {
        let slot = *self.slots.get(entity.index() as usize)?;
        // An id's generation is not 0, so this also checks that the entity is placed.
        (slot.generation() == entity.generation()).then(|| slot.location())
    }

    /// Returns the placed entity that has the index.
    #[inline]
    pub(crate) fn placed_at(&self, index: u32) -> Option<Entity> {
        let generation = NonZeroU32::new(self.slots.get(index as usize)?.generation())?;
        Some(Entity::new(index, generation))
    }

    /// The exclusive upper bound of the indices of placed entities.
    pub(crate) fn end(&self) -> u32 {
        self.slots.len() as u32
    }

    /// Returns true if the entity is alive, placed or reserved.
    pub(crate) fn contains(&self, entity: Entity) -> bool {
        self.get(entity).is_some() || self.is_reserved(entity)
    }

    #[cold]
    fn is_reserved(&self, entity: Entity) -> bool {
        self.awaits_place(entity) && self.ids().is_allocated(entity.index())
    }

    /// Returns true if the entity is alive and has no row yet; takes no lock.
    #[inline]
    pub(crate) fn is_unplaced(&mut self, entity: Entity) -> bool {
        self.awaits_place(entity) && self.ids_mut().is_allocated(entity.index())
    }

    /// Returns true if the id is the next one of its index and the index is not placed.
    fn awaits_place(&self, entity: Entity) -> bool {
        let slot = self
            .slots
            .get(entity.index() as usize)
            .copied()
            .unwrap_or(EntitySlot::FRESH);
        !slot.is_placed() && slot.next_generation() == entity.generation()
    }

    /// Allocates an id and places it immediately.
    ///
    /// # Panics
    /// If all indices are in use; in that case nothing has changed.
    #[inline(always)]
    pub(crate) fn alloc_at(&mut self, at: Location) -> Entity {
        fail::point();
        match self.ids_mut().free.take_near() {
            Some(index) => self.place_free(index, at),
            None => self.alloc_far(at),
        }
    }

    /// Returns the id that the next entity gets; `None` if there is none left. Does not reserve the id.
    #[cfg(feature = "checks")]
    #[inline]
    pub(crate) fn next_id(&mut self) -> Option<Entity> {
        let (slots, ids) = self.parts();
        match ids.free.first() {
            Some(index) => {
                let generation = NonZeroU32::new(slots[index as usize].next_generation())?;
                Some(Entity::new(index, generation))
            }
            None if ids.local.is_on() => None,
            None if ids.fresh < u32::MAX => Some(Entity::new(ids.fresh, NonZeroU32::MIN)),
            None => None,
        }
    }

    /// Implements [`alloc_at`](Self::alloc_at) if the lowest free index has to be searched for, or there is none.
    #[inline(never)]
    fn alloc_far(&mut self, at: Location) -> Entity {
        let (next, has_room) = (self.slots.len(), self.slots.len() < self.slots.capacity());
        let ids = self.ids_mut();
        let is_next = ids.free.len() == 0 && ids.fresh as usize == next && ids.fresh < u32::MAX;
        if !(is_next && has_room && !ids.local.is_on()) {
            return self.alloc_with_care(at);
        }
        ids.fresh += 1;
        self.placed += 1;
        self.slots.push(EntitySlot::placed(1, at));
        Entity::new(next as u32, NonZeroU32::MIN)
    }

    /// Implements [`alloc_far`](Self::alloc_far) unless the id is a fresh one whose slot comes next, and there is memory for it.
    #[inline(never)]
    fn alloc_with_care(&mut self, at: Location) -> Entity {
        if let Some(index) = self.ids_mut().free.take_first() {
            return self.place_free(index, at);
        }
        let index = self.ids_mut().take_fresh();
        self.placed += 1;
        // Reserved indices without a slot may lie between.
        if index as usize > self.slots.len() {
            self.slots.resize(index as usize, EntitySlot::FRESH);
        }
        self.slots.push(EntitySlot::placed(1, at));
        Entity::new(index, NonZeroU32::MIN)
    }

    /// Places the next entity of an index that was free.
    #[inline(always)]
    fn place_free(&mut self, index: u32, at: Location) -> Entity {
        let slot = &mut self.slots[index as usize];
        let entity = slot.next_entity(index);
        *slot = EntitySlot::placed(entity.generation(), at);
        self.placed += 1;
        entity
    }

    #[inline]
    fn next_entity(&self, index: u32) -> Entity {
        let slot = self.slots.get(index as usize).unwrap_or(&EntitySlot::FRESH);
        slot.next_entity(index)
    }

    /// The number of ids that can still be allocated.
    pub(crate) fn available(&mut self) -> usize {
        let ids = self.ids_mut();
        let fresh = if ids.local.is_on() {
            0
        } else {
            u32::MAX - ids.fresh
        };
        ids.free.len() + fresh as usize
    }

    /// Allocates `count` ids, places them in the rows of `table` from `first_row` on, and appends them to `out`. At
    /// least `count` ids must be [available](Self::available).
    pub(crate) fn alloc_rows(
        &mut self,
        table: TableId,
        first_row: u32,
        count: u32,
        out: &mut Vec<Entity>,
    ) {
        out.reserve(count as usize);
        self.slots.reserve(count as usize);
        let mut row = first_row;
        let end = first_row + count;
        while row < end {
            let (base, mut bits) = self.ids_mut().free.take_word(end - row);
            if bits == 0 {
                break;
            }
            while bits != 0 {
                let at = Location { table, row };
                out.push(self.place_free(base + bits.trailing_zeros(), at));
                bits &= bits - 1;
                row += 1;
            }
        }
        if row == end {
            return;
        }
        // The remaining ids get consecutive fresh indices.
        let ids = self.ids_mut();
        let first = ids.fresh;
        ids.fresh = first
            .checked_add(end - row)
            .expect("at least `count` ids are left");
        // Reserved indices without a slot lie between.
        self.slots.resize(first as usize, EntitySlot::FRESH);
        self.slots
            .extend((row..end).map(|row| EntitySlot::placed(1, Location { table, row })));
        out.extend((first..first + (end - row)).map(|index| Entity::new(index, NonZeroU32::MIN)));
        self.placed += end - row;
    }

    /// Allocates an id through a shared reference; it has no row until it is placed.
    ///
    /// # Panics
    /// If all indices are in use.
    pub(crate) fn reserve(&self) -> Entity {
        fail::point();
        let mut ids = self.ids();
        let index = ids.take_index();
        let entity = self.next_entity(index);
        ids.reserved.push(entity);
        entity
    }

    /// The number of reserved ids without a row.
    pub(crate) fn count_reserved(&mut self) -> usize {
        let mut reserved = core::mem::take(&mut self.ids_mut().reserved);
        reserved.retain(|&entity| self.awaits_place(entity));
        let count = reserved.len();
        self.ids_mut().reserved = reserved;
        count
    }

    /// Takes the reserved ids that are not placed yet, in the order of reservation. They count as allocated afterwards
    /// and have to be placed.
    pub(crate) fn take_reserved(&mut self) -> Vec<Entity> {
        self.count_reserved();
        let reserved = core::mem::take(&mut self.ids_mut().reserved);
        let mut highest = 0;
        for entity in &reserved {
            highest = highest.max(entity.index());
        }
        if !reserved.is_empty() && highest as usize >= self.slots.len() {
            self.slots.resize(highest as usize + 1, EntitySlot::FRESH);
        }
        reserved
    }

    /// Returns true if [`take_reserved`](Self::take_reserved) may return ids.
    #[inline]
    pub(crate) fn has_reserved(&mut self) -> bool {
        !self.ids_mut().reserved.is_empty()
    }

    /// Like [`has_reserved`](Self::has_reserved), through a shared reference.
    pub(crate) fn any_reserved(&self) -> bool {
        !self.ids().reserved.is_empty()
    }

    /// Places an allocated entity in a row.
    #[inline]
    pub(crate) fn place(&mut self, entity: Entity, at: Location) {
        let index = entity.index() as usize;
        if index >= self.slots.len() {
            self.slots.resize(index + 1, EntitySlot::FRESH);
        }
        debug_assert!(self.awaits_place(entity));
        self.slots[index] = EntitySlot::placed(entity.generation(), at);
        self.placed += 1;
    }

    /// Updates the location of a placed entity.
    #[inline(always)]
    pub(crate) fn relocate(&mut self, entity: Entity, at: Location) {
        debug_assert!(self.get(entity).is_some());
        self.slots[entity.index() as usize] = EntitySlot::placed(entity.generation(), at);
    }

    /// Frees a placed entity: its id becomes invalid, and its index free or, if its generations are used up, retired.
    #[inline(always)]
    pub(crate) fn free(&mut self, entity: Entity) {
        debug_assert!(self.get(entity).is_some());
        let (index, generation) = (entity.index(), entity.generation());
        if generation >= self.plain_below {
            return self.free_with_care(entity);
        }
        self.slots[index as usize] = EntitySlot::unplaced(generation + 1);
        self.placed -= 1;
        self.ids_mut().free.insert(index);
    }

    /// Implements [`free`](Self::free) for entities that may be revived, that have the last generation, or whose world has
    /// local ids.
    #[cold]
    #[inline(never)]
    fn free_with_care(&mut self, entity: Entity) {
        let next = self.generation_after(entity);
        self.slots[entity.index() as usize] = EntitySlot::unplaced(next);
        self.placed -= 1;
        if next != 0 {
            self.ids_mut().insert_free(entity.index());
        }
    }

    /// Frees a reserved entity that was [taken](Self::take_reserved) and cannot be placed: its id becomes invalid.
    pub(crate) fn give_up(&mut self, entity: Entity) {
        debug_assert!(self.awaits_place(entity));
        let next = match entity.generation() {
            generation if generation < self.max_generation => generation + 1,
            _ => 0,
        };
        self.slots[entity.index() as usize] = EntitySlot::unplaced(next);
        if next != 0 {
            self.ids_mut().insert_free(entity.index());
        }
    }

    /// Counts the slots, the free indices and the list of reserved entities.
    pub(crate) fn bytes(&self) -> Bytes {
        let ids = self.ids();
        let slots = Bytes::of_list(&self.slots) + self.revived.bytes();
        slots + ids.free.bytes() + ids.local.bytes() + Bytes::of_list(&ids.reserved)
    }

    /// Gives back memory that no slot and no free index needs. Slots stay: they hold the generations of free indices.
    pub(crate) fn shrink(&mut self) {
        self.slots.shrink_to_fit();
        let ids = self.ids_mut();
        ids.free.shrink();
        ids.reserved.shrink_to_fit();
    }

    /// Checks the invariants against the rows; [`get`](Self::get) looked up `count` of them successfully.
    #[cfg(feature = "validate")]
    pub(crate) fn check(&self, count: usize) {
        assert_eq!(
            self.placed as usize, count,
            "as many placed entities as rows"
        );
        let placed = self.slots.iter().filter(|slot| slot.is_placed()).count();
        assert_eq!(placed, count, "as many placed slots as rows");
        self.check_revived();
        let ids = self.ids();
        let mut free = 0;
        for (index, slot) in self.slots.iter().enumerate() {
            if ids.is_free(index as u32) {
                free += 1;
                assert!(!slot.is_placed(), "a free index holds no entity");
                assert_ne!(slot.next_generation(), 0, "a retired index is not free");
            }
        }
        let all = ids.free.len() + ids.local.len();
        assert_eq!(all, free, "each free index has a slot");
        ids.free.check();
        ids.local.check(&ids.free);
    }
}
