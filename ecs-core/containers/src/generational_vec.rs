//! A vector of values by generational id.

use alloc::vec::Vec;

use crate::drain::DrainRest;
use crate::slot::ValueSlot;
use crate::{Id, Iter, IterMut, ManyError, Rest, StaleId};

/// Values by ids that are issued elsewhere: by an [`Arena`](crate::Arena), or by a world, whose entities convert into ids.
///
/// There is at most one value per index. A stale id finds nothing, and a newer id replaces the value of an older one. An
/// id that is older than the last one at its index is refused, even after the removal of that value.
///
/// The values are in an array up to the highest index, so look-ups are one load. If few of many indices have a value, a
/// [`SparseSet`](crate::SparseSet) takes less memory.
///
/// ```
/// use ecs_core::containers::GenerationalVec;
/// use ecs_core::prelude::*;
///
/// let mut world = World::new();
/// let [fox, hen] = [(); 2].map(|()| world.spawn_empty());
/// let mut threat = GenerationalVec::new();
/// threat.insert(fox, 9)?;
/// threat.insert(hen, 1)?;
/// assert_eq!((threat[fox], threat.len()), (9, 2));
///
/// world.despawn(fox)?;
/// let owl = world.spawn_empty();
/// assert_eq!(owl.index(), fox.index());
/// assert_eq!(threat.get(owl), None);
/// assert_eq!(threat.insert(owl, 5)?, Some(9)); // replaces the fox, which is gone
/// assert_eq!(threat.get(fox), None);
/// assert_eq!(threat.insert(fox, 9).unwrap_err().newer, owl.into());
///
/// let ids: Vec<Entity> = threat.ids().map(Entity::from).collect();
/// assert_eq!(ids, [owl, hen]);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct GenerationalVec<T> {
    pub(crate) slots: Vec<ValueSlot<T>>,
    /// Invariant 1: the number of slots with a value.
    pub(crate) len: usize,
}

/// At most one of two ids with the same index finds a value.
const DISTINCT: &str = "ids that differ and find values have different indices";

