//! The order of rows: sorting them, and agents that look up those in the neighbouring cells of a grid.

use crate::components::Position;
use crate::shuffle::shuffle;

/// A world whose rows are sorted in another order in each run.
pub(crate) struct Sorted<W> {
    pub(crate) world: W,
    pub(crate) round: u32,
}

/// Returns the key of a row in a round.
#[inline]
pub(crate) fn key(position: &Position, round: u32) -> u32 {
    let mixed = (position.0.x.to_bits() ^ round).wrapping_mul(0x9e37_79b1);
    (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca77)
}

/// Returns a digest of keys that depends on their order.
pub(crate) fn digest<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    positions.into_iter().fold(0, |digest: u64, position| {
        digest.wrapping_mul(0x0000_0100_0000_01b3) ^ u64::from(key(position, 0))
    })
}

/// The values of an agent that its neighbours read.
#[derive(Clone, Copy)]
pub(crate) struct Body(pub(crate) [f32; 8]);

impl Body {
    /// Returns the body of the `number`th agent: small integers, whose sums are exact.
    pub(crate) fn of(number: usize) -> Self {
        Self([(number % 1000) as f32; 8])
    }
}

/// A square grid with an agent in each cell.
pub(crate) struct Grid<I> {
    side: usize,
    agents: Vec<I>,
}

/// Returns the cell of each of as many agents as fit into a square grid, in random order.
pub(crate) fn cells(elements: u32) -> Vec<u32> {
    let side = elements.isqrt();
    let mut cells: Vec<u32> = (0..side * side).collect();
    shuffle(&mut cells);
    cells
}

impl<I: Copy> Grid<I> {
    /// Makes the grid of agents, each in its cell.
    pub(crate) fn new(cells: &[u32], ids: &[I]) -> Self {
        let mut agents = ids.to_vec();
        for (&cell, &id) in cells.iter().zip(ids) {
            agents[cell as usize] = id;
        }
        let side = cells.len().isqrt();
        Self { side, agents }
    }

    /// Adds up the values of the agents in a cell and those around it.
    #[inline]
    pub(crate) fn sum_around(&self, cell: u32, mut get: impl FnMut(I) -> f32) -> f32 {
        let (x, y) = (cell as usize % self.side, cell as usize / self.side);
        let around = |n: usize| n.saturating_sub(1)..(n + 2).min(self.side);
        let mut sum = 0.0;
        for y in around(y) {
            for &agent in &self.agents[y * self.side..][around(x)] {
                sum += get(agent);
            }
        }
        sum
    }
}
