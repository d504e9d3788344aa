//! Pairs of entities of a join.

use alloc::vec::Vec;
/// Calls `f` with each pair of items, in order.
///
/// The items are collected first; `f` gets a reference to one that was taken out of that list, and one into the rest of
/// it. The first is a local variable, so that an item that is a reference stays in a register.
#[inline]
pub(crate) fn for_each_pair<I>(items: impl Iterator<Item = I>, mut f: impl FnMut(&mut I, &mut I)) {
    let mut items = items.collect::<Vec<I>>().into_iter();
    while let Some(mut first) = items.next() {
        for second in items.as_mut_slice() {
            f(&mut first, second);
        }
    }
}

/// Iterator over the pairs of items of a join; see [`Join::iter_combinations`](super::Join::iter_combinations).
#[derive(Clone, Debug)]
pub struct Combinations<I> {
    items: Vec<I>,
    /// Invariant 1: the indices of the next pair, with `first < second`; there is none if `second` is beyond the items.
    first: usize,
    second: usize,
}

impl<I> Combinations<I> {
    pub(crate) fn new(items: impl Iterator<Item = I>) -> Self {
        Self {
            items: items.collect(),
            first: 0,
            second: 1,
        }
    }
}

impl<I: Clone> Iterator for Combinations<I> {
    type Item = (I, I);

    #[inline]
    fn next(&mut self) -> Option<(I, I)> {
        let second = self.items.get(self.second)?.clone();
        let first = self.items[self.first].clone();
        self.second += 1;
        if self.second == self.items.len() {
            self.first += 1;
            self.second = self.first + 1;
        }
        Some((first, second))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        // The pairs left with `first`, and all pairs of the items after it.
        let pairs_of_first = self.items.len().saturating_sub(self.second);
        let after = self.items.len().saturating_sub(self.first + 1);
        let left = pairs_of_first + after * after.saturating_sub(1) / 2;
        (left, Some(left))
    }
}

impl<I: Clone> ExactSizeIterator for Combinations<I> {}
