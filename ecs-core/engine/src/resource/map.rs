//! The map of resources, usable without a world.

use core::any::{Any, TypeId, type_name};
use core::cell::UnsafeCell;
use core::fmt;
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering};

use super::guard::{ChangeFlags, ChangeMarker, RawRes, RawResMut};
use super::{Res, ResMut};
use crate::borrow::BorrowFlag;
use crate::by_type::ByType;
use crate::tick::Tick;

/// One value per type, borrowed at run time.
///
/// Different values can be borrowed mutably at the same time from one shared reference; borrowing the *same* value
/// twice, at least once mutably, is an error or a panic, never undefined behaviour. A world holds one; it works as well
/// alone. When it is dropped its values are dropped in the order in which they were inserted.
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
    values: ByType<Cell>,
    /// The tick of the last borrow for writing. Those who only read need none of their own: all ticks of changes are
    /// different, and the run-time borrows order them.
    writes: AtomicU64,
}

struct Cell {
    added: u64,
    /// Written by those who may write the value, and read by those who may read it.
    changed: AtomicU64,
    flag: BorrowFlag,
    name: &'static str,
    /// Invariant 2: through a shared map the value is touched only by holders of a matching borrow of `flag`, or while
    /// somebody vouches that nobody else touches it in a way that conflicts.
    value: UnsafeCell<Box<dyn Any + Send + Sync>>,
}

// SAFETY: values are `Send + Sync`, and by invariant 2 writers are alone.
unsafe impl Sync for Cell {}

