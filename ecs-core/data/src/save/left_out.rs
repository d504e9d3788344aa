//! The list of everything that a save leaves out, because it is not data.

use std::collections::HashSet;

use ecs_engine::component::ComponentId;
use ecs_engine::snapshot::LeftOut;
use ecs_engine::{Entity, World};

use super::Save;
use crate::saved::is_saved;

impl Save<'_> {
    /// Returns everything that the save leaves out because it is not data: components of the saved entities, resources, the
    /// functions of [delayed](ecs_engine::Commands::delay) commands, and running tasks. Not what was left out on request. A game
    /// that saves can look at it in a test: what is listed is gone after a load, unless the game makes it anew. O(entities).
    ///
    /// ```
    /// use ecs_core::command::Delay;
    /// use ecs_core::data::WorldData;
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Texture(u32);
    ///
    /// let mut world = World::new();
    /// world.spawn(Texture(7));
    /// world.delay(Delay::Runs(9), |world| _ = world.spawn(()));
    /// let left_out = world.save().left_out();
    /// assert!(left_out.components[0].ends_with("Texture"));
    /// assert_eq!(left_out.delayed.len(), 1);
    /// ```
    #[must_use]
    pub fn left_out(&self) -> LeftOut {
        let mut components = self.world.registered_components();
        components.retain(|id| {
            let data = id.data().or(id.relation());
            // The lists of sources follow from the edges.
            let is_list = id.is_end() && id.relation_of_sources().is_none();
            !is_list && !data.is_some_and(is_saved) && !self.options.left_out.contains(id)
        });
        components.retain(|id| is_used(self.world, *id, self.options.entities.as_ref()));
        let mut left_out = match self.options.no_resources {
            true => LeftOut::default(),
            false => self.world.never_saved(),
        };
        left_out.components = components.into_iter().map(ComponentId::name).collect();
        left_out
    }
}

/// Returns true if one of the entities has the component, or if it cannot be seen, because it is borrowed.
fn is_used(world: &World, component: ComponentId, entities: Option<&HashSet<Entity>>) -> bool {
    let Ok(view) = world.try_view_erased(component) else {
        return true;
    };
    let mut all = view.chunks().flat_map(|chunk| {
        let entities = chunk.iter().map(|(entity, _)| entity);
        entities.collect::<Vec<Entity>>()
    });
    all.any(|entity| entities.is_none_or(|entities| entities.contains(&entity)))
}
