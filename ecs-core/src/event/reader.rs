//! Reading events.

use core::fmt;
use core::iter::FusedIterator;
use core::sync::atomic::{AtomicU64, Ordering};
use std::collections::vec_deque;

use super::{EventCursor, Events};

/// Reads the events of one type that this reader has not read yet, oldest first; a system parameter.
///
/// Systems that read the same events can run at the same time. See [`Events`] for when a reader registers and how long
/// events are kept. Outside systems a reader is made by [`EventCursor::on`].
pub struct EventReader<'g, E> {
    events: &'g Events<E>,
    /// Mutably, so that there is one reader per cursor at a time.
    cursor: &'g mut EventCursor<E>,
}

impl<'g, E> EventReader<'g, E> {
    /// `cursor` was attached to `events`.
    pub(crate) fn new(events: &'g Events<E>, cursor: &'g mut EventCursor<E>) -> Self {
        Self { events, cursor }
    }

    fn position(&self) -> u64 {
        self.cursor.position().load(Ordering::Relaxed)
    }

    /// The unread events in the order in which they were sent.
    ///
    /// An event counts as read when the iterator hands it out: what is left when the iterator is dropped comes next
    /// time.
    pub fn read(&mut self) -> ReadEvents<'_, E> {
        ReadEvents {
            unread: self.events.from(self.position()),
            position: self.cursor.position(),
        }
    }

    /// The number of unread events. O(1).
    #[must_use]
    pub fn len(&self) -> usize {
        self.events.from(self.position()).len()
    }

    /// Whether there is nothing to read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Counts all events as read.
    pub fn clear(&mut self) {
        let end = self.events.end();
        self.cursor.position().store(end, Ordering::Relaxed);
    }

    /// How many events this reader will never see, because too many came since its last run for [the
    /// bound](Events#the-bound).
    ///
    /// Counts anew for each run of the system; 0 unless the reader is run much more rarely than events are sent.
    #[must_use]
    pub fn missed(&self) -> u64 {
        self.cursor.missed()
    }
}

impl<E: fmt::Debug> fmt::Debug for EventReader<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list()
            .entries(self.events.from(self.position()))
            .finish()
    }
}

/// Iterator over the unread events; see [`EventReader::read`].
pub struct ReadEvents<'a, E> {
    unread: vec_deque::Iter<'a, E>,
    position: &'a AtomicU64,
}

impl<'a, E> Iterator for ReadEvents<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        let event = self.unread.next()?;
        // Load and store instead of an atomic addition, which is slower: nobody else moves this position meanwhile.
        let next = self.position.load(Ordering::Relaxed) + 1;
        self.position.store(next, Ordering::Relaxed);
        Some(event)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.unread.size_hint()
    }
}

impl<E> ExactSizeIterator for ReadEvents<'_, E> {}

impl<E> FusedIterator for ReadEvents<'_, E> {}

impl<E: fmt::Debug> fmt::Debug for ReadEvents<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.unread.clone()).finish()
    }
}
