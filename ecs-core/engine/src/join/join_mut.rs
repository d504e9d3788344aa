//! The methods of an exclusive join beyond visiting all entities in turn.

use super::Join;
use super::engine::Joined;
use super::many::{ManyError, many, pair};
use super::old::{Old, OldItem, for_each_from_old};
use super::pairs::for_each_pair;
use super::reborrow::{Reborrow, ReborrowFilter};
use super::rest::{Rest, for_each_with_rest};
use crate::entity::Entity;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity};

/// Accesses several entities of a join at the same time.
///
/// For `&mut CompMut<T>`, tuples of views that can be [joined](Join), and the results of [`Join::with_entity`],
/// `include` and `exclude`. [`CompMut`](crate::CompMut) and [`Query`](crate::Query) have the same methods.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Speed(f32);
///
/// let mut world = World::new();
/// let dog = world.spawn((Position(0.0), Speed(2.0)));
/// let cat = world.spawn((Position(10.0), Speed(3.0)));
/// let (mut position, speed) = (world.view_mut::<Position>(), world.view::<Speed>());
///
/// let [(dog, _), (cat, away)] = (&mut position, &speed).get_many_mut([dog, cat])?;
/// cat.0 += away.0;
/// dog.0 = cat.0 - 1.0;
/// assert_eq!(dog.0, 12.0);
/// # Ok::<(), ecs_core::join::ManyError>(())
/// ```
pub trait JoinMut<'a>: Join<'a, Fetch: Reborrow<'a>, Filter: ReborrowFilter<'a>> {
    /// Returns the items of two entities, each `None` if the entity does not match or is despawned. O(members).
    ///
    /// If both are the same entity, the second is `None`: its items are returned once.
    #[inline]
    #[must_use]
    fn get_pair_mut(
        self,
        a: Entity,
        b: Entity,
    ) -> (Option<Item<'a, Self>>, Option<Item<'a, Self>>) {
        pair(self.joined(), a, b)
    }

    /// Returns the items of `N` entities. O(N * members + N²).
    ///
    /// # Errors
    /// If an entity is not alive, does not match, or is listed twice; reports the first one in the list, and duplicates
    /// first of all.
    #[inline]
    fn get_many_mut<const N: usize>(
        self,
        entities: [Entity; N],
    ) -> Result<[Item<'a, Self>; N], ManyError> {
        many(self.joined(), entities)
    }

