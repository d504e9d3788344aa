//! Resources without their types, to be read.

use alloc::vec::Vec;
use core::any::{Any, TypeId};
use core::fmt;
use core::ops::Deref;
use core::ptr::NonNull;

use super::{ResourceError, ResourceMap};
use crate::borrow::SharedBorrow;
use crate::guarded::Guarded;

/// A resource without its type.
pub(super) type Value = dyn Any + Send + Sync;

/// Values whose types are not known, for code that knows them by their [`TypeId`]s.
#[doc(hidden)]
impl ResourceMap {
    /// Returns the types of all values, with their names, in the order of insertion.
    #[inline]
    #[must_use]
    pub fn types(&self) -> Vec<(TypeId, &'static str)> {
        let entries = self.values.entries().into_iter();
        entries
            .map(|(type_id, cell)| (type_id, cell.name))
            .collect()
    }

    /// Borrows the value of a type for reading; `None` if there is none.
    ///
    /// # Errors
    /// [`ResourceError::Borrowed`] if it is borrowed mutably.
    #[inline]
    pub fn try_borrow_erased(
        &self,
        type_id: TypeId,
    ) -> Result<Option<ErasedRes<'_>>, ResourceError> {
        let Some(cell) = self.values.get(type_id) else {
            return Ok(None);
        };
        let borrow = cell.flag.try_shared().ok_or(ResourceError::Borrowed {
            name: cell.name,
            wanted: "read",
        })?;
        // SAFETY: the shared borrow excludes writers (invariant 2 of `ResourceCell`).
        let value = NonNull::from(&**unsafe { &*cell.value.get() });
        // SAFETY: the value is not written until the borrow is dropped.
        let value = unsafe { Guarded::new(value, borrow) };
        Ok(Some(ErasedRes { value }))
    }

    /// Returns the `T` without counting a change: readers and snapshots notice nothing.
    pub fn bypass<T: Send + Sync + 'static>(&mut self) -> Option<&mut T> {
        self.bypass_erased(TypeId::of::<T>())?.downcast_mut()
    }

    /// Does the same without the type.
    pub(crate) fn bypass_erased(&mut self, type_id: TypeId) -> Option<&mut Value> {
        let cell = self.values.get_mut(type_id)?;
        Some(&mut **cell.value.get_mut())
    }
}

/// A resource whose type is not known, borrowed for reading; derefs to it as an [`Any`].
pub struct ErasedRes<'w> {
    value: Guarded<'w, Value, SharedBorrow<'w>>,
}

impl Deref for ErasedRes<'_> {
    type Target = Value;

    #[inline]
    fn deref(&self) -> &Value {
        &*self.value
    }
}

impl fmt::Debug for ErasedRes<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ErasedRes").finish_non_exhaustive()
    }
}
