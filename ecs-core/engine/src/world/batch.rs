//! Insertion and removal for many entities by their ids.

use alloc::vec::Vec;
use core::fmt;

use super::World;
use super::queue::{Insert, Remove};
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::world::CommandQueue;

/// The error of a batch if some of its entities do not exist; nothing was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchEntities {
    /// The missing entities, in the order of the batch.
    pub entities: Vec<Entity>,
}

impl fmt::Display for NoSuchEntities {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 5;
        let count = self.entities.len();
        write!(f, "{count} of the entities do not exist: ")?;
        for (position, entity) in self.entities.iter().take(SHOWN).enumerate() {
            let before = if position == 0 { "" } else { ", " };
            write!(f, "{before}{entity}")?;
        }
        if count > SHOWN {
            write!(f, " and {} more", count - SHOWN)?;
        }
        f.write_str("; help: leave them out, or use the method without `try_`, which skips them")
    }
}

impl core::error::Error for NoSuchEntities {}

/// The changes of entities that exist, and the missing entities.
#[derive(Default)]
struct EntityChanges {
    changes: CommandQueue,
    gone: Vec<Entity>,
}

impl EntityChanges {
    /// Makes all changes, and returns their number.
    #[inline]
    fn apply(mut self, world: &mut World) -> usize {
        let count = self.changes.len();
        world.as_one_change(|world| self.changes.apply_inside_change(world));
        count
    }

    #[inline]
    fn apply_to_all(self, world: &mut World) -> Result<(), NoSuchEntities> {
        if self.gone.is_empty() {
            self.apply(world);
            return Ok(());
        }
        Err(NoSuchEntities {
            entities: self.gone,
        })
    }
}

impl World {
    /// Inserts a bundle into each entity of the batch, and returns the number of entities. Entities that do not exist (any
    /// more) are skipped, and their bundles dropped.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Debug, PartialEq)] struct Target(u32);
    /// let mut world = World::new();
    /// let enemies = world.spawn_batch([Enemy, Enemy, Enemy]).to_vec();
    /// world.despawn(enemies[1])?;
    /// let targets = (10..).map(Target);
    /// assert_eq!(world.insert_batch(enemies.iter().copied().zip(targets)), 2);
    /// assert_eq!(*world.get::<Target>(enemies[2]).unwrap(), Target(12));
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    ///
    /// The result is the same as calling [`insert`](Self::insert) for one entity after the other, except that commands of
    /// hooks and observers are applied after the last one. Adjacent entities with the same components move together.
    ///
    /// O(components of the entities).
    ///
    /// # Panics
    /// * If the iterator panics; nothing is inserted then, because it is read to its end first.
    /// * If a unique value is taken, or a hook, an observer, or the `Drop` of a replaced value panics. Bundles inserted before
    ///   that stay, and the others are dropped.
    #[doc(alias = "insert_or_spawn_batch")]
    pub fn insert_batch<B: Bundle>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
    ) -> usize {
        self.insertions(batch).apply(self)
    }

    /// Inserts a bundle into each entity of the batch, like [`insert_batch`](Self::insert_batch), if all of them exist.
    ///
    /// # Errors
    /// If some of the entities do not exist; the error lists them. Nothing has changed in that case, and the bundles are
    /// dropped.
    ///
    /// # Panics
    /// In the same cases as `insert_batch`.
    pub fn try_insert_batch<B: Bundle>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
    ) -> Result<(), NoSuchEntities> {
        self.insertions(batch).apply_to_all(self)
    }

    /// Removes the components of the bundle type from each entity of the batch, and returns the number of entities. Entities
    /// that do not exist are skipped. So are components that an entity lacks, as by [`remove`](Self::remove).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Clone)] struct Frozen;
    /// let mut world = World::new();
    /// let enemies = world.spawn_batch([(Enemy, Frozen), (Enemy, Frozen)]).to_vec();
    /// assert_eq!(world.remove_batch::<Frozen>(enemies), 2);
    /// assert_eq!(world.view::<Frozen>().len(), 0);
    /// ```
    ///
    /// # Panics
    /// * If the iterator panics; nothing is removed then, because it is read to its end first.
    /// * If a hook, an observer, or the `Drop` of a value panics. Components removed before that stay removed.
    pub fn remove_batch<B: Bundle>(&mut self, entities: impl IntoIterator<Item = Entity>) -> usize {
        self.removals::<B>(entities).apply(self)
    }

    /// Removes the components of the bundle type from each entity of the batch, like [`remove_batch`](Self::remove_batch),
    /// or from none.
    ///
    /// # Errors
    /// If some of the entities do not exist; the error lists them. Nothing has changed in that case.
    ///
    /// # Panics
    /// In the same cases as `remove_batch`.
    pub fn try_remove_batch<B: Bundle>(
        &mut self,
        entities: impl IntoIterator<Item = Entity>,
    ) -> Result<(), NoSuchEntities> {
        self.removals::<B>(entities).apply_to_all(self)
    }

    fn insertions<B: Bundle>(
        &mut self,
        batch: impl IntoIterator<Item = (Entity, B)>,
    ) -> EntityChanges {
        let () = B::DISTINCT;
        self.storage.place_reserved();
        let mut found = EntityChanges::default();
        for (entity, bundle) in batch {
            match self.storage.entities.get(entity) {
                Some(_) => found.changes.push(Insert { entity, bundle }),
                None => found.gone.push(entity),
            }
        }
        found
    }

    fn removals<B: Bundle>(&mut self, entities: impl IntoIterator<Item = Entity>) -> EntityChanges {
        self.storage.place_reserved();
        let mut found = EntityChanges::default();
        for entity in entities {
            match self.storage.entities.get(entity) {
                Some(_) => found.changes.push(Remove::<B>::new(entity)),
                None => found.gone.push(entity),
            }
        }
        found
    }
}
