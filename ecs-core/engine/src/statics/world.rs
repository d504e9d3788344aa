//! The verbs of a closed world.

use super::items::{Item, ReadOnlyItem, unaliased};
use super::lookup::{Each, Lookup};
use super::renew::NewValues;
use super::view::{StaticComp, StaticCompMut};
use super::walk::{self, Value};
use super::{Ids, Pages, Values};
use crate::entity::Entity;
use crate::world::{NoSuchEntity, TakeError};

/// A closed world: made by `world!`, which implements this trait.
///
/// The verbs are those of [`World`](crate::World), for one component at a time and without run-time borrows. All are
/// O(1) unless they say otherwise.
pub trait StaticWorld: Default + 'static {
    /// The ids.
    #[doc(hidden)]
    fn ids(&self) -> &Ids;

    /// The ids.
    #[doc(hidden)]
    fn ids_mut(&mut self) -> &mut Ids;

    /// Despawns an entity: its id is void from now on, and its components are dropped. O(components of the world).
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of a component panics. The entity is gone even so, and its other components are dropped.
    fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity>;

    /// Despawns all entities and gives the memory of their components back. Ids that were given out stay void.
    ///
    /// # Panics
    /// If the `Drop` of a component panics; all entities are gone then, and all other components dropped.
    fn clear(&mut self);

    /// Spawns an entity with the components of a tuple; `spawn!` does the same. O(components).
    ///
    /// Refuses, while compiling, a component that is given twice.
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use.
    #[inline]
    fn spawn<V: Values<Self>>(&mut self, components: V) -> Entity {
        const {
            assert!(
                unaliased(V::TOUCH),
                "an entity has at most one component of a type: a type is given twice to `spawn`"
            );
        }
        let entity = self.ids_mut().issue();
        components.fill(self, entity.index());
        entity
    }

    /// The entity's `T`, or `None` if it has none or is gone.
    #[inline]
    #[must_use]
    fn get<T: ComponentOf<Self>>(&self, entity: Entity) -> Option<&T> {
        let index = self.ids().find(entity)?;
        T::pages(self).get(index)
    }

    /// The entity's `T`, to be changed; `None` if it has none or is gone.
    #[inline]
    #[must_use]
    fn get_mut<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Option<&mut T> {
        let index = self.ids().find(entity)?;
        T::parts_mut(self).1.get_mut(index)
    }

    /// Whether the entity lives and has a `T`.
    #[inline]
    #[must_use]
    fn has<T: ComponentOf<Self>>(&self, entity: Entity) -> bool {
        let index = self.ids().find(entity);
        index.is_some_and(|index| T::pages(self).contains(index))
    }

    /// Gives the entity a component; one of the type that it had is dropped.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of the old value panics; the entity has the new one then.
    #[inline]
    fn insert<T: ComponentOf<Self>>(
        &mut self,
        entity: Entity,
        component: T,
    ) -> Result<(), NoSuchEntity> {
        self.replace(entity, component).map(drop)
    }

    /// Gives the entity a component and hands back the one of the type that it had.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    #[inline]
    fn replace<T: ComponentOf<Self>>(
        &mut self,
        entity: Entity,
        component: T,
    ) -> Result<Option<T>, NoSuchEntity> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        Ok(T::parts_mut(self).1.replace(index, component))
    }

    /// Removes and drops the entity's `T`, if it has one.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    ///
    /// # Panics
    /// If the `Drop` of the value panics; the entity no longer has it then.
    #[inline]
    fn remove<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        drop(T::parts_mut(self).1.vacate(index));
        Ok(())
    }

    /// Removes the entity's `T` and hands it back.
    ///
    /// # Errors
    /// If there is no such entity (any more), or it has no `T`.
    #[inline]
    fn take<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Result<T, TakeError> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        match T::parts_mut(self).1.vacate(index) {
            Some(value) => Ok(value.into_inner()),
            None => Err(TakeError::Missing {
                entity,
                component: core::any::type_name::<T>(),
            }),
        }
    }

    /// Whether the entity lives.
    #[inline]
    #[must_use]
    fn contains(&self, entity: Entity) -> bool {
        self.ids().find(entity).is_some()
    }

    /// The number of living entities.
    #[must_use]
    fn len(&self) -> usize {
        self.ids().len()
    }

    /// Whether no entity lives.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All values of one component; `component!` does the same.
    #[inline]
    #[must_use]
    fn view<T: ComponentOf<Self>>(&self) -> StaticComp<'_, T> {
        StaticComp::new(self.ids(), T::pages(self))
    }

    /// All values of one component, to be changed; `component_mut!` does the same.
    #[inline]
    #[must_use]
    fn view_mut<T: ComponentOf<Self>>(&mut self) -> StaticCompMut<'_, T> {
        let (ids, pages) = T::parts_mut(self);
        StaticCompMut::new(ids, pages)
    }

    /// Where `system!` looks up its parameters.
    #[doc(hidden)]
    #[inline]
    fn system_items(&self) -> Lookup<Self> {
        Lookup::new()
    }

    /// What `system!` does.
    #[doc(hidden)]
    #[inline]
    fn for_each_of<D, F>(&mut self, each: Each<D, F>)
    where
        D: Item<Self>,
        F: FnMut(Value<'_, Self, D>),
    {
        const {
            assert!(
                unaliased(D::TOUCH),
                "a `system!` borrows a component mutably and a second time: borrow it once"
            );
        }
        // SAFETY: no two items are of one component unless both read (above), and the world is borrowed exclusively.
        unsafe { walk::for_each::<Self, D, F>(self, each.f) };
    }

    /// What `system!` that returns new values does first.
    #[doc(hidden)]
    fn values_of<D, R, F>(&self, mut each: Each<D, F>) -> Vec<(Entity, R)>
    where
        D: ReadOnlyItem<Self>,
        F: FnMut(Value<'_, Self, D>) -> R,
    {
        let mut values = Vec::new();
        let push = |(entity, items)| values.push((entity, (each.f)(items)));
        // SAFETY: all items read, and the world is borrowed.
        unsafe { walk::for_each::<Self, (Entity, D), _>(self, push) };
        values
    }

    /// What `system!` that returns new values does then. `list` makes the list of the values of an entity.
    #[doc(hidden)]
    #[inline]
    fn renew<R, V, F>(&mut self, _: R, mut values: Vec<(Entity, V)>, list: F)
    where
        R: NewValues<Self>,
        F: Fn(&mut V) -> R::Values<'_>,
    {
        for (entity, new) in &mut values {
            R::swap(self, *entity, list(new));
        }
        // The old values are dropped when all new ones are in place.
        drop(values);
    }
}

/// A component of the closed world `W`: the list of `world!` as a bound.
///
/// For functions that work on any world with certain components:
///
/// ```
/// use ecs_core::prelude::*;
///
/// struct Health(u8);
/// world! { Arena { Health } }
///
/// fn heal<W: StaticWorld>(world: &mut W, entity: Entity)
/// where
///     Health: ComponentOf<W>,
/// {
///     if let Some(health) = world.get_mut::<Health>(entity) {
///         health.0 += 1;
///     }
/// }
///
/// let mut arena = Arena::new();
/// let knight = spawn!(arena; Health(1));
/// heal(&mut arena, knight);
/// assert_eq!(arena.get::<Health>(knight).unwrap().0, 2);
/// ```
///
/// # Safety
/// `pages` and `parts_mut` give out one and the same field of the world, the only one of the type, and do nothing else. No other
/// component of the world has the same `INDEX`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a component of the world `{W}`",
    label = "not in the list of `{W}`",
    note = "a closed world has the components that its `world!` lists: add `{Self}` there"
)]
pub unsafe trait ComponentOf<W: StaticWorld>: Sized + 'static {
    /// The place of the component in the list; different for each.
    #[doc(hidden)]
    const INDEX: usize;

    /// The values.
    #[doc(hidden)]
    fn pages(world: &W) -> &Pages<Self>;

    /// The values, and the ids beside.
    #[doc(hidden)]
    fn parts_mut(world: &mut W) -> (&Ids, &mut Pages<Self>);
}
