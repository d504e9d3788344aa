//! A generational arena.

use alloc::collections::BinaryHeap;
use core::cmp::Reverse;
use core::num::NonZeroU32;

use crate::drain::DrainRest;
use crate::{GenerationalVec, Id, Iter, IterMut, ManyError, Rest};

/// Values that are found by ids, which are issued when values are inserted.
///
/// * A stale id, of a removed value, finds nothing: no id is issued twice. When the 2^32 - 1 generations of an index are
///   used up, it retires.
/// * The lowest free index is used first, so values stay at the front, and equal calls lead to equal ids.
/// * Ids are valid in one arena. A clone has the ids of the original. If one of the two issues new ids afterwards, the
///   other may use them for other values.
/// * A slot takes the size of an `Option<T>` and 4 bytes; slots of removed values stay, because they hold the
///   generation.
///
/// ```
/// use ecs_core::containers::Arena;
///
/// let mut names = Arena::new();
/// let [ann, bob] = ["Ann", "Bob"].map(|name| names.insert(name));
/// assert_eq!(names.remove(ann), Some("Ann"));
/// assert_eq!(names.get(ann), None);
///
/// let cid = names.insert("Cid");
/// assert_eq!((cid.index(), cid.generation()), (0, 2));
/// assert_eq!(names.get(ann), None);
/// names[cid] = "Cyd";
/// for (id, name) in &mut names {
///     assert_eq!(id == bob, *name == "Bob");
/// }
/// assert_eq!(format!("{names:?}"), r#"{0v2: "Cyd", 1v1: "Bob"}"#);
/// ```
#[derive(Clone)]
pub struct Arena<T> {
    pub(crate) values: GenerationalVec<T>,
    /// Invariant 1: the indices of all slots without a value, but for retired ones, whose last generation is the
    /// highest one.
    free: BinaryHeap<Reverse<u32>>,
}

