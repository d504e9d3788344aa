//! Structural changes of all entities that pass a filter.

use alloc::vec::Vec;

use super::{Query, QueryFilter};
use crate::bundle::{Bundle, Bundles, InfoFn};
use crate::component::LifecycleSet;
use crate::entity::{Entity, TableId};
use crate::join::Filter;
use crate::storage::Storage;
use crate::tick::Window;
use crate::world::{NoSuchEntity, World};

/// The entities that pass a filter.
enum MatchingSet {
    /// Whole tables.
    Tables(Vec<TableId>),
    /// Single entities, because the filter tests sparse components or ticks.
    Entities(Vec<Entity>),
}

impl MatchingSet {
    #[inline]
    fn into_entities(self, storage: &Storage) -> Self {
        let Self::Tables(tables) = self else {
            return self;
        };
        let mut entities = Vec::new();
        for table in tables {
            entities.extend_from_slice(storage.table(table).entities());
        }
        Self::Entities(entities)
    }
}

impl World {
    /// Despawns all entities that pass the filter.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Bullet;
    /// # #[derive(Component)] struct Player;
    /// let mut world = World::new();
    /// let player = world.spawn(Player);
    /// world.spawn_batch((0..100).map(|_| Bullet));
    /// world.despawn_all::<With<Bullet>>();
    /// assert!(world.len() == 1 && world.contains(player));
    /// ```
    ///
    /// If the filter tests only table components, whole tables are emptied: O(entities), without moving a row.
    ///
    /// A world doesn't remember when it was last asked, so each value passes [`Added`](super::Added) and
    /// [`Changed`](super::Changed). A system knows: pass the entities of its query to
    /// [`despawn_batch`](crate::Commands::despawn_batch).
    ///
    /// # Panics
    /// If the `Drop` of a component panics. Then all entities of its table are despawned, but not the entities of the
    /// following tables.
    pub fn despawn_all<F: QueryFilter>(&mut self) {
        match self.matching::<F>() {
            MatchingSet::Tables(tables) => self.despawn_tables(&tables),
            MatchingSet::Entities(entities) => {
                self.as_one_change(|world| {
                    for entity in entities {
                        // The entity is alive unless the despawn of another one included it.
                        let _ = world.despawn(entity);
                    }
                });
            }
        }
    }

    /// Replaces the entities that pass the filter by a bundle each: existing ones get the new values and keep their ids, missing ones
    /// are spawned, and superfluous ones despawned. Returns the ids in the order of the bundles.
    ///
    /// For copies that are made anew again and again, such as shadows of entities that live elsewhere.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Ghost;
    /// #[derive(Component)] struct Place(f32);
    ///
    /// let mut world = World::new();
    /// let ghosts = |count: u8| (0..count).map(|n| (Ghost, Place(n.into())));
    /// let three = world.replace_all::<With<Ghost>, _>(ghosts(3)).to_vec();
    /// let two = world.replace_all::<With<Ghost>, _>(ghosts(2)).to_vec();
    /// assert_eq!(two, three[..2]);
    /// assert_eq!(world.replace_all::<With<Ghost>, _>(ghosts(4)).len(), 4);
    /// assert_eq!(world.len(), 4);
    /// ```
    ///
    /// If the entities that pass the filter have exactly the bundle's components, all in tables, none observed, and their values
    /// need no drop, rows are overwritten in place, at a fraction of the cost of [`despawn_all`](Self::despawn_all) and
    /// [`spawn_batch`](Self::spawn_batch). Then values count as added, and sparse components and edges of an entity stay.
    /// In all other cases the result is the same as calling [`insert`](Self::insert), [`spawn`](Self::spawn) and
    /// [`despawn`](Self::despawn) one after the other, so other components of an entity stay too.
    ///
    /// # Panics
    /// If the iterator, a hook, an observer or the `Drop` of a value panics. The bundles before are in the world, and the other
    /// entities are unchanged.
    pub fn replace_all<F: QueryFilter, I>(&mut self, bundles: I) -> &[Entity]
    where
        I: IntoIterator,
        I::Item: Bundle,
    {
        let () = I::Item::DISTINCT;
        let matching = self.matching::<F>();
        if I::Item::IS_VARIABLE {
            return self.replace_each(matching, bundles.into_iter());
        }
        let table = self
            .bundles
            .info::<I::Item>(&mut self.storage)
            .spawn_table();
        let mut bundles = bundles.into_iter();
        let is_own = matches!(&matching, MatchingSet::Tables(tables) if **tables == [table]);
        let rows = self.storage.table(table).len();
        match is_own.then(|| self.overwrite(&mut bundles)).flatten() {
            None => self.replace_each(matching, bundles),
            Some(replaced) => {
                let mut count = replaced;
                if replaced == rows {
                    count += self.spawn_batch(bundles).len();
                } else {
                    let rest = self.storage.table(table).entities()[replaced..].iter();
                    // From the last row on, so that no row moves.
                    let rest: Vec<Entity> = rest.rev().copied().collect();
                    self.despawn_batch(rest);
                }
                &self.storage.table(table).entities()[..count]
            }
        }
    }