impl ResourceMap {
    /// An empty map.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of values. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether there is a `T`. O(1).
    #[must_use]
    pub fn contains<T: Send + Sync + 'static>(&self) -> bool {
        self.values.contains(TypeId::of::<T>())
    }

    /// Puts `value` in and hands back the `T` that was there.
    pub fn insert<T: Send + Sync + 'static>(&mut self, value: T) -> Option<T> {
        self.put(ResourceKey::of::<T>(), Box::new(value))
            .and_then(Cell::into_value)
    }

    /// Puts in a value of that type; compiled once.
    fn put(&mut self, of: ResourceKey, value: Box<dyn Any + Send + Sync>) -> Option<Cell> {
        let now = self.next_write();
        let cell = Cell {
            added: now,
            changed: AtomicU64::new(now),
            flag: BorrowFlag::default(),
            name: of.name,
            value: UnsafeCell::new(value),
        };
        self.values.insert(of.id, cell)
    }

    /// Takes the `T` out.
    pub fn remove<T: Send + Sync + 'static>(&mut self) -> Option<T> {
        self.values
            .remove(TypeId::of::<T>())
            .and_then(Cell::into_value)
    }

    /// Drops all values, in the order in which they were inserted.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// The `T`, without run-time checks, as nobody else can reach it.
    ///
    /// Counts as a change.
    pub fn get_mut<T: Send + Sync + 'static>(&mut self) -> Option<&mut T> {
        let now = self.next_write();
        let cell = self.values.get_mut(TypeId::of::<T>())?;
        *cell.changed.get_mut() = now;
        cell.value.get_mut().downcast_mut()
    }

    fn next_write(&mut self) -> u64 {
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

    /// As [`try_borrow`](Self::try_borrow), for a borrower who looked at tick `last` last, and does so now.
    #[inline]
    pub(crate) fn borrow_since<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
    ) -> Result<Res<'_, T>, ResourceError> {
        // SAFETY: with a run-time borrow.
        unsafe { self.read(last, true) }
    }

    /// As [`borrow_since`](Self::borrow_since), with a run-time borrow only if it is `locked`.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if it is to be locked and that fails.
    ///
    /// # Safety
    /// Unless it is `locked`, nobody writes the `T` while the handle lives.
    #[inline]
    pub(crate) unsafe fn read<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
        locked: bool,
    ) -> Result<Res<'_, T>, ResourceError> {
        // SAFETY: the caller's promise.
        match unsafe { self.read_raw(ResourceKey::of::<T>(), last, locked) } {
            // SAFETY: a `T` is wanted, which is borrowed or as good as that.
            Ok(raw) => Ok(unsafe { Res::of(raw) }),
            Err(error) => Err(error),
        }
    }

    /// As [`read`](Self::read), without the type, and so compiled once.
    ///
    /// # Safety
    /// As for [`read`](Self::read).
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
        // SAFETY: the shared borrow keeps writers away (invariant 2), or the caller does.
        let value = unsafe { &*cell.value.get() };
        let now = Tick::new(self.writes.load(Ordering::Relaxed));
        Ok(RawRes {
            value: NonNull::from(&**value).cast(),
            news: cell.news(core::mem::replace(last, now)),
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

    /// As [`try_borrow_mut`](Self::try_borrow_mut), for a borrower who looked at tick `last` last, and does so now.
    #[inline]
    pub(crate) fn borrow_mut_since<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
    ) -> Result<ResMut<'_, T>, ResourceError> {
        // SAFETY: with a run-time borrow.
        unsafe { self.write(last, true) }
    }

    /// As [`borrow_mut_since`](Self::borrow_mut_since), with a run-time borrow only if it is `locked`.
    ///
    /// # Errors
    /// [`ResourceError::Missing`] if there is no `T`, [`ResourceError::Borrowed`] if it is to be locked and that fails.
    ///
    /// # Safety
    /// Unless it is `locked`, nobody else uses the `T` while the handle lives.
    #[inline]
    pub(crate) unsafe fn write<T: Send + Sync + 'static>(
        &self,
        last: &mut Tick,
        locked: bool,
    ) -> Result<ResMut<'_, T>, ResourceError> {
        // SAFETY: the caller's promise.
        match unsafe { self.write_raw(ResourceKey::of::<T>(), last, locked) } {
            // SAFETY: a `T` is wanted, which is borrowed or as good as that.
            Ok(raw) => Ok(unsafe { ResMut::of(raw) }),
            Err(error) => Err(error),
        }
    }

    /// As [`write`](Self::write), without the type, and so compiled once.
    ///
    /// # Safety
    /// As for [`write`](Self::write).
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
        // SAFETY: the exclusive borrow keeps all others away (invariant 2), or the caller does.
        let value = unsafe { &mut *cell.value.get() };
        let now = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        Ok(RawResMut {
            value: NonNull::from(&mut **value).cast(),
            news: cell.news(core::mem::replace(last, Tick::new(now))),
            mark: ChangeMarker {
                place: &cell.changed,
                now,
            },
            borrow,
        })
    }

    /// What is under the key: a value of the wanted type, by invariant 1.
    fn cell(&self, wanted: ResourceKey) -> Result<&Cell, ResourceError> {
        let cell = self.values.get(wanted.id);
        cell.ok_or(ResourceError::Missing { name: wanted.name })
    }
}

/// The type of a resource.
#[derive(Clone, Copy)]
struct ResourceKey {
    id: TypeId,
    name: &'static str,
}

impl ResourceKey {
    #[inline]
    fn of<T: 'static>() -> Self {
        Self {
            id: TypeId::of::<T>(),
            name: type_name::<T>(),
        }
    }
}

impl Cell {
    /// What happened since a tick.
    fn news(&self, last: Tick) -> ChangeFlags {
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

/// Why a resource could not be borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceError {
    /// There is no value of the type.
    Missing {
        /// The type's name.
        name: &'static str,
    },
    /// The value is borrowed in a way that excludes the wanted one.
    Borrowed {
        /// The type's name.
        name: &'static str,
        /// What was wanted: `read` or `written`.
        wanted: &'static str,
    },
}

impl fmt::Display for ResourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { name } => {
                write!(f, "no resource `{name}`; insert it with `insert_resource`")
            }
            Self::Borrowed { name, wanted } => {
                write!(
                    f,
                    "resource `{name}` cannot be {wanted} now: it is borrowed elsewhere; let that borrow end first"
                )
            }
        }
    }
}

