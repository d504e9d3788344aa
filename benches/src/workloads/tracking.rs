//! A few of many values change, chosen at random, and exactly those are visited.

use crate::digest::Digest;
use crate::shuffle::shuffle;

/// The number of entities in the world; a hundredth of them change.
pub(crate) const ENTITIES: u32 = 100_000;

/// A world, its entities in a random order, and the sum of the visited values.
pub(crate) struct State<W, I> {
    pub(crate) world: W,
    ids: Vec<I>,
    /// The position of the entities that change next.
    next: usize,
    pub(crate) seen: Seen,
}

impl<W, I> State<W, I> {
    /// Takes the ids in the order of spawning.
    pub(crate) fn new(world: W, mut ids: Vec<I>) -> Self {
        shuffle(&mut ids);
        Self {
            world,
            ids,
            next: 0,
            seen: Seen::default(),
        }
    }

    /// Returns the world, the entities that change in this run, and the sum of the visited values.
    #[inline]
    pub(crate) fn turn(&mut self, changes: usize) -> (&mut W, &[I], &mut Seen) {
        if self.next + changes > self.ids.len() {
            self.next = 0;
        }
        let ids = &self.ids[self.next..self.next + changes];
        self.next += changes;
        (&mut self.world, ids, &mut self.seen)
    }
}

/// The sum of the visited values, independent of their order.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    count: u64,
    sum: u64,
}

impl Seen {
    /// Counts a changed value.
    #[inline]
    pub(crate) fn visit(&mut self, value: f32) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u64::from(value.to_bits()));
    }

    /// Returns the digest of the visited values and of all values.
    pub(crate) fn digest(self, values: impl IntoIterator<Item = f32>) -> u64 {
        let all = Digest::of(values.into_iter().map(|value| [value]));
        all ^ self.sum.rotate_left(1) ^ self.count.rotate_left(32)
    }
}

/// Returns the value of the `number`th entity.
pub(crate) const fn value(number: u32) -> f32 {
    number as f32
}

/// Returns the digest of all values.
pub(crate) fn values() -> impl Iterator<Item = f32> {
    (0..ENTITIES).map(value)
}
