//! Iterators over values with their ids.

use alloc::vec;
use core::iter::{Enumerate, FusedIterator};
use core::slice;

use crate::Id;
use crate::slot::ValueSlot;

/// Defines an iterator over slots that skips those without a value.
macro_rules! iterator {
    ($(#[$attribute:meta])* $name:ident<$($life:lifetime,)? T>, $slots:ty, $value:ty, $entry:path) => {
        $(#[$attribute])*
        pub struct $name<$($life,)? T> {
            slots: Enumerate<$slots>,
            /// The number of values in `slots`.
            left: usize,
        }

        impl<$($life,)? T> $name<$($life,)? T> {
            pub(crate) fn new(slots: $slots, left: usize) -> Self {
                Self { slots: slots.enumerate(), left }
            }
        }

        impl<$($life,)? T> Iterator for $name<$($life,)? T> {
            type Item = (Id, $value);

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let entry = self.slots.find_map(|(index, slot)| $entry(slot, index))?;
                self.left -= 1;
                Some(entry)
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.left, Some(self.left))
            }
        }

        impl<$($life,)? T> DoubleEndedIterator for $name<$($life,)? T> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let mut slots = self.slots.by_ref().rev();
                let entry = slots.find_map(|(index, slot)| $entry(slot, index))?;
                self.left -= 1;
                Some(entry)
            }
        }

        impl<$($life,)? T> ExactSizeIterator for $name<$($life,)? T> {}
        impl<$($life,)? T> FusedIterator for $name<$($life,)? T> {}
    };
}

iterator! {
    /// An iterator over values with their ids, in order of index; see [`Arena::iter`](crate::Arena::iter).
    Iter<'a, T>, slice::Iter<'a, ValueSlot<T>>, &'a T, ValueSlot::entry
}

iterator! {
    /// A mutable iterator over values with their ids, in order of index; see [`Arena::iter_mut`](crate::Arena::iter_mut).
    IterMut<'a, T>, slice::IterMut<'a, ValueSlot<T>>, &'a mut T, ValueSlot::entry_mut
}

iterator! {
    /// An iterator that owns the values, with their ids, in order of index; `into_iter` of an [`Arena`](crate::Arena)
    /// returns it.
    IntoIter<T>, vec::IntoIter<ValueSlot<T>>, T, ValueSlot::into_entry
}

impl<T> Clone for Iter<'_, T> {
    fn clone(&self) -> Self {
        Self {
            slots: self.slots.clone(),
            left: self.left,
        }
    }
}
