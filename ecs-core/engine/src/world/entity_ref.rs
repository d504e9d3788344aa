//! `EntityRef` and `EntityMut`: handles to an entity and its world.

use super::entity_data::{EntityData, EntityDataMut};
use super::hooks::{IntoObserver, OfTrigger};
use super::{GetError, NoSuchEntity, TakeError, World};
use crate::bundle::{Bundle, TypeVisitor};
use crate::component::Component;
use crate::entity::Entity;

impl World {
    /// Returns a handle to read an entity.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// let rat = world.entity(rat).unwrap();
    /// assert_eq!(rat.get::<Health>().unwrap().0, 3);
    /// ```
    ///
    /// # Errors
    /// If the entity does not exist.
    #[doc(alias = "get_entity")]
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
    /// If the entity does not exist.
    #[doc(alias = "get_entity_mut")]
    #[doc(alias = "entry")]
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

    /// Returns the entity's `T`, or several values at once as a tuple; `None` if it lacks one of them. O(1) per value.
    ///
    /// Each value has a run-time borrow, as by [`World::get`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Name(&'static str);
    /// #[derive(Component)]
    /// struct Health(i32);
    /// #[derive(Component)]
    /// struct Poisoned;
    ///
    /// let mut world = World::new();
    /// let bob = world.spawn((Name("Bob"), Health(3)));
    /// let bob = world.entity(bob).unwrap();
    /// assert_eq!(bob.get::<Health>().unwrap().0, 3);
    /// let (name, health, poisoned) = bob.get::<(&Name, &Health, Option<&Poisoned>)>().unwrap();
    /// assert_eq!((name.0, health.0, poisoned.is_some()), ("Bob", 3, false));
    /// assert!(bob.get::<(&Name, &Poisoned)>().is_none());
    /// ```
    ///
    /// # Panics
    /// If a component is being written through a view or query.
    #[track_caller]
    #[must_use]
    pub fn get<T: EntityData>(&self) -> Option<T::Item<'w>> {
        present(T::read(self.world, self.entity))
    }

    /// Like [`get`](Self::get), but returns the reason if there is no value.
    ///
    /// # Errors
    /// If the entity lacks a component, which the error names, or a view or query is writing one.
    pub fn try_get<T: EntityData>(&self) -> Result<T::Item<'w>, GetError> {
        T::read(self.world, self.entity)
    }

    /// Returns true if the entity has all components of the bundle type. O(components of the bundle).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn((Name("rat"), Health(3)));
    /// assert!(world.entity(rat).unwrap().has::<(Name, Health)>());
    /// ```
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }
}

