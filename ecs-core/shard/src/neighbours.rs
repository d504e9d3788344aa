//! `Neighbours`: a system's view of other entities, on this shard and beyond its borders.

use ecs_engine::component::Component;
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::query::{Item, QueryData, ReadOnlyQueryData};
use ecs_engine::resource::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::gid::Gid;
use crate::grid::Grid;

/// Components that entities show to their [`Neighbours`]: one, or a tuple of up to four.
pub trait Mirror: Serialize + DeserializeOwned + Clone + Send + Sync + 'static {
    /// The query that reads them.
    #[doc(hidden)]
    type Data: ReadOnlyQueryData + QueryData + 'static;

    /// Copies them.
    #[doc(hidden)]
    fn copied(item: Item<'_, Self::Data>) -> Self;
}

macro_rules! mirror {
    ($($component:ident $value:ident),+) => {
        #[diagnostic::do_not_recommend]
        impl<$($component),+> Mirror for ($($component,)+)
        where
            $($component: Component + Clone + Serialize + DeserializeOwned,)+
        {
            type Data = ($(&'static $component,)+);

            #[inline]
            fn copied(($($value,)+): Item<'_, Self::Data>) -> Self {
                ($($value.clone(),)+)
            }
        }
    };
}

mirror!(A a);
mirror!(A a, B b);
mirror!(A a, B b, C c);
mirror!(A a, B b, C c, D d);

/// An entity as others see it: with the values of the last tick's end.
#[derive(Clone, Debug)]
pub struct Neighbour<M> {
    /// Its id on all shards.
    pub gid: Gid,
    /// Its position.
    pub position: [f32; 2],
    /// Its mirrored components.
    pub value: M,
}

/// A [`Neighbour`] that [`Neighbours::within`] has found.
#[derive(Debug)]
pub struct Near<'a, M> {
    /// The neighbour.
    pub neighbour: &'a Neighbour<M>,
    /// The way to it; on a torus the shortest one.
    pub offset: [f32; 2],
    /// The square of its distance.
    pub distance_squared: f32,
}

/// The entities near any position of this shard, with their values at the end of the last tick: a resource that
/// [`mirror`](crate::PlaceOptions::mirror) declares.
///
/// Entities of other shards that are near a border are in it like all others. So the answers depend neither on
/// borders nor on the order of moves in this tick.
pub struct Neighbours<M> {
    grid: Grid,
    /// The largest radius to look in.
    radius: f32,
    /// The first column, and the number of columns.
    first: u32,
    columns: u32,
    /// The place of each cell's first row, column by column; and the number of rows.
    starts: Vec<u32>,
    /// By cell, and in a cell by `Gid`.
    rows: Vec<Neighbour<M>>,
    /// Reused memory: the cell of each row that comes; the place of each cell's next row; the rows in their new order.
    cells: Vec<u32>,
    next: Vec<u32>,
    order: Vec<u32>,
    sorted: Vec<Neighbour<M>>,
}

impl<M: Send + Sync + 'static> Resource for Neighbours<M> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic("ecs_shard::Neighbours", "Neighbours");
}

impl<M> Neighbours<M> {
    pub(crate) fn new(grid: Grid, radius: f32) -> Self {
        Self {
            grid,
            radius,
            first: 0,
            columns: 0,
            starts: vec![0],
            rows: Vec::new(),
            cells: Vec::new(),
            next: Vec::new(),
            order: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Returns the area.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Iterates over the neighbours whose distance from a position is at most `radius`, in an order that is the same on every shard.
    /// An entity that asks about its own position finds itself too.
    ///
    /// O(entities in the cells around).
    ///
    /// # Panics
    /// If `radius` is larger than the [declared](crate::PlaceOptions::mirror) one, or the position is not near this shard's columns: then
    /// the answer would depend on borders.
    #[inline]
    pub fn within(&self, position: [f32; 2], radius: f32) -> impl Iterator<Item = Near<'_, M>> {
        if radius > self.radius {
            self.too_far(radius);
        }
        let [column, row] = self.grid.cell_of(position);
        let reach = i64::from(self.grid.reach(radius));
        let around = (-reach..=reach).filter_map(move |by| self.grid.column_at(column, by));
        let most = radius * radius;
        around.flat_map(move |column| {
            let place = self.place(column);
            let rows = (-reach..=reach).filter_map(move |by| self.grid.row_at(row, by));
            rows.flat_map(move |row| {
                let cell = (place * self.grid.rows() + row) as usize;
                let [start, end] = [self.starts[cell], self.starts[cell + 1]];
                self.rows[start as usize..end as usize].iter()
            })
            .filter_map(move |neighbour| {
                let offset = self.grid.offset(position, neighbour.position);
                let distance_squared = offset[0] * offset[0] + offset[1] * offset[1];
                (distance_squared <= most).then_some(Near {
                    neighbour,
                    offset,
                    distance_squared,
                })
            })
        })
    }

    /// Returns the place of a column among those that are known here.
    #[inline]
    fn place(&self, column: u32) -> u32 {
        let place = match column >= self.first {
            true => column - self.first,
            false => column + self.grid.columns() - self.first,
        };
        if place >= self.columns {
            self.elsewhere(column);
        }
        place
    }

    #[cold]
    fn too_far(&self, radius: f32) -> ! {
        panic!(
            "looked for neighbours within {radius}, and only those within {} are known on every shard; help: declare a larger radius in `mirror`",
            self.radius
        )
    }

    #[cold]
    fn elsewhere(&self, column: u32) -> ! {
        panic!(
            "looked for neighbours in column {column}, which this shard does not know: it knows {} columns from {} on; help: look around the position that the entity had when the tick began",
            self.columns, self.first
        )
    }
}

impl<M: Clone> Neighbours<M> {
    /// Begins to fill the table anew, for columns from `first` on.
    pub(crate) fn begin(&mut self, first: u32, columns: u32) {
        (self.first, self.columns) = (first, columns);
        self.rows.clear();
        self.cells.clear();
        self.starts.clear();
        let cells = columns as usize * self.grid.rows() as usize;
        self.starts.resize(cells + 1, 0);
    }

