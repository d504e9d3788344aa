//! A map with one value per type, and ids of types.

#[cfg(test)]
mod tests;

use alloc::vec::Vec;
use core::any::TypeId;
use core::marker::PhantomData;
use hashbrown::HashMap;

use crate::hash::BuildTypeIdHasher;
use crate::sort::sort_by_number;

/// Returns the id of the type with all lifetimes replaced by `'static`: the same for all instances of one closure.
pub(crate) fn erased_id<T>() -> TypeId {
    trait Erased {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }

    impl<T> Erased for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }

    let of: &dyn Erased = &PhantomData::<T>;
    // SAFETY: only the lifetime of the type behind it changes, and no value of that type exists; the only function that is
    // called returns a number, which the compiler computes without lifetimes.
    let of = unsafe { core::mem::transmute::<&dyn Erased, &(dyn Erased + 'static)>(of) };
    of.id()
}

/// A map with one value per type: hashed lookup; iterated and dropped in insertion order.
pub(crate) struct ByType<V> {
    values: HashMap<TypeId, Numbered<V>, BuildTypeIdHasher>,
    /// The number of insertions so far.
    inserted: u64,
}

struct Numbered<V> {
    value: V,
    /// The number of insertions before this one.
    number: u64,
}

impl<V> ByType<V> {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns the number of insertions so far.
    #[inline]
    pub(crate) fn inserted(&self) -> u64 {
        self.inserted
    }

    #[inline]
    pub(crate) fn contains(&self, id: TypeId) -> bool {
        self.values.contains_key(&id)
    }

    #[inline]
    pub(crate) fn get(&self, id: TypeId) -> Option<&V> {
        match self.values.get(&id) {
            Some(numbered) => Some(&numbered.value),
            None => None,
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: TypeId) -> Option<&mut V> {
        match self.values.get_mut(&id) {
            Some(numbered) => Some(&mut numbered.value),
            None => None,
        }
    }

    /// Inserts a value as the last one, and returns the value it replaces.
    pub(crate) fn insert(&mut self, id: TypeId, value: V) -> Option<V> {
        let number = self.inserted;
        self.inserted += 1;
        let old = self.values.insert(id, Numbered { value, number });
        old.map(|old| old.value)
    }

    pub(crate) fn remove(&mut self, id: TypeId) -> Option<V> {
        self.values.remove(&id).map(|removed| removed.value)
    }

    /// Returns the types that a function accepts, in insertion order. Does not allocate if there are none.
    pub(crate) fn ids_if(&self, is_wanted: &dyn Fn(TypeId) -> bool) -> Vec<TypeId> {
        let mut wanted = Vec::new();
        for (id, numbered) in &self.values {
            if is_wanted(*id) {
                wanted.push((numbered.number, *id));
            }
        }
        sort_by_number(&mut wanted, |&(number, _)| number);
        wanted.into_iter().map(|(_, id)| id).collect()
    }

    /// All values with their types, in any order.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (TypeId, &mut V)> {
        let values = self.values.iter_mut();
        values.map(|(&id, numbered)| (id, &mut numbered.value))
    }

    /// All values, in insertion order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &V> {
        let entries = self.entries().into_iter();
        entries.map(|(_, value)| value)
    }

    /// All values with their types, in insertion order.
    #[inline]
    pub(crate) fn entries(&self) -> Vec<(TypeId, &V)> {
        let mut all = Vec::with_capacity(self.len());
        for (id, numbered) in &self.values {
            all.push((*id, numbered));
        }
        sort_by_number(&mut all, |(_, numbered)| numbered.number);
        let entries = all.into_iter();
        entries
            .map(|(id, numbered)| (id, &numbered.value))
            .collect()
    }

    /// Drops all values in insertion order. If dropping one panics, the others are still dropped.
    pub(crate) fn clear(&mut self) {
        if self.values.is_empty() {
            return;
        }
        let mut all = Vec::with_capacity(self.len());
        for (_, numbered) in self.values.drain() {
            all.push(numbered);
        }
        sort_by_number(&mut all, |numbered| numbered.number);
    }
}

impl<V> Default for ByType<V> {
    fn default() -> Self {
        Self {
            values: HashMap::default(),
            inserted: 0,
        }
    }
}

impl<V> Drop for ByType<V> {
    fn drop(&mut self) {
        self.clear();
    }
}
