//! The methods of a query beyond visiting all entities in turn.

use alloc::vec;
use core::cmp::Ordering;

use super::data::QueryData;
use super::filter::QueryFilter;
use super::handle::{Item, Query, ReadItem};
use crate::entity::Entity;
use crate::join::{
    Combinations, Fetch, Join, JoinMut, ManyError, Old, Reborrow, ReborrowFilter, Rest,
};

/// The rest of a [`Query`] after a [`split`](Query::split).
pub type QueryRest<'a, D, F = ()> =
    Rest<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;

/// All entities of a query before they are changed; see [`JoinMut::for_each_from_old`].
pub type QueryOld<'a, D, F = ()> =
    Old<'a, <D as QueryData>::Fetch<'a>, <F as QueryFilter>::Filter<'a>>;

/// The items that a query reads per entity.
type OldItem<'b, 'a, D> =
    <<<D as QueryData>::Fetch<'a> as Reborrow<'a>>::Shared<'b> as Fetch<'b>>::Item;
/// The items of a query per entity, for a shorter lifetime.
type ShortItem<'b, 'a, D> = <<D as QueryData>::Fetch<'a> as Reborrow<'a>>::ShortItem<'b>;
/// The rest of a query, for a shorter lifetime.
type ShortRest<'b, 'a, D, F> = Rest<
    'b,
    <<D as QueryData>::Fetch<'a> as Reborrow<'a>>::Short<'b>,
    <<F as QueryFilter>::Filter<'a> as ReborrowFilter<'a>>::Short<'b>,
