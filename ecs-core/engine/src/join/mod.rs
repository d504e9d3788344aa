//! Joins: views iterated together.
//!
//! A join does not depend on systems or queries: it takes fetches and filters, walks the tables or the sparse set with
//! the fewest entities, and yields items. Users call [`Join`] on views; a query is the same walk with other fetches.
//!
//! All of this is compiled again for each join in a user's program. So code that depends on no type is in functions that are
//! not generic (`tables.rs`, `sets.rs`). The rest uses `match` instead of `?` and closures, which would be separate
//! functions in builds without optimisation (`benches/compile-cost.sh`).

#![expect(
    clippy::manual_map,
    clippy::question_mark,
    reason = "less to compile for each join"
)]

use alloc::vec::Vec;

mod any;
#[cfg(feature = "parallel")]
mod distribute;
mod engine;
mod fetch;
mod fetches;
mod filters;
mod flags;
mod flattened;
mod iter;
mod join_mut;
mod many;
mod old;
mod pairs;
#[cfg(feature = "parallel")]
mod parallel;
#[cfg(feature = "parallel")]
mod pieces;
mod reborrow;
mod rest;
mod sets;
mod tables;
mod tick_forms;
mod ticks;
mod write;

#[doc(hidden)]
pub use any::{Any, AnyFetch, AnyMembers};
pub use engine::Joined;
pub use fetch::{Fetch, Filter};
#[doc(hidden)]
pub use fetches::{EntityFetch, OptionFetch, ReadFetch};
#[doc(hidden)]
pub use filters::{OrFilter, SeesDisabled, WithFilter, WithoutFilter};
#[doc(hidden)]
pub use flags::{Flag, FlagFilter};
#[doc(hidden)]
pub use flattened::Flattened;
pub use iter::{JoinChunks, JoinIter};
pub use join_mut::JoinMut;
pub use many::ManyError;
pub use old::Old;
pub use pairs::Combinations;
pub use reborrow::{Reborrow, ReborrowFilter};
pub use rest::{ExcludeEntities, Rest};
#[doc(hidden)]
pub use sets::JoinSets;
pub use sets::NotGrouped;
#[doc(hidden)]
pub use tables::Tables;
#[doc(hidden)]
pub use tick_forms::{MutatedFilter, NotTicks};
#[doc(hidden)]
pub use ticks::{AddedFilter, ChangedFilter};
#[doc(hidden)]
pub use write::WriteFetch;

use crate::entity::Entity;
use crate::storage::Storage;
use crate::tuples::{for_each_narrow_arity, for_each_wide_arity, pairs};

