//! The list.

use core::iter::FusedIterator;
use std::collections::{VecDeque, vec_deque};
use std::sync::Arc;

use super::cursor::{Cursor, Readers};
use crate::sync::{AtomicU64, Ordering};

/// Items that somebody may still have to read.
///
/// Items are numbered in order. Each registered reader has a position, and an item is kept until all of them are past
/// it, or until there are too many.
pub(crate) struct Log<E> {
    kept: VecDeque<E>,
    /// The number of the first kept item; it is the number of items that were dropped.
    first: u64,
    bound: usize,
    readers: Arc<Readers>,
}

impl<E> Log<E> {
    /// Nothing yet, and never more than `bound` items at a time, which is not 0.
    pub(crate) fn new(bound: usize, readers: Arc<Readers>) -> Self {
        Self {
            kept: VecDeque::new(),
            first: 0,
            bound,
            readers,
        }
    }

    /// Adds an item, and keeps it for readers to come if there are none. Amortised O(1), where there are fewer readers
    /// than items.
    pub(crate) fn push(&mut self, item: E) {
        if self.kept.len() == self.bound {
            // Counted first: `E`'s destructor may panic.
            self.first += 1;
            self.kept.pop_front();
        } else if self.kept.len() == self.kept.capacity() {
            // Before the buffer grows, and hence seldom: perhaps it holds items that everybody has read.
            self.drop_read();
        }
        self.kept.push_back(item);
    }

    /// As [`push`](Self::push), if there are readers; without any, nothing is kept.
    #[inline]
    pub(crate) fn push_if_read(&mut self, item: E) {
        if !self.readers.is_empty() {
            self.push(item);
            if self.readers.is_empty() {
                // The last one was dropped, as was found now.
                self.clear();
            }
        }
    }

    /// Drops the items that every registered reader has read. O(readers + dropped items).
    pub(crate) fn drop_read(&mut self) {
        if let Some(lowest) = self.readers.lowest() {
            // A reader's position is between the first kept item and the end, or before it if it missed some.
            let read = lowest.saturating_sub(self.first);
            let read = usize::try_from(read).map_or(self.kept.len(), |n| n.min(self.kept.len()));
            self.first += read as u64;
            self.kept.drain(..read);
        }
    }

    /// Drops all items, read or not; nobody counts them as missed.
    pub(crate) fn clear(&mut self) {
        self.first = self.end();
        self.readers.skip_to(self.first);
        self.kept.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    pub(crate) const fn bound(&self) -> usize {
        self.bound
    }

    pub(crate) fn readers(&self) -> &Readers {
        &self.readers
    }

    /// All kept items.
    pub(crate) fn kept(&self) -> &VecDeque<E> {
        &self.kept
    }

    /// Registers `cursor` here unless it is, before all kept items, and moves it past items that were dropped.
    pub(crate) fn attach(&self, cursor: &mut Cursor) {
        cursor.attach(&self.readers, self.first, self.first);
    }

    /// Registers `cursor` here unless it is, behind all kept items, and moves it past items that were dropped.
    pub(crate) fn attach_at_end(&self, cursor: &mut Cursor) {
        cursor.attach(&self.readers, self.first, self.end());
    }

    /// What a cursor that was attached has not read.
    pub(crate) fn unread<'a>(&'a self, cursor: &'a Cursor) -> Unread<'a, E> {
        let position = cursor.position();
        // Not past the end either, unless the cursor was moved on by another log meanwhile.
        let skip = position.load(Ordering::Relaxed) - self.first;
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        Unread {
            unread: self.kept.range(skip.min(self.kept.len())..),
            position,
        }
    }

    /// Moves a cursor past all items.
    pub(crate) fn skip_all(&self, cursor: &Cursor) {
        cursor.position().store(self.end(), Ordering::Relaxed);
    }

    /// The number that the next item gets.
    fn end(&self) -> u64 {
        self.first + self.kept.len() as u64
    }
}

/// Iterator over unread items; each counts as read when it is handed out.
pub(crate) struct Unread<'a, E> {
    unread: vec_deque::Iter<'a, E>,
    position: &'a AtomicU64,
}

impl<'a, E> Unread<'a, E> {
    /// The items that are left, which stay unread.
    pub(crate) fn peek(&self) -> vec_deque::Iter<'a, E> {
        self.unread.clone()
    }
}

impl<'a, E> Iterator for Unread<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        let item = self.unread.next()?;
        // Load and store instead of an atomic addition, which is slower: nobody else moves this position meanwhile.
        let next = self.position.load(Ordering::Relaxed) + 1;
        self.position.store(next, Ordering::Relaxed);
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.unread.size_hint()
    }
}

impl<E> ExactSizeIterator for Unread<'_, E> {}

impl<E> FusedIterator for Unread<'_, E> {}
