//! The log itself.

use alloc::collections::{VecDeque, vec_deque};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::iter::FusedIterator;

use super::cursor::{Cursor, Readers, Start};
use crate::bytes::Bytes;
use crate::sync::{AtomicU64, Ordering};

/// Items that a reader may still have to read.
///
/// Items are numbered in order. Each registered reader has a position, and an item is kept until all of them are past
/// it, or until the bound is exceeded.
pub(crate) struct Log<E> {
    kept: VecDeque<E>,
    /// The number of the first kept item, which is also the number of items dropped so far.
    first: u64,
    bound: usize,
    readers: Arc<Readers>,
}

impl<E: Clone> Clone for Log<E> {
    /// Returns a log without readers, with the items that some reader has not read.
    fn clone(&self) -> Self {
        let read = self.read_by_all();
        Self {
            kept: self.kept.range(read..).cloned().collect(),
            first: self.first + read as u64,
            bound: self.bound,
            readers: Arc::default(),
        }
    }

    /// Replaces the items by the other log's unread ones, and keeps the readers.
    fn clone_from(&mut self, other: &Self) {
        let read = other.read_by_all();
        self.kept.clear();
        self.kept.extend(other.kept.range(read..).cloned());
        (self.first, self.bound) = (other.first + read as u64, other.bound);
    }
}

impl<E: Clone> Log<E> {
    /// Returns to the items of a copy, with their numbers. All of them count as read by the registered readers.
    pub(crate) fn return_to(&mut self, copy: &Self) {
        self.clone_from(copy);
        self.readers.skip_to(self.end());
    }
}

impl<E> Log<E> {
    /// An empty log, which keeps at most `bound` items. `bound` must not be 0.
    pub(crate) fn new(bound: usize, readers: Arc<Readers>) -> Self {
        Self {
            kept: VecDeque::new(),
            first: 0,
            bound,
            readers,
        }
    }

    /// A log without readers that keeps some items, of which the first one has a number. There are at most as many as the
    /// bound.
    pub(crate) fn of_parts(first: u64, bound: usize, kept: VecDeque<E>) -> Self {
        debug_assert!(kept.len() <= bound && bound > 0);
        Self {
            kept,
            first,
            bound,
            readers: Arc::default(),
        }
    }

    /// The number of the first kept item, the bound, and the kept items.
    pub(crate) fn parts(&self) -> (u64, usize, &VecDeque<E>) {
        (self.first, self.bound, &self.kept)
    }

    /// Changes the number of the first kept item of a log that has no readers.
    pub(crate) fn start_at(&mut self, first: u64) {
        debug_assert!(self.readers.is_empty());
        self.first = first;
    }

    /// Adds an item; without readers it is kept for future ones. Amortised O(1), provided that there are fewer readers
    /// than items.
    pub(crate) fn push(&mut self, item: E) {
        // Dropped at the end, because `E`'s destructor may panic.
        let mut _oldest = None;
        if self.kept.len() == self.bound {
            self.first += 1;
            _oldest = self.kept.pop_front();
        } else if self.kept.len() == self.kept.capacity() {
            // Only done before the buffer grows, so rarely: all readers may have read some of its items.
            self.drop_read();
        }
        self.kept.push_back(item);
    }

    /// Like [`push`](Self::push), but drops the item if there are no readers.
    #[inline]
    pub(crate) fn push_if_read(&mut self, item: E) {
        if !self.readers.is_empty() {
            self.push(item);
            if self.readers.is_empty() {
                // `push` has found that the last reader was dropped.
                self.clear();
            }
        }
    }

    /// Drops the items that every registered reader has read. O(readers + dropped items).
    pub(crate) fn drop_read(&mut self) {
        let read = self.read_by_all();
        if read > 0 {
            self.first += read as u64;
            self.kept.drain(..read);
        }
    }

    /// Counts the kept items that every registered reader has read; none without readers. O(readers).
    fn read_by_all(&self) -> usize {
        self.readers.lowest().map_or(0, |lowest| {
            // A reader's position is between the first kept item and the end, or earlier if it missed some.
            let read = lowest.saturating_sub(self.first);
            usize::try_from(read).map_or(self.kept.len(), |n| n.min(self.kept.len()))
        })
    }

    /// The number of the first kept item that a registered reader has not read; of the first one without readers. O(readers).
    pub(crate) fn first_unread(&self) -> u64 {
        self.first + self.read_by_all() as u64
    }