/// Iterates several views together, entity by entity.
///
/// Implemented for `&Comp<T>` and `&CompMut<T>` (items `&T`), `&mut CompMut<T>` (`&mut T`), `&Entities` ([`Entity`]),
/// `Option` of these (`Some(&view)`: `Some(item)` or `None` per entity), and tuples of all of them, nested as deep as you
/// like. Entities that lack a member that is not optional are skipped.
///
/// Three ways to loop, from fast to flexible:
///
/// * [`for_each`](Self::for_each) runs in blocks of rows that the compiler can vectorise,
/// * [`chunks`](Self::chunks) returns the columns of each table as slices, and [`slices`](Self::slices) the columns of a
///   group of sparse components,
/// * [`iter`](Self::iter) is an ordinary iterator.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] struct Position(f32);
/// #[derive(Component)] struct Velocity(f32);
/// #[derive(Component)] struct Frozen;
///
/// let mut world = World::new();
/// let a = world.spawn((Position(0.0), Velocity(1.0)));
/// let b = world.spawn((Position(0.0), Velocity(1.0), Frozen));
///
/// let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
/// let frozen = world.view::<Frozen>();
/// (&mut position, &velocity).exclude(&frozen).for_each(|(p, v)| p.0 += v.0);
/// assert_eq!(position.get(a).unwrap().0, 1.0);
/// assert_eq!(position.get(b).unwrap().0, 0.0);
/// let ids: Vec<Entity> = (&position, &frozen).entities().collect();
/// assert_eq!(ids, [b]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be joined",
    label = "not a view, nor a tuple of views",
    note = "join references: `(&mut positions, &velocities)`; an optional member is `Some(&view)`",
    note = "`&mut` needs a view that writes: take a `CompMut<T>` instead of a `Comp<T>`"
)]
pub trait Join<'a>: Sized {
    /// The items of an entity: a tuple has the items of its members.
    type Item;
    /// The fetches of the members.
    #[doc(hidden)]
    type Fetch: Fetch<'a, Item = Self::Item>;
    /// The filters of the members.
    #[doc(hidden)]
    type Filter: Filter<'a>;

    /// Returns the fetches and filters that the engine works with.
    #[doc(hidden)]
    fn joined(self) -> Joined<'a, Self::Fetch, Self::Filter>;

    /// Calls `f` with the items of each entity: the fastest way to visit them all.
    ///
    /// O(entities in the smallest member's tables), and a few nanoseconds per table. Builds with debug assertions visit row
    /// by row and not in blocks, whatever their `opt-level`.
    ///
    /// # Panics
    /// If members are views of different worlds, as in all methods of this trait.
    #[inline]
    #[doc(alias = "each")]
    fn for_each<F: FnMut(Self::Item)>(self, mut f: F) {
        self.joined().each(&mut f);
    }

    /// Iterates over the items of each entity.
    #[inline]
    #[doc(alias = "join")]
    fn iter(self) -> JoinIter<'a, Self::Fetch, Self::Filter> {
        self.joined().iter()
    }

    /// Iterates over the columns of each table as slices, one slice per member, all of the same length.
    ///
    /// Where all members and filters are sparse components, their [`slices`](Self::slices) are the only chunk. It is a
    /// compile error if some members and filters are stored in tables and some in sparse sets.
    ///
    /// # Panics
    /// If they are sparse components that are not a group of their world.
    #[inline]
    #[track_caller]
    fn chunks(self) -> JoinChunks<'a, Self::Fetch, Self::Filter> {
        let () = JoinChunks::<'a, Self::Fetch, Self::Filter>::CHECK;
        self.joined().chunks()
    }

    /// Returns all values of a group of sparse components as slices, one per member, in the same order.
    ///
    /// The members must be a group (see [`Layout`](crate::Layout)), or one sparse component alone. `with_entity` and
    /// [`Entities`](crate::Entities) add the slice of ids. `include(&c)` counts as a member; `exclude(&c)` is possible if
    /// the members together with `c` are a group too. Components that are stored in tables, and optional members, are
    /// compile errors. O(members).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] #[component(storage = "sparse")] struct Position(f32);
    /// #[derive(Component)] #[component(storage = "sparse")] struct Velocity(f32);
    ///
    /// let mut world = World::builder().group::<(Position, Velocity)>().build();
    /// world.spawn(Velocity(9.0));
    /// let moving = world.spawn((Position(1.0), Velocity(0.5)));
    ///
    /// let (mut position, velocity) = (world.view_mut::<Position>(), world.view::<Velocity>());
    /// let (positions, velocities) = (&mut position, &velocity).slices();
    /// for (p, v) in positions.iter_mut().zip(velocities) {
    ///     p.0 += v.0;
    /// }
    /// let (ids, (positions, _)) = (&position, &velocity).with_entity().slices();
    /// assert_eq!((ids, positions[0].0), (&[moving][..], 1.5));
    /// ```
    ///
    /// ```compile_fail
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # let world = World::new();
    /// let (position, velocity) = (world.view::<Position>(), world.view::<Velocity>());
    /// let _ = (&position, &velocity).slices(); // use `chunks`: they are stored in tables
    /// ```
    ///
    /// # Panics
    /// If the members are not a group of their world; [`try_slices`](Self::try_slices) returns an error instead.
    #[inline]
    #[track_caller]
    fn slices(self) -> <Self::Fetch as Fetch<'a>>::Chunk {
        let () = Joined::<'a, Self::Fetch, Self::Filter>::CHECK_SLICES;
        self.try_slices().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Returns all values of a group of sparse components as slices; see [`slices`](Self::slices).
    ///
    /// # Errors
    /// If the members are not a group of their world.
    #[inline]
    fn try_slices(self) -> Result<<Self::Fetch as Fetch<'a>>::Chunk, NotGrouped> {
        let () = Joined::<'a, Self::Fetch, Self::Filter>::CHECK_SLICES;
        self.joined().slices()
    }

    /// Returns the items of one entity; `None` if it lacks a member, does not pass a filter, or is despawned.
    /// O(members).
    #[inline]
    fn get(self, entity: Entity) -> Option<Self::Item> {
        self.joined().get(entity)
    }

    /// Visits only entities that are also in the view, or in all views of the tuple; nothing is fetched from them.
    #[inline]
    fn include<V: Views<'a>>(self, views: V) -> Joined<'a, Self::Fetch, (Self::Filter, V::All)> {
        let (join, (storage, all, _)) = (self.joined(), views.tests());
        Joined {
            storage: same_world(join.storage, storage),
            fetch: join.fetch,
            filter: (join.filter, all),
        }
    }

    /// Visits only entities that are not in the view, or in none of the views of the tuple.
    ///
    /// The filter is part of the loop: the [metadata](crate::meta::SystemMeta) of the system name the views, but not how it
    /// joins them. Where tools should know it, write `Query<&mut Position, Without<Ghost>>` in place of the view.
    #[inline]
    fn exclude<V: Views<'a>>(self, views: V) -> Joined<'a, Self::Fetch, (Self::Filter, V::None)> {
        let (join, (storage, _, none)) = (self.joined(), views.tests());
        Joined {
            storage: same_world(join.storage, storage),
            fetch: join.fetch,
            filter: (join.filter, none),
        }
    }

    /// Visits [disabled](crate::Disabled) entities too, like the filter [`AndDisabled`](crate::query::AndDisabled) of a
    /// query.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::Disabled;
    ///
    /// #[derive(Component)] struct Enemy;
    ///
    /// let mut world = World::new();
    /// world.spawn(Enemy);
    /// world.spawn((Enemy, Disabled));
    /// let enemies = world.view::<Enemy>();
    /// assert_eq!(enemies.iter().count(), 1);
    /// assert_eq!(enemies.and_disabled().iter().count(), 2);
    /// ```
    #[inline]
    fn and_disabled(self) -> Joined<'a, Self::Fetch, (Self::Filter, SeesDisabled)> {
        let join = self.joined();
        Joined {
            storage: join.storage,
            fetch: join.fetch,
            filter: (join.filter, SeesDisabled),
        }
    }

    /// Puts the entity's id before the items: `(entity, (a, b))`.
    #[inline]
    #[doc(alias = "with_id")]
    fn with_entity(self) -> Joined<'a, (EntityFetch, Self::Fetch), Self::Filter> {
        let join = self.joined();
        Joined {
            storage: join.storage,
            fetch: (EntityFetch, join.fetch),
            filter: join.filter,
        }
    }

    /// Iterates over all pairs of entities, each pair once: the entity that is visited earlier comes first.
    ///
    /// For members that only read; use [`JoinMut::for_each_pair`] for others. O(entities²), and allocates a list of all
    /// items.
    #[inline]
    fn iter_combinations(self) -> Combinations<Self::Item>
    where
        Self::Item: Clone,
    {
        Combinations::new(self.iter())
    }

    /// Returns the items of all entities, sorted by a key. Items with equal keys stay in the order of the visit.
    ///
    /// Allocates a list of all items and sorts it: O(entities * log(entities)). A panic of `key`, or one of
    /// [`sort_by_key`](slice::sort_by_key) because the keys have no consistent order, does no harm.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Layer(u8);
    /// let mut world = World::new();
    /// world.spawn_batch([2, 3, 1].map(Layer));
    /// let layer = world.view::<Layer>();
    /// let order: Vec<u8> = layer.sorted_by_key(|layer| layer.0).map(|layer| layer.0).collect();
    /// assert_eq!(order, [1, 2, 3]);
    /// ```
    fn sorted_by_key<K: Ord>(
        self,
        key: impl FnMut(&Self::Item) -> K,
    ) -> alloc::vec::IntoIter<Self::Item> {
        let mut items: Vec<_> = self.iter().collect();
        items.sort_by_key(key);
        items.into_iter()
    }

    /// Returns the items of all entities, sorted by a comparison; see [`sorted_by_key`](Self::sorted_by_key).
    fn sorted_by(
        self,
        compare: impl FnMut(&Self::Item, &Self::Item) -> core::cmp::Ordering,
    ) -> alloc::vec::IntoIter<Self::Item> {
        let mut items: Vec<_> = self.iter().collect();
        items.sort_by(compare);
        items.into_iter()
    }

    /// Calls `f` with the items of each entity, from several threads where that is faster.
    ///
    /// Visits the same entities as [`for_each`](Self::for_each), each once, in no particular order. This thread visits the
    /// first ones and measures how long that takes. If it would need more than about 50 microseconds for the rest, the rest
    /// is divided into pieces of at least about 2 microseconds. The threads of the current rayon pool, including this one,
    /// take these pieces one after the other until none is left. A shorter loop is done here before another thread would be
    /// awake; measuring it costs about 30 nanoseconds.
    ///
    /// Calls of `f` must not wait for one another, by a barrier or a channel: the first ones run alone. If the first
    /// entities say nothing about the cost of the others, because a few of these take milliseconds, use
    /// [`par_for_each_min`](Self::par_for_each_min), which divides immediately.
    ///
    /// # Panics
    /// If `f` panics, once all threads have finished; in that case the rest of the piece is not visited. If it panics for several
    /// entities, the panic of the first one in the order of `for_each` is propagated.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Component)] struct Seed(u64);
    /// let mut world = World::new();
    /// world.spawn_batch((0..10_000).map(Seed));
    /// let mut seed = world.view_mut::<Seed>();
    /// (&mut seed).par_for_each(|seed| seed.0 = seed.0.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17));
    /// ```
    #[cfg(feature = "parallel")]
    #[inline]
    #[doc(alias = "par_join")]
    #[doc(alias = "par_iter")]
    fn par_for_each<G>(self, f: G)
    where
        G: Fn(Self::Item) + Sync,
        Self::Item: Send,
    {
        self.joined().par_for_each(None, f);
    }

    /// Like [`par_for_each`](Self::par_for_each), without measuring: in parallel from `min_rows` rows on, in pieces that get
    /// shorter, from a quarter of each thread's share to an eighth of that number (but not more than 1024).
    ///
    /// Parallel work begins to pay when it takes about 20 microseconds in all. There may be no other thread, or the others
    /// may be busy, so here too calls of `f` must not wait for one another.
    #[cfg(feature = "parallel")]
    #[inline]
    fn par_for_each_min<G>(self, min_rows: usize, f: G)
    where
        G: Fn(Self::Item) + Sync,
        Self::Item: Send,
    {
        self.joined().par_for_each(Some(min_rows), f);
    }

    /// Calls `f` with pieces of the columns of each table as slices, from several threads at once.
    ///
    /// Like [`chunks`](Self::chunks), but the pieces are visible, so the number of rows alone decides how they are divided:
    /// with fewer than 8192 rows this thread does everything, and with more the threads of the current rayon pool, including
    /// this one, take pieces of at least 1024. See [`par_chunks_min`](Self::par_chunks_min) for other numbers.
    #[cfg(feature = "parallel")]
    #[inline]
    fn par_chunks<G>(self, f: G)
    where
        G: Fn(<Self::Fetch as Fetch<'a>>::Chunk) + Sync,
        <Self::Fetch as Fetch<'a>>::Chunk: Send,
    {
        self.par_chunks_min(distribute::MIN_ROWS, f);
    }

    /// Like [`par_chunks`](Self::par_chunks), with the cut-off of [`par_for_each_min`](Self::par_for_each_min).
    #[cfg(feature = "parallel")]
    #[inline]
    fn par_chunks_min<G>(self, min_rows: usize, f: G)
    where
        G: Fn(<Self::Fetch as Fetch<'a>>::Chunk) + Sync,
        <Self::Fetch as Fetch<'a>>::Chunk: Send,
    {
        self.joined().par_chunks(min_rows, f);
    }

    /// Iterates over the ids of the entities.
    #[inline]
    fn entities(self) -> impl Iterator<Item = Entity> + use<'a, Self> {
        self.with_entity().iter().map(|(entity, _)| entity)
    }
}

