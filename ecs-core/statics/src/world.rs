//! The methods of a closed world.

use ecs_engine::__private::{Ids, type_name};
use ecs_engine::Entity;
use ecs_engine::world::{NoSuchEntity, TakeError};

use crate::access::is_unaliased;
use crate::component::ComponentOf;
use crate::values::ComponentValues;
use crate::view::{StaticComp, StaticCompMut};

/// A closed world; `world!` implements this trait.
///
/// The methods are the same as for a [`World`](ecs_engine::World), for one component at a time and without run-time
/// borrows. All are O(1) unless they say otherwise.
pub trait StaticWorld: Default + 'static {
    /// Returns the ids.
    #[doc(hidden)]
    fn ids(&self) -> &Ids;

    /// Returns the ids mutably.
    #[doc(hidden)]
    fn ids_mut(&mut self) -> &mut Ids;

    /// Despawns an entity: its id becomes invalid, and its components are dropped. O(components of the world).
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If the `Drop` of a component panics. The entity is despawned anyway, and its other components are dropped.
    fn despawn(&mut self, entity: Entity) -> Result<(), NoSuchEntity>;

    /// Despawns all entities and frees the memory of their components. Their ids stay invalid.
    ///
    /// # Panics
    /// If the `Drop` of a component panics. All entities are despawned anyway, and all other components are dropped.
    fn clear(&mut self);

    /// Spawns an entity with the components of a tuple; `spawn!` does the same. O(components).
    ///
    /// Passing two components of one type is a compile-time error.
    ///
    /// # Panics
    /// If all 2^32 - 1 entity indices are in use.
    #[inline]
    fn spawn<V: ComponentValues<Self>>(&mut self, components: V) -> Entity {
        const {
            assert!(
                is_unaliased(V::ACCESS),
                "two components passed to `spawn` have the same type, but an entity has at most one of each; help: remove one"
            );
        }
        let entity = self.ids_mut().alloc();
        components.fill(self, entity.index());
        entity
    }

    /// Returns the `T` of an entity; `None` if it has none or does not exist.
    #[inline]
    #[must_use]
    fn get<T: ComponentOf<Self>>(&self, entity: Entity) -> Option<&T> {
        let index = self.ids().find(entity)?;
        T::pages(self).get(index)
    }

    /// Returns a mutable reference to the `T` of an entity; `None` if it has none or does not exist.
    #[inline]
    #[must_use]
    fn get_mut<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Option<&mut T> {
        let index = self.ids().find(entity)?;
        T::parts_mut(self).1.get_mut(index)
    }

    /// Returns whether an entity exists and has a `T`.
    #[inline]
    #[must_use]
    fn has<T: ComponentOf<Self>>(&self, entity: Entity) -> bool {
        let index = self.ids().find(entity);
        index.is_some_and(|index| T::pages(self).contains(index))
    }

    /// Inserts a component into an entity; the previous value is dropped.
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If the `Drop` of the old value panics; the entity already has the new one.
    #[inline]
    fn insert<T: ComponentOf<Self>>(
        &mut self,
        entity: Entity,
        component: T,
    ) -> Result<(), NoSuchEntity> {
        self.replace(entity, component).map(drop)
    }

    /// Inserts a component into an entity and returns the previous value.
    ///
    /// # Errors
    /// If the entity does not exist.
    #[inline]
    fn replace<T: ComponentOf<Self>>(
        &mut self,
        entity: Entity,
        component: T,
    ) -> Result<Option<T>, NoSuchEntity> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        Ok(T::parts_mut(self).1.replace(index, component))
    }

    /// Removes and drops the `T` of an entity, if it has one.
    ///
    /// # Errors
    /// If the entity does not exist.
    ///
    /// # Panics
    /// If the `Drop` of the value panics; the entity no longer has it.
    #[inline]
    fn remove<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Result<(), NoSuchEntity> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        drop(T::parts_mut(self).1.vacate(index));
        Ok(())
    }

    /// Removes the `T` of an entity and returns it.
    ///
    /// # Errors
    /// If the entity does not exist, or has no `T`.
    #[inline]
    fn take<T: ComponentOf<Self>>(&mut self, entity: Entity) -> Result<T, TakeError> {
        let index = self.ids().find(entity).ok_or(NoSuchEntity { entity })?;
        match T::parts_mut(self).1.vacate(index) {
            Some(value) => Ok(value.into_inner()),
            None => Err(TakeError::Missing {
                entity,
                component: type_name::<T>(),
            }),
        }
    }

    /// Returns whether an entity exists.
    #[inline]
    #[must_use]
    fn contains(&self, entity: Entity) -> bool {
        self.ids().find(entity).is_some()
    }

    /// Returns the number of entities.
    #[must_use]
    fn len(&self) -> usize {
        self.ids().len()
    }

    /// Returns whether there are no entities.
    #[must_use]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a view of all values of one component; `component!` does the same.
    #[inline]
    #[must_use]
    fn view<T: ComponentOf<Self>>(&self) -> StaticComp<'_, T> {
        StaticComp::new(self.ids(), T::pages(self))
    }

    /// Returns an exclusive view of all values of one component; `component_mut!` does the same.
    #[inline]
    #[must_use]
    fn view_mut<T: ComponentOf<Self>>(&mut self) -> StaticCompMut<'_, T> {
        let (ids, pages) = T::parts_mut(self);
        StaticCompMut::new(ids, pages)
    }
}
