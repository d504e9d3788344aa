//! The nearest entities.

use alloc::collections::BinaryHeap;
use alloc::vec::Vec;
use core::cmp::Ordering;

use ecs_engine::Entity;

use super::block::CellBlock;
use super::{ByPlace, Spatial, distance_squared, is_finite};

/// An entity that was found. The greatest one is the farthest away.
struct FoundEntity<const D: usize> {
    distance_squared: f64,
    entity: Entity,
    place: [f32; D],
}

impl<const D: usize> Ord for FoundEntity<D> {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_distance = self.distance_squared.total_cmp(&other.distance_squared);
        by_distance.then(self.entity.cmp(&other.entity))
    }
}

impl<const D: usize> PartialOrd for FoundEntity<D> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const D: usize> PartialEq for FoundEntity<D> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<const D: usize> Eq for FoundEntity<D> {}

impl<T: Spatial<D>, const D: usize> ByPlace<T, D> {
    /// Returns the entity nearest to a place, with its own place; if several are equally near, the least.
    ///
    /// `None` if the grid is empty, or the place is not finite. For the time see [`nearest_n`](Self::nearest_n).
    #[must_use]
    pub fn nearest(&self, centre: [f32; D]) -> Option<(Entity, [f32; D])> {
        self.nearest_where(centre, |_| true)
    }

    /// Like [`nearest`](Self::nearest), among the entities that the function accepts: any but the one that
    /// searches, for example. It may be called several times for an entity.
    pub fn nearest_where(
        &self,
        centre: [f32; D],
        accept: impl FnMut(Entity) -> bool,
    ) -> Option<(Entity, [f32; D])> {
        self.nearest_n_where(centre, 1, accept).pop()
    }

    /// Returns the `n` entities nearest to a place, with their own places, the nearest one first; equally near ones are in
    /// ascending order. Fewer if the grid has fewer, and none if the place is not finite.
    ///
    /// It looks at the cells around the place, then twice as far away until it has enough, or at all entities if that is
    /// less work.
    #[must_use]
    pub fn nearest_n(&self, centre: [f32; D], n: usize) -> Vec<(Entity, [f32; D])> {
        self.nearest_n_where(centre, n, |_| true)
    }

    /// Like [`nearest_n`](Self::nearest_n), among the entities for which the function returns true. It may be called several
    /// times for an entity.
    pub fn nearest_n_where(
        &self,
        centre: [f32; D],
        n: usize,
        mut accept: impl FnMut(Entity) -> bool,
    ) -> Vec<(Entity, [f32; D])> {
        if n == 0 || !is_finite(centre) {
            return Vec::new();
        }
        let mut found = BinaryHeap::new();
        let mut keep = |found: &mut BinaryHeap<FoundEntity<D>>, entity, place| {
            let new = FoundEntity {
                distance_squared: distance_squared(place, centre),
                entity,
                place,
            };
            let is_full = found.len() == n;
            if (is_full && found.peek().is_some_and(|farthest| *farthest < new)) || !accept(entity)
            {
                return;
            }
            if is_full {
                found.pop();
            }
            found.push(new);
        };
        let mut radius = Self::CELL / 2.0;
        loop {
            found.clear();
            let block = CellBlock::around(centre, radius, Self::CELL);
            let Some(block) = block.filter(|block| block.len() < self.cells_len()) else {
                for list in self.all_lists() {
                    for (&entity, &place) in list.entities().iter().zip(list.data()) {
                        keep(&mut found, entity, place);
                    }
                }
                break;
            };
            let all = self.search(Some(block), centre, f32::INFINITY);
            all.for_each(|(entity, place)| keep(&mut found, entity, place));
            let farthest = found.peek().filter(|_| found.len() == n);
            // Everything outside of the block is farther away than the radius.
            if farthest.is_some_and(|farthest| farthest.distance_squared <= radius * radius) {
                break;
            }
            radius *= 2.0;
        }
        let found = found.into_sorted_vec().into_iter();
        found.map(|found| (found.entity, found.place)).collect()
    }
}
