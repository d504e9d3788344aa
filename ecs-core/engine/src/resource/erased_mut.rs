//! Resources without their types, to be written, and what has changed among them.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

use super::erased::Value;
use super::guard::ChangeMarker;
use super::{ResourceError, ResourceMap};
use crate::borrow::ExclusiveBorrow;
use crate::data_type::DataType;
use crate::guarded::GuardedMut;
use crate::sync::Ordering;

/// Values whose types are not known, for code that knows them by their [`TypeId`]s.
#[doc(hidden)]
impl ResourceMap {
    /// Borrows the value of a type for writing; `None` if there is none.
    ///
    /// # Errors
    /// [`ResourceError::Borrowed`] if it is borrowed.
    #[inline]
    pub fn try_borrow_mut_erased(
        &self,
        type_id: TypeId,
    ) -> Result<Option<ErasedResMut<'_>>, ResourceError> {
        let Some(cell) = self.values.get(type_id) else {
            return Ok(None);
        };
        let borrow = cell.flag.try_exclusive().ok_or(ResourceError::Borrowed {
            name: cell.name,
            wanted: "written",
        })?;
        // SAFETY: the exclusive borrow excludes all other access (invariant 2 of `ResourceCell`).
        let value = NonNull::from(&mut **unsafe { &mut *cell.value.get() });
        // SAFETY: the value is not accessed otherwise until the borrow is dropped.
        let value = unsafe { GuardedMut::new(value, borrow) };
        let now = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        let last_change = &cell.changed;
        let marker = ChangeMarker { last_change, now };
        Ok(Some(ErasedResMut { value, marker }))
    }

    /// Inserts a value, and returns the one of its type that it replaces. Messages use `name`.
    #[inline]
    pub fn insert_erased(&mut self, name: &'static str, value: Box<Value>) -> Option<Box<Value>> {
        let type_id = Any::type_id(&*value);
        let old = self.put(type_id, name, value);
        old.map(|cell| cell.value.into_inner())
    }

    /// Removes the value of a type, and returns it.
    #[inline]
    pub fn remove_erased(&mut self, type_id: TypeId) -> Option<Box<Value>> {
        let removed = self.values.remove(type_id);
        removed.map(|cell| cell.value.into_inner())
    }
}

/// Changes between two moments, for packages that record them.
#[doc(hidden)]
impl ResourceMap {
    /// Returns the number of writes so far: the moment, for [`written_since`](Self::written_since).
    #[inline]
    #[must_use]
    pub fn moment(&mut self) -> u64 {
        *self.writes.get_mut()
    }

    /// Appends the types of the values that were inserted or written after a moment, and whether they were inserted. In any order;
    /// O(values).
    pub fn written_since(&mut self, moment: u64, written: &mut Vec<(TypeId, bool)>) {
        for (id, cell) in self.values.iter_mut() {
            if *cell.changed.get_mut() > moment {
                written.push((id, cell.added > moment));
            }
        }
    }

    /// Returns the number of insertions so far: while it stays and no value was removed, the types are the same. O(1).
    #[inline]
    #[must_use]
    pub fn insertions(&self) -> u64 {
        self.values.inserted()
    }

    /// Puts a value of a data type into the map, as if it was [inserted](Self::insert) or written in place, and returns the
    /// value that it replaces. Readers of events stay where they are.
    ///
    /// # Panics
    /// If the value is not of the type.
    pub fn write_erased(
        &mut self,
        data: &DataType,
        mut value: Box<Value>,
        is_inserted: bool,
    ) -> Option<Box<Value>> {
        let type_id = data.type_id();
        assert!(
            Any::type_id(&*value) == type_id,
            "the value is not of the data type `{}`",
            data.name()
        );
        if !self.values.contains(type_id) {
            return self.insert_erased(data.name(), value);
        }
        let now = self.next_write();
        let cell = self.values.get_mut(type_id)?;
        let own = cell.value.get_mut();
        match data.events() {
            Some(events) => (events.exchange_items)(&mut **own, &mut *value),
            None => core::mem::swap(own, &mut value),
        }
        *cell.changed.get_mut() = now;
        if is_inserted {
            cell.added = now;
        }
        Some(value)
    }
}

/// A resource whose type is not known, borrowed for writing; derefs to it as an [`Any`], and dereferencing it mutably counts
/// as a change.
pub struct ErasedResMut<'w> {
    value: GuardedMut<'w, Value, ExclusiveBorrow<'w>>,
    marker: ChangeMarker<'w>,
}

impl Deref for ErasedResMut<'_> {
    type Target = Value;

    #[inline]
    fn deref(&self) -> &Value {
        &*self.value
    }
}

impl DerefMut for ErasedResMut<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Value {
        self.marker
            .last_change
            .store(self.marker.now, Ordering::Relaxed);
        &mut *self.value
    }
}

impl fmt::Debug for ErasedResMut<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedResMut").finish_non_exhaustive()
    }
}

#[cfg(test)]
#[path = "erased_mut_tests.rs"]
mod tests;
