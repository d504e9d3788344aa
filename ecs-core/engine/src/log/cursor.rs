//! The position of a reader, and the list of all readers.

#[cfg(feature = "snapshot")]
mod snapshot;

use alloc::boxed::Box;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "snapshot")]
pub(crate) use snapshot::CursorCopy;

use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, PoisonError, StaticAtomicU64};

/// The progress of one reader of a log. Dropping it unregisters the reader.
#[derive(Default)]
pub(crate) struct Cursor {
    registration: Option<Registration>,
    missed: u64,
    /// The position where it is registered next, if that is not the start.
    resumes_at: Option<u64>,
    /// The progress in a turn, for a reader in a condition.
    asked: Option<Box<Asked>>,
}

/// The progress of a reader in a condition, in a turn that has not ended.
struct Asked {
    /// The registered position when it was attached in this turn: it reads from there. `None` if it was not attached.
    from: Option<u64>,
    position: AtomicU64,
    /// The number of the item after the last one at that time.
    end: u64,
}

/// The place of a reader among the readers of its log, which it leaves when it is dropped.
struct Registration {
    /// The readers that the position is registered with.
    home: Arc<Readers>,
    /// The number of the next item to be read.
    ///
    /// Written only through the reader's `&mut Cursor`, or under exclusive access to the log.
    position: Arc<AtomicU64>,
}

impl Cursor {
    /// Registers the cursor unless it is registered here, at one end of the items from `first` to `end`, and moves it to
    /// `first` if the cursor is before it, or to `end` if it is after that.
    pub(crate) fn attach(&mut self, readers: &Arc<Readers>, [first, end]: [u64; 2], at: Start) {
        self.missed = 0;
        let position = match &self.registration {
            Some(registration) if registration.home.id == readers.id => {
                let position = registration.position.load(Ordering::Relaxed);
                if position < first {
                    self.missed = first - position;
                    registration.position.store(first, Ordering::Relaxed);
                } else if position > end {
                    // The reader has returned to a copy, and the log has not.
                    registration.position.store(end, Ordering::Relaxed);
                }
                position.clamp(first, end)
            }
            _ => {
                let start = match at {
                    Start::First => first,
                    Start::End => end,
                };
                let start = self.resumes_at.take().unwrap_or(start).clamp(first, end);
                self.registration = Some(readers.register(start));
                start
            }
        };
        if let Some(asked) = &mut self.asked {
            asked.from = Some(position);
            asked.position.store(position, Ordering::Relaxed);
            asked.end = end;
        }
    }

    /// Begins a turn of a condition: items read in it stay unread, and in the log, until the turn ends.
    pub(crate) fn ask(&mut self) {
        let asked = self.asked.get_or_insert_with(|| {
            Box::new(Asked {
                from: None,
                position: AtomicU64::new(0),
                end: 0,
            })
        });
        asked.from = None;
    }

    /// Ends a turn of a condition whose system ran: items read in it count as read.
    pub(crate) fn consume(&mut self) {
        if let Some(asked) = &self.asked {
            let to = asked.position.load(Ordering::Relaxed);
            self.end_turn(to);
        }
    }

    /// Ends a turn of a condition that is discarded: all items of the turn count as read.
    pub(crate) fn discard(&mut self) {
        if let Some(asked) = &self.asked {
            self.end_turn(asked.end);
        }
    }

    fn end_turn(&mut self, to: u64) {
        if let (Some(asked), Some(registration)) = (&mut self.asked, &self.registration) {
            let from = asked.from.take();
            // Otherwise the log was cleared, or has returned to a copy, since the turn began.
            if from == Some(registration.position.load(Ordering::Relaxed)) {
                registration.position.store(to, Ordering::Relaxed);
            }
        }
    }

    /// Forgets which items were read in this turn.
    pub(crate) fn read_nothing(&self) {
        if let Some(asked) = &self.asked
            && let Some(from) = asked.from
        {
            asked.position.store(from, Ordering::Relaxed);
        }
    }

    /// The number of items that were dropped unread before the last `attach`.
    pub(crate) fn missed(&self) -> u64 {
        self.missed
    }