    fn replace_each<B: Bundle>(
        &mut self,
        matching: MatchingSet,
        bundles: impl Iterator<Item = B>,
    ) -> &[Entity] {
        let MatchingSet::Entities(matching) = matching.into_entities(&self.storage) else {
            return &[];
        };
        let mut replaced = self.take_spawned();
        self.as_one_change(|world| {
            let mut matching = matching.into_iter();
            for bundle in bundles {
                // A hook may have despawned some.
                match matching.by_ref().find(|entity| world.contains(*entity)) {
                    Some(entity) => {
                        let _ = world.insert(entity, bundle);
                        replaced.push(entity);
                    }
                    None => replaced.push(world.spawn(bundle)),
                }
            }
            for entity in matching {
                // It is alive unless the despawn of another one included it.
                let _ = world.despawn(entity);
            }
        });
        self.keep_spawned(replaced)
    }

    /// Removes the components of the bundle type from all entities that pass the filter; entities that lack some or all
    /// of them are skipped.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component)] struct Shield(u8);
    /// let mut world = World::new();
    /// let hero = world.spawn(Shield(1));
    /// world.spawn_batch((0..100).map(|_| (Enemy, Shield(2))));
    /// world.remove_all::<Shield, With<Enemy>>();
    /// assert_eq!(world.view::<Shield>().len(), 1);
    /// assert!(world.has::<Shield>(hero));
    /// ```
    ///
    /// If the filter tests only table components, whole tables move: their columns are handed over, or copied in one
    /// piece each.
    ///
    /// # Panics
    /// If the `Drop` of a component panics, as in [`despawn_all`](Self::despawn_all).
    pub fn remove_all<B: Bundle, F: QueryFilter>(&mut self) {
        let matching = self.matching::<F>();
        self.remove_from(matching, Bundles::info::<B>, Self::remove::<B>);
    }

    /// Removes a bundle from all entities of a set. `info` describes it, and `remove` removes it from one entity.
    #[inline]
    fn remove_from(
        &mut self,
        mut matching: MatchingSet,
        info: InfoFn,
        remove: fn(&mut Self, Entity) -> Result<(), NoSuchEntity>,
    ) {
        // Panics for a bundle with a duplicate component, even if there are no entities.
        let is_linked = info(&mut self.bundles, &mut self.storage)
            .observed()
            .is_linked();
        if is_linked {
            // One by one, because removing a relation's component from one entity may remove its reverse from others.
            matching = matching.into_entities(&self.storage);
        }
        match matching {
            MatchingSet::Tables(tables) => self.remove_from_tables(&tables, info),
            MatchingSet::Entities(entities) => {
                self.as_one_change(|world| {
                    for entity in entities {
                        // The entity is alive because no other code had access to the world meanwhile.
                        let _ = remove(world, entity);
                    }
                });
            }
        }
    }

