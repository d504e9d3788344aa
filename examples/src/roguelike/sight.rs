//! The hero's field of view.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Position;
use super::map::{Grid, Map};

/// The distance that can be seen.
const RADIUS: i32 = 8;

/// The places that the hero sees now, and the places seen before.
#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "sight")]
pub struct Sight {
    /// The number of looks around.
    looks: u32,
    /// For each place the number of the last look that met it; 0 for none.
    last: Grid<u32>,
}

impl Sight {
    /// Makes a field of view that has seen no place of `map` yet.
    #[must_use]
    pub fn new(map: &Map) -> Self {
        let (width, height) = (map.width() as usize, map.height() as usize);
        Self {
            looks: 0,
            last: Grid::from_rows(width, vec![0; width * height]),
        }
    }

    /// Returns whether `at` is in view.
    #[must_use]
    pub fn sees(&self, at: Position) -> bool {
        self.knows(at) && self.last.get(at) == Some(&self.looks)
    }

    /// Returns whether `at` was in view at any time.
    #[must_use]
    pub fn knows(&self, at: Position) -> bool {
        self.last.get(at).is_some_and(|look| *look != 0)
    }

    /// Computes the field of view from `from`.
    ///
    /// Symmetric shadow casting: row by row outwards in each of the four quadrants, between two slopes that get closer
    /// when a place blocks the view. For two places that can be entered, either both see each other or neither does.
    pub fn look(&mut self, map: &Map, from: Position) {
        self.looks += 1;
        self.see(from);
        for quadrant in [
            Quadrant::North,
            Quadrant::East,
            Quadrant::South,
            Quadrant::West,
        ] {
            let mut rows = vec![Row::FIRST];
            while let Some(row) = rows.pop() {
                self.look_along(
                    row,
                    |column| quadrant.place(from, row.depth, column),
                    map,
                    &mut rows,
                );
            }
        }
    }

    /// Scans one row, and adds the visible parts of the next one to `rows`.
    fn look_along(
        &mut self,
        mut row: Row,
        place: impl Fn(i32) -> Position,
        map: &Map,
        rows: &mut Vec<Row>,
    ) {
        if row.depth > RADIUS {
            return;
        }
        let mut was_opaque = None;
        for column in row.columns() {
            let opaque = map.is_opaque(place(column));
            let near = column * column + row.depth * row.depth <= RADIUS * (RADIUS + 1);
            if near && (opaque || row.contains_middle_of(column)) {
                self.see(place(column));
            }
            let slope = Slope::left_of(column, row.depth);
            match was_opaque {
                Some(true) if !opaque => row.start = slope,
                Some(false) if opaque => rows.push(Row { end: slope, ..row }.next()),
                _ => {}
            }
            was_opaque = Some(opaque);
        }
        if was_opaque == Some(false) {
            rows.push(row.next());
        }
    }

    fn see(&mut self, at: Position) {
        if let Some(look) = self.last.get_mut(at) {
            *look = self.looks;
        }
    }
}

#[derive(Clone, Copy)]
enum Quadrant {
    North,
    East,
    South,
    West,
}

impl Quadrant {
    fn place(self, from: Position, depth: i32, column: i32) -> Position {
        let (dx, dy) = match self {
            Self::North => (column, -depth),
            Self::South => (column, depth),
            Self::East => (depth, column),
            Self::West => (-depth, column),
        };
        Position::new(from.x + dx, from.y + dy)
    }
}

/// Columns per row, in exact fractions, so that sight is the same on every machine.
#[derive(Clone, Copy)]
struct Slope {
    columns: i32,
    /// Positive.
    rows: i32,
}

impl Slope {
    /// The slope through the left edge of a cell.
    fn left_of(column: i32, depth: i32) -> Self {
        Self {
            columns: 2 * column - 1,
            rows: 2 * depth,
        }
    }
}

/// The part between two slopes of the row that is `depth` away.
#[derive(Clone, Copy)]
struct Row {
    depth: i32,
    start: Slope,
    end: Slope,
}

impl Row {
    const FIRST: Self = Self {
        depth: 1,
        start: Slope {
            columns: -1,
            rows: 1,
        },
        end: Slope {
            columns: 1,
            rows: 1,
        },
    };

    fn next(self) -> Self {
        Self {
            depth: self.depth + 1,
            ..self
        }
    }

    /// Returns the columns that overlap the row by more than an edge.
    fn columns(self) -> core::ops::RangeInclusive<i32> {
        let Self { depth, start, end } = self;
        let first = (2 * depth * start.columns + start.rows).div_euclid(2 * start.rows);
        let last = -(end.rows - 2 * depth * end.columns).div_euclid(2 * end.rows);
        first..=last
    }

    fn contains_middle_of(self, column: i32) -> bool {
        column * self.start.rows >= self.depth * self.start.columns
            && column * self.end.rows <= self.depth * self.end.columns
    }
}
