//! Query data that is borrowed from one entity, or a few.

use super::QueryData;
use super::handle::Item;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::join::{JoinMut, Joined, ManyError};
use crate::meta::{QueryAccess, Side, never_aliases, refuse_aliasing};
use crate::tuples::for_each_narrow_arity;
use crate::world::{BorrowError, EntityDataMut, GetError, World};

/// A world, and the join of some of its data.
type WorldJoin<'w, D> = (&'w World, Joined<'w, <D as QueryData>::Fetch<'w>, ()>);

/// Joins some data of a world that is borrowed exclusively. Returns the world too, for looking up the components of an
/// entity.
///
/// # Errors
/// If a component is named twice and written.
#[inline]
fn joined<D: QueryData>(world: &mut World) -> Result<WorldJoin<'_, D>, BorrowError> {
    let window = world.storage.clock.exclusive();
    let world = &*world;
    let storage = &world.storage;
    if !const { never_aliases(D::ACCESS, &QueryAccess::Nothing) } {
        // Fails for a component that is named twice and written.
        D::lock(storage)?;
        // SAFETY: `lock` has succeeded just now, and no fetch was made. From here on the exclusive borrow of the world takes
        // the place of these.
        unsafe { D::unlock(storage) };
    }
    // SAFETY: the world is borrowed exclusively as long as the items, which is stronger than run-time borrows: no view
    // exists. No two members have the same component unless both read it: a constant has checked that, or `lock`.
    let fetch = unsafe { D::fetch(storage, window) };
    let join = Joined {
        storage: Some(storage),
        fetch,
        filter: (),
    };
    Ok((world, join))
}

impl World {
    /// Returns the items of two entities, each `None` if the entity lacks a component or is despawned. O(members).
    ///
    /// If both are the same entity, the second is `None`: its items are returned once. `D` is query data, see
    /// [`Query`](super::Query).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let (fox, hen) = (world.spawn(Gold(1)), world.spawn(Gold(5)));
    /// if let (Some(to), Some(from)) = world.get_pair_mut::<&mut Gold>(fox, hen) {
    ///     to.0 += std::mem::take(&mut from.0);
    /// }
    /// assert_eq!(world.get::<Gold>(fox).unwrap().0, 6);
    /// ```
    ///
    /// # Panics
    /// If `D` names a component twice and writes it, where no constant could tell.
    #[inline]
    #[must_use]
    #[track_caller]
    pub fn get_pair_mut<D: QueryData>(
        &mut self,
        a: Entity,
        b: Entity,
    ) -> (Option<Item<'_, D>>, Option<Item<'_, D>>) {
        const { refuse_aliasing(D::ACCESS, &QueryAccess::Nothing) };
        match joined::<D>(self) {
            Ok((_, join)) => join.get_pair_mut(a, b),
            Err(error) => panic!("{error}"),
        }
    }

    /// Returns the items of `N` entities. O(N * members + N²).
    ///
    /// # Errors
    /// If an entity is not alive, lacks a component, or is listed twice.
    ///
    /// # Panics
    /// If `D` names a component twice and writes it, where no constant could tell.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::join::ManyError;
    ///
    /// #[derive(Component)] struct Health(i32);
    /// #[derive(Component)] struct Shield(i32);
    ///
    /// let mut world = World::new();
    /// let a = world.spawn((Health(1), Shield(3)));
    /// let b = world.spawn((Health(2), Shield(0)));
    /// let [x, y] = world.get_many_mut::<(&mut Health, &Shield), _>([a, b])?;
    /// y.0.0 -= 1;
    /// x.0.0 += x.1.0;
    /// assert_eq!(world.get::<Health>(a).unwrap().0, 4);
    /// world.despawn(b)?;
    /// let gone = world.get_many_mut::<&mut Health, _>([a, b]);
    /// assert_eq!(gone.err(), Some(ManyError::NoSuchEntity { entity: b }));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[track_caller]
    pub fn get_many_mut<D: QueryData, const N: usize>(
        &mut self,
        entities: [Entity; N],
    ) -> Result<[Item<'_, D>; N], ManyError> {
        const { refuse_aliasing(D::ACCESS, &QueryAccess::Nothing) };
        match joined::<D>(self) {
            Ok((_, join)) => join.get_many_mut(entities),
            Err(error) => panic!("{error}"),
        }
    }
}

/// Borrows the items of one entity.
fn write<D: QueryData>(world: &mut World, entity: Entity) -> Result<Item<'_, D>, GetError> {
    let (world, join) = joined::<D>(world)?;
    join.get(entity).ok_or_else(|| GetError::Missing {
        entity,
        component: missing(world, entity, D::ACCESS).unwrap_or("?"),
    })
}

/// Returns the name of the first component of the data that the entity lacks.
#[cold]
fn missing(world: &World, entity: Entity, data: &QueryAccess) -> Option<&'static str> {
    if let QueryAccess::OfAny(_) | QueryAccess::Optional(_) = data {
        return None;
    }
    if let Some(parts) = Side::QueryAccess(data).parts() {
        let mut parts = parts.iter();
        return parts.find_map(|part| missing(world, entity, part));
    }
    let (QueryAccess::Read(ident) | QueryAccess::Write(ident)) = data else {
        return None;
    };
    let has = ComponentId::of_ident(ident).is_some_and(|id| world.has_id(entity, id) != Ok(false));
    (!has).then(|| ident.type_name())
}

macro_rules! tuple_data {
    ($($name:ident $value:ident),+) => {
        impl<$($name: QueryData),+> EntityDataMut for ($($name,)+) {
            type Item<'w> = Item<'w, Self>;

            const CHECK: () = refuse_aliasing(<Self as QueryData>::ACCESS, &QueryAccess::Nothing);

            #[inline]
            fn write(world: &mut World, entity: Entity) -> Result<Self::Item<'_>, GetError> {
                write::<Self>(world, entity)
            }
        }
    };
}

for_each_narrow_arity!(tuple_data);
