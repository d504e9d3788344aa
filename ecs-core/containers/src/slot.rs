//! The place of a value at an index.

use core::num::NonZeroU32;

use crate::Id;

/// The value at an index, if there is one.
#[derive(Clone)]
pub(crate) struct ValueSlot<T> {
    /// The generation of the value; without a value, the last one's generation, or 1 if there was none.
    pub(crate) generation: NonZeroU32,
    pub(crate) value: Option<T>,
}

impl<T> ValueSlot<T> {
    /// A slot that no value has used.
    pub(crate) const FRESH: Self = Self {
        generation: NonZeroU32::MIN,
        value: None,
    };

    #[inline]
    pub(crate) fn get(&self, id: Id) -> Option<&T> {
        let value = self.value.as_ref();
        value.filter(|_| self.generation == id.non_zero_generation())
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        let value = self.value.as_mut();
        value.filter(|_| self.generation == id.non_zero_generation())
    }

    /// Returns the value with its id; `index` is the index of this slot.
    #[inline]
    pub(crate) fn entry(&self, index: usize) -> Option<(Id, &T)> {
        Some((self.id(index), self.value.as_ref()?))
    }

    /// Returns the value, mutably, with its id; `index` is the index of this slot.
    #[inline]
    pub(crate) fn entry_mut(&mut self, index: usize) -> Option<(Id, &mut T)> {
        Some((self.id(index), self.value.as_mut()?))
    }

    /// Returns the value with its id; `index` is the index of this slot.
    #[inline]
    pub(crate) fn into_entry(self, index: usize) -> Option<(Id, T)> {
        Some((self.id(index), self.value?))
    }

    #[inline]
    fn id(&self, index: usize) -> Id {
        Id::new(index as u32, self.generation)
    }
}
