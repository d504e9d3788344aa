//! Where a reader of events is.

use core::fmt;
use core::marker::PhantomData;

use super::{EventReader, Events};
use crate::invariant::Invariant;
use crate::log::Cursor;

/// How far one reader has read the events of one type.
///
/// A system's [`EventReader`] has one that lives as long as the system. To read events elsewhere keep a cursor, in a
/// `Local` or a struct of your own, and put it [on](Self::on) the events. Dropping the cursor unregisters the reader.
pub struct EventCursor<E> {
    pub(super) cursor: Cursor,
    of: Invariant<E>,
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
