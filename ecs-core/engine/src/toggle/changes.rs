//! Components that are turned on and off by worlds and commands.

use core::any::type_name;

use super::{Toggle, ToggleComponent};
use crate::command::EntityCommands;
use crate::component::{ComponentId, Tracking as _};
use crate::entity::Entity;
use crate::world::{NoSuchEntity, World};

impl World {
    /// Returns true if a component of an entity is [turned on](crate::toggle); `None` if the entity does not exist or lacks it.
    ///
    /// # Panics
    /// If the toggles are being written through a view or query.
    #[must_use]
    pub fn is_on<T: ToggleComponent>(&self, entity: Entity) -> Option<bool> {
        self.get::<Toggle<T>>(entity).map(|toggle| toggle.is_on())
    }

    /// Turns a component of an entity [on](crate::toggle). Returns false if the entity does not exist or lacks it.
    pub fn turn_on<T: ToggleComponent>(&mut self, entity: Entity) -> bool {
        set::<T>(self, entity, true)
    }

    /// Turns a component of an entity [off](crate::toggle): queries with the filter [`TurnedOn`](crate::toggle::TurnedOn) do
    /// not match it. Returns false if the entity does not exist or lacks it.
    pub fn turn_off<T: ToggleComponent>(&mut self, entity: Entity) -> bool {
        set::<T>(self, entity, false)
    }
}

impl EntityCommands<'_> {
    /// Turns a component [on](crate::toggle); see [`World::turn_on`]. Does nothing if the entity does not exist or lacks it.
    pub fn turn_on<T: ToggleComponent>(&mut self) -> &mut Self {
        self.queue_set::<T>(true)
    }

    /// Turns a component [off](crate::toggle); see [`World::turn_off`]. Does nothing if the entity does not exist or lacks it.
    pub fn turn_off<T: ToggleComponent>(&mut self) -> &mut Self {
        self.queue_set::<T>(false)
    }

    fn queue_set<T: ToggleComponent>(&mut self, is_on: bool) -> &mut Self {
        let entity = self.id();
        self.queue_mut().push(move |world: &mut World| {
            if !set::<T>(world, entity, is_on) && !world.contains(entity) {
                let command = if is_on { "turn_on" } else { "turn_off" };
                world.command_failed(command, type_name::<T>(), entity, NoSuchEntity { entity });
            }
        });
        self
    }
}

fn set<T: ToggleComponent>(world: &mut World, entity: Entity, is_on: bool) -> bool {
    let toggle = world.get_mut::<Toggle<T>>(entity);
    let Some(was_on) = toggle.map(|toggle| toggle.is_on()) else {
        return false;
    };
    // If a tracked toggle keeps its value, it was not changed.
    if was_on == is_on {
        return true;
    }
    if T::Tracking::TRACKED {
        let ids = [ComponentId::of::<T>(), ComponentId::of::<Toggle<T>>()];
        world.storage.note_turning(entity, ids, is_on);
    }
    if let Some(mut toggle) = world.get_mut::<Toggle<T>>(entity) {
        toggle.is_on = is_on;
    }
    true
}
