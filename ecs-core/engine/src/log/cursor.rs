//! The position of a reader, and the list of all readers.

use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::fmt;

use crate::sync::{AtomicBool, AtomicU64, Mutex, Ordering, PoisonError, StaticAtomicU64};

/// The progress of one reader of a log. Dropping it unregisters the reader.
#[derive(Default)]
pub(crate) struct Cursor {
    registration: Option<Registration>,
    missed: u64,
    /// Where it is when it is registered next, if that is not the start.
    resumes_at: Option<u64>,
}

/// The position that a reader had: the log that it was registered with, and the number of the item that came next. `None` if it
/// was not registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CursorCopy(Option<(u64, u64)>);

struct Registration {
    /// The [`Readers`] that the position is registered with.
    home: u64,
    /// The number of the next item to be read.
    ///
    /// Written only through the reader's `&mut Cursor`, or under exclusive access to the log.
    position: Arc<AtomicU64>,
}

impl Cursor {
    /// Registers the cursor at `start` unless it is registered here, and moves it to `first` if it is behind.
    pub(crate) fn attach(&mut self, readers: &Readers, first: u64, start: u64) {
        self.missed = 0;
        match &self.registration {
            Some(registration) if registration.home == readers.id => {
                let position = registration.position.load(Ordering::Relaxed);
                if position < first {
                    self.missed = first - position;
                    registration.position.store(first, Ordering::Relaxed);
                }
            }
            _ => {
                let start = self.resumes_at.take().unwrap_or(start).max(first);
                self.registration = Some(readers.register(start));
            }
        }
    }

    /// Returns the position, to be returned to.
    pub(crate) fn copy(&self) -> CursorCopy {
        let registration = self.registration.as_ref();
        CursorCopy(registration.map(|of| (of.home, of.position.load(Ordering::Relaxed))))
    }

    /// Returns to a position, in a log that has returned to what it was then.
    pub(crate) fn return_to(&mut self, CursorCopy(copy): CursorCopy) {
        self.resumes_at = None;
        match (copy, &self.registration) {
            (Some((home, position)), Some(registration)) if registration.home == home => {
                registration.position.store(position, Ordering::Relaxed);
            }
            (copy, _) => {
                self.registration = None;
                self.resumes_at = copy.map(|(_, position)| position);
            }
        }
    }

    /// The number of items that were dropped unread before the last `attach`.
    pub(crate) fn missed(&self) -> u64 {
        self.missed
    }

    /// The position of an attached cursor.
    pub(crate) fn position(&self) -> &AtomicU64 {
        let registration = self.registration.as_ref();
        &registration
            .expect("a cursor is attached before it is read")
            .position
    }
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
    /// Distinguishes the logs of several worlds, and those before and after a resource was replaced.
    id: u64,
    /// Positions of dropped readers stay in the list, dead, until the next pass over it.
    positions: Mutex<Vec<Weak<AtomicU64>>>,
    /// True if the list has positions.
    any: AtomicBool,
}

impl Readers {
    fn register(&self, position: u64) -> Registration {
        let position = Arc::new(AtomicU64::new(position));
        let mut positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.push(Arc::downgrade(&position));
        self.any.store(true, Ordering::Relaxed);
        Registration {
            home: self.id,
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
        let positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let mut count = 0;
        for position in &*positions {
            count += usize::from(position.strong_count() > 0);
        }
        count
    }

    fn retain_alive(&self, visit: &mut dyn FnMut(&AtomicU64)) {
        let mut positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.retain(|position| match position.upgrade() {
            Some(position) => {
                visit(&position);
                true
            }
            None => false,
        });
        self.any.store(!positions.is_empty(), Ordering::Relaxed);
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
