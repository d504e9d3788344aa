//! Types for sharing between threads, in one place: from the standard library, our own if there is none, or from a model
//! checker in tests.

#[cfg(any(test, not(feature = "std")))]
mod spin;
#[cfg(any(test, not(target_has_atomic = "64")))]
mod wide;

#[cfg(target_has_atomic = "64")]
pub(crate) use core::sync::atomic::AtomicU64;
pub(crate) use core::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};
#[cfg(feature = "std")]
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, TryLockError};

#[cfg(not(feature = "std"))]
pub(crate) use self::spin::{Mutex, MutexGuard, OnceLock, PoisonError, RwLock, TryLockError};
#[cfg(not(target_has_atomic = "64"))]
pub(crate) use self::wide::AtomicU64;
/// [`AtomicU64`] for a `static`: the atomics of a model checker live in one execution of a model.
pub(crate) use AtomicU64 as StaticAtomicU64;
