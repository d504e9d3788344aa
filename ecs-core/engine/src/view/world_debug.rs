//! A summary of a world, for debugging.

use alloc::vec::Vec;
use core::any::TypeId;
use core::fmt;

use super::entity_components::Unquoted;
use crate::component::ComponentId;
use crate::world::World;

/// Prints a summary. `{:?}` has the numbers of entities and tables, and the types of resources, in one line; `{:#?}` also has
/// the number of values of each component, and the names of resources that are data.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(name = "game.position")]
/// struct Position(f32, f32);
///
/// let mut world = World::new();
/// world.spawn_batch([Position(1.0, 2.0), Position(3.0, 4.0)].map(|position| (position,)));
/// assert!(format!("{world:#?}").contains("game.position: 2"));
/// ```
impl fmt::Debug for World {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_pretty = f.alternate();
        let mut world = f.debug_struct("World");
        world
            .field("entities", &self.len())
            .field("tables", &self.storage.tables().len());
        if is_pretty {
            world
                .field("components", &ComponentCounts(self))
                .field("resources", &ResourceNames(self));
        } else {
            world.field("resources", self.resources());
        }
        #[cfg(feature = "std")]
        world.field("non_send", &self.non_send);
        world.finish()
    }
}

/// The components with their numbers of values, in order of registration.
struct ComponentCounts<'w>(&'w World);

impl fmt::Debug for ComponentCounts<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let components = self.0.registered_components().into_iter();
        let entries =
            components.map(|component| (Unquoted(component.name()), ValueCount(self.0, component)));
        f.debug_map().entries(entries).finish()
    }
}

/// The number of values of a component.
struct ValueCount<'w>(&'w World, ComponentId);

impl fmt::Debug for ValueCount<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.try_view_erased(self.1) {
            Ok(view) => view.len().fmt(f),
            Err(_) => f.write_str("<borrowed for writing>"),
        }
    }
}

/// The names of resources, in the order of insertion.
struct ResourceNames<'w>(&'w World);

impl fmt::Debug for ResourceNames<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<(TypeId, &'static str)> = self
            .0
            .data_types()
            .into_iter()
            .map(|data| (data.type_id(), data.name()))
            .collect();
        let resources = self.0.resources().types().into_iter();
        let names = resources.map(|(type_id, name)| {
            let data = known.iter().find(|known| known.0 == type_id);
            Unquoted(data.map_or(name, |data| data.1))
        });
        f.debug_set().entries(names).finish()
    }
}