>;

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Returns the items of two entities, each `None` if the entity does not match or is despawned. O(members).
    ///
    /// If both are the same entity, the second is `None`: its items are returned once.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let (rat, cat) = (world.spawn(Health(3)), world.spawn(Health(9)));
    /// let mut query = world.query::<&mut Health>();
    /// if let (Some(one), Some(other)) = query.get_pair_mut(rat, cat) {
    ///     std::mem::swap(one, other);
    /// }
    /// assert_eq!(query.get(rat), Some(&Health(9)));
    /// ```
    #[inline]
    #[must_use]
    pub fn get_pair_mut(
        &mut self,
        a: Entity,
        b: Entity,
    ) -> (Option<Item<'_, D>>, Option<Item<'_, D>>) {
        self.write().get_pair_mut(a, b)
    }

    /// Returns the items of `N` entities. O(N * members + N²).
    ///
    /// # Errors
    /// If an entity is not alive, does not match, or is listed twice.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::join::ManyError;
    ///
    /// #[derive(Component)] struct Health(i32);
    ///
    /// let mut world = World::new();
    /// let (a, b) = (world.spawn(Health(1)), world.spawn(Health(2)));
    /// let mut query = world.query::<&mut Health>();
    /// let [x, y] = query.get_many_mut([a, b])?;
    /// std::mem::swap(x, y);
    /// assert_eq!(query.get(a).unwrap().0, 2);
    /// assert_eq!(query.get_many_mut([a, a]).err(), Some(ManyError::Duplicate { entity: a }));
    /// # Ok::<(), ManyError>(())
    /// ```
    #[inline]
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[Item<'_, D>; N], ManyError> {
        self.write().get_many_mut(entities)
    }

    /// Returns the items of one entity, and all other entities; `None` if the entity does not match or is despawned.
    /// O(members).
    ///
    /// See [`Rest`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Health(i32);
    ///
    /// let mut world = World::new();
    /// let bomb = world.spawn((Position(1.0), Health(1)));
    /// let near = world.spawn((Position(1.5), Health(9)));
    /// let far = world.spawn((Position(7.0), Health(9)));
    /// let mut bodies = world.query::<(Entity, &Position, &mut Health)>();
    /// if let Some(((_, centre, health), mut others)) = bodies.split(bomb) {
    ///     health.0 = 0;
    ///     for (entity, position, health) in &mut others {
    ///         assert_ne!(entity, bomb);
    ///         if (position.0 - centre.0).abs() < 2.0 {
    ///             health.0 -= 5;
    ///         }
    ///     }
    /// }
    /// let health: Vec<i32> = bodies.iter().map(|(_, _, health)| health.0).collect();
    /// assert_eq!(health, [0, 4, 9]);
    /// # let _ = (near, far);
    /// ```
    #[inline]
    #[must_use]
    pub fn split(&mut self, entity: Entity) -> Option<(Item<'_, D>, QueryRest<'_, D, F>)> {
        self.write().split(entity)
    }

    /// Calls `f` with the items of each entity and a [`Rest`] of all others; see [`JoinMut::for_each_with_rest`].
    #[inline]
    pub fn for_each_with_rest<'a, G>(&'a mut self, f: G)
    where
        G: for<'b> FnMut(ShortItem<'b, 'a, D>, &mut ShortRest<'b, 'a, D, F>),
    {
        self.write().for_each_with_rest(f);
    }

    /// Calls `f` with the items of each pair of entities, once per pair; see [`JoinMut::for_each_pair`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// world.query::<&mut Health>().for_each_pair(|one, other| std::mem::swap(*one, *other));
    /// assert!(world.view::<Health>().iter().eq([&Health(4), &Health(3)]));
    /// ```
    #[inline]
    pub fn for_each_pair<'a>(&'a mut self, f: impl FnMut(&mut Item<'a, D>, &mut Item<'a, D>)) {
        self.write().for_each_pair(f);
    }

    /// Calls `f` with the items of each entity of this query and each of another one: all combinations. The
    /// first entity of the other query meets all of this one, then the second one does. O(entities * entities of the other).
    ///
    /// Both queries can write: they are two values, which the compiler or run-time borrows keep disjoint.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Position(f32);
    /// #[derive(Component)] struct Bullet { hits: u32 }
    /// #[derive(Component)] struct Enemy { health: i32 }
    ///
    /// #[system]
    /// fn hit(
    ///     mut bullets: Query<(&mut Bullet, &Position)>,
    ///     mut enemies: Query<(&mut Enemy, &Position)>,
    /// ) {
    ///     bullets.for_each_with(&mut enemies, |(bullet, from), (enemy, to)| {
    ///         if (from.0 - to.0).abs() < 1.0 {
    ///             bullet.hits += 1;
    ///             enemy.health -= 5;
    ///         }
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// let bullet = world.spawn((Bullet { hits: 0 }, Position(0.0)));
    /// let enemies = [0.5, -0.5, 3.0].map(|at| world.spawn((Enemy { health: 9 }, Position(at))));
    /// hit(&world);
    /// assert_eq!(world.get::<Bullet>(bullet).unwrap().hits, 2);
    /// assert_eq!(enemies.map(|enemy| world.get::<Enemy>(enemy).unwrap().health), [4, 4, 9]);
    /// ```
    #[inline]
    pub fn for_each_with<'b, E, G, C>(&mut self, other: &'b mut Query<'_, E, G>, mut f: C)
    where
        E: QueryData,
        G: QueryFilter,
        C: FnMut(Item<'_, D>, &mut Item<'b, E>),
    {
        // The other query is the outer loop: closures infer the lifetimes of the items of `Self` alone.
        let mut outer = |mut others| self.for_each(|items| f(items, &mut others));
        other.write().each(&mut outer);
    }

    /// Returns true if loops over the query leave out the entity because it is disabled.
    #[inline]
    pub(crate) fn leaves_out(&self, entity: Entity) -> bool {
        self.read().leaves_out_entity(entity)
    }

    /// Calls `f` with each matching entity and its items.
    #[inline]
    pub(crate) fn for_each_with_entity<C: FnMut(Entity, Item<'_, D>)>(&mut self, mut f: C) {
        let mut with_entity = |(entity, items)| f(entity, items);
        self.write().with_entity().each(&mut with_entity);
    }

    /// Computes a value from the old values of each entity, with `&mut` members as `&`, and then changes all entities;
    /// see [`JoinMut::for_each_from_old`].
    #[inline]
    pub fn for_each_from_old<'a, N, R, W>(&'a mut self, read: R, write: W)
    where
        R: for<'b> FnMut(OldItem<'b, 'a, D>, &'b QueryOld<'a, D, F>) -> N,
        W: FnMut(Item<'a, D>, N),
    {
        self.write().for_each_from_old(read, write);
    }

    /// Iterates over all pairs of entities, each once, with `&mut` members as `&`; see [`Join::iter_combinations`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let query = world.query::<&Health>();
    /// assert!(query.iter_combinations().all(|(one, other)| one != other));
    /// ```
    #[inline]
    #[must_use]
    pub fn iter_combinations<'a>(&'a self) -> Combinations<ReadItem<'a, D>>
    where
        ReadItem<'a, D>: Clone,
    {
        self.read().iter_combinations()
    }

    /// Returns the items of all matching entities, sorted by a key, with `&mut` members as `&`; see
    /// [`Join::sorted_by_key`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// let query = world.query::<&Health>();
    /// assert!(query.sorted_by_key(|health| -health.0).eq([&Health(4), &Health(3)]));
    /// ```
    pub fn sorted_by_key<'a, K: Ord>(
        &'a self,
        key: impl FnMut(&ReadItem<'a, D>) -> K,
    ) -> vec::IntoIter<ReadItem<'a, D>> {
        self.read().sorted_by_key(key)
    }

    /// Returns the items of all matching entities, sorted by a key; see [`Join::sorted_by_key`].
    pub fn sorted_by_key_mut<'a, K: Ord>(
        &'a mut self,
        key: impl FnMut(&Item<'a, D>) -> K,
    ) -> vec::IntoIter<Item<'a, D>> {
        self.write().sorted_by_key(key)
    }

    /// Returns the items of all matching entities, sorted by a comparison, with `&mut` members as `&`; see
    /// [`Join::sorted_by_key`].
    pub fn sorted_by<'a>(
        &'a self,
        compare: impl FnMut(&ReadItem<'a, D>, &ReadItem<'a, D>) -> Ordering,
    ) -> vec::IntoIter<ReadItem<'a, D>> {
        self.read().sorted_by(compare)
    }

    /// Returns the items of all matching entities, sorted by a comparison; see [`Join::sorted_by_key`].
    pub fn sorted_by_mut<'a>(
        &'a mut self,
        compare: impl FnMut(&Item<'a, D>, &Item<'a, D>) -> Ordering,
    ) -> vec::IntoIter<Item<'a, D>> {
        self.write().sorted_by(compare)
    }
}

