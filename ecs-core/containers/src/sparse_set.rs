//! A sparse set.

use alloc::vec::{self, Vec};
use core::iter::{Copied, Zip};
use core::slice;

use crate::pages::KeyPages;

/// Values by `u32` key, next to each other in memory in any order, with their keys beside them.
///
/// Iteration costs O(values) and no more with keys than without; a look-up takes two loads. A key takes at most one page
/// of 4 KiB, and 8 bytes for each 1,024 keys before it.
///
/// ```
/// use ecs_core::containers::SparseSet;
///
/// let mut burning = SparseSet::new();
/// assert_eq!(burning.insert(1_000_000, 3.0), None);
/// assert_eq!(burning.insert(7, 1.0), None);
/// assert_eq!(burning.insert(7, 2.0), Some(1.0));
/// assert_eq!(burning.keys(), [1_000_000, 7]);
/// assert_eq!(burning.values(), [3.0, 2.0]);
///
/// burning.values_mut().iter_mut().for_each(|left| *left -= 1.0);
/// for (tile, left) in &mut burning {
///     assert_eq!(*left, if tile == 7 { 1.0 } else { 2.0 });
/// }
/// assert_eq!(burning.remove(1_000_000), Some(2.0));
/// assert_eq!(burning.get(1_000_000), None);
/// assert_eq!(burning[7], 1.0);
/// ```
#[derive(Clone)]
pub struct SparseSet<T> {
    /// Invariant 1: no key is in the list twice.
    pub(crate) keys: Vec<u32>,
    /// Invariant 2: as many as keys.
    pub(crate) values: Vec<T>,
    /// Invariant 3: the position of each key in `keys`, and of no other key.
    positions: KeyPages,
}