/// Views whose entities are tested but not fetched; see [`Join::include`].
///
/// # Safety
/// `tests` returns the storage whose stores the tests read, or `None` if they read none.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be used to include or exclude entities",
    label = "not a view, nor a tuple of views",
    note = "pass a reference to a view, or a tuple of them: `.exclude((&stunned, &dead))`"
)]
#[doc(hidden)]
pub unsafe trait Views<'a>: Sized {
    /// The filter that passes entities of all views.
    #[doc(hidden)]
    type All: Filter<'a>;
    /// The filter that passes entities of no view.
    #[doc(hidden)]
    type None: Filter<'a>;

    /// Returns the world's storage, and both filters.
    #[doc(hidden)]
    fn tests(self) -> (Option<&'a Storage>, Self::All, Self::None);
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> Join<'a> for Joined<'a, T, F> {
    type Item = T::Item;
    type Fetch = T;
    type Filter = F;

    #[inline]
    fn joined(self) -> Self {
        self
    }
}

impl<'a, T: Fetch<'a>, F: Filter<'a>> IntoIterator for Joined<'a, T, F> {
    type Item = T::Item;
    type IntoIter = JoinIter<'a, T, F>;

    #[inline]
    fn into_iter(self) -> JoinIter<'a, T, F> {
        self.iter()
    }
}

