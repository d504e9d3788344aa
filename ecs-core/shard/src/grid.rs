//! `Grid`: a flat area in square cells.

/// A flat area in square cells of one size, from the origin on. Shards own columns of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    columns: u32,
    rows: u32,
    cell: f32,
    /// `1 / cell`: a multiplication is faster than a division.
    per_cell: f32,
    wraps: bool,
}

impl Grid {
    /// Returns a square of `cells` times `cells` whose opposite edges are joined: who leaves it to the left comes in from the right.
    ///
    /// # Panics
    /// If there is no cell, or the size of a cell is not a positive number.
    #[must_use]
    pub fn torus(cells: u32, cell: f32) -> Self {
        Self {
            wraps: true,
            ..Self::bounded(cells, cells, cell)
        }
    }

    /// Returns an area with edges. Positions outside count as in the nearest cell.
    ///
    /// # Panics
    /// If there is no cell, or the size of a cell is not a positive number.
    #[must_use]
    pub fn bounded(columns: u32, rows: u32, cell: f32) -> Self {
        assert!(columns > 0 && rows > 0, "a grid has at least one cell");
        assert!(
            cell > 0.0 && cell.is_finite(),
            "the size of a cell is a positive number, and not {cell}"
        );
        Self {
            columns,
            rows,
            cell,
            per_cell: 1.0 / cell,
            wraps: false,
        }
    }

    /// Returns the number of columns.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> u32 {
        self.columns
    }

    /// Returns the number of rows.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Returns the size of a cell.
    #[inline]
    #[must_use]
    pub fn cell(&self) -> f32 {
        self.cell
    }

    /// Returns the width and the height.
    #[inline]
    #[must_use]
    pub fn size(&self) -> [f32; 2] {
        [
            self.columns as f32 * self.cell,
            self.rows as f32 * self.cell,
        ]
    }

    /// Returns true if opposite edges are joined.
    #[inline]
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// Returns the column of a position.
    #[inline]
    pub(crate) fn column_of(&self, position: [f32; 2]) -> u32 {
        self.along(position[0], self.columns)
    }

    /// Returns the column and the row of the cell with a position.
    #[inline]
    #[must_use]
    pub fn cell_of(&self, position: [f32; 2]) -> [u32; 2] {
        [
            self.along(position[0], self.columns),
            self.along(position[1], self.rows),
        ]
    }

    #[inline]
    fn along(&self, at: f32, cells: u32) -> u32 {
        let at = at * self.per_cell;
        // Most positions are inside. The conversion makes 0 of negative numbers and of NaN.
        let number = at as u32;
        match at >= 0.0 && number < cells {
            true => number,
            false => self.outside(at, cells),
        }
    }

    /// Returns the cell that counts for a place outside. Not inlined, so that other places need no registers for it.
    #[cold]
    #[inline(never)]
    fn outside(&self, at: f32, cells: u32) -> u32 {
        let cell = match self.wraps {
            true => at.rem_euclid(cells as f32),
            false => at,
        };
        (cell as u32).min(cells - 1)
    }

    /// Returns the way from one position to another; the shortest one, if edges are joined, however often the positions went around.
    ///
    /// ```
    /// use ecs_core::shard::Grid;
    ///
    /// let grid = Grid::torus(8, 1.0);
    /// assert_eq!(grid.offset([7.5, 1.0], [0.5, 3.0]), [1.0, 2.0]);
    /// ```
    #[inline]
    #[must_use]
    pub fn offset(&self, from: [f32; 2], to: [f32; 2]) -> [f32; 2] {
        let mut offset = [to[0] - from[0], to[1] - from[1]];
        if self.wraps {
            for (offset, size) in offset.iter_mut().zip(self.size()) {
                let half = size * 0.5;
                if *offset > half {
                    *offset -= size;
                } else if *offset < -half {
                    *offset += size;
                } else {
                    continue;
                }
                if offset.abs() > half {
                    *offset = shortest(*offset, size);
                }
            }
        }
        offset
    }

    /// Returns the number of cells that a distance reaches beyond a cell.
    pub(crate) fn reach(&self, distance: f32) -> u32 {
        (distance / self.cell).ceil() as u32
    }

    /// Returns a column, some columns further; none beyond an edge.
    #[inline]
    pub(crate) fn column_at(&self, column: u32, by: i64) -> Option<u32> {
        let column = i64::from(column) + by;
        match self.wraps {
            true => Some(column.rem_euclid(i64::from(self.columns)) as u32),
            false => u32::try_from(column).ok().filter(|&c| c < self.columns),
        }
    }

    /// Returns a row, some rows further; none beyond an edge.
    #[inline]
    pub(crate) fn row_at(&self, row: u32, by: i64) -> Option<u32> {
        let row = i64::from(row) + by;
        match self.wraps {
            true => Some(row.rem_euclid(i64::from(self.rows)) as u32),
            false => u32::try_from(row).ok().filter(|&r| r < self.rows),
        }
    }
}

/// Returns the shortest way on a ring of some size that ends where a longer one does.
#[cold]
#[inline(never)]
fn shortest(way: f32, size: f32) -> f32 {
    let way = way.rem_euclid(size);
    if way > size * 0.5 { way - size } else { way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_gone_around_a_torus_several_times_is_as_near_as_before() {
        let grid = Grid::torus(8, 1.0);
        for laps in -4..=4 {
            let far = 8.0 * laps as f32;
            assert_eq!(grid.offset([7.5, 1.0 + far], [0.5 + far, 3.0]), [1.0, 2.0]);
            assert_eq!(
                grid.offset([0.5 + far, 3.0], [7.5, 1.0 + far]),
                [-1.0, -2.0]
            );
            assert_eq!(grid.cell_of([7.5 + far, 1.0 - far]), [7, 1]);
        }
    }
}
