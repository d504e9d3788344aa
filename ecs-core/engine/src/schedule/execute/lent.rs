//! The executor of a run, lent to the schedules that are run by hand inside of it.

use core::marker::PhantomData;
use core::mem::transmute;
use core::ptr::NonNull;
use std::thread::{self, ThreadId};

use super::Executor;
use crate::sync::{Mutex, MutexGuard, PoisonError};

/// The place of the executor of a run while that does not use it.
#[derive(Default)]
pub(crate) struct Lent(Mutex<Option<Pointer>>);

/// An executor that is lent.
struct Pointer {
    /// Invariant 1: an executor that is alive until the [`Lending`] ends that made the pointer, and that nothing uses but the
    /// owner of this pointer.
    executor: NonNull<dyn Executor>,
    /// Invariant 2: the thread on which the lending is, in a call that has not returned.
    thread: ThreadId,
}

// SAFETY: the executor is used on the thread that it is lent on only, which `Lent::borrow` compares (invariant 2).
unsafe impl Send for Pointer {}

impl Lent {
    /// Lends the executor to whatever `f` calls on this thread.
    #[inline]
    pub(crate) fn during<R>(&self, executor: &mut dyn Executor, f: impl FnOnce() -> R) -> R {
        let _lending = Lending::new(self, executor);
        f()
    }

    /// Returns the executor, if it is lent on this thread and not borrowed yet.
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
        // No code under the lock can leave it inconsistent by a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lends an executor until it is dropped, which `Lent::during` does when its call ends.
struct Lending<'a> {
    lent: &'a Lent,
    executor: PhantomData<&'a mut dyn Executor>,
}

impl<'a> Lending<'a> {
    #[inline]
    fn new(lent: &'a Lent, executor: &'a mut (dyn Executor + '_)) -> Self {
        // SAFETY: only the lifetime changes. The executor is borrowed for as long as the lending exists, whose end removes the
        // pointer. One that was taken out by `borrow` is back by then, or gone: that was a call inside of this one, on the same
        // thread.
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

/// An executor that was borrowed; it is given back when this is dropped.
pub(crate) struct BorrowedExecutor<'a> {
    pointer: Option<Pointer>,
    lent: &'a Lent,
}

impl BorrowedExecutor<'_> {
    #[inline]
    pub(crate) fn get(&mut self) -> &mut dyn Executor {
        let pointer = self.pointer.as_mut().expect("taken by `drop` alone");
        // SAFETY: it is alive and not used by others (invariant 1): this is inside of the call that lends it, on its thread
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
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    use super::{Executor, Lent};
    use crate::schedule::execute::Run;

    /// Runs nothing; its number is written between two lendings.
    struct Counts(u32);

    impl Executor for Counts {
        fn run(&mut self, _: &mut Run<'_>) {}
    }

    fn is_there(lent: &Lent) -> bool {
        lent.borrow().is_some()
    }

    #[test]
    fn an_executor_is_there_while_it_is_lent() {
        let (lent, mut counts) = (Lent::default(), Counts(0));
        assert!(!is_there(&lent));
        lent.during(&mut counts, || {
            assert!(is_there(&lent));
            let mut borrowed = lent.borrow().unwrap();
            let _: &mut dyn Executor = borrowed.get();
            assert!(!is_there(&lent));
            drop(borrowed);
            thread::scope(|scope| _ = scope.spawn(|| assert!(!is_there(&lent))));
            assert!(is_there(&lent));
        });
        assert!(!is_there(&lent));
        counts.0 += 1;
        let caught = catch_unwind(AssertUnwindSafe(|| {
            lent.during(&mut counts, || {
                let _borrowed = lent.borrow();
                panic!("oh");
            });
        }));
        caught.unwrap_err();
        assert!(!is_there(&lent));
        assert_eq!(counts.0, 1);
    }
}