/// An optional member.
///
/// ```compile_fail
/// use ecs_core::prelude::*;
/// # #[derive(Component)] struct A;
/// # #[derive(Component)] struct B;
/// let world = World::new();
/// let (a, b) = (world.view::<A>(), world.view::<B>());
/// // Would this skip entities with a `B`, or treat their `A` as missing?
/// (world.entities(), Some(a.exclude(&b))).for_each(|_| {});
/// ```
impl<'a, J: Join<'a>> Join<'a> for Option<J> {
    type Item = Option<J::Item>;
    type Fetch = OptionFetch<J::Fetch>;
    type Filter = ();

    /// Accepts no member with a filter of its own, which is a compile error: an entity that does not pass would count as one
    /// without the component.
    #[inline]
    fn joined(self) -> Joined<'a, Self::Fetch, ()> {
        const {
            assert!(
                <J::Filter as Filter<'_>>::TRIVIAL,
                "an optional member cannot have a filter; help: use `include` and `exclude` on the whole join"
            );
        }
        let inner = self.map(J::joined);
        Joined {
            storage: inner.as_ref().and_then(|join| join.storage),
            fetch: OptionFetch(inner.map(|join| join.fetch)),
            filter: (),
        }
    }
}

/// Returns the storage of two members, which must be of one world.
#[inline]
fn same_world<'a>(a: Option<&'a Storage>, b: Option<&'a Storage>) -> Option<&'a Storage> {
    if let (Some(a), Some(b)) = (a, b) {
        assert!(
            core::ptr::eq(a, b),
            "views of different worlds cannot be joined"
        );
    }
    a.or(b)
}

