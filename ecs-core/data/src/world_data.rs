//! The methods of a world as data.

use ecs_engine::relation::ToOne;
use ecs_engine::{Entity, World};

use crate::{CloneError, Cloner, Save};

/// The methods of a [`World`] as data; they need this trait in scope, as the prelude of `ecs_core` has it.
pub trait WorldData {
    /// Returns the world as a value that serde writes: a save of all that is data; see [`Save`].
    fn save(&self) -> Save<'_>;

    /// Clones an entity with all that it has, and returns the copy. It has the same targets, such as its parent, and no
    /// sources; ids of itself in its values are those of the copy.
    ///
    /// [`Cloner`] clones parts of it, several entities, and into other worlds.
    ///
    /// # Errors
    /// If the entity is not alive, has a component that is not data, or one that cannot be cloned. The world is as it was
    /// then.
    fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError>;

    /// Clones an entity and those that are below it in a relation, and returns the copy of the entity. Ids of cloned entities
    /// in values are those of the copies; others stay.
    ///
    /// [`Cloner::tree`] returns all copies.
    ///
    /// # Errors
    /// As for [`clone_entity`](Self::clone_entity).
    ///
    /// # Panics
    /// If a guard of the relation was leaked that writes it.
    fn clone_tree<R: ToOne>(&mut self, root: Entity) -> Result<Entity, CloneError>;

    /// Clones the world: all entities with their ids, and the resources that are data; see [`Cloner::world`].
    ///
    /// # Errors
    /// If a component or relation is not data, cannot be cloned, or is borrowed for writing.
    fn try_clone(&self) -> Result<World, CloneError>;
}

impl WorldData for World {
    fn save(&self) -> Save<'_> {
        Save::of(self)
    }

    fn clone_entity(&mut self, entity: Entity) -> Result<Entity, CloneError> {
        let cloned = Cloner::new().entities(self, [entity])?;
        Ok(cloned.root())
    }

    fn clone_tree<R: ToOne>(&mut self, root: Entity) -> Result<Entity, CloneError> {
        let cloned = Cloner::new().tree::<R>(self, root)?;
        Ok(cloned.root())
    }

    fn try_clone(&self) -> Result<World, CloneError> {
        Cloner::new().world(self)
    }
}