/// A handle to read and change a living entity.
///
/// # Panics
/// Its methods panic if the entity is gone: a [hook](super::hooks) of an earlier change queued a command that despawned it.
pub struct EntityMut<'w> {
    /// `entity` is alive in it, unless a hook's command has despawned it. [`into_world`](Self::into_world) consumes the
    /// handle, because the caller may despawn the entity too.
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

    /// Returns the borrowed world.
    #[must_use]
    pub fn into_world(self) -> &'w mut World {
        self.world
    }

    /// Returns the entity's `T`, or several values as a tuple; see [`EntityRef::get`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert_eq!(world.entity_mut(rat).unwrap().get::<Health>().unwrap().0, 3);
    /// ```
    ///
    /// # Panics
    /// If a component is being written through a view or query of [`world`](Self::world).
    #[track_caller]
    #[must_use]
    pub fn get<T: EntityData>(&self) -> Option<T::Item<'_>> {
        present(T::read(self.world, self.entity))
    }

    /// Like [`get`](Self::get), but returns the reason if there is no value.
    ///
    /// # Errors
    /// If the entity lacks a component, which the error names, or a view or query is writing one.
    pub fn try_get<T: EntityData>(&self) -> Result<T::Item<'_>, GetError> {
        T::read(self.world, self.entity)
    }

    /// Returns the entity's `T` for writing, or several values at once as a tuple; `None` if it lacks one of them. O(1) per
    /// value.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Component)]
    /// struct Velocity(f32);
    ///
    /// let mut world = World::new();
    /// let ball = world.spawn((Position(1.0), Velocity(2.0)));
    /// let mut ball = world.entity_mut(ball).unwrap();
    /// let (position, velocity) = ball.get_mut::<(&mut Position, &Velocity)>().unwrap();
    /// position.0 += velocity.0;
    /// ball.get_mut::<Position>().unwrap().0 += 1.0;
    /// assert_eq!(ball.get::<Position>().unwrap().0, 4.0);
    /// ```
    ///
    /// If a tuple names a component twice and writes it, `cargo build` fails:
    ///
    /// ```compile_fail,E0080
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)]
    /// # struct Position(f32);
    /// # let mut world = World::new();
    /// # let ball = world.spawn(Position(1.0));
    /// world.entity_mut(ball).unwrap().get_mut::<(&mut Position, &Position)>();
    /// ```
    ///
    /// # Panics
    /// If a tuple names two instances of one generic component twice: a constant cannot detect that.
    #[track_caller]
    #[must_use]
    pub fn get_mut<T: EntityDataMut>(&mut self) -> Option<T::Item<'_>> {
        let () = T::CHECK;
        present(T::write(self.world, self.entity))
    }

    /// Like [`get_mut`](Self::get_mut), but returns the reason if there is no value.
    ///
    /// # Errors
    /// If the entity lacks a component, which the error names, or the tuple names one twice and writes it.
    pub fn try_get_mut<T: EntityDataMut>(&mut self) -> Result<T::Item<'_>, GetError> {
        let () = T::CHECK;
        T::write(self.world, self.entity)
    }

    /// Returns true if the entity has all components of the bundle type. O(components of the bundle).
    #[must_use]
    pub fn has<B: Bundle>(&self) -> bool {
        has_all::<B>(self.world, self.entity)
    }

    /// Inserts the components of `bundle`; see [`World::insert`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// # #[derive(Component, Debug, PartialEq)] struct Name(&'static str);
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.entity_mut(rat).unwrap().insert(Health(3)).insert(Name("rat"));
    /// assert!(world.has::<Health>(rat) && world.has::<Name>(rat));
    /// ```
    #[doc(alias = "add")]
    #[doc(alias = "set")]
    #[doc(alias = "insert_bundle")]
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
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// world.entity_mut(rat).unwrap().remove::<Health>();
    /// assert!(!world.has::<Health>(rat));
    /// ```
    pub fn remove<B: Bundle>(&mut self) -> &mut Self {
        self.world.remove::<B>(self.entity).expect(ALIVE);
        self
    }

    /// Removes the components of the bundle type and returns them; see [`World::take`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component, Debug, PartialEq)] struct Health(i32);
    /// let mut world = World::new();
    /// let rat = world.spawn(Health(3));
    /// assert_eq!(world.entity_mut(rat).unwrap().take::<Health>().unwrap(), Health(3));
    /// ```
    ///
    /// # Errors
    /// If the entity lacks one of them; nothing has changed in that case.
    pub fn take<B: Bundle>(&mut self) -> Result<B, TakeError> {
        self.world.take(self.entity)
    }

    /// Registers an observer of events on the entity; see [`World::observe_on`].
    #[track_caller]
    pub fn observe<M: OfTrigger>(&mut self, observer: impl IntoObserver<M>) -> &mut Self {
        self.world.observe_on(self.entity, observer).expect(ALIVE);
        self
    }

    /// Despawns the entity; see [`World::despawn`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// let mut world = World::new();
    /// let rat = world.spawn(());
    /// world.entity_mut(rat).unwrap().despawn();
    /// assert!(!world.contains(rat));
    /// ```
    #[doc(alias = "despawn_recursive")]
    #[doc(alias = "destruct")]
    #[doc(alias = "destroy")]
    pub fn despawn(self) {
        self.world.despawn(self.entity).expect(ALIVE);
    }
}

/// Returns `None` for a missing component.
///
/// # Panics
/// If a component is borrowed elsewhere.
#[inline]
#[track_caller]
fn present<T>(found: Result<T, GetError>) -> Option<T> {
    match found {
        Ok(items) => Some(items),
        Err(GetError::Missing { .. }) => None,
        Err(GetError::Borrow(error)) => panic!("{error}"),
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

        /// Any entity has a part that may be missing.
        fn optional<B: Bundle>(&mut self) {}
    }

    let mut visitor = HasAll {
        world,
        entity,
        all: true,
    };
    B::types(&mut visitor);
    visitor.all
}
