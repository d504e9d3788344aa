//! Searches of the places in a block of cells.

use alloc::vec;
use core::fmt;
use core::iter::FusedIterator;

use ecs_engine::Entity;
use hashbrown::HashMap;

use super::block::CellBlock;
use super::{Cells, distance_squared};
use crate::hash::BuildKeyHasher;
use crate::lists::EntityLists;

/// Iterator over the entities near a place; see [`ByPlace::within`](super::ByPlace::within).
pub struct Within<'a, const D: usize> {
    lists: &'a EntityLists<[f32; D]>,
    cells: CellNumbers<'a, D>,
    /// The rest of the cell that is being searched.
    entities: &'a [Entity],
    places: &'a [[f32; D]],
    centre: [f32; D],
    radius_squared: f64,
}

/// The numbers of the lists to search.
enum CellNumbers<'a, const D: usize> {
    /// Looks up each cell of the block, from `next` on.
    Block {
        numbers: &'a HashMap<[i32; D], u32, BuildKeyHasher>,
        block: CellBlock<D>,
        next: Option<[i32; D]>,
    },
    /// The occupied cells inside of a block, if it has more cells than are occupied.
    Occupied(vec::IntoIter<([i32; D], u32)>),
}

impl<'a, const D: usize> Within<'a, D> {
    pub(super) fn new(
        numbers: &'a HashMap<[i32; D], u32, BuildKeyHasher>,
        lists: &'a EntityLists<[f32; D]>,
        block: Option<CellBlock<D>>,
        centre: [f32; D],
        radius: f32,
    ) -> Self {
        let cells = match block {
            None => CellNumbers::Occupied(Cells::new().into_iter()),
            Some(block) if block.len() <= numbers.len() => CellNumbers::Block {
                numbers,
                block,
                next: Some(block.low),
            },
            Some(block) => {
                let all = numbers.iter().map(|(&cell, &number)| (cell, number));
                let mut inside: Cells<D> = all.filter(|(cell, _)| block.contains(cell)).collect();
                inside.sort_unstable();
                CellNumbers::Occupied(inside.into_iter())
            }
        };
        Self {
            lists,
            cells,
            entities: &[],
            places: &[],
            centre,
            radius_squared: f64::from(radius) * f64::from(radius),
        }
    }

    /// Goes on to the next cell that has entities. Returns false if there is none.
    #[inline]
    fn next_cell(&mut self) -> bool {
        loop {
            let number = match &mut self.cells {
                CellNumbers::Block {
                    numbers,
                    block,
                    next,
                } => {
                    let Some(cell) = *next else { return false };
                    *next = block.next(cell);
                    match numbers.get(&cell) {
                        Some(&number) => number,
                        None => continue,
                    }
                }
                CellNumbers::Occupied(cells) => match cells.next() {
                    Some((_, number)) => number,
                    None => return false,
                },
            };
            let list = self.lists.list(number);
            (self.entities, self.places) = (list.entities(), list.data());
            return true;
        }
    }
}

impl<const D: usize> Iterator for Within<'_, D> {
    type Item = (Entity, [f32; D]);

    #[inline]
    fn next(&mut self) -> Option<(Entity, [f32; D])> {
        loop {
            while let Some((&place, places)) = self.places.split_first() {
                let entity = self.entities[0];
                (self.places, self.entities) = (places, &self.entities[1..]);
                if distance_squared(place, self.centre) <= self.radius_squared {
                    return Some((entity, place));
                }
            }
            if !self.next_cell() {
                return None;
            }
        }
    }

    // Compilers see through the loop over one cell.
    #[inline]
    fn fold<B, F: FnMut(B, Self::Item) -> B>(mut self, init: B, mut f: F) -> B {
        let mut result = init;
        loop {
            for (&entity, &place) in self.entities.iter().zip(self.places) {
                if distance_squared(place, self.centre) <= self.radius_squared {
                    result = f(result, (entity, place));
                }
            }
            if !self.next_cell() {
                return result;
            }
        }
    }
}

impl<const D: usize> FusedIterator for Within<'_, D> {}

impl<const D: usize> fmt::Debug for Within<'_, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Within")
            .field("centre", &self.centre)
            .finish_non_exhaustive()
    }
}
