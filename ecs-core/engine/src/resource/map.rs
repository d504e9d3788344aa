//! The map of resources, which can be used without a world.

use alloc::boxed::Box;
use core::any::{Any, TypeId};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::NonNull;

use super::guard::{ChangeFlags, ChangeMarker, RawRes, RawResMut};
use super::{Res, ResMut};
use crate::borrow::BorrowFlag;
use crate::by_type::ByType;
use crate::sync::{AtomicU64, Ordering};
use crate::tick::Tick;
use crate::type_name::type_name;

/// A map with one value per type, borrow-checked at run time.
///
/// Different values can be borrowed mutably at the same time from one shared reference; borrowing the *same* value
/// twice, at least once mutably, is an error or a panic, never undefined behaviour. Every world has one; it can also be
/// used alone. Dropping it drops its values in insertion order.
///
/// ```
/// use ecs_core::ResourceMap;
///
/// let mut map = ResourceMap::new();
/// map.insert(5_usize);
/// map.insert(String::from("five"));
/// let mut number = map.borrow_mut::<usize>();
/// let mut text = map.borrow_mut::<String>();
/// *number += 1;
/// text.push_str(" and one");
/// assert!(map.try_borrow::<usize>().is_err(), "still borrowed mutably");
/// ```
#[derive(Default)]
pub struct ResourceMap {
    /// Invariant 1: the value under a key is of the type that the key names.
    pub(super) values: ByType<ResourceCell>,
    /// The tick of the last borrow for writing. Readers need no ticks of their own: all changes have distinct ticks,
    /// and the run-time borrows order them.
    pub(super) writes: AtomicU64,
}

pub(super) struct ResourceCell {
    pub(super) added: u64,
    /// Written under the right to write the value, and read under the right to read it.
    pub(super) changed: AtomicU64,
    pub(super) flag: BorrowFlag,
    pub(super) name: &'static str,
    /// Invariant 2: through a shared map the value is accessed only by holders of a matching borrow of `flag`, or by
    /// callers of `read` or `write` that guarantee that there is no conflicting access.
    pub(super) value: UnsafeCell<Box<dyn Any + Send + Sync>>,
}

// SAFETY: the value is `Send + Sync`, and by invariant 2 a writer has exclusive access to it; the other fields are
// `Sync`.
unsafe impl Sync for ResourceCell {}