    /// The position of an attached cursor.
    pub(crate) fn position(&self) -> &AtomicU64 {
        match (&self.asked, &self.registration) {
            (Some(asked), _) => &asked.position,
            (None, Some(registration)) => &registration.position,
            (None, None) => unreachable!("a cursor is attached before it is read"),
        }
    }
}

/// The place where a reader begins.
pub(crate) enum Start {
    /// Before all kept items.
    First,
    /// After them.
    End,
}

impl fmt::Debug for Cursor {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.registration.as_ref().map(|r| &r.position);
        f.debug_struct("Cursor")
            .field("position", &position)
            .finish_non_exhaustive()
    }
}

/// The positions of all readers of one [`Log`](super::Log).
///
/// Positions are atomic so that readers, which share the log, can advance concurrently. Relaxed accesses are enough:
/// comparing the positions of several readers takes exclusive access to the log, which is ordered after their accesses.
pub(crate) struct Readers {
    /// Distinguishes the logs of several worlds, and the logs before and after a resource was replaced.
    id: u64,
    positions: Mutex<ReaderPositions>,
    /// True if the list has positions.
    any: AtomicBool,
}

/// Positions of readers. At most half of them belong to dropped readers.
#[derive(Default)]
struct ReaderPositions {
    list: Vec<Weak<AtomicU64>>,
    /// The number of dropped readers in the list.
    dropped: usize,
}

impl ReaderPositions {
    /// Removes the positions of dropped readers, and positions that the function refuses.
    fn retain(&mut self, stays: &mut dyn FnMut(&Arc<AtomicU64>) -> bool) {
        self.list
            .retain(|position| position.upgrade().is_some_and(|position| stays(&position)));
        self.dropped = 0;
        if self.list.len() < self.list.capacity() / 4 {
            self.list.shrink_to(self.list.len() * 2);
        }
    }
}

impl Readers {
    fn register(self: &Arc<Self>, position: u64) -> Registration {
        let position = Arc::new(AtomicU64::new(position));
        let mut positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.list.push(Arc::downgrade(&position));
        self.any.store(true, Ordering::Relaxed);
        Registration {
            home: Arc::clone(self),
            position,
        }
    }

    /// Returns true if no reader is registered. A dropped reader counts until the next pass over the list.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any.load(Ordering::Relaxed)
    }

    /// The position of the slowest reader; `None` without readers.
    pub(crate) fn lowest(&self) -> Option<u64> {
        let mut lowest = None;
        self.retain_alive(&mut |position| {
            let position = position.load(Ordering::Relaxed);
            lowest = Some(lowest.map_or(position, |other: u64| other.min(position)));
        });
        lowest
    }

    /// Moves all readers to `target`.
    pub(crate) fn skip_to(&self, target: u64) {
        self.retain_alive(&mut |position| position.store(target, Ordering::Relaxed));
    }

    pub(crate) fn count(&self) -> usize {
        self.positions().len()
    }

    /// The positions of the readers, in the order of registration.
    pub(crate) fn positions(&self) -> Vec<u64> {
        let positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let alive = positions.list.iter().filter_map(Weak::upgrade);
        let positions = alive.map(|position| position.load(Ordering::Relaxed));
        positions.collect()
    }

    fn retain_alive(&self, visit: &mut dyn FnMut(&AtomicU64)) {
        let mut positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.retain(&mut |position| {
            visit(position);
            true
        });
        self.any
            .store(!positions.list.is_empty(), Ordering::Relaxed);
    }
}

impl Drop for Registration {
    /// O(1) amortised: the list is searched for dropped readers when they outnumber the others.
    fn drop(&mut self) {
        let readers = &self.home;
        let mut positions = readers
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.dropped += 1;
        if positions.dropped * 2 > positions.list.len() {
            positions.retain(&mut |position| !Arc::ptr_eq(position, &self.position));
            readers
                .any
                .store(!positions.list.is_empty(), Ordering::Relaxed);
        }
    }
}

impl Default for Readers {
    fn default() -> Self {
        static NEXT: StaticAtomicU64 = StaticAtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            positions: Mutex::default(),
            any: AtomicBool::new(false),
        }
    }
}
