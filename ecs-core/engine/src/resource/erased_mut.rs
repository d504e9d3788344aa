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
mod tests {
    use alloc::string::String;

    use super::*;
    use crate::tick::Tick;

    #[test]
    fn values_are_found_by_their_types() {
        let mut map = ResourceMap::new();
        map.insert(7_u8);
        map.insert(String::from("a"));
        let [number, text] = [TypeId::of::<u8>(), TypeId::of::<String>()];
        assert_eq!(
            map.types(),
            [(number, "u8"), (text, "alloc::string::String")]
        );
        assert!(
            map.try_borrow_erased(TypeId::of::<u16>())
                .unwrap()
                .is_none()
        );
        let value = map.try_borrow_erased(number).unwrap().unwrap();
        assert_eq!(value.downcast_ref(), Some(&7_u8));
        let error = map.try_borrow_mut_erased(number).unwrap_err();
        assert_eq!(error, map.try_borrow_mut::<u8>().unwrap_err());
        let mut other = map.try_borrow_mut_erased(text).unwrap().unwrap();
        other.downcast_mut::<String>().unwrap().push('b');
        let error = map.try_borrow_erased(text).unwrap_err();
        assert_eq!(error, map.try_borrow::<String>().unwrap_err());
        drop((value, other));
        assert_eq!(*map.borrow::<String>(), "ab");
    }

    #[test]
    fn a_write_counts_as_a_change_and_a_borrow_does_not() {
        let mut map = ResourceMap::new();
        map.insert(1_u8);
        let mut last = Tick::START;
        let mut is_changed =
            |map: &ResourceMap| map.borrow_since::<u8>(&mut last).unwrap().is_changed();
        assert!(is_changed(&map));
        let borrowed = map
            .try_borrow_mut_erased(TypeId::of::<u8>())
            .unwrap()
            .unwrap();
        assert!(borrowed.downcast_ref::<u8>().is_some());
        drop(borrowed);
        assert!(!is_changed(&map));
        let mut borrowed = map
            .try_borrow_mut_erased(TypeId::of::<u8>())
            .unwrap()
            .unwrap();
        *borrowed.downcast_mut::<u8>().unwrap() += 1;
        drop(borrowed);
        assert!(is_changed(&map) && !is_changed(&map));
    }

    #[test]
    fn a_value_that_is_only_looked_at_does_not_count_as_changed() {
        let mut map = ResourceMap::new();
        map.insert(5_u32);
        let moment = map.moment();
        assert_eq!(map.bypass::<u32>(), Some(&mut 5));
        assert_eq!(map.bypass::<u64>(), None);
        assert_eq!(map.moment(), moment);
        let mut written = Vec::new();
        map.written_since(moment, &mut written);
        assert!(written.is_empty());
    }

    #[test]
    fn an_inserted_value_has_its_type() {
        let mut map = ResourceMap::new();
        assert!(map.insert_erased("a number", Box::new(3_u32)).is_none());
        assert_eq!(map.types(), [(TypeId::of::<u32>(), "a number")]);
        assert_eq!(*map.borrow::<u32>(), 3);
        let old = map.insert_erased("a number", Box::new(4_u32)).unwrap();
        assert_eq!(old.downcast_ref(), Some(&3_u32));
        assert_eq!(map.insert(5_u32), Some(4));
        let removed = map.remove_erased(TypeId::of::<u32>()).unwrap();
        assert_eq!(removed.downcast_ref(), Some(&5_u32));
        assert!(map.is_empty() && map.remove_erased(TypeId::of::<u32>()).is_none());
    }
}
