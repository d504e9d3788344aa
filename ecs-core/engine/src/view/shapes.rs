//! Access to several values of a `CompMut` at once, and to a sparse component as slices.

use super::{Comp, CompMut};
use crate::component::{Component, MutOf, OneSlice};
use crate::entity::Entity;
use crate::join::{Fetch, Join, JoinMut, ManyError, Rest, WriteFetch};

/// The rest of a [`CompMut`] after a [`split`](CompMut::split).
pub type CompRest<'a, T> = Rest<'a, WriteFetch<'a, T>, ()>;

/// The slice of a mutable view.
type Values<'a, T> = <WriteFetch<'a, T> as Fetch<'a>>::Chunk;

impl<T: Component> CompMut<'_, T> {
    /// Returns the values of two entities, each `None` if the entity has none or is despawned. O(1).
    ///
    /// If both are the same entity, the second is `None`: its value is returned once.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let (thief, victim) = (world.spawn(Gold(0)), world.spawn(Gold(7)));
    /// let mut gold = world.view_mut::<Gold>();
    /// if let (Some(to), Some(from)) = gold.get_pair_mut(thief, victim) {
    ///     to.0 += std::mem::take(&mut from.0);
    /// }
    /// assert_eq!(gold.get(thief).unwrap().0, 7);
    /// ```
    #[inline]
    #[must_use]
    pub fn get_pair_mut(
        &mut self,
        a: Entity,
        b: Entity,
    ) -> (Option<MutOf<'_, T>>, Option<MutOf<'_, T>>) {
        self.joined().get_pair_mut(a, b)
    }

    /// Returns the values of `N` entities. O(N²) because the ids are compared.
    ///
    /// # Errors
    /// If an entity is not alive, has no value, or is listed twice.
    #[inline]
    pub fn get_many_mut<const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[MutOf<'_, T>; N], ManyError> {
        self.joined().get_many_mut(entities)
    }

    /// Returns the value of one entity, and the view of all others; `None` if the entity has no value or is despawned.
    /// O(1).
    ///
    /// See [`Rest`].
    #[inline]
    #[must_use]
    pub fn split(&mut self, entity: Entity) -> Option<(MutOf<'_, T>, CompRest<'_, T>)> {
        self.joined().split(entity)
    }

    /// Calls `f` with each value and a [`Rest`] of all others; see [`JoinMut::for_each_with_rest`].
    #[inline]
    pub fn for_each_with_rest(
        &mut self,
        f: impl for<'b> FnMut(MutOf<'b, T>, &mut CompRest<'b, T>),
    ) {
        self.joined().for_each_with_rest(f);
    }

    /// Calls `f` with each pair of values, once per pair; see [`JoinMut::for_each_pair`].
    #[inline]
    pub fn for_each_pair<'a>(&'a mut self, f: impl FnMut(&mut MutOf<'a, T>, &mut MutOf<'a, T>)) {
        self.joined().for_each_pair(f);
    }

    /// Returns all values of a sparse component as one mutable slice, in the order of
    /// [`as_entities`](Self::as_entities).
    ///
    /// Components that are stored in tables are a compile error because their values lie in several slices: see
    /// [`Join::chunks`].
    #[inline]
    #[must_use]
    pub fn as_mut_slice(&mut self) -> Values<'_, T>
    where
        T: OneSlice,
    {
        self.joined().sparse_slice()
    }
}

impl<'a, T: Component> JoinMut<'a> for &'a mut CompMut<'_, T> {}

macro_rules! slices {
    ($($view:ident)*) => {$(
        impl<T: Component> $view<'_, T> {
            /// Returns all values of a sparse component as one slice, in the order of
            /// [`as_entities`](Self::as_entities).
            ///
            /// Components that are stored in tables are a compile error because their values lie in several slices: see
            /// [`Join::chunks`].
            ///
            /// ```
            /// use ecs_core::prelude::*;
            ///
            /// #[derive(Component)]
            /// #[component(storage = "sparse")]
            /// struct Burning(u8);
            ///
            /// let mut world = World::new();
            /// let torch = world.spawn(Burning(3));
            /// let mut burning = world.view_mut::<Burning>();
            /// burning.as_mut_slice()[0].0 -= 1;
            /// assert_eq!(burning.as_slice()[0].0, 2);
            /// assert_eq!(burning.as_entities(), [torch]);
            /// ```
            ///
            /// ```compile_fail,E0277
            /// # use ecs_core::prelude::*;
            /// #[derive(Component)]
            /// struct InTables(u8);
            ///
            /// # let world = World::new();
            /// let view = world.view::<InTables>();
            /// let _ = view.as_slice();
            /// ```
            #[inline]
            #[must_use]
            pub fn as_slice(&self) -> &[T]
            where
                T: OneSlice,
            {
                self.joined().sparse_slice()
            }

            /// Returns the entities that have a sparse component, in the order of the values of
            /// [`as_slice`](Self::as_slice).
            ///
            /// Components that are stored in tables are a compile error; see [`Join::entities`].
            #[inline]
            #[must_use]
            pub fn as_entities(&self) -> &[Entity]
            where
                T: OneSlice,
            {
                self.joined().sparse_entities()
            }
        }
    )*};
}

slices!(Comp CompMut);
