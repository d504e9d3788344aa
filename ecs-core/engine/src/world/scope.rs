//! Takes a resource or a bundle out of a world during a call.

use super::{TakeError, World};
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::type_name::type_name;

/// A value that goes back into its world at the end.
struct Scope<'w, T, P: FnMut(&mut World, T)> {
    world: &'w mut World,
    /// `None` once it was put back.
    value: Option<T>,
    put_back: P,
}

impl<T, P: FnMut(&mut World, T)> Scope<'_, T, P> {
    fn call<O>(&mut self, f: impl FnOnce(&mut World, &mut T) -> O) -> O {
        let value = self.value.as_mut().expect("the value is put back last");
        f(self.world, value)
    }
}

impl<T, P: FnMut(&mut World, T)> Drop for Scope<'_, T, P> {
    fn drop(&mut self) {
        if let Some(value) = self.value.take() {
            (self.put_back)(self.world, value);
        }
    }
}

impl World {
    /// Takes a resource out, calls `f` with the world and the resource, and puts it back, so `f` can change both.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Spawner { left: u32 }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Spawner { left: 3 });
    /// world.scope(|world, spawner: &mut Spawner| {
    ///     while spawner.left > 0 {
    ///         world.spawn(());
    ///         spawner.left -= 1;
    ///     }
    /// });
    /// assert_eq!(world.len(), 3);
    /// assert_eq!(world.resource::<Spawner>().left, 0);
    /// ```
    ///
    /// During the call the world has no such resource. If `f` inserts one, it is replaced at the end, and dropped.
    ///
    /// # Panics
    /// * If there is no such resource; [`try_scope`](Self::try_scope) returns `None` instead.
    /// * If `f` panics; the resource is put back nevertheless.
    #[doc(alias = "resource_scope")]
    #[track_caller]
    pub fn scope<T: Send + Sync + 'static, O>(
        &mut self,
        f: impl FnOnce(&mut World, &mut T) -> O,
    ) -> O {
        self.try_scope(f).unwrap_or_else(|| {
            panic!(
                "the world has no resource `{}`; help: insert it with `World::insert_resource` before the call of `World::scope`",
                type_name::<T>()
            )
        })
    }

    /// Takes a resource out, calls `f` with the world and the resource, and puts it back, like [`scope`](Self::scope).
    /// Returns `None` if there is no such resource.
    ///
    /// # Panics
    /// If `f` panics; the resource is put back nevertheless.
    pub fn try_scope<T: Send + Sync + 'static, O>(
        &mut self,
        f: impl FnOnce(&mut World, &mut T) -> O,
    ) -> Option<O> {
        let value = self.remove_resource::<T>()?;
        let mut scope = Scope {
            world: self,
            value: Some(value),
            put_back: |world: &mut World, value| {
                world.insert_resource(value);
            },
        };
        Some(scope.call(f))
    }

    /// Takes components out of an entity, calls `f` with the world and the components, and puts them back.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Inventory(Vec<&'static str>);
    /// #[derive(Component)]
    /// struct Item(&'static str);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Inventory(vec!["lamp", "rope"]));
    /// world.scope_of(hero, |world, inventory: &mut Inventory| {
    ///     for name in inventory.0.drain(..) {
    ///         world.spawn(Item(name));
    ///     }
    /// })?;
    /// assert_eq!(world.query::<&Item>().count(), 2);
    /// assert!(world.get::<Inventory>(hero).unwrap().0.is_empty());
    /// # Ok::<(), ecs_core::world::TakeError>(())
    /// ```
    ///
    /// These are two structural changes, a [`take`](Self::take) and an [`insert`](Self::insert), with their hooks, observers
    /// and ticks: a tracked component counts as added. During the call the entity lacks the components. If `f` inserts them
    /// into the entity, they are replaced at the end. If the entity is despawned meanwhile, the taken components are
    /// dropped.
    ///
    /// # Errors
    /// If there is no such entity, or it lacks one of the components; `f` is not called in that case.
    ///
    /// # Panics
    /// * If `f` panics; the components are put back nevertheless.
    /// * If the components cannot be put back: one of them is the target of a tree relation, and `f` has related other
    ///   entities so that the target would close a cycle. If `f` panics too, the program aborts.
    pub fn scope_of<B: Bundle, O>(
        &mut self,
        entity: Entity,
        f: impl FnOnce(&mut World, &mut B) -> O,
    ) -> Result<O, TakeError> {
        let value = self.take::<B>(entity)?;
        let mut scope = Scope {
            world: self,
            value: Some(value),
            put_back: |world: &mut World, value| {
                // The entity may be gone.
                _ = world.insert(entity, value);
            },
        };
        Ok(scope.call(f))
    }
}
