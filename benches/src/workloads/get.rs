//! Look-ups of one component by entity, in a random order.

use crate::shuffle::shuffle;

/// A world, the ids to look up, and the sum of the found values.
pub(crate) struct State<W, I> {
    pub(crate) world: W,
    pub(crate) ids: Vec<I>,
    pub(crate) sum: u64,
}

impl<W, I> State<W, I> {
    /// Takes the ids in the order of spawning, so that the shuffled lists of all peers name the same rows.
    pub(crate) fn new(world: W, mut ids: Vec<I>) -> Self {
        shuffle(&mut ids);
        Self { world, ids, sum: 0 }
    }
}

/// Looks up all ids and sums the values; `u64::MAX` if an id is not found.
///
/// Adds bits, not floats: the latency of dependent float additions would hide the latency of the look-ups.
#[inline]
pub(crate) fn sum_of<I: Copy>(ids: &[I], mut get: impl FnMut(I) -> Option<f32>) -> u64 {
    let mut sum = 0_u64;
    for &id in ids {
        let Some(x) = get(id) else {
            return u64::MAX;
        };
        sum = sum.wrapping_add(u64::from(x.to_bits()));
    }
    sum
}
