//! Values that must stay on their thread.

use alloc::boxed::Box;
use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::NonNull;
use std::thread::{self, ThreadId};

use super::{NonSend, NonSendMut};
use crate::borrow::BorrowFlag;
use crate::by_type::ByType;
use crate::type_name::type_name;

/// A map with one value per type, each accessible only to the thread that inserted it. The map itself is `Send + Sync`.
#[derive(Default)]
pub(crate) struct NonSendMap {
    /// Invariant 1: the value under a key is of the type that the key names.
    values: ByType<NonSendCell>,
}

struct NonSendCell {
    /// The thread that inserted the value. Invariant 2: no other thread reads, moves or drops the value.
    home: ThreadId,
    flag: BorrowFlag,
    name: &'static str,
    /// Invariant 3: through a shared map the value is accessed only by holders of a matching borrow of `flag`. `Some`
    /// until it is removed.
    value: UnsafeCell<Option<Box<dyn Any>>>,
}

// SAFETY: only its home thread accesses the value, by invariant 2; the other fields are `Send`.
unsafe impl Send for NonSendCell {}
// SAFETY: only its home thread accesses the value, by invariant 2, and there the flag makes writers exclusive, by
// invariant 3; the other fields are `Sync`.
unsafe impl Sync for NonSendCell {}

impl NonSendMap {
    pub(crate) fn contains<T: 'static>(&self) -> bool {
        self.values.contains(TypeId::of::<T>())
    }

    /// Inserts `value` and returns the `T` that it replaces; fails if that belongs to another thread.
    pub(crate) fn insert<T: 'static>(&mut self, value: T) -> Result<Option<T>, NonSendError> {
        let old = self.remove()?;
        let cell = NonSendCell {
            home: thread::current().id(),
            flag: BorrowFlag::default(),
            name: type_name::<T>(),
            value: UnsafeCell::new(Some(Box::new(value))),
        };
        self.values.insert(TypeId::of::<T>(), cell);
        Ok(old)
    }

    /// Removes and returns the `T`, if there is one.
    pub(crate) fn remove<T: 'static>(&mut self) -> Result<Option<T>, NonSendError> {
        match self.cell::<T>() {
            Ok(_) => {}
            Err(NonSendError::Missing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let mut cell = self.values.remove(TypeId::of::<T>());
        let value = cell.as_mut().and_then(|cell| cell.value.get_mut().take());
        Ok(value.and_then(|value| value.downcast().ok().map(|value| *value)))
    }

    pub(crate) fn borrow<T: 'static>(&self) -> Result<NonSend<'_, T>, NonSendError> {
        let cell = self.cell::<T>()?;
        let borrow = cell.flag.try_shared().ok_or(NonSendError::Borrowed {
            name: cell.name,
            wanted: "read",
        })?;
        // SAFETY: this is the value's thread (checked by `cell`), and the shared borrow, which lives as long as the
        // reference, excludes writers (invariant 3).
        let value = unsafe { &*cell.value.get() };
        let value = value.as_deref().and_then(<dyn Any>::downcast_ref);
        let value = value.expect("invariant 1: the key names the type");
        // SAFETY: the borrow belongs to the value, which is written only under an exclusive borrow (invariant 3).
        Ok(unsafe { NonSend::new(NonNull::from(value), borrow) })
    }

    pub(crate) fn borrow_mut<T: 'static>(&self) -> Result<NonSendMut<'_, T>, NonSendError> {
        let cell = self.cell::<T>()?;
        let borrow = cell.flag.try_exclusive().ok_or(NonSendError::Borrowed {
            name: cell.name,
            wanted: "written",
        })?;
        // SAFETY: this is the value's thread (checked by `cell`), and the exclusive borrow, which lives as long as the
        // reference, excludes all other access (invariant 3).
        let value = unsafe { &mut *cell.value.get() };
        let value = value.as_deref_mut().and_then(<dyn Any>::downcast_mut);
        let value = value.expect("invariant 1: the key names the type");
        // SAFETY: the borrow belongs to the value, which is accessed only under a borrow (invariant 3).
        Ok(unsafe { NonSendMut::new(NonNull::from(value), borrow) })
    }

    /// The cell of a value that this thread may access.
    fn cell<T: 'static>(&self) -> Result<&NonSendCell, NonSendError> {
        let name = type_name::<T>();
        let cell = self.values.get(TypeId::of::<T>());
        let cell = cell.ok_or(NonSendError::Missing { name })?;
        if cell.is_here() {
            Ok(cell)
        } else {
            Err(NonSendError::OtherThread { name })
        }
    }
}

impl NonSendCell {
    fn is_here(&self) -> bool {
        // Ids of threads are never reused.
        self.home == thread::current().id()
    }
}

impl Drop for NonSendCell {
    fn drop(&mut self) {
        if !self.is_here() {
            // Invariant 2: leaked because it must not be dropped on this thread.
            core::mem::forget(self.value.get_mut().take());
        }
    }
}

impl fmt::Debug for NonSendMap {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.values.values().map(|cell| cell.name))
            .finish()
    }
}

/// The error of borrowing, inserting or removing a value that must stay on its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NonSendError {
    /// There is no value of the type.
    Missing {
        /// The type's name.
        name: &'static str,
    },
    /// The value is borrowed in a way that conflicts with the attempt.
    Borrowed {
        /// The type's name.
        name: &'static str,
        /// The attempted access: `read` or `written`.
        wanted: &'static str,
    },
    /// The value belongs to another thread.
    OtherThread {
        /// The type's name.
        name: &'static str,
    },
}

impl fmt::Display for NonSendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name } => write!(
                f,
                "no non-send resource `{name}`; help: insert it with `insert_non_send`, on the thread that uses it"
            ),
            Self::Borrowed { name, wanted } => write!(
                f,
                "non-send resource `{name}` cannot be {wanted} now: it is borrowed elsewhere; help: let that borrow end first"
            ),
            Self::OtherThread { name } => write!(
                f,
                "non-send resource `{name}` can only be used on the thread that inserted it; help: run the code that uses it there"
            ),
        }
    }
}

impl core::error::Error for NonSendError {}

#[cfg(test)]
#[path = "non_send_tests.rs"]
mod tests;
