//! Each two entities of a join.

/// Calls `f` with each two items, in order.
///
/// The items are collected first: what `f` gets are references to one that was taken out of that list, and into what is
/// left of it. The one is a variable and not a place in the list, so a reference that it is stays in a register.
#[inline]
pub(crate) fn for_each_pair<I>(items: impl Iterator<Item = I>, mut f: impl FnMut(&mut I, &mut I)) {
    let mut items = items.collect::<Vec<I>>().into_iter();
    while let Some(mut first) = items.next() {
        for second in items.as_mut_slice() {
            f(&mut first, second);
        }
    }
}

/// Iterator over each two items of a join; see [`Join::iter_combinations`](super::Join::iter_combinations).
#[derive(Clone, Debug)]
pub struct Combinations<I> {
    items: Vec<I>,
    /// Invariant 1: the next pair, of which `first < second`; there is none if `second` is beyond the items.
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
        // Those of `first`, and all of the items behind it.
        let row = self.items.len().saturating_sub(self.second);
        let behind = self.items.len().saturating_sub(self.first + 1);
        let left = row + behind * behind.saturating_sub(1) / 2;
        (left, Some(left))
    }
}

impl<I: Clone> ExactSizeIterator for Combinations<I> {}