impl<T> GenerationalVec<T> {
    /// Creates an empty vector, which allocates no memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            slots: Vec::new(),
            len: 0,
        }
    }

    /// Creates an empty vector with memory for `indices` indices.
    #[must_use]
    pub fn with_capacity(indices: usize) -> Self {
        Self {
            slots: Vec::with_capacity(indices),
            len: 0,
        }
    }

    /// The number of indices that there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.slots.capacity()
    }

    /// Allocates memory for `additional` more indices above the highest one.
    ///
    /// # Panics
    /// If the memory would exceed `isize::MAX` bytes.
    pub fn reserve(&mut self, additional: usize) {
        self.slots.reserve(additional);
    }

    /// Gives back memory that no index needs.
    pub fn shrink_to_fit(&mut self) {
        self.slots.shrink_to_fit();
    }

    /// The number of values.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.len
    }

    /// Returns true if there are no values.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Inserts a value, and returns the former one at the index, of this id or of an older one. O(1), amortised over the
    /// highest index.
    ///
    /// # Errors
    /// If the id is older than the last one at its index; the error has the value, and nothing has changed.
    ///
    /// # Panics
    /// If the memory would exceed `isize::MAX` bytes.
    #[inline]
    pub fn insert(&mut self, id: impl Into<Id>, value: T) -> Result<Option<T>, StaleId<T>> {
        let id = id.into();
        let last = self.slots.get(id.index() as usize);
        let last = last.map_or(id.non_zero_generation(), |slot| slot.generation);
        if id.non_zero_generation() < last {
            let newer = Id::new(id.index(), last);
            return Err(StaleId { id, newer, value });
        }
        Ok(self.place(id, value))
    }

    /// Places a value at an index, and returns the former one. The id must not be older than the last one there.
    #[inline]
    pub(crate) fn place(&mut self, id: Id, value: T) -> Option<T> {
        let index = id.index() as usize;
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, || ValueSlot::FRESH);
        }
        let slot = &mut self.slots[index];
        slot.generation = id.non_zero_generation();
        let old = slot.value.replace(value);
        self.len += usize::from(old.is_none());
        old
    }

    /// Removes and returns a value; `None` if the id finds none. O(1).
    #[inline]
    pub fn remove(&mut self, id: impl Into<Id>) -> Option<T> {
        let id = id.into();
        let slot = self.slots.get_mut(id.index() as usize)?;
        slot.get(id)?;
        self.len -= 1;
        slot.value.take()
    }

    /// Returns a value; `None` if the id finds none. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, id: impl Into<Id>) -> Option<&T> {
        let id = id.into();
        self.slots.get(id.index() as usize)?.get(id)
    }

    /// Returns a value, mutably; `None` if the id finds none. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: impl Into<Id>) -> Option<&mut T> {
        let id = id.into();
        self.slots.get_mut(id.index() as usize)?.get_mut(id)
    }

    /// Returns true if the id finds a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, id: impl Into<Id>) -> bool {
        self.get(id).is_some()
    }

    /// Returns two values, mutably; see [`Arena::get_pair_mut`](crate::Arena::get_pair_mut).
    #[inline]
    #[must_use]
    pub fn get_pair_mut(
        &mut self,
        a: impl Into<Id>,
        b: impl Into<Id>,
    ) -> (Option<&mut T>, Option<&mut T>) {
        let (a, b) = (a.into(), b.into());
        if !self.contains(a) {
            return (None, self.get_mut(b));
        }
        if a == b || !self.contains(b) {
            return (self.get_mut(a), None);
        }
        let slots = self
            .slots
            .get_disjoint_mut([a, b].map(|id| id.index() as usize));
        let [first, second] = slots.expect(DISTINCT);
        (first.value.as_mut(), second.value.as_mut())
    }

    /// Returns several values, mutably; see [`Arena::get_many_mut`](crate::Arena::get_many_mut).
    ///
    /// # Errors
    /// If an id is listed twice or finds no value.
    pub fn get_many_mut<const N: usize>(
        &mut self,
        ids: [impl Into<Id>; N],
    ) -> Result<[&mut T; N], ManyError> {
        let ids = ids.map(Into::into);
        for (i, &id) in ids.iter().enumerate() {
            if ids[..i].contains(&id) {
                return Err(ManyError::Duplicate { id });
            }
        }
        if let Some(&id) = ids.iter().find(|&&id| !self.contains(id)) {
            return Err(ManyError::Missing { id });
        }
        let slots = self
            .slots
            .get_disjoint_mut(ids.map(|id| id.index() as usize));
        let slots = slots.expect(DISTINCT);
        Ok(slots.map(|slot| slot.value.as_mut().expect("the id finds a value")))
    }

    /// Returns one value and all the rest, mutably; see [`Arena::split`](crate::Arena::split).
    #[inline]
    #[must_use]
    pub fn split(&mut self, id: impl Into<Id>) -> (Option<&mut T>, Rest<'_, T>) {
        Rest::all(&mut self.slots).split_off(id.into())
    }

    /// Iterates over the values with their ids, in order of index. O(highest index).
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter::new(self.slots.iter(), self.len)
    }

    /// Iterates over the values, mutably, with their ids, in order of index. O(highest index).
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        IterMut::new(self.slots.iter_mut(), self.len)
    }

    /// Iterates over the ids of all values, in order of index.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + Clone {
        self.iter().map(|(id, _)| id)
    }

    /// Iterates over the values, in order of index.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator + Clone {
        self.iter().map(|(_, value)| value)
    }

    /// Iterates over the values, mutably, in order of index.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator {
        self.iter_mut().map(|(_, value)| value)
    }

    /// Removes the values for which `keep` returns false, in order of index.
    ///
    /// If `keep` or the drop of a value panics, the values after it are kept.
    pub fn retain(&mut self, mut keep: impl FnMut(Id, &mut T) -> bool) {
        let mut from = 0;
        while self
            .remove_next(&mut from, |id, value| !keep(id, value))
            .is_some()
        {}
    }

    /// Removes all values, and returns them with their ids in order of index; those that are not taken are dropped with
    /// the iterator. If it is [forgotten](core::mem::forget), the values that were not taken stay.
    pub fn drain(&mut self) -> impl Iterator<Item = (Id, T)> {
        let mut from = 0;
        DrainRest(move || self.remove_next(&mut from, |_, _| true))
    }

    /// Removes all values. Their ids stay known: older ones are refused.
    pub fn clear(&mut self) {
        drop(self.drain());
    }

    /// Removes and returns the first value at or after the index `from` if `is_removed` returns true for it, and moves
    /// `from` past it.
    pub(crate) fn remove_next(
        &mut self,
        from: &mut usize,
        mut is_removed: impl FnMut(Id, &mut T) -> bool,
    ) -> Option<(Id, T)> {
        while let Some(slot) = self.slots.get_mut(*from) {
            let index = *from;
            *from += 1;
            let Some((id, value)) = slot.entry_mut(index) else {
                continue;
            };
            if is_removed(id, value) {
                self.len -= 1;
                return slot.value.take().map(|value| (id, value));
            }
        }
        None
    }
}
