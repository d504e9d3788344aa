//! Loops in the order of a key. The order is kept from loop to loop.

use alloc::vec::Vec;
use core::fmt;

use super::data::QueryData;
use super::filter::QueryFilter;
use super::handle::{Item, Query};

/// The order of a query's entities by a key, for [`Query::for_each_sorted`]; kept in a [`Local`](crate::Local), so that a loop
/// sorts only if a key has changed.
///
/// It is derived data: with an order of another query, or none, the loop is the same, and only slower.
#[derive(Clone)]
pub struct SortOrder<K> {
    /// The keys of the last loop, in the order of the query.
    keys: Vec<K>,
    /// The positions in `keys`, sorted by key; positions of equal keys ascend.
    /// Invariant 1: has each position of `keys` once.
    positions: Vec<u32>,
}

impl<K: Ord> SortOrder<K> {
    /// Creates an order of no entities.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Brings the order up to date, and returns the positions in `keys` sorted by key.
    fn update(&mut self, keys: Vec<K>) -> &[u32] {
        if self.keys == keys {
            return &self.positions;
        }
        // A comparison that panics leaves no order.
        let mut positions = core::mem::take(&mut self.positions);
        self.keys.clear();
        if positions.len() != keys.len() {
            positions.clear();
            positions.extend(0..u32::try_from(keys.len()).expect("a world has no more entities"));
        }
        // Starts from the old order, which is mostly right if few keys have changed.
        positions.sort_by(|&a, &b| {
            let by_key = keys[a as usize].cmp(&keys[b as usize]);
            by_key.then(a.cmp(&b))
        });
        (self.keys, self.positions) = (keys, positions);
        &self.positions
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Calls `f` with the items of each matching entity, sorted by a key; entities with equal keys come in the order of the
    /// query.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::query::SortOrder;
    ///
    /// #[derive(Component)]
    /// struct Sprite { layer: i32, name: &'static str }
    ///
    /// #[system]
    /// fn draw(mut order: Local<SortOrder<i32>>, mut sprites: Query<&Sprite>) -> String {
    ///     let mut screen = String::new();
    ///     sprites.for_each_sorted(&mut order, |sprite| sprite.layer, |sprite| screen += sprite.name);
    ///     screen
    /// }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([(2, "c"), (1, "a"), (3, "d"), (1, "b")].map(|(layer, name)| Sprite { layer, name }));
    /// assert_eq!(draw(&world), "abcd");
    /// assert_eq!(draw(&world), "abcd"); // without a sort
    /// ```
    ///
    /// O(entities) if no key has changed since the last loop with this order; otherwise the keys are sorted, which is faster
    /// if few have changed. Takes memory for the items. To sort once, use [`sorted_by_key`](Self::sorted_by_key); to sort
    /// the rows of the world themselves, use [`World::sort_rows_by_key`](crate::World::sort_rows_by_key).
    ///
    /// # Panics
    /// If `key`, the comparison of keys, or `f` panics. A comparison that contradicts itself may panic too.
    #[doc(alias = "sort")]
    pub fn for_each_sorted<'a, K: Ord>(
        &'a mut self,
        order: &mut SortOrder<K>,
        key: impl FnMut(&Item<'a, D>) -> K,
        mut f: impl FnMut(Item<'a, D>),
    ) {
        let items: Vec<Item<'a, D>> = self.write().iter().collect();
        let positions = order.update(items.iter().map(key).collect());
        let mut items: Vec<Option<Item<'a, D>>> = items.into_iter().map(Some).collect();
        for &position in positions {
            if let Some(item) = items[position as usize].take() {
                f(item);
            }
        }
    }
}

impl<K> Default for SortOrder<K> {
    fn default() -> Self {
        Self {
            keys: Vec::new(),
            positions: Vec::new(),
        }
    }
}

impl<K> fmt::Debug for SortOrder<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.positions).finish()
    }
}
