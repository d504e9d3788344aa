//! Traits of the standard library.

use alloc::vec;
use core::fmt;
use core::iter::{Copied, Zip};
use core::ops::{Index, IndexMut};
use core::slice;

use crate::{Arena, GenerationalVec, Id, IntoIter, Iter, IterMut, SparseSet};

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for Arena<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.values.fmt(f)
    }
}

/// Returns the value of an id.
///
/// # Panics
/// If the id finds none.
impl<T> Index<Id> for Arena<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: Id) -> &T {
        self.get(id).unwrap_or_else(|| no_value(id))
    }
}

impl<T> IndexMut<Id> for Arena<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: Id) -> &mut T {
        self.get_mut(id).unwrap_or_else(|| no_value(id))
    }
}

impl<T> Extend<T> for Arena<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, values: I) {
        let values = values.into_iter();
        self.reserve(values.size_hint().0);
        values.for_each(|value| {
            self.insert(value);
        });
    }
}

impl<T> FromIterator<T> for Arena<T> {
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let mut arena = Self::new();
        arena.extend(values);
        arena
    }
}

impl<T> IntoIterator for Arena<T> {
    type Item = (Id, T);
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        self.values.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a Arena<T> {
    type Item = (Id, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut Arena<T> {
    type Item = (Id, &'a mut T);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

impl<T> Default for GenerationalVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for GenerationalVec<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Returns the value of an id.
///
/// # Panics
/// If the id finds none.
impl<K: Into<Id>, T> Index<K> for GenerationalVec<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, id: K) -> &T {
        let id = id.into();
        self.get(id).unwrap_or_else(|| no_value(id))
    }
}

impl<K: Into<Id>, T> IndexMut<K> for GenerationalVec<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, id: K) -> &mut T {
        let id = id.into();
        self.get_mut(id).unwrap_or_else(|| no_value(id))
    }
}

#[cold]
#[track_caller]
fn no_value(id: Id) -> ! {
    panic!(
        "id {id} finds no value; help: call `get` or `get_mut`, which return `None` for the id of a removed value"
    )
}

impl<T> IntoIterator for GenerationalVec<T> {
    type Item = (Id, T);
    type IntoIter = IntoIter<T>;

    fn into_iter(self) -> IntoIter<T> {
        IntoIter::new(self.slots.into_iter(), self.len)
    }
}

impl<'a, T> IntoIterator for &'a GenerationalVec<T> {
    type Item = (Id, &'a T);
    type IntoIter = Iter<'a, T>;

    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut GenerationalVec<T> {
    type Item = (Id, &'a mut T);
    type IntoIter = IterMut<'a, T>;

    fn into_iter(self) -> IterMut<'a, T> {
        self.iter_mut()
    }
}

impl<T> Default for SparseSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for SparseSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// Returns the value of a key.
///
/// # Panics
/// If there is none.
impl<T> Index<u32> for SparseSet<T> {
    type Output = T;

    #[inline]
    #[track_caller]
    fn index(&self, key: u32) -> &T {
        self.get(key).unwrap_or_else(|| no_key(key))
    }
}

impl<T> IndexMut<u32> for SparseSet<T> {
    #[inline]
    #[track_caller]
    fn index_mut(&mut self, key: u32) -> &mut T {
        self.get_mut(key).unwrap_or_else(|| no_key(key))
    }
}

#[cold]
#[track_caller]
fn no_key(key: u32) -> ! {
    panic!(
        "key {key} has no value; help: call `get` or `get_mut`, which return `None` for a key without a value"
    )
}

impl<T> Extend<(u32, T)> for SparseSet<T> {
    fn extend<I: IntoIterator<Item = (u32, T)>>(&mut self, entries: I) {
        entries.into_iter().for_each(|(key, value)| {
            self.insert(key, value);
        });
    }
}

impl<T> FromIterator<(u32, T)> for SparseSet<T> {
    fn from_iter<I: IntoIterator<Item = (u32, T)>>(entries: I) -> Self {
        let mut set = Self::new();
        set.extend(entries);
        set
    }
}

impl<T> IntoIterator for SparseSet<T> {
    type Item = (u32, T);
    type IntoIter = Zip<vec::IntoIter<u32>, vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.keys.into_iter().zip(self.values)
    }
}

impl<'a, T> IntoIterator for &'a SparseSet<T> {
    type Item = (u32, &'a T);
    type IntoIter = Zip<Copied<slice::Iter<'a, u32>>, slice::Iter<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut SparseSet<T> {
    type Item = (u32, &'a mut T);
    type IntoIter = Zip<Copied<slice::Iter<'a, u32>>, slice::IterMut<'a, T>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter_mut()
    }
}