impl ResourceMap {
    /// Creates an empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of values. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns true if there is a `T`. O(1).
    #[must_use]
    pub fn contains<T: Send + Sync + 'static>(&self) -> bool {
        self.values.contains(TypeId::of::<T>())
    }

    /// Inserts `value` and returns the `T` that it replaces.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> Option<T> {
        let of = ResourceKey::of::<T>();
        self.put(of.id, (of.name)(), Box::new(value))
            .and_then(ResourceCell::into_value)
    }

    /// Inserts a value whose type has the given id. Not generic, so compiled once.
    pub(super) fn put(
        &mut self,
        id: TypeId,
        name: &'static str,
        value: Box<dyn Any + Send + Sync>,
    ) -> Option<ResourceCell> {
        let now = self.next_write();
        let cell = ResourceCell {
            added: now,
            changed: AtomicU64::new(now),
            flag: BorrowFlag::default(),
            name,
            value: UnsafeCell::new(value),
        };
        self.values.insert(id, cell)
    }

    /// Removes and returns the `T`.
    pub fn remove<T: Send + Sync + 'static>(&mut self) -> Option<T> {
        self.values
            .remove(TypeId::of::<T>())
            .and_then(ResourceCell::into_value)
    }

    /// Drops all values, in insertion order.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Returns the `T`. Needs no run-time borrow because the access is exclusive.
    ///
    /// Counts as a change.
    pub fn get_mut<T: Send + Sync + 'static>(&mut self) -> Option<&mut T> {
        self.get_mut_erased(TypeId::of::<T>())?.downcast_mut()
    }

    /// Does the same without the type.
    pub(crate) fn get_mut_erased(
        &mut self,
        type_id: TypeId,
    ) -> Option<&mut (dyn Any + Send + Sync)> {
        let now = self.next_write();
        let cell = self.values.get_mut(type_id)?;
        *cell.changed.get_mut() = now;
        Some(&mut **cell.value.get_mut())
    }

    pub(super) fn next_write(&mut self) -> u64 {
        let writes = self.writes.get_mut();
        *writes += 1;
        *writes
    }

    /// Borrows the `T` for reading.
    ///
    /// # Panics
    /// If there is no `T`, or it is borrowed mutably; [`try_borrow`](Self::try_borrow) returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn borrow<T: Send + Sync + 'static>(&self) -> Res<'_, T> {
        self.try_borrow().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows the `T` for writing.
    ///
    /// # Panics
    /// If there is no `T`, or it is borrowed; [`try_borrow_mut`](Self::try_borrow_mut) returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn borrow_mut<T: Send + Sync + 'static>(&self) -> ResMut<'_, T> {
        self.try_borrow_mut()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Borrows the `T` for reading.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if it is borrowed mutably.
    #[inline]
    pub fn try_borrow<T: Send + Sync + 'static>(&self) -> Result<Res<'_, T>, ResourceError> {
        self.borrow_since(&mut Tick::default())
    }

    /// Like [`try_borrow`](Self::try_borrow), for a borrower that last looked at tick `last`, which is updated.
    #[inline]
    pub(crate) fn borrow_since<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
    ) -> Result<Res<'_, T>, ResourceError> {
        // SAFETY: `locked` is true, so nothing is required of the caller.
        unsafe { self.read(last, true) }
    }

    /// Like [`borrow_since`](Self::borrow_since), with a run-time borrow only if `locked`.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if `locked` and it is borrowed
    /// mutably.
    ///
    /// # Safety
    /// Unless `locked`, the `T` is not written while the handle lives.
    #[inline]
    pub(crate) unsafe fn read<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
        locked: bool,
    ) -> Result<Res<'_, T>, ResourceError> {
        // SAFETY: `locked`, or the `T` is not written while the handle lives, by the caller's contract.
        match unsafe { self.read_raw(ResourceKey::of::<T>(), last, locked) } {
            // SAFETY: the key belongs to `T`, so the value is a `T`, by invariant 1. It is not written while the borrow
            // lives or, unless `locked`, while the handle lives, by the caller's contract.
            Ok(raw) => Ok(unsafe { Res::of(raw) }),
            Err(error) => Err(error),
        }
    }

    /// Like [`read`](Self::read), without the type, so compiled once.
    ///
    /// # Safety
    /// Unless `locked`, the value is not written while the handle lives.
    unsafe fn read_raw(
        &self,
        wanted: ResourceKey,
        last: &mut Tick,
        locked: bool,
    ) -> Result<RawRes<'_>, ResourceError> {
        let cell = self.cell(wanted)?;
        let borrow = if locked {
            let borrow = cell.flag.try_shared();
            Some(borrow.ok_or(ResourceError::Borrowed {
                name: cell.name,
                wanted: "read",
            })?)
        } else {
            None
        };
        // SAFETY: the shared borrow excludes writers (invariant 2), or the value is not written meanwhile, by the
        // caller's contract.
        let value = unsafe { &*cell.value.get() };
        let now = Tick::new(self.writes.load(Ordering::Relaxed));
        Ok(RawRes {
            value: NonNull::from(&**value).cast(),
            flags: cell.changes_since(core::mem::replace(last, now)),
            borrow,
        })
    }

    /// Borrows the `T` for writing.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if it is borrowed.
    #[inline]
    pub fn try_borrow_mut<T: Send + Sync + 'static>(&self) -> Result<ResMut<'_, T>, ResourceError> {
        self.borrow_mut_since(&mut Tick::default())
    }

    /// Like [`try_borrow_mut`](Self::try_borrow_mut), for a borrower that last looked at tick `last`, which is updated.
    #[inline]
    pub(crate) fn borrow_mut_since<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
    ) -> Result<ResMut<'_, T>, ResourceError> {
        // SAFETY: `locked` is true, so nothing is required of the caller.
        unsafe { self.write(last, true) }
    }

    /// Like [`borrow_mut_since`](Self::borrow_mut_since), with a run-time borrow only if `locked`.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if `locked` and it is borrowed.
    ///
    /// # Safety
    /// Unless `locked`, no other code accesses the `T` while the handle lives.
    #[inline]
    pub(crate) unsafe fn write<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
        locked: bool,
    ) -> Result<ResMut<'_, T>, ResourceError> {
        // SAFETY: `locked`, or no other code accesses the `T` while the handle lives, by the caller's contract.
        match unsafe { self.write_raw(ResourceKey::of::<T>(), last, locked) } {
            // SAFETY: the key belongs to `T`, so the value is a `T`, by invariant 1. No other code accesses it while the
            // borrow lives or, unless `locked`, while the handle lives, by the caller's contract.
            Ok(raw) => Ok(unsafe { ResMut::of(raw) }),
            Err(error) => Err(error),
        }
    }

    /// Like [`write`](Self::write), without the type, so compiled once.
    ///
    /// # Safety
    /// Unless `locked`, no other code accesses the value while the handle lives.
    unsafe fn write_raw(
        &self,
        wanted: ResourceKey,
        last: &mut Tick,
        locked: bool,
    ) -> Result<RawResMut<'_>, ResourceError> {
        let cell = self.cell(wanted)?;
        let borrow = if locked {
            let borrow = cell.flag.try_exclusive();
            Some(borrow.ok_or(ResourceError::Borrowed {
                name: cell.name,
                wanted: "written",
            })?)
        } else {
            None
        };
        // SAFETY: the exclusive borrow excludes all other access (invariant 2), or there is none meanwhile, by the
        // caller's contract.
        let value = unsafe { &mut *cell.value.get() };
        let now = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(RawResMut {
            value: NonNull::from(&mut **value).cast(),
            flags: cell.changes_since(core::mem::replace(last, Tick::new(now))),
            marker: ChangeMarker {
                last_change: &cell.changed,
                now,
            },
            borrow,
        })
    }

    /// Returns the cell under a key; by invariant 1 its value is of the key's type.
    fn cell(&self, wanted: ResourceKey) -> Result<&ResourceCell, ResourceError> {
        match self.values.get(wanted.id) {
            Some(cell) => Ok(cell),
            None => Err(ResourceError::Missing {
                name: (wanted.name)(),
            }),
        }
    }
}

