//! Entities by place, in the cells of a grid.

mod block;
mod nearest;
mod within;

pub use within::Within;

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use ecs_engine::Entity;
use hashbrown::HashMap;

use self::block::{CellBlock, cell_of};
use crate::hash::BuildKeyHasher;
use crate::lists::{EntityList, EntityLists};
use crate::structure::Structure;

/// The least number of cells without entities to keep for reuse.
const SPARE: usize = 64;

/// A component that has a place in space, of `D` dimensions, for a [`SpatialGrid`](crate::SpatialGrid).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no place in a grid",
    label = "not `Spatial<{D}>`",
    note = "write `impl Spatial<{D}> for {Self}`, which returns the place of a value"
)]
pub trait Spatial<const D: usize> {
    /// The length of the edges of a cell, greater than 0.
    ///
    /// It only affects speed: the usual radius of searches is a good start, or less if many entities are that near to
    /// each other.
    const CELL: f32;

    /// Returns the place.
    ///
    /// An entity whose coordinates are not all finite is nowhere: it is in no cell, and no search finds it.
    fn place(&self) -> [f32; D];
}

/// The structure of a [`SpatialGrid`](crate::SpatialGrid): lists of entities by cell.
///
/// All finite coordinates are in the grid; places that are too far away for cells of their own are in the outermost ones. A
/// change costs its part of the next reading, which sorts the changes and passes over the changed cells; if there are more than
/// half as many as entities, it passes over all entities instead.
///
/// Searches are exact: they test the distance between places, in 64 bits, and cells only exclude entities that are too far
/// away.
pub struct ByPlace<T, const D: usize> {
    /// The number of the list of each cell. Some lists may have no entities.
    numbers: HashMap<[i32; D], u32, BuildKeyHasher>,
    lists: EntityLists<[f32; D]>,
    of: PhantomData<fn() -> T>,
}

impl<T, const D: usize> Default for ByPlace<T, D> {
    fn default() -> Self {
        Self {
            numbers: HashMap::default(),
            lists: EntityLists::default(),
            of: PhantomData,
        }
    }
}

impl<T: Spatial<D> + 'static, const D: usize> Structure<T> for ByPlace<T, D> {
    fn set(&mut self, entity: Entity, value: &T) {
        let place = value.place();
        if !is_finite(place) {
            self.lists.remove(entity);
            return;
        }
        let cell = place.map(|x| cell_of(x.into(), Self::CELL));
        let lists = &mut self.lists;
        let number = self.numbers.entry(cell).or_insert_with(|| lists.add_list());
        lists.put(entity, *number, place);
    }

    fn remove(&mut self, entity: Entity) {
        self.lists.remove(entity);
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Entity) -> bool) {
        self.lists.retain(keep);
    }

    fn finish(&mut self) {
        self.lists.finish();
        if self.lists.has_too_many(self.numbers.len(), SPARE) {
            let lists = &mut self.lists;
            self.numbers
                .retain(|_, &mut number| !lists.free_list(number));
        }
    }
}

impl<T: Spatial<D>, const D: usize> ByPlace<T, D> {
    /// The length of the edges of a cell.
    const CELL: f64 = {
        assert!(D > 0, "a space has one dimension or more");
        assert!(
            T::CELL > 0.0 && T::CELL.is_finite(),
            "`Spatial::CELL` is a length greater than 0; help: use the radius that is searched most often"
        );
        T::CELL as f64
    };

    /// Returns the entities in the cell of a place, with their places, in ascending order; none if a coordinate is not finite.
    ///
    /// Cells begin at multiples of [`CELL`](Spatial::CELL). O(1).
    pub fn cell(&self, place: [f32; D]) -> impl ExactSizeIterator<Item = (Entity, [f32; D])> {
        let cell = place.map(|x| cell_of(x.into(), Self::CELL));
        let number = self.numbers.get(&cell).filter(|_| is_finite(place));
        let list = number.map(|&number| self.lists.list(number));
        let (entities, places) = list.map_or((&[][..], &[][..]), |l| (l.entities(), l.data()));
        entities.iter().copied().zip(places.iter().copied())
    }

    /// Returns the entities whose distance from `centre` is at most `radius`, with their places.
    ///
    /// They are in the order of their cells, by the first coordinate, then by the second one and so on, and in ascending order
    /// inside of a cell. There are none if the centre is not finite, or if the radius is negative or not a number.
    ///
    /// O(entities in the cells that the sphere's box touches), and O(1) for each of these cells; if more cells are touched
    /// than occupied, O(occupied cells).
    pub fn within(&self, centre: [f32; D], radius: f32) -> Within<'_, D> {
        let block = CellBlock::around(centre, radius.into(), Self::CELL);
        self.search(block.filter(|_| is_finite(centre)), centre, radius)
    }

    /// Returns the entities in a box, borders included, with their places. `low` and `high` are the least and the greatest
    /// coordinates.
    ///
    /// They are in the order of [`within`](Self::within). There are none if a coordinate is not a number, or if one in
    /// `low` is greater than its counterpart in `high`.
    pub fn in_box(
        &self,
        low: [f32; D],
        high: [f32; D],
    ) -> impl Iterator<Item = (Entity, [f32; D])> {
        let block = CellBlock::between(low.map(f64::from), high.map(f64::from), Self::CELL);
        // A radius without a limit: the box tests the places.
        let all = self.search(block, [0.0; D], f32::INFINITY);
        all.filter(move |(_, place)| (0..D).all(|i| low[i] <= place[i] && place[i] <= high[i]))
    }

    fn search(&self, block: Option<CellBlock<D>>, centre: [f32; D], radius: f32) -> Within<'_, D> {
        Within::new(&self.numbers, &self.lists, block, centre, radius)
    }

    /// Returns all lists. Some may have no entities.
    fn all_lists(&self) -> impl Iterator<Item = &EntityList<[f32; D]>> {
        self.numbers.values().map(|&number| self.lists.list(number))
    }
}

impl<T, const D: usize> ByPlace<T, D> {
    /// Returns the number of entities that have a finite place.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lists.len()
    }

    /// Returns true if no entity has a finite place.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the place of an entity. O(1).
    #[must_use]
    pub fn place(&self, entity: Entity) -> Option<[f32; D]> {
        self.lists.slot(entity).map(|slot| slot.data)
    }

    /// Returns the number of cells that have entities.
    #[must_use]
    pub fn cells_len(&self) -> usize {
        self.lists.occupied()
    }
}

impl<T, const D: usize> fmt::Debug for ByPlace<T, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, cells) = (self.len(), self.cells_len());
        write!(f, "ByPlace({len} entities, {cells} cells)")
    }
}

fn is_finite<const D: usize>(place: [f32; D]) -> bool {
    place.iter().all(|x| x.is_finite())
}

/// Returns the square of the distance between two places.
#[inline]
fn distance_squared<const D: usize>(a: [f32; D], b: [f32; D]) -> f64 {
    let mut sum = 0.0;
    for i in 0..D {
        let difference = f64::from(a[i]) - f64::from(b[i]);
        sum += difference * difference;
    }
    sum
}

/// The cells of lists, in the order of searches.
type Cells<const D: usize> = Vec<([i32; D], u32)>;
