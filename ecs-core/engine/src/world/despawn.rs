//! Despawning entities.
//!
//! # Despawn
//! `world/despawn.rs` takes the fast path if the entity's table is neither tracked nor observed. The last row fills the
//! entity's row, sparse values leave their sets, the index becomes free (`free_set.rs`: a bit in a word, with bits above it
//! that may be set for empty words), and values that need a drop are dropped last. `despawn_batch` reads all ids first.
//! Adjacent entities of one table, up to 64, leave the lists first, and then each column fills its gaps
//! (`Storage::despawn_first`, which commands use too).

use alloc::vec::Vec;

use super::hooks::StructuralChange;
use super::{NoSuchEntity, World};
use crate::component::{ComponentId, Lifecycle};
use crate::entity::{Entity, TableId};
#[cfg(doc)]
use crate::storage::Storage;

impl World {
    /// Despawns an entity: its id becomes invalid, and its components are dropped. Entities that
    /// [depend on it](crate::relation#when-the-target-is-despawned) are despawned too.
    ///
    /// O(components of the entity). The last entity of its table takes its row.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.despawn(rat).unwrap();
    /// assert!(!world.contains(rat) && world.despawn(rat).is_err());
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If the `Drop` of a component panics. The entity is despawned nevertheless, and its other components are dropped.
    #[doc(alias = "despawn_recursive")]
    #[doc(alias = "destroy")]
    #[doc(alias = "delete_entity")]
    #[doc(alias = "delete")]
    #[doc(alias = "kill")]
    pub fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let at = self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        if self.storage.table(at.table).is_plain() {
            self.storage.despawn(entity, at);
        } else {
            self.despawn_from(entity, at.table);
        }
        Ok(())
    }

    /// Despawns an entity if it exists, and returns true if it did. Otherwise like [`despawn`](Self::despawn), for code that
    /// does not care whether the entity is already gone.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let bullet = world.spawn(());
    /// world.despawn_if_exists(bullet);
    /// assert!(!world.despawn_if_exists(bullet));
    /// ```
    ///
    /// # Panics
    /// If the `Drop` of a component panics, as in `despawn`.
    #[doc(alias = "try_despawn")]
    pub fn despawn_if_exists(&mut self, entity: Entity) -> bool {
        self.despawn(entity).is_ok()
    }

    /// Despawns many entities, and returns their number. Ids of entities that do not exist are skipped, so an id
    /// that comes twice counts once.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([5, 0, 3, -1].map(Health));
    /// let dead: Vec<Entity> = world
    ///     .query::<(Entity, &Health)>()
    ///     .iter()
    ///     .filter(|(_, health)| health.0 <= 0)
    ///     .map(|(entity, _)| entity)
    ///     .collect();
    /// assert_eq!(world.despawn_batch(dead.iter().copied()), 2);
    /// assert_eq!(world.despawn_batch(dead), 0);
    /// assert_eq!(world.len(), 2);
    /// ```
    ///
    /// The result is the same as calling [`despawn`](Self::despawn) for one entity after the other, except that commands of
    /// hooks and observers are applied after the last one. If an earlier entity takes along another one that [depends on
    /// it](crate::relation#when-the-target-is-despawned), the other one does not count.
    ///
    /// O(entities x components). Faster than `despawn` for adjacent entities with the same components if none of these is
    /// observed: their values are moved and dropped component by component.
    ///
    /// # Panics
    /// * If the iterator panics; nothing is despawned then, because it is read to its end first.
    /// * If a hook, an observer, or the `Drop` of a component panics. Entities despawned before that stay despawned, and
    ///   their other components are dropped; the entities after it may still exist.
    pub fn despawn_batch(&mut self, entities: impl IntoIterator<Item = Entity>) -> usize {
        let mut list = core::mem::take(&mut self.spawned);
        list.clear();
        // Not `extend`, because it trusts the iterator's size hint.
        for entity in entities {
            list.push(entity);
        }
        let count = self.despawn_list(&list);
        self.spawned = list;
        count
    }

    #[inline(never)]
    fn despawn_list(&mut self, mut list: &[Entity]) -> usize {
        // May panic, so it comes before any change.
        self.storage.place_reserved();
        self.as_one_change(|world| {
            let mut count = 0;
            while let Some((&entity, rest)) = list.split_first() {
                let storage = &mut world.storage;
                let Some(at) = storage.entities.get(entity) else {
                    list = rest;
                    continue;
                };
                if !storage.table(at.table).is_observed() {
                    // SAFETY: tables are observed while there are relations. No value is written before the drops are run,
                    // here or after the loop.
                    let first = unsafe { storage.despawn_first(list, at.table) };
                    count += first;
                    list = &list[first..];
                } else {
                    storage.run_drops();
                    world.despawn_from(entity, at.table);
                    count += 1;
                    list = rest;
                }
            }
            world.storage.run_drops();
            count
        })
    }

    /// Despawns an entity from a table with tracked or observed components.
    #[inline(never)]
    fn despawn_from(&mut self, entity: Entity, table: TableId) {
        if !self.storage.table(table).is_observed() {
            self.storage.despawn_noted(entity);
            return;
        }
        if self.storage.can_despawn_silently(entity, table) {
            self.storage.despawn_noted(entity);
            return;
        }
        let mut change = StructuralChange::new(self);
        change.despawn(&[entity]);
        change.finish();
    }
}

impl StructuralChange<'_> {
    /// Despawns the entities, and all that depend on them. Calls the observers and hooks of all of them first, and drops
    /// their values last.
    pub(super) fn despawn(&mut self, entities: &[Entity]) {
        let despawn_set = self.world.storage.despawn_set(entities);
        if self.world.storage.is_leaving_observed() {
            for &entity in &despawn_set.entities {
                let storage = &self.world.storage;
                let at = storage.entities.get(entity).expect("the entity is alive");
                let orphaned = storage.orphaned_sources(
                    entity,
                    storage.sparse_of(entity),
                    Some(&despawn_set.marks),
                );
                self.before_despawn(entity, at.table);
                self.before_orphaned(orphaned);
            }
        }
        let storage = &mut self.world.storage;
        for &entity in &despawn_set.entities {
            storage.end(entity, &despawn_set.marks);
        }
        storage.run_drops();
    }

    /// Calls observers and hooks of the sources that are about to lose their only target. Hooks can insert and remove only
    /// immediate components, and relations are never immediate, so the list can be [collected](Storage::orphaned_sources)
    /// before other hooks of the same change are called.
    pub(super) fn before_orphaned(&mut self, orphaned: Vec<(Entity, ComponentId)>) {
        for (source, component) in orphaned {
            self.before_one(source, component, Lifecycle::Remove);
        }
    }
}