impl core::error::Error for ResourceError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inserting_twice_hands_the_old_value_back() {
        let mut map = ResourceMap::new();
        assert_eq!(map.insert(1_u8), None);
        assert_eq!(map.insert(2_u8), Some(1));
        assert_eq!(map.len(), 1);
        assert_eq!(map.remove::<u8>(), Some(2));
        assert!(map.is_empty());
    }

    #[test]
    fn a_missing_value_is_named() {
        let error = ResourceMap::new().try_borrow::<u64>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "no resource `u64`; insert it with `insert_resource`"
        );
    }

    #[test]
    fn a_double_borrow_is_named_and_ends_with_the_guard() {
        let mut map = ResourceMap::new();
        map.insert(1_u8);
        let guard = map.borrow_mut::<u8>();
        let error = map.try_borrow::<u8>().unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("resource `u8` cannot be read now"),
            "{error}"
        );
        drop(guard);
        assert_eq!(*map.borrow::<u8>(), 1);
    }

    #[test]
    fn a_cloned_handle_holds_a_borrow_of_its_own() {
        let mut map = ResourceMap::new();
        map.insert(String::from("a"));
        let one = map.borrow::<String>();
        let two = Res::clone(&one);
        let value: String = one.clone();
        drop(one);
        assert!(map.try_borrow_mut::<String>().is_err());
        assert_eq!(*two, value);
        drop(two);
        assert!(map.try_borrow_mut::<String>().is_ok());
    }

    #[test]
    fn different_values_are_borrowed_mutably_at_once() {
        let mut map = ResourceMap::new();
        map.insert(1_u8);
        map.insert(String::new());
        let (mut number, mut text) = (map.borrow_mut::<u8>(), map.borrow_mut::<String>());
        *number += 1;
        text.push('x');
        assert_eq!((*number, text.as_str()), (2, "x"));
    }

    #[test]
    fn a_borrower_is_told_of_changes_since_it_looked_last() {
        let mut map = ResourceMap::new();
        map.insert(1_u8);
        map.insert(1_u16);
        let (mut reader, mut writer) = (Tick::START, Tick::START);
        let look = |map: &ResourceMap, last: &mut Tick| {
            let res = map.borrow_since::<u8>(last).unwrap();
            (res.reborrow().is_added(), res.is_changed())
        };
        assert_eq!(look(&map, &mut reader), (true, true));
        assert_eq!(look(&map, &mut reader), (false, false));
        let mut res = map.borrow_mut_since::<u8>(&mut writer).unwrap();
        assert!(res.is_added());
        assert_eq!(*res, 1);
        *res.bypass() = 2;
        assert!(!res.set_if_neq(2));
        drop(res);
        assert_eq!(look(&map, &mut reader), (false, false), "read and bypassed");
        let mut res = map.borrow_mut_since::<u8>(&mut writer).unwrap();
        assert!(!res.is_changed());
        *res.reborrow() += 1;
        drop(res);
        *map.borrow_mut::<u16>() += 1;
        assert_eq!(look(&map, &mut reader), (false, true));
        assert_eq!(look(&map, &mut writer), (false, false), "its own change");
        assert!(map.borrow_mut::<u8>().set_if_neq(7));
        *map.get_mut::<u8>().unwrap() += 1;
        assert_eq!(look(&map, &mut writer), (false, true));
        map.insert(1_u8);
        assert_eq!(look(&map, &mut reader), (true, true));
        assert_eq!(look(&map, &mut reader), (false, false));
        assert!(map.borrow::<u8>().is_changed() && map.borrow::<u8>().is_changed());
    }

    #[test]
    fn the_map_is_shared_between_threads() {
        fn check<T: Send + Sync>() {}
        check::<ResourceMap>();
    }
}
