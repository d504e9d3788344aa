//! A queue of values that wait for a run or a time.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::{Ordering, Reverse};

use crate::data_type::DueAt;

/// Values that wait, each with the moment when it is due.
#[derive(Clone)]
pub(crate) struct DueQueue<T> {
    /// Those that wait for runs, and those that wait for times.
    heaps: [BinaryHeap<DueValue<T>>; 2],
}

#[derive(Clone)]
struct DueValue<T> {
    due: Reverse<DueAt>,
    value: T,
}

/// The greatest one is due first.
impl<T> Ord for DueValue<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.due.cmp(&other.due)
    }
}

impl<T> PartialOrd for DueValue<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> PartialEq for DueValue<T> {
    fn eq(&self, other: &Self) -> bool {
        self.due == other.due
    }
}

impl<T> Eq for DueValue<T> {}

impl<T> Default for DueQueue<T> {
    fn default() -> Self {
        let heaps = [BinaryHeap::new(), BinaryHeap::new()];
        Self { heaps }
    }
}

impl<T> DueQueue<T> {
    pub(crate) fn len(&self) -> usize {
        self.heaps.iter().map(BinaryHeap::len).sum()
    }

    fn heap(&mut self, due: DueAt) -> &mut BinaryHeap<DueValue<T>> {
        &mut self.heaps[usize::from(matches!(due, DueAt::Time(..)))]
    }

    /// O(log length).
    pub(crate) fn push(&mut self, due: DueAt, value: T) {
        let heap = self.heap(due);
        let due = Reverse(due);
        heap.push(DueValue { due, value });
    }

    /// Returns the moments of the next value that waits for a run, and of the next one that waits for a time.
    pub(crate) fn next(&self) -> [Option<DueAt>; 2] {
        let heaps = self.heaps.each_ref();
        heaps.map(|heap| heap.peek().map(|next| next.due.0))
    }

    /// Removes the next value that waits for a run, or for a time like this one. O(log length).
    pub(crate) fn pop(&mut self, due: DueAt) -> Option<T> {
        self.heap(due).pop().map(|next| next.value)
    }

    /// Returns all values in the order in which they are due, those for runs before those for times. O(length * log length).
    pub(crate) fn sorted(&self) -> Vec<(DueAt, &T)> {
        let waiting = self.heaps.iter().flatten();
        let refs = waiting.map(|DueValue { due, value }| DueValue { due: *due, value });
        let sorted = refs
            .collect::<BinaryHeap<_>>()
            .into_sorted_vec()
            .into_iter();
        let sorted = sorted.rev().map(|one| (one.due.0, one.value));
        sorted.collect()
    }

    /// The same by value.
    pub(crate) fn into_sorted(self) -> impl Iterator<Item = (DueAt, T)> {
        let heaps = self.heaps.into_iter();
        let sorted = heaps.flat_map(|heap| heap.into_sorted_vec().into_iter().rev());
        sorted.map(|one| (one.due.0, one.value))
    }
}
