//! The root of a prefab, in a world that has a copy of it and nothing else.

use ecs_engine::{Entity, Resource, World};

use super::{Contents, Save};
use crate::saved::is_saved;

/// The resource of a world that [`Prefab::to_world`](crate::Prefab::to_world) makes, which names the root. It is not data, but
/// its number is a part of saves.
pub(crate) struct PrefabRoot(pub(crate) Entity);

impl Resource for PrefabRoot {}

/// Returns the position of the root of a prefab among its entities, if a file does not name it. The root is the first
/// entity that is not below another one in any tree; or else the first above all others in one of the trees; or else the
/// first.
pub(crate) fn first_root(world: &World, entities: &[Entity]) -> usize {
    let mut trees = world.relations();
    trees.retain(|relation| relation.is_tree() && relation.data().is_some_and(is_saved));
    // By tree: those that are not below another one.
    let mut tops: Vec<Vec<usize>> = vec![Vec::new(); trees.len()];
    for (position, &entity) in entities.iter().enumerate() {
        let mut is_below_any = false;
        for (tree, tops) in trees.iter().zip(&mut tops) {
            match world.targets_erased(tree, entity).next() {
                Some(_) => is_below_any = true,
                None => tops.push(position),
            }
        }
        if !is_below_any {
            return position;
        }
    }
    let only = tops.iter().filter(|tops| tops.len() == 1);
    only.map(|tops| tops[0]).min().unwrap_or(0)
}

impl Save<'_> {
    /// Returns the number of the root of a prefab, if it has to be written.
    pub(super) fn root(&self, contents: &Contents<'_>) -> Option<u32> {
        let root = self.world.get_resource::<PrefabRoot>()?;
        let entities = &contents.numbers.entities;
        let number = contents.numbers.of(root.0)?;
        let is_clear = number == 0 && first_root(self.world, entities) == 0;
        (!is_clear).then_some(number)
    }
}
