//! Filling the world with the entities of a level.

use ecs_core::prelude::*;

use super::{Level, Prefabs, Sight};

/// Places the hero at the start of `level`, and spawns everything else there.
pub(super) fn enter_level(world: &mut World, hero: Entity, level: Level) {
    // A dead hero is not placed.
    let _ = world.insert(hero, level.start);
    let prefabs = Prefabs::clone(&world.resource());
    for (at, thing) in level.things {
        prefabs.spawn(world, at, thing);
    }
    world.insert_resource(Sight::new(&level.map));
    world.insert_resource(level.map);
}