    /// The kept items that a registered reader has not read; all without readers. O(readers).
    #[cfg(feature = "data")]
    pub(crate) fn unread_by_any(&self) -> vec_deque::Iter<'_, E> {
        self.kept.range(self.read_by_all()..)
    }

    /// For each reader, the number of kept items that it has not read.
    pub(crate) fn unread_by_readers(&self) -> Vec<usize> {
        let positions = self.readers.positions().into_iter();
        let unread = positions.map(|position| self.end().saturating_sub(position.max(self.first)));
        unread
            .map(|unread| usize::try_from(unread).unwrap_or(usize::MAX))
            .collect()
    }

    /// All kept items.
    #[cfg(feature = "data")]
    pub(crate) fn into_kept(self) -> vec_deque::IntoIter<E> {
        self.kept.into_iter()
    }

    /// Drops all items, read or not; readers do not count them as missed.
    pub(crate) fn clear(&mut self) {
        self.first = self.end();
        self.readers.skip_to(self.first);
        self.kept.clear();
    }

    /// Exchanges the items with another log. All items count as read by the registered readers.
    pub(crate) fn exchange(&mut self, other: &mut Self) {
        self.exchange_items(other);
        self.readers.skip_to(self.end());
    }

    /// Exchanges the items with another log. The registered readers stay where they are.
    pub(crate) fn exchange_items(&mut self, other: &mut Self) {
        core::mem::swap(&mut self.kept, &mut other.kept);
        core::mem::swap(&mut self.first, &mut other.first);
    }

    /// Moves all readers to the beginning of a new log that takes the place of this one.
    pub(crate) fn end_readers(&self) {
        self.readers.skip_to(0);
    }

    pub(crate) fn len(&self) -> usize {
        self.kept.len()
    }

    /// Counts the kept items.
    pub(crate) fn bytes(&self) -> Bytes {
        Bytes::of_values(self.kept.len(), self.kept.capacity(), size_of::<E>())
    }

    /// Drops the items that every registered reader has read, and gives back the memory that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.drop_read();
        self.kept.shrink_to_fit();
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

    /// Registers `cursor` here, before all kept items, unless it is registered; moves it past items that were dropped.
    pub(crate) fn attach(&self, cursor: &mut Cursor) {
        cursor.attach(&self.readers, [self.first, self.end()], Start::First);
    }

    /// Registers `cursor` here, after all kept items, unless it is registered; moves it past items that were dropped.
    pub(crate) fn attach_at_end(&self, cursor: &mut Cursor) {
        cursor.attach(&self.readers, [self.first, self.end()], Start::End);
    }

    /// The items that an attached cursor has not read.
    pub(crate) fn unread<'a>(&'a self, cursor: &'a Cursor) -> UnreadItems<'a, E> {
        let position = cursor.position();
        // Not past the end either, unless the cursor has since been moved by another log.
        let skip = position.load(Ordering::Relaxed) - self.first;
        let skip = usize::try_from(skip).unwrap_or(usize::MAX);
        UnreadItems {
            unread: self.kept.range(skip.min(self.kept.len())..),
            position,
        }
    }

    /// Moves a cursor past all items.
    pub(crate) fn skip_all(&self, cursor: &Cursor) {
        cursor.position().store(self.end(), Ordering::Relaxed);
    }

    /// The number of the next item.
    fn end(&self) -> u64 {
        self.first + self.kept.len() as u64
    }
}

/// Iterator over unread items; each counts as read when it is yielded.
pub(crate) struct UnreadItems<'a, E> {
    unread: vec_deque::Iter<'a, E>,
    position: &'a AtomicU64,
}

impl<'a, E> UnreadItems<'a, E> {
    /// The remaining items, which stay unread.
    pub(crate) fn peek(&self) -> vec_deque::Iter<'a, E> {
        self.unread.clone()
    }
}

impl<'a, E> Iterator for UnreadItems<'a, E> {
    type Item = &'a E;

    #[inline]
    fn next(&mut self) -> Option<&'a E> {
        let item = self.unread.next()?;
        // A load and a store instead of an atomic addition, which is slower: no other code moves this position
        // meanwhile.
        let next = self.position.load(Ordering::Relaxed) + 1;
        self.position.store(next, Ordering::Relaxed);
        Some(item)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.unread.size_hint()
    }
}

impl<E> ExactSizeIterator for UnreadItems<'_, E> {}

impl<E> FusedIterator for UnreadItems<'_, E> {}