impl<T> SparseSet<T> {
    /// Creates an empty set, which allocates no memory.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            keys: Vec::new(),
            values: Vec::new(),
            positions: KeyPages::new(),
        }
    }

    /// Creates an empty set with memory for `capacity` keys and values. Pages are allocated when a key needs them.
    #[must_use]
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            keys: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
            positions: KeyPages::new(),
        }
    }

    /// The number of values that there is memory for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.keys.capacity().min(self.values.capacity())
    }

    /// Allocates memory for `additional` more keys and values. Pages are allocated when a key needs them.
    ///
    /// # Panics
    /// If the memory would exceed `isize::MAX` bytes.
    pub fn reserve(&mut self, additional: usize) {
        self.keys.reserve(additional);
        self.values.reserve(additional);
    }

    /// Gives back memory that no value needs, also pages without keys. O(highest key that the set has had).
    pub fn shrink_to_fit(&mut self) {
        self.keys.shrink_to_fit();
        self.values.shrink_to_fit();
        self.positions.shrink_to_fit();
    }

    /// The number of values.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns true if there are no values.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Inserts a value, and returns the former one of the key. A new key is the last one. O(1), amortised.
    ///
    /// # Panics
    /// If the set has 2^32 - 1 values, or the memory would exceed `isize::MAX` bytes.
    #[inline]
    pub fn insert(&mut self, key: u32, value: T) -> Option<T> {
        if let Some(old) = self.get_mut(key) {
            return Some(core::mem::replace(old, value));
        }
        self.reserve(1);
        self.positions.set(key, self.keys.len());
        self.keys.push(key);
        self.values.push(value);
        None
    }

    /// Removes and returns the value of a key; `None` if there is none. The last value takes its position. O(1).
    #[inline]
    pub fn remove(&mut self, key: u32) -> Option<T> {
        let position = self.positions.get(key)?;
        self.positions.remove(key);
        self.keys.swap_remove(position);
        if let Some(&moved) = self.keys.get(position) {
            self.positions.set(moved, position);
        }
        Some(self.values.swap_remove(position))
    }

    /// Returns the value of a key; `None` if there is none. O(1).
    #[inline]
    #[must_use]
    pub fn get(&self, key: u32) -> Option<&T> {
        self.positions
            .get(key)
            .map(|position| &self.values[position])
    }

    /// Returns the value of a key, mutably; `None` if there is none. O(1).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, key: u32) -> Option<&mut T> {
        let position = self.positions.get(key)?;
        Some(&mut self.values[position])
    }

    /// Returns true if the key has a value. O(1).
    #[inline]
    #[must_use]
    pub fn contains(&self, key: u32) -> bool {
        self.positions.get(key).is_some()
    }

    /// The keys, in the order of the values.
    #[inline]
    #[must_use]
    pub fn keys(&self) -> &[u32] {
        &self.keys
    }

    /// The values, in the order of the keys.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// The values, mutably, in the order of the keys.
    #[inline]
    #[must_use]
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Iterates over the values with their keys.
    #[inline]
    pub fn iter(&self) -> Zip<Copied<slice::Iter<'_, u32>>, slice::Iter<'_, T>> {
        self.keys.iter().copied().zip(&self.values)
    }

    /// Iterates over the values, mutably, with their keys.
    #[inline]
    pub fn iter_mut(&mut self) -> Zip<Copied<slice::Iter<'_, u32>>, slice::IterMut<'_, T>> {
        self.keys.iter().copied().zip(&mut self.values)
    }

    /// Sorts the values by the results of a function, which is called once with each key and value. Equal ones keep
    /// their order. O(values · log values).
    ///
    /// If the function or a comparison panics, nothing has changed.
    ///
    /// ```
    /// use ecs_core::containers::SparseSet;
    ///
    /// let mut depth = SparseSet::from_iter([(5, 'c'), (1, 'b'), (3, 'a')]);
    /// depth.sort_by_key(|_, &letter| letter);
    /// assert_eq!(depth.keys(), [3, 1, 5]);
    /// depth.sort_by_key(|key, _| key);
    /// assert_eq!(depth.values(), ['b', 'a', 'c']);
    /// ```
    pub fn sort_by_key<K: Ord>(&mut self, mut sort_key: impl FnMut(u32, &T) -> K) {
        let sort_keys = self.iter().map(|(key, value)| sort_key(key, value));
        let mut order: Vec<(K, usize)> = sort_keys.zip(0..).collect();
        order.sort_by(|(a, _), (b, _)| a.cmp(b));
        let mut sources: Vec<usize> = order.into_iter().map(|(_, source)| source).collect();
        // Each cycle of positions is walked from its first position: each swap brings the right value, and moves the
        // first one along.
        for first in 0..sources.len() {
            let mut position = first;
            while sources[position] != first {
                let source = sources[position];
                self.keys.swap(position, source);
                self.values.swap(position, source);
                sources[position] = position;
                position = source;
            }
            sources[position] = position;
        }
        for (position, &key) in self.keys.iter().enumerate() {
            self.positions.set(key, position);
        }
    }

    /// Removes the values for which `keep` returns false; the others keep their order.
    ///
    /// If `keep` panics, no value is removed, but the order may have changed.
    pub fn retain(&mut self, mut keep: impl FnMut(u32, &mut T) -> bool) {
        let mut kept = 0;
        for position in 0..self.keys.len() {
            let key = self.keys[position];
            if !keep(key, &mut self.values[position]) {
                continue;
            }
            if kept != position {
                self.positions.set(key, kept);
                self.positions.set(self.keys[kept], position);
                self.keys.swap(kept, position);
                self.values.swap(kept, position);
            }
            kept += 1;
        }
        for key in self.keys.drain(kept..) {
            self.positions.remove(key);
        }
        self.values.truncate(kept);
    }

    /// Removes all values, and returns them with their keys; those that are not taken are dropped with the iterator.
    pub fn drain(&mut self) -> Zip<vec::Drain<'_, u32>, vec::Drain<'_, T>> {
        for &key in &self.keys {
            self.positions.remove(key);
        }
        self.keys.drain(..).zip(self.values.drain(..))
    }

    /// Removes all values. O(values).
    pub fn clear(&mut self) {
        drop(self.drain());
    }
}
