//! Where a reader is, and the list of all readers.

use core::fmt;
use core::marker::PhantomData;
use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::{EventReader, Events};

/// How far one reader has read the events of one type.
///
/// A system's [`EventReader`] has one that lives as long as the system. To read events elsewhere keep a cursor, in a
/// `Local` or a struct of your own, and put it [on](Self::on) the events. Dropping the cursor unregisters the reader.
pub struct EventCursor<E> {
    registration: Option<Registration>,
    missed: u64,
    of: PhantomData<fn() -> E>,
}

struct Registration {
    /// The [`Readers`] that the position is registered with.
    home: u64,
    /// The number of the next event to be read.
    ///
    /// Written only through the `&mut EventCursor` behind an [`EventReader`], or by whoever has the events to himself.
    position: Arc<AtomicU64>,
}

impl<E> EventCursor<E> {
    /// A reader of `events` that goes on where this cursor is.
    ///
    /// The first time, and again when it is put on events of another world, the cursor is registered and goes to the
    /// oldest event that is kept.
    pub fn on<'a>(&'a mut self, events: &'a Events<E>) -> EventReader<'a, E> {
        events.attach(self);
        EventReader::new(events, self)
    }

    pub(super) fn attach(&mut self, readers: &Readers, first: u64) {
        self.missed = 0;
        match &self.registration {
            Some(registration) if registration.home == readers.id => {
                let position = registration.position.load(Ordering::Relaxed);
                if position < first {
                    self.missed = first - position;
                    registration.position.store(first, Ordering::Relaxed);
                }
            }
            _ => self.registration = Some(readers.register(first)),
        }
    }

    /// How many events were dropped unread before the last `attach`.
    pub(super) fn missed(&self) -> u64 {
        self.missed
    }

    /// The position of a cursor that was attached.
    pub(super) fn position(&self) -> &AtomicU64 {
        let registration = self.registration.as_ref();
        &registration
            .expect("a reader is made after its cursor was attached")
            .position
    }
}

impl<E> Default for EventCursor<E> {
    fn default() -> Self {
        Self {
            registration: None,
            missed: 0,
            of: PhantomData,
        }
    }
}

impl<E> fmt::Debug for EventCursor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let position = self.registration.as_ref().map(|r| &r.position);
        f.debug_struct("EventCursor")
            .field("position", &position)
            .finish_non_exhaustive()
    }
}

/// The positions of all readers of one [`Events`].
///
/// Positions are atomic so that readers, who share the events, can move on at the same time. Relaxed accesses are
/// enough: whoever compares the positions of several readers has the events to himself, and the run-time borrow that
/// gave them to him came after those of the readers.
pub(super) struct Readers {
    /// Tells apart the events of several worlds, or of before and after the resource was replaced.
    id: u64,
    /// The positions of dropped readers stay in the list, dead, until somebody goes through it.
    positions: Mutex<Vec<Weak<AtomicU64>>>,
}

impl Readers {
    fn register(&self, position: u64) -> Registration {
        let position = Arc::new(AtomicU64::new(position));
        let mut positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.push(Arc::downgrade(&position));
        Registration {
            home: self.id,
            position,
        }
    }

    /// The position of the reader that is furthest behind; `None` without readers.
    pub(super) fn lowest(&mut self) -> Option<u64> {
        let mut lowest = None;
        self.retain_alive(|position| {
            let position = position.load(Ordering::Relaxed);
            lowest = Some(lowest.map_or(position, |other: u64| other.min(position)));
        });
        lowest
    }

    /// Moves all readers to `target`.
    pub(super) fn skip_to(&mut self, target: u64) {
        self.retain_alive(|position| position.store(target, Ordering::Relaxed));
    }

    pub(super) fn count(&self) -> usize {
        let positions = self
            .positions
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        positions.iter().filter(|p| p.strong_count() > 0).count()
    }

    fn retain_alive(&mut self, mut visit: impl FnMut(&AtomicU64)) {
        let positions = self
            .positions
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner);
        positions.retain(|position| match position.upgrade() {
            Some(position) => {
                visit(&position);
                true
            }
            None => false,
        });
    }
}

impl Default for Readers {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            positions: Mutex::default(),
        }
    }
}