    /// Adds an entity. False if its column is not known here.
    #[inline]
    pub(crate) fn add(&mut self, gid: Gid, position: [f32; 2], value: M) -> bool {
        let [column, row] = self.grid.cell_of(position);
        let place = match column >= self.first {
            true => column - self.first,
            false => column + self.grid.columns() - self.first,
        };
        if place >= self.columns {
            return false;
        }
        self.cells.push(place * self.grid.rows() + row);
        self.rows.push(Neighbour {
            gid,
            position,
            value,
        });
        true
    }

    /// Sorts the entities by cell, and in a cell by `Gid`.
    pub(crate) fn finish(&mut self) {
        // Most rows are beside others of their cell, and a run of them needs one look at the cell.
        let runs = || self.cells.chunk_by(|one, next| one == next);
        for run in runs() {
            self.starts[run[0] as usize + 1] += run.len() as u32;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.next.clone_from(&self.starts);
        self.order.clear();
        self.order.resize(self.rows.len(), 0);
        let mut row = 0;
        for run in runs() {
            let next = &mut self.next[run[0] as usize];
            let start = *next as usize;
            *next += run.len() as u32;
            for (place, row) in self.order[start..][..run.len()].iter_mut().zip(row..) {
                *place = row;
            }
            row += run.len() as u32;
        }
        let rows = &self.rows;
        let sorted = self.order.iter().map(|&row| rows[row as usize].clone());
        self.sorted.clear();
        self.sorted.extend(sorted);
        for cell in self.starts.windows(2) {
            // Most cells are in order: entities keep theirs, and all shards send them in it.
            let cell = &mut self.sorted[cell[0] as usize..cell[1] as usize];
            if !cell.is_sorted_by_key(|neighbour| neighbour.gid) {
                cell.sort_unstable_by_key(|neighbour| neighbour.gid);
            }
        }
        std::mem::swap(&mut self.rows, &mut self.sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(grid: Grid, radius: f32, positions: &[[f32; 2]]) -> Neighbours<u8> {
        let mut table = Neighbours::new(grid, radius);
        table.begin(0, grid.columns());
        for (gid, &position) in positions.iter().enumerate().rev() {
            assert!(table.add(Gid(gid as u64), position, 0));
        }
        table.finish();
        table
    }

    #[test]
    fn the_circle_is_the_same_as_by_looking_at_everybody() {
        for grid in [Grid::torus(9, 0.5), Grid::bounded(12, 5, 0.7)] {
            let [width, height] = grid.size();
            let at = |n: u64| {
                let random = |salt| Gid(n).random(salt) as f64 / u64::MAX as f64;
                [random(1) as f32 * width, random(2) as f32 * height]
            };
            let positions: Vec<[f32; 2]> = (0..300).map(at).collect();
            let table = table(grid, 1.0, &positions);
            for n in 1000..1100 {
                let center = at(n);
                let found = table.within(center, 0.9).map(|near| near.neighbour.gid.0);
                let mut found: Vec<u64> = found.collect();
                found.sort_unstable();
                let is_near = |position: &[f32; 2]| {
                    let [x, y] = grid.offset(center, *position);
                    x * x + y * y <= 0.9 * 0.9
                };
                let all = (0..).zip(&positions);
                let near: Vec<u64> = all.filter(|(_, at)| is_near(at)).map(|(n, _)| n).collect();
                assert_eq!(found, near);
            }
        }
    }

    #[test]
    #[should_panic(expected = "help: declare a larger radius in `mirror`")]
    fn a_radius_above_the_declared_one_is_refused() {
        let table = table(Grid::torus(9, 1.0), 1.0, &[[0.5; 2]]);
        _ = table.within([0.5; 2], 1.1).count();
    }
}
