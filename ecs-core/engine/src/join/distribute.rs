//! Distributes numbered rows to threads, and decides whether threads pay.
//!
//! Threads take pieces of the numbers from one counter until it is used up, so no thread waits for another one. Each number
//! is in exactly one piece: the callers' unsafe code relies on this.
//!
//! Nothing here is generic over the rows, so it is compiled once and not for each loop.

use alloc::boxed::Box;
use core::any::Any;
use core::ops::Range;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::fetch::BLOCK;
use super::pieces::Pieces;
use crate::clock;
use crate::sync::{Mutex, PoisonError};
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Work of unknown cost is divided if it has at least this number of rows. If fewer rows are cheap, this thread finishes
/// them before another one is awake.
pub(super) const MIN_ROWS: usize = 8 * MIN_PIECE;

/// If the cost of the work is unknown, a smaller piece costs more to take than it helps to distribute.
const MIN_PIECE: usize = 1024;

/// A thread takes this part of its share of the remaining rows.
const SHARES_PER_THREAD: usize = 4;

/// The time between two looks at the clock, and the time of the smallest piece that a thread takes: a shorter time says
/// little, and a shorter piece costs more to take than it helps to distribute.
const LOOK: u64 = 2 * clock::TICKS_PER_MICROSECOND;

/// If the rest of a loop takes at least this time, it is divided. A shorter rest is finished before other threads are awake.
const PAYS: u64 = 50 * clock::TICKS_PER_MICROSECOND;

/// The work that is distributed: it is called with pieces of the rows.
type Work<'w> = dyn Fn(Range<usize>) + Sync + 'w;

/// Calls `work` with pieces of `0..len`. If there are at least `min_rows` rows, the threads of the current pool and this one
/// share them.
pub(super) fn distribute(len: usize, min_rows: usize, work: &Work<'_>) {
    if len == 0 {
        return;
    }
    // The pool is only asked for its threads if they may be needed, since asking starts the global one.
    let threads = if len < min_rows.max(2) {
        1
    } else {
        rayon_core::current_num_threads()
    };
    if threads == 1 {
        work(0..len);
    } else {
        let least = whole_blocks((min_rows / 8).clamp(1, MIN_PIECE));
        share(0..len, least, threads, work);
    }
}

/// Calls `work` with pieces of `0..len`, on several threads as soon as the measured cost of the first rows shows that it
/// pays for the rest.
pub(super) fn distribute_timed(len: usize, work: &Work<'_>) {
    share_if_it_pays(len, clock::ticks, work);
}

/// Like [`distribute_timed`], by a clock that counts ticks. The clock may show anything: only the speed depends on it.
fn share_if_it_pays(len: usize, mut ticks: impl FnMut() -> u64, work: &Work<'_>) {
    let mut rest = 0..len;
    // The first piece is small because its rows may take long; a single light row would be too short to measure.
    let mut size = if len < 64 { 1 } else { 4 };
    if len > size {
        let start = ticks();
        while rest.len() > size {
            let end = rest.start + size;
            work(rest.start..end);
            rest.start = end;
            let took = ticks().saturating_sub(start).max(1);
            // The number of rows that take the time between two looks, if they cost as much as the rows so far.
            let rows = LOOK.saturating_mul(end as u64) / took;
            let rows = usize::try_from(rows).unwrap_or(usize::MAX);
            if took >= LOOK && took.saturating_mul(rest.len() as u64) / end as u64 >= PAYS {
                let threads = rayon_core::current_num_threads();
                if threads == 1 {
                    break;
                }
                return share(rest, whole_blocks(rows.max(1)), threads, work);
            }
            size = rows.clamp(4, size.saturating_mul(16));
        }
    }
    if !rest.is_empty() {
        work(rest);
    }
}

/// Calls `work` with pieces of `rows`, on this thread and up to `threads - 1` others of the pool. Each piece but the last
/// one has at least `least` rows.
fn share(rows: Range<usize>, least: usize, threads: usize, work: &Work<'_>) {
    let pieces = Pieces::new(rows.len(), least, SHARES_PER_THREAD * threads);
    let helpers = threads.min(rows.len().div_ceil(least)) - 1;
    let panics = Earliest::<Box<dyn Any + Send>>::default();
    let help = || {
        for piece in pieces.by_ref() {
            let piece = rows.start + piece.start..rows.start + piece.end;
            let start = piece.start;
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(piece))) {
                panics.put(start, panic);
                return;
            }
        }
    };
    // This waits for all helpers. A helper that starts too late finds no piece left: the result does not depend on helpers
    // being run by other threads.
    rayon_core::in_place_scope(|scope| {
        for _ in 0..helpers {
            scope.spawn(|_| help());
        }
        help();
    });
    if let Some(panic) = panics.into_inner() {
        resume_unwind(panic);
    }
}

/// Rounds the size of a piece up to whole blocks, unless it is smaller than one.
fn whole_blocks(size: usize) -> usize {
    if size < BLOCK {
        size
    } else {
        size.next_multiple_of(BLOCK)
    }
}

/// The result of the earliest piece that had one. It is the same for any number of threads: pieces are taken in order,
/// so all pieces before one that was taken are visited too.
pub(super) struct Earliest<O> {
    /// The first row of the piece; `usize::MAX` as long as there is none.
    start: AtomicUsize,
    found: Mutex<Option<O>>,
}

impl<O> Default for Earliest<O> {
    fn default() -> Self {
        Self {
            start: AtomicUsize::new(usize::MAX),
            found: Mutex::new(None),
        }
    }
}

impl<O> Earliest<O> {
    /// Returns true if something was found in a piece that is earlier than the one from `start` on.
    pub(super) fn is_before(&self, start: usize) -> bool {
        // Relaxed is enough: a superfluous visit does no harm.
        self.start.load(Ordering::Relaxed) < start
    }

    /// Keeps the result of the earlier piece, and drops the other.
    pub(super) fn put(&self, start: usize, out: O) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        let other = if self.is_before(start) {
            Some(out)
        } else {
            self.start.store(start, Ordering::Relaxed);
            found.replace(out)
        };
        drop(found);
        // Dropping runs the user's code, which may panic.
        drop(catch_unwind(AssertUnwindSafe(|| drop(other))));
    }

    pub(super) fn into_inner(self) -> Option<O> {
        let found = self.found.into_inner();
        found.unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[path = "distribute_tests.rs"]
mod tests;
