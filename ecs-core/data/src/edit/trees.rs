//! The check that an edit leaves no cycle in a tree.

use std::collections::HashMap;

use ecs_engine::relation::RelateError;
use ecs_engine::staging::{RelationInfo, find_cycle};
use ecs_engine::{Entity, World};

/// The targets that entities have in a tree after an edit.
pub(super) struct EditedTree {
    pub(super) relation: RelationInfo,
    /// The entities whose targets change, in order.
    sources: Vec<Entity>,
    parents: HashMap<Entity, Option<Entity>>,
}

impl EditedTree {
    pub(super) fn new(relation: RelationInfo) -> Self {
        Self {
            relation,
            sources: Vec::new(),
            parents: HashMap::new(),
        }
    }

    pub(super) fn set(&mut self, source: Entity, parent: Option<Entity>) {
        if self.parents.insert(source, parent).is_none() {
            self.sources.push(source);
        }
    }

    /// Checks that no entity becomes its own ancestor. Entities that go have no edges afterwards.
    ///
    /// # Errors
    /// [`RelateError::Cycle`], with an edge that the edit makes.
    pub(super) fn check(
        &self,
        world: &World,
        goes: impl Fn(Entity) -> bool,
    ) -> Result<(), RelateError> {
        let parent_of = |entity: Entity| match self.parents.get(&entity) {
            Some(&parent) => parent,
            None if goes(entity) => None,
            None => {
                let mut targets = world.targets_erased(&self.relation, entity);
                targets.next().map(|(target, _)| target)
            }
        };
        let mut visited: HashMap<Entity, u32> = HashMap::new();
        let visit = |entity, walk| visited.insert(entity, walk).unwrap_or(0);
        let mut at = find_cycle(self.sources.iter().copied(), parent_of, visit);
        // Without the edit there is no cycle, so one of the edges is new.
        while let Some(source) = at {
            if let Some(&Some(target)) = self.parents.get(&source) {
                return Err(RelateError::Cycle {
                    source,
                    target,
                    relation: self.relation.name(),
                });
            }
            at = parent_of(source);
        }
        Ok(())
    }
}
