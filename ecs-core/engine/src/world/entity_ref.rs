//! `EntityRef` and `EntityMut`: handles of an entity and its world.

use super::hooks::{IntoObserver, Trigger};
use super::{NoSuchEntity, Ref, TakeError, World};
use crate::bundle::{Bundle, TypeVisitor};
use crate::component::{Component, MutOf};
use crate::entity::Entity;

impl World {
    /// Returns a handle to read an entity.
    ///
    /// # Errors
    /// If there is no such entity (any more).
    pub fn entity(&self, entity: Entity) -> Result<EntityRef<'_>, NoSuchEntity> {
        if self.contains(entity) {
            Ok(EntityRef {
                world: self,
                entity,
            })
        } else {
            Err(NoSuchEntity { entity })
        }
    }

    /// Returns a handle to read and change an entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Name(&'static str);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new();
    /// let e = world.spawn(Velocity(1.0));
    /// world.entity_mut(e)?.insert(Name("Bob")).remove::<Velocity>();
    /// assert!(world.has::<Name>(e) && !world.has::<Velocity>(e));
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// If there is no such entity (any more).
    pub fn entity_mut(&mut self, entity: Entity) -> Result<EntityMut<'_>, NoSuchEntity> {
        match self.storage.locate(entity) {
            Some(_) => Ok(EntityMut {
                world: self,
                entity,
            }),
            None => Err(NoSuchEntity { entity }),
        }
    }
}

/// A handle to read a living entity.
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    entity: Entity,
}

impl<'w> EntityRef<'w> {
    /// Returns the entity's id.
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Returns the world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// Returns the entity's `T`; see [`World::get`].
    ///
    /// # Panics
    /// If `T` is being written through a view or query.
    #[track_caller]
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<Ref<'w, T>> {
        self.world.get(self.entity)
    }

    /// Returns true if the entity has all components of the bundle type. O(components of the bundle).
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }
}

/// A handle to read and change a living entity.
///
/// # Panics
/// Its methods panic if a command that a [hook](super::hooks) of an earlier change queued has despawned the entity.
pub struct EntityMut<'w> {
    /// `entity` is alive in it, unless a hook's command has despawned it. [`into_world`](Self::into_world) consumes the
    /// handle, as the caller may despawn it too.
    world: &'w mut World,
    entity: Entity,
}

const ALIVE: &str = "the entity of an `EntityMut` was despawned by a hook's command; help: call the methods of `World` instead, which return an error";

impl<'w> EntityMut<'w> {
    /// Returns the entity's id.
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// Returns the world.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        self.world
    }

    /// Returns the world that was borrowed.
    #[must_use]
    pub fn into_world(self) -> &'w mut World {
        self.world
    }

    /// Returns the entity's `T`; see [`World::get`].
    ///
    /// # Panics
    /// If `T` is being written through a view or query of [`world`](Self::world).
    #[track_caller]
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<Ref<'_, T>> {
        self.world.get(self.entity)
    }

    /// Returns the entity's `T` for writing. O(1).
    #[must_use]
    pub fn get_mut<T: Component>(&mut self) -> Option<MutOf<'_, T>> {
        self.world.get_mut::<T>(self.entity)
    }

    /// Returns true if the entity has all components of the bundle type. O(components of the bundle).
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }

    /// Inserts the components of `bundle`; see [`World::insert`].
    pub fn insert<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = B::DISTINCT;
        self.world.insert(self.entity, bundle).expect(ALIVE);
        self
    }

    /// Inserts a component and returns its previous value; see [`World::replace`].
    pub fn replace<T: Component>(&mut self, value: T) -> Option<T> {
        self.world.replace(self.entity, value).expect(ALIVE)
    }

    /// Removes the components of the bundle type; see [`World::remove`].
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        self.world.remove::<B>(self.entity).expect(ALIVE);
        self
    }

    /// Removes the components of the bundle type and returns them; see [`World::take`].
    ///
    /// # Errors
    /// If the entity lacks one of them; nothing has changed then.
    pub fn take<B: Bundle>(&mut self) -> Result<B, TakeError> {
        self.world.take(self.entity)
    }

    /// Registers an observer of events on the entity; see [`World::observe_on`].
    pub fn observe<E: 'static>(
        &mut self,
        observer: impl IntoObserver<fn(Trigger<'static, E>)>,
    ) -> &mut Self {
        self.world.observe_on(self.entity, observer).expect(ALIVE);
        self
    }

    /// Despawns the entity; see [`World::despawn`].
    pub fn despawn(self) {
        self.world.despawn(self.entity).expect(ALIVE);
    }
}

fn has_all<B: Bundle>(world: &World, entity: Entity) -> bool {
    struct HasAll<'w> {
        world: &'w World,
        entity: Entity,
        all: bool,
    }

    impl TypeVisitor for HasAll<'_> {
        fn visit<T: Component>(&mut self) {
            self.all &= self.world.has::<T>(self.entity);
        }
    }

    let mut visitor = HasAll {
        world,
        entity,
        all: true,
    };
    B::types(&mut visitor);
    visitor.all
}
