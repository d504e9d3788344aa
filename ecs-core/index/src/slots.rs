//! The location of each entity: a value by entity index, in pages.

use alloc::boxed::Box;
use alloc::vec::Vec;

use ecs_engine::Entity;

/// The number of slots of a page.
const PAGE: usize = 64;

/// The list that an entity is in, and the data that it has there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexSlot<P> {
    pub(crate) entity: Entity,
    pub(crate) list: u32,
    pub(crate) data: P,
}

type Page<P> = Box<[Option<IndexSlot<P>>; PAGE]>;

/// A slot per entity index, in pages that are allocated when they are first written.
#[derive(Debug)]
pub(crate) struct EntitySlots<P> {
    pages: Vec<Option<Page<P>>>,
    len: usize,
}

impl<P> Default for EntitySlots<P> {
    fn default() -> Self {
        Self {
            pages: Vec::new(),
            len: 0,
        }
    }
}

impl<P: Copy> EntitySlots<P> {
    /// Returns the number of slots that are used.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the number of pages, allocated or not.
    pub(crate) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// Returns the slot of an entity.
    #[inline]
    pub(crate) fn get(&self, entity: Entity) -> Option<&IndexSlot<P>> {
        let slot = self.at_index_of(entity)?;
        (slot.entity == entity).then_some(slot)
    }

    /// Returns the slot of an entity, or of an older one with the same index.
    #[inline]
    pub(crate) fn at_index_of(&self, entity: Entity) -> Option<&IndexSlot<P>> {
        let index = entity.index() as usize;
        self.pages.get(index / PAGE)?.as_ref()?[index % PAGE].as_ref()
    }

    /// Writes the slot of an entity, and returns the previous content.
    #[inline]
    pub(crate) fn set(&mut self, slot: IndexSlot<P>) -> Option<IndexSlot<P>> {
        let index = slot.entity.index() as usize;
        if index / PAGE >= self.pages.len() {
            self.pages.resize_with(index / PAGE + 1, || None);
        }
        let page = self.pages[index / PAGE].get_or_insert_with(|| Box::new([None; PAGE]));
        let old = page[index % PAGE].replace(slot);
        self.len += usize::from(old.is_none());
        old
    }

    /// Empties the slot of an entity, and returns its content; does nothing if the slot belongs to another entity.
    pub(crate) fn remove(&mut self, entity: Entity) -> Option<IndexSlot<P>> {
        let index = entity.index() as usize;
        let slot = &mut self.pages.get_mut(index / PAGE)?.as_mut()?[index % PAGE];
        let old = slot.take_if(|slot| slot.entity == entity)?;
        self.len -= 1;
        Some(old)
    }

    /// Returns all slots that are used, in ascending order of entities.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &IndexSlot<P>> {
        let slots = self.pages.iter().flatten().flat_map(|page| page.iter());
        slots.flatten()
    }
}