    /// Inserts a clone of `bundle` into all entities that pass the filter; see
    /// [`insert_all_with`](Self::insert_all_with).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Enemy;
    /// # #[derive(Component, Clone)] struct Frightened(u8);
    /// let mut world = World::new();
    /// world.spawn_batch((0..100).map(|_| Enemy));
    /// world.insert_all::<With<Enemy>, _>(Frightened(9));
    /// assert!(world.view::<Frightened>().iter().all(|frightened| frightened.0 == 9));
    /// ```
    ///
    /// # Panics
    /// See [`insert_all_with`](Self::insert_all_with).
    pub fn insert_all<F: QueryFilter, B: Bundle + Clone>(&mut self, bundle: B) {
        let () = B::DISTINCT;
        self.insert_all_with::<F, B>(|_| bundle.clone());
    }

    /// Inserts the bundle that `make` returns for an entity into each entity that passes the filter; existing values are
    /// replaced and dropped.
    ///
    /// Whole tables move if neither the filter nor the bundle has sparse components, the bundle requires none and has no `Option`,
    /// and no entity has one of the bundle's already: their columns are handed over, or copied in one piece each.
    ///
    /// # Panics
    /// If `make` or the `Drop` of a replaced value panics, or a unique value is taken. Then the tables before it have the new
    /// components, and the others do not. Bundles with unique values are inserted entity by entity.
    pub fn insert_all_with<F: QueryFilter, B: Bundle>(
        &mut self,
        mut make: impl FnMut(Entity) -> B,
    ) {
        let () = B::DISTINCT;
        let mut matching = self.matching::<F>();
        if B::IS_VARIABLE {
            // One by one, because they get different components.
            matching = matching.into_entities(&self.storage);
        }
        let (whole, single) = match matching {
            MatchingSet::Tables(tables) => self.without_all(tables, Bundles::info::<B>),
            MatchingSet::Entities(entities) => (Vec::new(), entities),
        };
        self.as_one_change(|world| {
            world.insert_into_tables(&whole, &mut make);
            for entity in single {
                // The entity is alive because no other code had access to the world meanwhile.
                let _ = world.insert(entity, make(entity));
            }
        });
    }

    /// Returns the entities that pass the filter; every entity has a row afterwards.
    fn matching<F: QueryFilter>(&mut self) -> MatchingSet {
        self.storage.place_reserved();
        if <F::Filter<'_> as Filter<'_>>::BY_ENTITY || <F::Filter<'_> as Filter<'_>>::ROWS {
            let query: Query<'_, Entity, F> = self.query_filtered();
            return MatchingSet::Entities(query.iter().collect());
        }
        // SAFETY: the world is borrowed exclusively, so no other code accesses or borrows components as long as `filter` is
        // used; it is used for no entity because `ROWS` is false.
        let filter = unsafe { F::filter(&self.storage, Window::NONE) };
        let all = self.storage.all_tables().blocks();
        let tables = if <F::Filter<'_> as Filter<'_>>::SEES_DISABLED {
            self.storage.occupied(all)
        } else {
            self.storage.enabled(all)
        };
        let tables =
            tables.filter(|&table| filter.table(table) && self.storage.table(table).len() > 0);
        MatchingSet::Tables(tables.collect())
    }

    /// Separates the tables that a bundle can be inserted into as a whole from the entities of the other tables.
    #[inline]
    fn without_all(&mut self, tables: Vec<TableId>, info: InfoFn) -> (Vec<TableId>, Vec<Entity>) {
        let info = info(&mut self.bundles, &mut self.storage);
        let (storage, components) = (&self.storage, info.components());
        let whole = |table: &TableId| {
            !info.has_sparse()
                && !info.observed().has_any(LifecycleSet::CHECKED)
                && info.requirements().is_empty()
                && components
                    .iter()
                    .all(|&component| storage.store(component).column(*table).is_null())
        };
        let (whole, rest): (Vec<TableId>, Vec<TableId>) = tables.into_iter().partition(whole);
        let rest = rest
            .into_iter()
            .flat_map(|table| storage.table(table).entities());
        (whole, rest.copied().collect())
    }
}
