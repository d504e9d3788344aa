//! Locks without an operating system: a thread that has to wait spins.
//!
//! They have the names and the part of the standard library's interface that the engine uses. Nothing poisons them: a panic
//! releases them, and leaves no trace. An interrupt handler must not take a lock that the interrupted code may hold: it
//! would wait forever.

use core::cell::UnsafeCell;
use core::convert::Infallible;
use core::fmt;
use core::hint::spin_loop;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::{AtomicBool, Ordering};

/// A value that one thread accesses at a time.
#[derive(Default)]
pub(crate) struct Mutex<T> {
    is_locked: AtomicBool,
    /// Invariant 1: through a shared reference, only the guard that was made when `is_locked` was set accesses it.
    value: UnsafeCell<T>,
}

// SAFETY: guards hand out the value to one thread at a time, by invariant 1, which needs `T: Send` only.
unsafe impl<T: Send> Sync for Mutex<T> {}

/// Access to the value of a [`Mutex`]; unlocks it when it is dropped.
pub(crate) struct MutexGuard<'a, T> {
    lock: &'a Mutex<T>,
    /// Shared and sent under the same conditions.
    value: PhantomData<&'a mut T>,
}

/// The error of a lock whose holder panicked; there is none.
pub(crate) struct PoisonError<T>(Infallible, PhantomData<T>);

impl<T> PoisonError<T> {
    pub(crate) fn into_inner(self) -> T {
        match self.0 {}
    }
}

impl<T> fmt::Debug for PoisonError<T> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {}
    }
}

/// The error of a lock that is held by another thread.
pub(crate) enum TryLockError<T> {
    #[expect(dead_code, reason = "nothing poisons a lock")]
    Poisoned(PoisonError<T>),
    WouldBlock,
}

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self {
            is_locked: AtomicBool::new(false),
            value: UnsafeCell::new(value),
        }
    }

    /// Waits until no other thread holds the lock.
    #[inline]
    pub(crate) fn lock(&self) -> Result<MutexGuard<'_, T>, PoisonError<MutexGuard<'_, T>>> {
        loop {
            if let Ok(guard) = self.try_lock() {
                return Ok(guard);
            }
            // Looks without writing, so that waiting threads leave the cache line to the holder.
            while self.is_locked.load(Ordering::Relaxed) {
                spin_loop();
            }
        }
    }

    #[inline]
    pub(crate) fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError<MutexGuard<'_, T>>> {
        match self
            .is_locked
            .compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed)
        {
            Ok(_) => Ok(MutexGuard {
                lock: self,
                value: PhantomData,
            }),
            Err(_) => Err(TryLockError::WouldBlock),
        }
    }

    #[inline]
    pub(crate) fn get_mut(&mut self) -> Result<&mut T, PoisonError<&mut T>> {
        Ok(self.value.get_mut())
    }

    pub(crate) fn into_inner(self) -> Result<T, PoisonError<T>> {
        Ok(self.value.into_inner())
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutex<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut mutex = f.debug_struct("Mutex");
        match self.try_lock() {
            Ok(value) => mutex.field("data", &*value),
            Err(_) => mutex.field("data", &format_args!("<locked>")),
        };
        mutex.finish()
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        // SAFETY: this is the guard of the lock (invariant 1), and it is borrowed.
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: this is the guard of the lock (invariant 1), and it is borrowed mutably.
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for MutexGuard<'_, T> {
    #[inline]
    fn drop(&mut self) {
        self.lock.is_locked.store(false, Ordering::Release);
    }
}

/// A [`Mutex`] with the interface of a lock that readers share: the engine's readers hold it for a few instructions.
#[derive(Default)]
pub(crate) struct RwLock<T>(Mutex<T>);

impl<T> RwLock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn read(&self) -> Result<MutexGuard<'_, T>, PoisonError<MutexGuard<'_, T>>> {
        self.0.lock()
    }

    pub(crate) fn write(&self) -> Result<MutexGuard<'_, T>, PoisonError<MutexGuard<'_, T>>> {
        self.0.lock()
    }
}

/// A value that is computed once.
pub(crate) struct OnceLock<T> {
    lock: Mutex<()>,
    /// Invariant 1: once this is true, the value is `Some`, and is written through `&mut` only.
    is_set: AtomicBool,
    /// Invariant 2: until then only the holder of `lock` accesses it through a shared reference.
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is moved in by one thread, under the lock, and read by others once it is set (invariants 1 and 2).
unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

impl<T> OnceLock<T> {
    pub(crate) const fn new() -> Self {
        Self {
            lock: Mutex::new(()),
            is_set: AtomicBool::new(false),
            value: UnsafeCell::new(None),
        }
    }

    #[inline]
    pub(crate) fn get(&self) -> Option<&T> {
        if !self.is_set.load(Ordering::Acquire) {
            return None;
        }
        // SAFETY: no thread writes the value while `self` is borrowed (invariant 1).
        let value = unsafe { &*self.value.get() };
        value.as_ref()
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.value.get_mut().as_mut()
    }

    pub(crate) fn take(&mut self) -> Option<T> {
        *self.is_set.get_mut() = false;
        self.value.get_mut().take()
    }

    /// Returns the value, and computes it first if there is none. If that panics, there is still none.
    pub(crate) fn get_or_init(&self, compute: impl FnOnce() -> T) -> &T {
        if self.get().is_none() {
            let guard = self.lock.lock();
            if !self.is_set.load(Ordering::Relaxed) {
                let computed = compute();
                // SAFETY: this thread holds the lock, and the value is not set (invariant 2).
                let value = unsafe { &mut *self.value.get() };
                *value = Some(computed);
                self.is_set.store(true, Ordering::Release);
            }
            drop(guard);
        }
        self.get().expect("set above")
    }
}

impl<T: Clone> Clone for OnceLock<T> {
    fn clone(&self) -> Self {
        let mut copy = Self::new();
        if let Some(value) = self.get() {
            *copy.value.get_mut() = Some(value.clone());
            *copy.is_set.get_mut() = true;
        }
        copy
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: fmt::Debug> fmt::Debug for OnceLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OnceLock").field(&self.get()).finish()
    }
}

#[cfg(test)]
#[path = "spin_tests.rs"]
mod tests;
