//! Handles that know an entity and its world.

use super::hooks::{IntoObserver, Trigger};
use super::{NoSuchEntity, Ref, TakeError, World};
use crate::bundle::{Bundle, TypeVisitor};
use crate::component::{Component, MutOf};
use crate::entity::Entity;

impl World {
    /// A handle to read an entity.
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

    /// A handle to read and change an entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)] struct Name(&'static str);
    /// # #[derive(Component)] struct Velocity(f32);
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let mut world = World::new();
    /// let e = world.spawn(Velocity(1.0));
    /// world.entity_mut(e)?.with(Name("Bob")).remove::<Velocity>();
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

/// A living entity and its world, to read.
#[derive(Clone, Copy)]
pub struct EntityRef<'w> {
    world: &'w World,
    entity: Entity,
}

impl<'w> EntityRef<'w> {
    /// The entity's id.
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &'w World {
        self.world
    }

    /// The entity's `T`; see [`World::get`].
    ///
    /// # Panics
    /// If `T` is being written through a view or query.
    #[track_caller]
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<Ref<'w, T>> {
        self.world.get(self.entity)
    }

    /// Whether the entity has all components of the bundle type. O(components of the bundle).
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }
}

/// A living entity and its world, to read and change.
///
/// # Panics
/// Its verbs, if the entity is gone because what a [hook](super::hooks) of an earlier one queued despawned it.
pub struct EntityMut<'w> {
    /// `entity` lives in it, but for what hooks do; [`into_world`](Self::into_world) consumes the handle for that reason.
    world: &'w mut World,
    entity: Entity,
}

const ALIVE: &str = "the entity of an `EntityMut` lives, unless a hook had it despawned; use the verbs of `World` then";

impl<'w> EntityMut<'w> {
    /// The entity's id.
    #[must_use]
    pub fn id(&self) -> Entity {
        self.entity
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        self.world
    }

    pub(crate) fn world_mut(&mut self) -> &mut World {
        self.world
    }

    /// Gives the world back.
    #[must_use]
    pub fn into_world(self) -> &'w mut World {
        self.world
    }

    /// The entity's `T`; see [`World::get`].
    ///
    /// # Panics
    /// If `T` is being written through a view or query of [`world`](Self::world).
    #[track_caller]
    #[must_use]
    pub fn get<T: Component>(&self) -> Option<Ref<'_, T>> {
        self.world.get(self.entity)
    }

    /// The entity's `T`, to be changed. O(1).
    #[must_use]
    pub fn get_mut<T: Component>(&mut self) -> Option<MutOf<'_, T>> {
        self.world.get_mut::<T>(self.entity)
    }

    /// Whether the entity has all components of the bundle type. O(components of the bundle).
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }

    /// Gives the entity the components of `bundle`; see [`World::insert`].
    pub fn with<B: Bundle>(&mut self, bundle: B) -> &mut Self {
        let () = B::DISTINCT;
        self.world.insert(self.entity, bundle).expect(ALIVE);
        self
    }

    /// Gives the entity a component and hands back the value that it had; see [`World::replace`].
    pub fn replace<T: Component>(&mut self, value: T) -> Option<T> {
        self.world.replace(self.entity, value).expect(ALIVE)
    }

    /// Removes the components of the bundle type; see [`World::remove`].
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        self.world.remove::<B>(self.entity).expect(ALIVE);
        self
    }

    /// Takes the components of the bundle type off the entity; see [`World::take`].
    ///
    /// # Errors
    /// If the entity lacks one of them; nothing has changed then.
    pub fn take<B: Bundle>(&mut self) -> Result<B, TakeError> {
        self.world.take(self.entity)
    }

    /// Observes its events; see [`World::observe_on`].
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
