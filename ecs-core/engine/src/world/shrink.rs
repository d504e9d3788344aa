//! Gives unused memory back.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use core::time::Duration;

use super::World;
use crate::bytes::Bytes;
#[cfg(feature = "std")]
use crate::clock::Instant;

/// The result of [`World::shrink_while`] and `World::shrink`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[must_use = "memory may remain that a further call gives back"]
pub enum Shrunk {
    /// All unused memory was given back.
    Fully,
    /// It ended early; a further call continues.
    Partly,
}

impl World {
    /// Gives unused memory back to the allocator, for about as long as `budget`. Returns [`Fully`](Shrunk::Fully) if that
    /// was all.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use std::time::Duration;
    /// use ecs_core::world::Shrunk;
    /// # #[derive(Component)] struct Enemy([f32; 16]);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|_| Enemy([0.0; 16])));
    /// world.despawn_all::<With<Enemy>>();
    /// let before = world.memory_usage().total();
    ///
    /// // After leaving a level, spend two milliseconds per frame.
    /// while world.shrink(Duration::from_millis(2)) == Shrunk::Partly {}
    /// let after = world.memory_usage().total();
    /// assert!(before.reserved - after.reserved >= 10_000 * size_of::<Enemy>());
    /// ```
    ///
    /// Tables, sparse sets, the lists of the sparse components of each entity, removals that are kept for readers, and the
    /// slots of entities grow by doubling. They keep their memory when entities are despawned, so a game in a steady state
    /// does not allocate. A call of this method reduces them to the size that their values need, beginning with the one that
    /// has most to give back. A table or sparse set without values then has no memory for values. Growing again allocates
    /// again, so call this after something large has ended, and not in each frame.
    ///
    /// Each of these is given back as a whole. A call does at least one of them and looks at the clock after each, so it may
    /// exceed the budget by the time of one. Each call first goes over all tables and sparse components.
    ///
    /// Ids, values, ticks, and the order of rows and of sparse sets stay the same, and no hook or observer is called.
    ///
    /// It does not give back: a slot of 8 bytes for each entity index that was ever used, because it stores the generation
    /// that keeps old ids invalid; the descriptions of tables, which are never removed; and memory that values, resources,
    /// events and queued commands own.
    ///
    /// If the allocator cannot make a block smaller, the process aborts, as for the lists of the standard library.
    #[cfg(feature = "std")]
    #[inline]
    pub fn shrink(&mut self, budget: Duration) -> Shrunk {
        let start = Instant::now();
        self.shrink_while(|_| start.elapsed() < budget)
    }

    /// Gives unused memory back. After each table, set or list that had some, it asks `go_on` with the number of bytes given
    /// back so far, and ends early if that returns false. Needs no clock; otherwise like `shrink`.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::world::Shrunk;
    /// # #[derive(Component)] struct Enemy([f32; 16]);
    ///
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(|_| Enemy([0.0; 16])));
    /// world.despawn_all::<With<Enemy>>();
    /// let before = world.memory_usage().total();
    ///
    /// // One table, set or list in each call.
    /// while world.shrink_while(|_| false) == Shrunk::Partly {}
    /// let after = world.memory_usage().total();
    /// assert!(before.reserved - after.reserved >= 10_000 * size_of::<Enemy>());
    /// ```
    #[inline]
    pub fn shrink_while(&mut self, mut go_on: impl FnMut(usize) -> bool) -> Shrunk {
        let mut freed = Bytes::of_list(&self.spawned).reserved;
        self.spawned = Vec::new();
        let mut parts = self.storage.spare_parts().into_iter();
        while let Some(part) = parts.next() {
            let given_back = self.storage.shrink(part);
            freed += given_back;
            // If a part had nothing to give, a further call would begin with it again.
            if given_back > 0 && !go_on(freed) && parts.len() > 0 {
                return Shrunk::Partly;
            }
        }
        Shrunk::Fully
    }
}

#[cfg(test)]
#[path = "shrink_tests.rs"]
mod tests;
