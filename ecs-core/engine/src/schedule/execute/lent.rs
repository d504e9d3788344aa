//! Lends the executor of a run to the schedules that systems, commands and observers run by hand inside it.

use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::NonNull;
use std::thread::{self, ThreadId};

use super::Executor;
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The place of a run's executor while the run does not use it.
#[derive(Default)]
pub(crate) struct Lent(Mutex<Option<Pointer>>);

/// An executor that is lent.
struct Pointer {
    /// Invariant 1: the executor is alive until the [`Lending`] that made the pointer ends, and only the owner of this
    /// pointer uses it.
    executor: NonNull<dyn Executor>,
    /// Invariant 2: the thread of the lending, which is in a call that has not returned.
    thread: ThreadId,
}

// SAFETY: the executor is used only on the thread that lends it, because `Lent::borrow` compares the threads (invariant 2).
unsafe impl Send for Pointer {}

impl Lent {
    /// Lends the executor to all code that `f` calls on this thread.
    #[inline]
    pub(crate) fn during<R>(&self, executor: &mut dyn Executor, f: impl FnOnce() -> R) -> R {
        let _lending = Lending::new(self, executor);
        f()
    }

    /// Returns the executor if this thread lends it and no caller has borrowed it yet.
    #[inline]
    pub(crate) fn borrow(&self) -> Option<BorrowedExecutor<'_>> {
        let pointer = self
            .lock()
            .take_if(|lent| lent.thread == thread::current().id())?;
        Some(BorrowedExecutor {
            pointer: Some(pointer),
            lent: self,
        })
    }

    #[inline]
    fn lock(&self) -> MutexGuard<'_, Option<Pointer>> {
        // No code that holds the lock can panic halfway through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lends an executor until it is dropped, at the end of the call of `Lent::during`.
struct Lending<'a> {
    lent: &'a Lent,
    executor: PhantomData<&'a mut dyn Executor>,
}

impl<'a> Lending<'a> {
    #[inline]
    fn new(lent: &'a Lent, executor: &'a mut (dyn Executor + '_)) -> Self {
        // SAFETY: only the lifetime changes. The executor is borrowed for as long as the lending exists, and the end of the
        // lending removes the pointer. If `borrow` took the pointer out, it is back by then, or gone: that was a call inside
        // this one, on the same thread.
        let executor =
            unsafe { transmute::<&mut dyn Executor, &'static mut dyn Executor>(executor) };
        *lent.lock() = Some(Pointer {
            executor: NonNull::from(executor),
            thread: thread::current().id(),
        });
        Self {
            lent,
            executor: PhantomData,
        }
    }
}

impl Drop for Lending<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.lent.lock() = None;
    }
}

/// A borrowed executor; dropping this gives it back.
pub(crate) struct BorrowedExecutor<'a> {
    pointer: Option<Pointer>,
    lent: &'a Lent,
}

impl BorrowedExecutor<'_> {
    #[inline]
    pub(crate) fn get(&mut self) -> &mut dyn Executor {
        let pointer = self.pointer.as_mut().expect("taken by `drop` alone");
        // SAFETY: it is alive and not used by others (invariant 1): this is inside the call that lends it, on its thread
        // (`Lent::borrow`), and the pointer is not in its place.
        unsafe { pointer.executor.as_mut() }
    }
}

impl Drop for BorrowedExecutor<'_> {
    #[inline]
    fn drop(&mut self) {
        *self.lent.lock() = self.pointer.take();
    }
}

#[cfg(test)]
#[path = "lent_tests.rs"]
mod tests;