    /// Returns the items of one entity, and all other entities; `None` if the entity does not match or is despawned.
    /// O(members).
    ///
    /// Both may be used at the same time, and the [`Rest`] can be split again.
    #[inline]
    #[must_use]
    fn split(self, entity: Entity) -> Option<Split<'a, Self>> {
        Rest::split_join(self.joined(), entity)
    }

    /// Calls `f` with the items of each entity and a [`Rest`] of all others.
    ///
    /// Neither outlives the call: the next call gets the same entities again.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)]
    /// struct Charge { position: f32, force: f32 }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([1.0, 2.0, 4.0].map(|position| Charge { position, force: 0.0 }));
    /// let mut charge = world.view_mut::<Charge>();
    /// (&mut charge).for_each_with_rest(|one, rest| {
    ///     for other in rest.iter() {
    ///         one.force += 1.0 / (one.position - other.position);
    ///     }
    /// });
    /// assert!(charge.iter().map(|one| one.force).sum::<f32>().abs() < 1e-6);
    /// ```
    #[inline]
    fn for_each_with_rest<G>(self, f: G)
    where
        G: for<'b> FnMut(
            <Self::Fetch as Reborrow<'a>>::ShortItem<'b>,
            &mut Rest<
                'b,
                <Self::Fetch as Reborrow<'a>>::Short<'b>,
                <Self::Filter as ReborrowFilter<'a>>::Short<'b>,
            >,
        ),
    {
        for_each_with_rest(self.joined(), f);
    }

    /// Calls `f` with the items of each pair of entities, once per pair: the entity that is visited earlier comes
    /// first.
    ///
    /// Items come as `&mut item`: `&mut T` as `&mut &mut T`, and `(&mut T, &U)` as `&mut (&mut T, &U)`. Patterns and field
    /// access see through this. O(entities²), and allocates a list of all items.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Body { at: f32, mass: f32, pull: f32 }
    ///
    /// let mut world = World::new();
    /// world.spawn_batch([0.0, 1.0, 2.0].map(|at| Body { at, mass: 2.0, pull: 0.0 }));
    /// let mut body = world.view_mut::<Body>();
    /// (&mut body).for_each_pair(|a, b| {
    ///     let pull = a.mass * b.mass / (b.at - a.at).powi(2);
    ///     a.pull += pull;
    ///     b.pull -= pull;
    /// });
    /// assert_eq!(body.iter().map(|body| body.pull).sum::<f32>(), 0.0);
    /// ```
    #[inline]
    fn for_each_pair<G>(self, f: G)
    where
        G: FnMut(&mut Item<'a, Self>, &mut Item<'a, Self>),
    {
        for_each_pair(self.iter(), f);
    }

    /// Computes a value from the old values of each entity with `read`, and then passes it to `write`, which changes them.
    /// All reads come before all writes, so the order of the entities does not matter.
    ///
    /// `read` gets the items of an entity, with `&mut` as `&`, and an [`Old`] with all entities as they were before.
    /// O(entities), and allocates a list of the results of `read`.
    ///
    /// # Panics
    /// If `read` panics, nothing was changed; if `write` panics, the entities visited before were.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Heat(f32);
    /// #[derive(Component)] struct Left(Entity);
    ///
    /// let mut world = World::new();
    /// let wall = world.spawn(Heat(8.0));
    /// let first = world.spawn((Heat(0.0), Left(wall)));
    /// let second = world.spawn((Heat(4.0), Left(first)));
    /// let (mut heat, left) = (world.view_mut::<Heat>(), world.view::<Left>());
    /// (&mut heat, Some(&left)).for_each_from_old(
    ///     |(heat, left), old| {
    ///         let left = left.and_then(|left| old.get(left.0));
    ///         left.map_or(heat.0, |(left, _)| (left.0 + heat.0) / 2.0)
    ///     },
    ///     |(heat, _), new| heat.0 = new,
    /// );
    /// assert_eq!([wall, first, second].map(|e| heat.get(e).unwrap().0), [8.0, 4.0, 2.0]);
    /// ```
    #[inline]
    fn for_each_from_old<N, R, W>(self, read: R, write: W)
    where
        R: for<'b> FnMut(OldItem<'b, 'a, Self::Fetch>, &'b Old<'a, Self::Fetch, Self::Filter>) -> N,
        W: FnMut(Item<'a, Self>, N),
    {
        for_each_from_old::<'a, Self::Fetch, Self::Filter, N, R, W>(self.joined(), read, write);
    }

    /// Like [`for_each_from_old`](Self::for_each_from_old), from several threads at once: first all calls of `read`,
    /// then all of `write`.
    ///
    /// The number of rows alone decides how they are divided (see [`Join::par_chunks`]): if there are few, this thread does
    /// everything.
    ///
    /// # Panics
    /// Once all threads have finished: if `read` panics, nothing was changed; if `write` panics, some entities were.
    #[cfg(feature = "parallel")]
    #[inline]
    fn par_for_each_from_old<N, R, W>(self, read: R, write: W)
    where
        N: Send,
        R: for<'b> Fn(OldItem<'b, 'a, Self::Fetch>, &'b Old<'a, Self::Fetch, Self::Filter>) -> N
            + Sync,
        W: Fn(Item<'a, Self>, N) + Sync,
        Item<'a, Self>: Send,
    {
        self.par_for_each_from_old_min(super::distribute::MIN_ROWS, read, write);
    }

    /// Like [`par_for_each_from_old`](Self::par_for_each_from_old), with the cut-off of [`Join::par_for_each_min`].
    #[cfg(feature = "parallel")]
    #[inline]
    fn par_for_each_from_old_min<N, R, W>(self, min_rows: usize, read: R, write: W)
    where
        N: Send,
        R: for<'b> Fn(OldItem<'b, 'a, Self::Fetch>, &'b Old<'a, Self::Fetch, Self::Filter>) -> N
            + Sync,
        W: Fn(Item<'a, Self>, N) + Sync,
        Item<'a, Self>: Send,
    {
        super::parallel::for_each_from_old::<'a, Self::Fetch, Self::Filter, N, R, W>(
            self.joined(),
            min_rows,
            read,
            write,
        );
    }
}

/// The items of the join per entity.
type Item<'a, J> = <J as Join<'a>>::Item;
/// The items of one entity, and all others.
type Split<'a, J> = (
    Item<'a, J>,
    Rest<'a, <J as Join<'a>>::Fetch, <J as Join<'a>>::Filter>,
);

impl<'a, T: Reborrow<'a>, F: ReborrowFilter<'a>> JoinMut<'a> for Joined<'a, T, F> {}

macro_rules! tuple_join_mut {
    ($($name:ident $value:ident),+) => {
        impl<'a, $($name),+> JoinMut<'a> for ($($name,)+)
        where
            $($name: Join<'a, Fetch: Reborrow<'a>, Filter: ReborrowFilter<'a>>,)+
        {}
    };
}

for_each_narrow_arity!(tuple_join_mut);

macro_rules! wide_join_mut {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        impl<'a, $($left,)+ $($right),+> JoinMut<'a> for ($($left,)+ $($right,)+)
        where
            $($left: Join<'a, Fetch: Reborrow<'a>, Filter: ReborrowFilter<'a>>,)+
            $($right: Join<'a, Fetch: Reborrow<'a>, Filter: ReborrowFilter<'a>>,)+
        {}
    };
}

for_each_wide_arity!(wide_join_mut);
