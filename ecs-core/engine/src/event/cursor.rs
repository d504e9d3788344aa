//! The position of a reader of events.

use core::fmt;
use core::marker::PhantomData;

use super::{EventReader, Events};
use crate::invariant::Invariant;
use crate::log::Cursor;

/// The progress of one reader of the events of one type.
///
/// A system's [`EventReader`] has one that lives as long as the system. To read events elsewhere, keep a cursor in a `Local`
/// or in your own struct, and read the events [with it](Self::on). Dropping the cursor unregisters the reader.
pub struct EventCursor<E> {
    pub(super) cursor: Cursor,
    of: Invariant<E>,
}

impl<E> EventCursor<E> {
    /// Returns a reader of `events` that continues at this cursor.
    ///
    /// The first call registers the cursor and moves it to the oldest kept event. So does a call with the events of another
    /// world.
    pub fn on<'a>(&'a mut self, events: &'a Events<E>) -> EventReader<'a, E> {
        events.attach(self);
        EventReader::new(events, self)
    }

    /// The position itself.
    pub(crate) fn position(&mut self) -> &mut Cursor {
        &mut self.cursor
    }
}

impl<E> Default for EventCursor<E> {
    fn default() -> Self {
        Self {
            cursor: Cursor::default(),
            of: PhantomData,
        }
    }
}

impl<E> fmt::Debug for EventCursor<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EventCursor").field(&self.cursor).finish()
    }
}