/// Parallel methods, on the threads of the current rayon pool.
#[cfg(feature = "parallel")]
impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Calls `f` with each matching entity, from several threads at once; see [`Join::par_for_each`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// world.spawn_batch([Health(3), Health(4)]);
    /// world.query::<&mut Health>().par_for_each(|health| health.0 += 1);
    /// assert!(world.view::<Health>().iter().eq([&Health(4), &Health(5)]));
    /// ```
    #[inline]
    #[doc(alias = "par_iter")]
    #[doc(alias = "par_iter_mut")]
    #[doc(alias = "par_join")]
    #[doc(alias = "par_each")]
    pub fn par_for_each<'a, G>(&'a mut self, f: G)
    where
        G: Fn(Item<'a, D>) + Sync,
        Item<'a, D>: Send,
    {
        Join::par_for_each(self.write(), f);
    }

    /// Calls `f` with the items of each entity, from several threads at once, until it returns `Some`; returns the
    /// result for the first such entity in the order of rows.
    #[inline]
    pub(crate) fn par_find<'a, G, O>(&'a mut self, f: G) -> Option<O>
    where
        G: Fn(Item<'a, D>) -> Option<O> + Sync,
        Item<'a, D>: Send,
        O: Send,
    {
        self.write().par_find(f)
    }

    /// Calls `f` with the items of each entity and the value of its part of the rows, from several threads at once; returns
    /// these values in the order of rows.
    #[inline]
    pub(crate) fn par_fold_parts<'a, G, V>(&'a mut self, f: G) -> alloc::vec::Vec<V>
    where
        G: Fn(&mut V, Item<'a, D>) + Sync,
        Item<'a, D>: Send,
        V: Default + Send,
    {
        self.write().par_fold_parts(f)
    }

    /// Computes a value from the old values of each entity, and then changes all entities, from several threads at
    /// once; see [`JoinMut::par_for_each_from_old`].
    #[inline]
    pub fn par_for_each_from_old<'a, N, R, W>(&'a mut self, read: R, write: W)
    where
        N: Send,
        R: for<'b> Fn(OldItem<'b, 'a, D>, &'b QueryOld<'a, D, F>) -> N + Sync,
        W: Fn(Item<'a, D>, N) + Sync,
        Item<'a, D>: Send,
    {
        self.write().par_for_each_from_old(read, write);
    }

    /// Like [`par_for_each`](Self::par_for_each), in parallel from `min_rows` rows on; see [`Join::par_for_each_min`].
    #[inline]
    pub fn par_for_each_min<'a, G>(&'a mut self, min_rows: usize, f: G)
    where
        G: Fn(Item<'a, D>) + Sync,
        Item<'a, D>: Send,
    {
        self.write().par_for_each_min(min_rows, f);
    }

    /// Calls `f` with pieces of the columns of each matching table, from several threads at once; see
    /// [`Join::par_chunks`].
    #[inline]
    pub fn par_chunks<'a, G>(&'a mut self, f: G)
    where
        G: Fn(Chunk<'a, D>) + Sync,
        Chunk<'a, D>: Send,
    {
        Join::par_chunks(self.write(), f);
    }

    /// Like [`par_chunks`](Self::par_chunks), in parallel from `min_rows` rows on; see [`Join::par_for_each_min`].
    #[inline]
    pub fn par_chunks_min<'a, G>(&'a mut self, min_rows: usize, f: G)
    where
        G: Fn(Chunk<'a, D>) + Sync,
        Chunk<'a, D>: Send,
    {
        self.write().par_chunks_min(min_rows, f);
    }
}

/// The slices of a query per piece of a table.
#[cfg(feature = "parallel")]
type Chunk<'a, D> = <<D as QueryData>::Fetch<'a> as Fetch<'a>>::Chunk;
