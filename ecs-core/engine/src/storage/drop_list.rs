//! Values that are out of all storages already and wait to be dropped.

use crate::component::DropFn;

/// Dropping a component runs user code, which may panic. Every structural verb therefore first brings the world into
/// its final state, notes here what has to go, and drops it last.
///
/// A panic while dropping does not keep the others from being dropped; a second panic aborts, as it does for a `Vec`.
///
/// The verb owns its list while it writes, as entries may point into its stack frame. A list that is dropped before it was
/// run forgets the values, which leak. That takes a panic between the writes of a verb, where there is to be none.
#[derive(Default)]
pub(crate) struct DropList {
    /// Invariant 1: each entry's values are initialised, of the function's type, and reachable from nowhere else.
    entries: Vec<(DropFn, *mut u8, usize)>,
}

// SAFETY: the entries point to component values, which are `Send + Sync`, and the list is their only owner.
unsafe impl Send for DropList {}
// SAFETY: a shared list gives no access to the values.
unsafe impl Sync for DropList {}

impl DropList {
    /// Notes `len` values at `values`.
    ///
    /// # Safety
    /// They are initialised and of the type that `drop` belongs to, nobody else uses them any more, and their memory
    /// stays valid until the list was run.
    #[inline]
    pub(crate) unsafe fn push(&mut self, drop: Option<DropFn>, values: *mut u8, len: usize) {
        if let Some(drop) = drop
            && len > 0
        {
            self.entries.push((drop, values, len));
        }
    }

    /// Drops everything noted, in the order noted.
    #[inline]
    pub(crate) fn run(&mut self) {
        if !self.entries.is_empty() {
            self.run_entries();
        }
    }

    fn run_entries(&mut self) {
        /// Goes on with the rest when it is dropped, by a panic or not.
        struct Rest<'a> {
            entries: &'a mut Vec<(DropFn, *mut u8, usize)>,
            next: usize,
        }

        impl Rest<'_> {
            fn run(&mut self) {
                while let Some(&(drop, values, len)) = self.entries.get(self.next) {
                    self.next += 1;
                    // SAFETY: by invariant 1, and each entry is visited once.
                    unsafe { drop(values, len) };
                }
            }
        }

        impl Drop for Rest<'_> {
            fn drop(&mut self) {
                self.run();
                self.entries.clear();
            }
        }

        Rest {
            entries: &mut self.entries,
            next: 0,
        }
        .run();
    }
}
