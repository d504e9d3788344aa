//! Values that were removed from all storages and wait to be dropped.

use alloc::vec::Vec;

use crate::component::DropFn;

/// A list of values to drop at the end of a structural change.
///
/// Dropping a component runs user code, which may panic. Every structural change therefore first brings the world into
/// its final state, adds the values to be dropped to this list, and drops them last.
///
/// If dropping one value panics, the others are dropped nevertheless. A second panic aborts, just as it does for a `Vec`.
///
/// The structural change owns the list while it writes, because entries may point into its stack frame. A list that is
/// dropped before it was run leaks the values. Only a panic between the writes of a structural change could do that, and
/// none can occur there. Despawns, whose entries point into the storage, use the list of the storage in place.
#[derive(Default)]
pub(crate) struct DropList {
    /// Invariant 1: each entry's values are initialised, of the function's type, and not reachable from anywhere else.
    entries: Vec<(DropFn, *mut u8, usize)>,
}

// SAFETY: the entries point to component values, which are `Send + Sync`, and the list is their only owner.
unsafe impl Send for DropList {}
// SAFETY: a shared list gives no access to the values.
unsafe impl Sync for DropList {}

impl DropList {
    /// Adds `len` values at `values`.
    ///
    /// # Safety
    /// The values are initialised and of the type that `drop` belongs to; no other code accesses them any more, and
    /// their memory stays valid until the list was run.
    #[inline]
    pub(crate) unsafe fn push(&mut self, drop: Option<DropFn>, values: *mut u8, len: usize) {
        if let Some(drop) = drop
            && len > 0
        {
            self.entries.push((drop, values, len));
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Drops all values in the order they were added.
    #[inline]
    pub(crate) fn run(&mut self) {
        if !self.is_empty() {
            self.run_entries();
        }
    }

    /// Forgets the values, which have another owner now, and keeps the memory.
    #[inline]
    pub(crate) fn forget(&mut self) {
        self.entries.clear();
    }

    fn run_entries(&mut self) {
        /// Drops the remaining entries when it is dropped, even by a panic.
        struct DropRest<'a> {
            entries: &'a mut Vec<(DropFn, *mut u8, usize)>,
            next: usize,
        }

        impl DropRest<'_> {
            fn run(&mut self) {
                while let Some(&(drop, values, len)) = self.entries.get(self.next) {
                    self.next += 1;
                    // SAFETY: the values are initialised, of the function's type and not reachable otherwise, by
                    // invariant 1; each entry is visited once.
                    unsafe { drop(values, len) };
                }
            }
        }

        impl Drop for DropRest<'_> {
            fn drop(&mut self) {
                self.run();
                self.entries.clear();
            }
        }

        DropRest {
            entries: &mut self.entries,
            next: 0,
        }
        .run();
    }
}
