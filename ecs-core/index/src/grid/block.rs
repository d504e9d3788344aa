//! Blocks of cells.

/// The cells from one to another, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CellBlock<const D: usize> {
    pub(super) low: [i32; D],
    pub(super) high: [i32; D],
}

/// Returns the cell of a coordinate, which is not a NaN. The function never decreases, so everything between two coordinates is
/// in or between their cells.
#[inline]
pub(super) fn cell_of(x: f64, size: f64) -> i32 {
    // Rounds down; the conversion saturates.
    let cell = (x / size).clamp(i32::MIN.into(), i32::MAX.into());
    let truncated = cell as i32;
    truncated - i32::from(f64::from(truncated) > cell)
}

impl<const D: usize> CellBlock<D> {
    /// Returns the cells of all places whose distance from `centre` is at most `radius`; `None` if there is no such place.
    pub(super) fn around(centre: [f32; D], radius: f64, size: f64) -> Option<Self> {
        // Distances are rounded: a place whose rounded distance is `radius` may be farther away by a part in 2^51.
        let reach = radius * (1.0 + 1e-15);
        let low = centre.map(|x| f64::from(x) - reach);
        let high = centre.map(|x| f64::from(x) + reach);
        Self::between(low, high, size)
    }

    /// Returns the cells of all places in a box; `None` if there is no such place.
    pub(super) fn between(low: [f64; D], high: [f64; D], size: f64) -> Option<Self> {
        // Not if one of them is a NaN.
        (0..D).all(|i| low[i] <= high[i]).then(|| Self {
            low: low.map(|x| cell_of(x, size)),
            high: high.map(|x| cell_of(x, size)),
        })
    }

    /// Returns the number of cells, or the greatest number if there are more.
    pub(super) fn len(&self) -> usize {
        let mut len = 1_usize;
        for (&low, &high) in self.low.iter().zip(&self.high) {
            let width = i64::from(high) - i64::from(low) + 1;
            len = len.saturating_mul(usize::try_from(width).unwrap_or(usize::MAX));
        }
        len
    }

    pub(super) fn contains(&self, cell: &[i32; D]) -> bool {
        (0..D).all(|i| self.low[i] <= cell[i] && cell[i] <= self.high[i])
    }

    /// Returns the cell after this one, the last coordinate first; `None` after the last cell.
    #[inline]
    pub(super) fn next(&self, mut cell: [i32; D]) -> Option<[i32; D]> {
        for i in (0..D).rev() {
            if cell[i] < self.high[i] {
                cell[i] += 1;
                return Some(cell);
            }
            cell[i] = self.low[i];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn cells_round_down_and_end_at_the_limits() {
        for (x, cell) in [
            (0.0, 0),
            (-0.0, 0),
            (3.9, 1),
            (4.0, 2),
            (-0.1, -1),
            (-2.0, -1),
            (-2.1, -2),
            (f64::from(f32::MAX), i32::MAX),
            (f64::from(f32::MIN), i32::MIN),
            (f64::INFINITY, i32::MAX),
            (f64::NEG_INFINITY, i32::MIN),
        ] {
            assert_eq!(cell_of(x, 2.0), cell, "{x}");
        }
        assert_eq!(cell_of(f64::from(i32::MIN) + 0.5, 1.0), i32::MIN);
    }

    #[test]
    fn a_block_has_all_its_cells_in_order() {
        let block = CellBlock {
            low: [-1, 2],
            high: [0, 4],
        };
        let cells: Vec<_> =
            core::iter::successors(Some(block.low), |&cell| block.next(cell)).collect();
        assert_eq!(cells.len(), block.len());
        assert!(cells.is_sorted() && cells.iter().all(|cell| block.contains(cell)));
        assert_eq!(cells.last(), Some(&block.high));
        assert!(!block.contains(&[-2, 2]) && !block.contains(&[0, 5]));
    }

    #[test]
    fn the_number_of_cells_does_not_overflow() {
        let all = CellBlock {
            low: [i32::MIN; 3],
            high: [i32::MAX; 3],
        };
        assert_eq!(all.len(), usize::MAX);
        assert_eq!(all.next(all.high), None);
    }

    #[test]
    fn a_block_around_a_nan_is_none() {
        assert_eq!(CellBlock::around([f32::NAN], 1.0, 1.0), None);
        assert_eq!(CellBlock::around([0.0], f64::NAN, 1.0), None);
        assert_eq!(CellBlock::around([0.0], -1.0, 1.0), None);
        assert_eq!(CellBlock::around([0.5], 0.0, 1.0).unwrap().len(), 1);
    }
}