impl<T> Arena<T> {
    /// Creates an empty arena, which allocates no memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            values: GenerationalVec::new(),
            free: BinaryHeap::new(),
        }
    }

    /// Creates an empty arena with memory for `capacity` values.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            values: GenerationalVec::with_capacity(capacity),
            free: BinaryHeap::new(),
        }
    }

    /// The number of values that there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        let unused = self.values.capacity() - self.values.slots.len();
        self.len() + self.free.len() + unused
    }

    /// Allocates memory for `additional` more values.
    ///
    /// # Panics
    /// If the memory would exceed `isize::MAX` bytes.
    pub fn reserve(&mut self, additional: usize) {
        self.values
            .reserve(additional.saturating_sub(self.free.len()));
    }

    /// Gives back memory that no slot needs. Slots of removed values stay, because they hold the generation.
    pub fn shrink_to_fit(&mut self) {
        self.values.shrink_to_fit();
        self.free.shrink_to_fit();
    }

    /// The number of values.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there are no values.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Inserts a value at the lowest free index, and returns its id. O(1), amortised; O(log free) if there are free
    /// indices.
    ///
    /// # Panics
    /// If all 2^32 - 1 indices are in use, or the memory would exceed `isize::MAX` bytes.
    #[inline]
    pub fn insert(&mut self, value: T) -> Id {
        self.insert_with(|_| value)
    }

    /// Inserts a value that is made from its id, and returns the id. O(1), amortised; O(log free) if there are free
    /// indices.
    ///
    /// # Panics
    /// If all 2^32 - 1 indices are in use, or the memory would exceed `isize::MAX` bytes.
    ///
    /// ```
    /// use ecs_core::containers::{Arena, Id};
    ///
    /// let mut parents: Arena<Id> = Arena::new();
    /// let root = parents.insert_with(|id| id); // its own parent
    /// assert_eq!(parents[root], root);
    /// ```
    #[inline]
    pub fn insert_with(&mut self, make: impl FnOnce(Id) -> T) -> Id {
        let id = self.next_id();
        let value = make(id);
        self.free.pop();
        self.values.place(id, value);
        id
    }

    /// Returns the id of the next value.
    #[inline]
    fn next_id(&self) -> Id {
        let Some(&Reverse(index)) = self.free.peek() else {
            let index = u32::try_from(self.values.slots.len()).unwrap_or(u32::MAX);
            assert!(index != u32::MAX, "all 2^32 - 1 indices are in use");
            return Id::new(index, NonZeroU32::MIN);
        };
        let generation = self.values.slots[index as usize].generation.checked_add(1);
        Id::new(index, generation.expect("a retired index is not free"))
    }

    /// Frees the index of a removed value, unless its generations are used up.
    #[inline]
    fn release(&mut self, id: Id) {
        if id.generation() != u32::MAX {
            self.free.push(Reverse(id.index()));
        }
    }

    /// Removes and returns a value; `None` if the id finds none. At most O(log free).
    #[inline]
    pub fn remove(&mut self, id: Id) -> Option<T> {
        let value = self.values.remove(id)?;
        self.release(id);
        Some(value)
    }

    /// Returns a value; `None` if the id finds none. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, id: Id) -> Option<&T> {
        self.values.get(id)
    }

    /// Returns a value, mutably; `None` if the id finds none. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        self.values.get_mut(id)
    }

    /// Returns true if the id finds a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, id: Id) -> bool {
        self.values.contains(id)
    }

    /// Returns two values, mutably: `None` for an id that finds none, and for the second if both ids are the same. O(1).
    ///
    /// ```
    /// use ecs_core::containers::Arena;
    ///
    /// let mut gold = Arena::new();
    /// let [fox, hen] = [0, 7].map(|gold_of_one| gold.insert(gold_of_one));
    /// if let (Some(to), Some(from)) = gold.get_pair_mut(fox, hen) {
    ///     *to += std::mem::take(from);
    /// }
    /// assert_eq!(gold[fox], 7);
    /// assert_eq!(gold.get_pair_mut(fox, fox), (Some(&mut 7), None));
    /// gold.remove(hen);
    /// assert_eq!(gold.get_pair_mut(hen, fox), (None, Some(&mut 7)));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_pair_mut(&mut self, a: Id, b: Id) -> (Option<&mut T>, Option<&mut T>) {
        self.values.get_pair_mut(a, b)
    }

    /// Returns several values, mutably, in the order of the ids. O(`N`²).
    ///
    /// # Errors
    /// If an id is listed twice or finds no value.
    ///
    /// ```
    /// use ecs_core::containers::{Arena, ManyError};
    ///
    /// let mut numbers = Arena::new();
    /// let ids = [1, 2, 3].map(|number| numbers.insert(number));
    /// let [a, b, c] = numbers.get_many_mut(ids)?;
    /// *a += *b + *c;
    /// assert_eq!(numbers[ids[0]], 6);
    /// let twice = numbers.get_many_mut([ids[1], ids[1]]);
    /// assert_eq!(twice, Err(ManyError::Duplicate { id: ids[1] }));
    /// # Ok::<(), ManyError>(())
    /// ```
    pub fn get_many_mut<const N: usize>(&mut self, ids: [Id; N]) -> Result<[&mut T; N], ManyError> {
        self.values.get_many_mut(ids)
    }

    /// Returns one value and all the rest, mutably. If the id finds no value, the first result is `None`, and the rest
    /// has all values. O(1).
    ///
    /// [`Rest`] can be iterated repeatedly and split again.
    ///
    /// ```
    /// use ecs_core::containers::Arena;
    ///
    /// let mut heights = Arena::new();
    /// let ids = [1, 5, 3].map(|height| heights.insert(height));
    /// let (Some(one), mut others) = heights.split(ids[1]) else { unreachable!() };
    /// *one += others.iter().map(|(_, height)| height).sum::<i32>();
    /// for (_, other) in others.iter_mut() {
    ///     *other = *one;
    /// }
    /// assert!(heights.values().eq(&[9, 9, 9]));
    /// ```
    #[inline]
    #[must_use]
    pub fn split(&mut self, id: Id) -> (Option<&mut T>, Rest<'_, T>) {
        self.values.split(id)
    }

    /// Iterates over the values with their ids, in order of index. O(highest index).
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        self.values.iter()
    }

    /// Iterates over the values, mutably, with their ids, in order of index. O(highest index).
    #[inline]
    pub fn iter_mut(&mut self) -> IterMut<'_, T> {
        self.values.iter_mut()
    }

    /// Iterates over the ids of all values, in order of index.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = Id> + DoubleEndedIterator + Clone {
        self.values.ids()
    }

    /// Iterates over the values, in order of index.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator + Clone {
        self.values.values()
    }

    /// Iterates over the values, mutably, in order of index.
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> + DoubleEndedIterator {
        self.values.values_mut()
    }

    /// Removes the values for which `keep` returns false, in order of index.
    ///
    /// If `keep` or the drop of a value panics, the values after it are kept.
    pub fn retain(&mut self, mut keep: impl FnMut(Id, &mut T) -> bool) {
        let mut from = 0;
        let mut is_removed = |id, value: &mut T| !keep(id, value);
        while let Some((id, value)) = self.values.remove_next(&mut from, &mut is_removed) {
            self.release(id);
            drop(value);
        }
    }

    /// Removes all values, and returns them with their ids in order of index; those that are not taken are dropped with
    /// the iterator. If it is [forgotten](core::mem::forget), the values that were not taken stay.
    pub fn drain(&mut self) -> impl Iterator<Item = (Id, T)> {
        let mut from = 0;
        DrainRest(move || {
            let (id, value) = self.values.remove_next(&mut from, |_, _| true)?;
            self.release(id);
            Some((id, value))
        })
    }

    /// Removes all values. Their ids find nothing from now on, even when new values are inserted.
    pub fn clear(&mut self) {
        drop(self.drain());
    }
}

#[cfg(test)]
#[path = "arena_tests.rs"]
mod tests;
