//! Methods of the world that relate and unrelate entities.

use super::sealed::OutgoingOps as _;
use super::{RelateError, Relation};
use crate::entity::Entity;
use crate::world::{EntityMut, NoSuchEntity, World};

impl World {
    /// Relates `source` to `target`. The edge replaces the one that the source has; with `#[relation(many)]` it is
    /// added to the others, or replaces the value of the edge to the same target.
    ///
    /// With one target it is the same as [inserting](Self::insert) a [`Target`](super::Target), except for the errors.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::relation::RelateError;
    ///
    /// #[derive(Relation)]
    /// #[relation(tree)]
    /// struct ChildOf;
    ///
    /// let mut world = World::new();
    /// let [root, node] = [(); 2].map(|()| world.spawn(()));
    /// world.relate(node, ChildOf, root)?;
    /// assert!(matches!(world.relate(root, ChildOf, node), Err(RelateError::Cycle { .. })));
    /// assert!(world.is_related::<ChildOf>(node, root));
    /// # Ok::<(), RelateError>(())
    /// ```
    ///
    /// O(1), plus [the checks of the relation](super#what-can-be-related); with `#[relation(many)]` O(edges of the entity
    /// that has fewer).
    ///
    /// # Errors
    /// If one of the entities does not exist, if they are the same, or if the relation is a tree and the target a
    /// descendant of the source; `relation` is dropped.
    ///
    /// # Panics
    /// If the `Drop` of a replaced value panics; in that case the new one is in place.
    pub fn relate<R: Relation>(
        &mut self,
        source: Entity,
        relation: R,
        target: Entity,
    ) -> Result<(), RelateError> {
        for entity in [source, target] {
            self.storage.locate(entity).ok_or(NoSuchEntity { entity })?;
        }
        if source == target {
            return Err(RelateError::itself::<R>(source));
        }
        R::Outgoing::relate(self, source, relation, target)
    }

    /// Removes the edge from `source` to `target` and drops its value; returns true if there was one.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation)] #[relation(many)] struct Likes(u32);
    /// # let mut world = World::new();
    /// # let [ann, bob] = [(); 2].map(|()| world.spawn(()));
    /// world.relate(ann, Likes(3), bob)?;
    /// assert_eq!(world.unrelate::<Likes>(ann, bob), Ok(true));
    /// assert_eq!(world.unrelate::<Likes>(ann, bob), Ok(false));
    /// # Ok::<(), ecs_core::relation::RelateError>(())
    /// ```
    ///
    /// # Errors
    /// If `source` does not exist.
    ///
    /// # Panics
    /// If the `Drop` of the value panics; the edge is removed nevertheless.
    pub fn unrelate<R: Relation>(
        &mut self,
        source: Entity,
        target: Entity,
    ) -> Result<bool, NoSuchEntity> {
        let located = self.storage.locate(source);
        located.ok_or(NoSuchEntity { entity: source })?;
        R::Outgoing::unrelate(self, source, target)
    }

    /// Returns true if there is an edge from `source` to `target`. Costs as much as [`relate`](Self::relate).
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    ///
    /// let mut world = World::new();
    /// let tank = world.spawn(());
    /// let turret = world.spawn(ChildOf.to(tank));
    /// assert!(world.is_related::<ChildOf>(turret, tank));
    /// assert!(!world.is_related::<ChildOf>(tank, turret));
    /// ```
    #[must_use]
    pub fn is_related<R: Relation>(&self, source: Entity, target: Entity) -> bool {
        R::Outgoing::is_related(self, source, target)
    }
}

impl EntityMut<'_> {
    /// Relates the entity to `target`; see [`World::relate`].
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    ///
    /// let mut world = World::new();
    /// let [tank, turret] = [(); 2].map(|()| world.spawn(()));
    /// world.entity_mut(turret).unwrap().relate(ChildOf, tank).unwrap();
    /// assert!(world.is_related::<ChildOf>(turret, tank));
    /// ```
    ///
    /// # Errors
    /// As for [`World::relate`].
    pub fn relate<R: Relation>(
        &mut self,
        relation: R,
        target: Entity,
    ) -> Result<&mut Self, RelateError> {
        let entity = self.id();
        self.world_mut().relate(entity, relation, target)?;
        Ok(self)
    }

    /// Removes the edge from the entity to `target`; see [`World::unrelate`].
    ///
    /// # Panics
    /// If the entity no longer exists, or the `Drop` of the value panics.
    pub fn unrelate<R: Relation>(&mut self, target: Entity) -> &mut Self {
        let entity = self.id();
        let unrelated = self.world_mut().unrelate::<R>(entity, target);
        unrelated.expect("the entity of an `EntityMut` exists unless a hook despawned it");
        self
    }
}