/// The type of a resource.
#[derive(Clone, Copy)]
struct ResourceKey {
    id: TypeId,
    /// A function, because most accesses need no name and should not pay for computing it.
    name: fn() -> &'static str,
}

impl ResourceKey {
    #[inline]
    fn of<T: 'static>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            name: type_name::<T>,
        }
    }
}

impl ResourceCell {
    /// The changes since a tick.
    fn changes_since(&self, last: Tick) -> ChangeFlags {
        ChangeFlags {
            added: self.added > last.get(),
            changed: self.changed.load(Ordering::Relaxed) > last.get(),
        }
    }

    fn into_value<T: 'static>(self) -> Option<T> {
        self.value.into_inner().downcast().ok().map(|value| *value)
    }
}

impl fmt::Debug for ResourceMap {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.values.values().map(|cell| cell.name))
            .finish()
    }
}

/// The error of borrowing a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceError {
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
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name } => {
                write!(
                    f,
                    "no resource `{name}`; help: insert it with `insert_resource`"
                )
            }
            Self::Borrowed { name, wanted } => {
                write!(
                    f,
                    "resource `{name}` cannot be {wanted} now: it is borrowed elsewhere; help: let that borrow end first"
                )
            }
        }
    }
}

impl core::error::Error for ResourceError {}

#[cfg(test)]
#[path = "map_tests.rs"]
mod tests;