macro_rules! tuple_join {
    ($($name:ident $value:ident),+) => {
        impl<'a, $($name: Join<'a>),+> Join<'a> for ($($name,)+) {
            type Item = ($($name::Item,)+);
            type Fetch = ($($name::Fetch,)+);
            type Filter = pairs!($([$name::Filter])+);

            #[inline]
            fn joined(self) -> Joined<'a, Self::Fetch, Self::Filter> {
                let ($($value,)+) = self;
                $(let $value = $value.joined();)+
                let storage = None;
                $(let storage = same_world(storage, $value.storage);)+
                Joined {
                    storage,
                    fetch: ($($value.fetch,)+),
                    filter: pairs!($([$value.filter])+),
                }
            }
        }
    };
}

for_each_narrow_arity!(tuple_join);

macro_rules! wide_join {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        impl<'a, $($left: Join<'a>,)+ $($right: Join<'a>),+> Join<'a> for ($($left,)+ $($right,)+) {
            type Item = ($($left::Item,)+ $($right::Item,)+);
            type Fetch = Flattened<(($($left::Fetch,)+), ($($right::Fetch,)+))>;
            type Filter = (pairs!($([$left::Filter])+), pairs!($([$right::Filter])+));

            #[inline]
            fn joined(self) -> Joined<'a, Self::Fetch, Self::Filter> {
                let ($($l,)+ $($r,)+) = self;
                let join = (($($l,)+), ($($r,)+)).joined();
                Joined {
                    storage: join.storage,
                    fetch: Flattened(join.fetch),
                    filter: join.filter,
                }
            }
        }
    };
}

for_each_wide_arity!(wide_join);

macro_rules! tuple_views {
    ($($name:ident $value:ident),+) => {
        // SAFETY: each member's `tests` returns the storage that its filters read, and `same_world` asserts that these
        // are the same.
        unsafe impl<'a, $($name: Views<'a>),+> Views<'a> for ($($name,)+) {
            type All = pairs!($([$name::All])+);
            type None = pairs!($([$name::None])+);

            #[inline]
            fn tests(self) -> (Option<&'a Storage>, Self::All, Self::None) {
                let ($($value,)+) = self;
                $(let $value = $value.tests();)+
                let storage = None;
                $(let storage = same_world(storage, $value.0);)+
                (storage, pairs!($([$value.1])+), pairs!($([$value.2])+))
            }
        }
    };
}

for_each_narrow_arity!(tuple_views);

macro_rules! wide_views {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        // SAFETY: delegates to the pair of tuples, whose implementation keeps the contract.
        unsafe impl<'a, $($left: Views<'a>,)+ $($right: Views<'a>),+> Views<'a> for ($($left,)+ $($right,)+) {
            type All = <(($($left,)+), ($($right,)+)) as Views<'a>>::All;
            type None = <(($($left,)+), ($($right,)+)) as Views<'a>>::None;

            #[inline]
            fn tests(self) -> (Option<&'a Storage>, Self::All, Self::None) {
                let ($($l,)+ $($r,)+) = self;
                (($($l,)+), ($($r,)+)).tests()
            }
        }
    };
}

for_each_wide_arity!(wide_views);
