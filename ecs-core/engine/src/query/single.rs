//! The one entity that matches a query.

use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};

use super::data::{QueryData, ReadOnlyQueryData};
use super::filter::QueryFilter;
use super::handle::{Item, Query};
use crate::entity::Entity;
use crate::join::{EntityFetch, Joined};
use crate::type_name::type_name;

/// The items of the one entity that matches a query: a system parameter.
///
/// `D` and `F` are the same as for a [`Query`], and so is the access. A system that has a `Single` does not run if no entity
/// matches or more than one does: that is an error, like a missing resource. `Option<Single<D, F>>` is `None` if no entity
/// matches; more than one is still an error. The entity is found before each run, in O(matching tables), or O(entities)
/// where the filter tests single entities.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] struct Player;
/// #[derive(Component)] struct Boss(i32);
/// #[derive(Component)] struct Position(f32);
///
/// #[system]
/// fn steer(mut player: Single<&mut Position, With<Player>>, boss: Option<Single<&Boss>>) {
///     player.0 += 1.0;
///     if let Some(boss) = boss {
///         player.0 -= boss.0 as f32;
///     }
/// }
///
/// let mut world = World::new();
/// let player = world.spawn((Player, Position(0.0)));
/// steer(&world);
/// world.spawn(Boss(3));
/// steer(&world);
/// assert_eq!(world.get::<Position>(player).unwrap().0, -1.0);
/// ```
pub struct Single<'w, D: QueryData, F = ()> {
    entity: Entity,
    item: Item<'w, D>,
    filter: PhantomData<fn() -> F>,
}

impl<'w, D: QueryData, F> Single<'w, D, F> {
    /// Returns the entity.
    #[inline]
    #[must_use]
    pub fn entity(&self) -> Entity {
        self.entity
    }

    /// Returns the items by value, like a query.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Position(f32);
    /// # #[derive(Component)] struct Velocity(f32);
    /// #[system]
    /// fn movement(body: Single<(&mut Position, &Velocity)>) {
    ///     let (position, velocity) = body.into_inner();
    ///     position.0 += velocity.0;
    /// }
    /// # let mut world = World::new();
    /// # let body = world.spawn((Position(0.0), Velocity(2.0)));
    /// # movement(&world);
    /// # assert_eq!(world.get::<Position>(body).unwrap().0, 2.0);
    /// ```
    #[inline]
    #[must_use]
    pub fn into_inner(self) -> Item<'w, D> {
        self.item
    }
}

impl<'w, D: QueryData, F> Deref for Single<'w, D, F> {
    type Target = Item<'w, D>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.item
    }
}

impl<D: QueryData, F> DerefMut for Single<'_, D, F> {
    #[inline]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.item
    }
}

impl<D: QueryData, F> fmt::Debug for Single<'_, D, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (data, filter) = (type_name::<D>(), type_name::<F>());
        write!(f, "Single<{data}, {filter}>({:?})", self.entity)
    }
}

impl<D: QueryData, F: QueryFilter> Query<'_, D, F> {
    /// Returns the one entity that matches.
    ///
    /// # Errors
    /// If none matches, or more than one.
    pub(crate) fn only(&self) -> Result<Entity, SingleError> {
        let Joined {
            storage,
            fetch,
            filter,
        } = self.read();
        let with_ids = Joined {
            storage,
            fetch: (EntityFetch, fetch),
            filter,
        };
        let (entity, _) = single::<D, F, _>(with_ids.iter())?;
        Ok(entity)
    }

    /// Returns the items of the entity that was the [only](Self::only) one that matched, whatever was written to it
    /// since.
    #[inline]
    pub(crate) fn only_item<E>(&mut self, entity: Entity) -> Single<'_, E, F>
    where
        E: QueryData<Static = D::Static>,
    {
        Single::new(entity, self.write_as::<E>().get_at_any_tick(entity))
    }

    /// Like [`only_item`](Self::only_item), for data that is only read.
    #[inline]
    pub(crate) fn only_shared<E>(&self, entity: Entity) -> Single<'_, E, F>
    where
        E: ReadOnlyQueryData<Static = D::Static>,
    {
        Single::new(entity, self.read_as::<E>().get_at_any_tick(entity))
    }
}

impl<'w, D: QueryData, F> Single<'w, D, F> {
    #[inline]
    fn new(entity: Entity, item: Option<Item<'w, D>>) -> Self {
        Self {
            entity,
            item: item.expect("an entity keeps its components while they are borrowed"),
            filter: PhantomData,
        }
    }
}

/// Returns the only item.
pub(super) fn single<D, F, T>(mut items: impl Iterator<Item = T>) -> Result<T, SingleError> {
    let query = || match type_name::<F>() {
        "()" => type_name::<D>(),
        _ => type_name::<(D, F)>(),
    };
    let item = items
        .next()
        .ok_or_else(|| SingleError::None { query: query() })?;
    match items.next() {
        None => Ok(item),
        Some(_) => Err(SingleError::Several {
            query: query(),
            count: 2 + items.count(),
        }),
    }
}

/// The error if not exactly one entity matches; see [`Query::single`] and [`Single`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SingleError {
    /// No entity matches.
    None {
        /// The data and filter types of the query, or the data alone without a filter.
        query: &'static str,
    },
    /// More than one entity matches.
    Several {
        /// The data and filter types of the query, or the data alone without a filter.
        query: &'static str,
        /// The number of entities that match.
        count: usize,
    },
}

impl fmt::Display for SingleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None { query } => write!(
                f,
                "no entity matches the query `{query}`, but one was expected"
            ),
            Self::Several { query, count } => write!(
                f,
                "{count} entities match the query `{query}`, but one was expected"
            ),
        }
    }
}

impl core::error::Error for SingleError {}
