//! Changes worlds by differences.

use ecs_engine::World;

use super::check::check;
use super::{ApplyError, Diff};

impl Diff {
    /// Changes a world that is in the state from which the difference starts to the one in which it ends.
    ///
    /// The world is [flushed](World::flush) first. Then all is checked, and all values are made, before the first change: what differs has to be
    /// as it was before, and everything else does not matter. An entity that goes has to have nothing else that is data, unless the
    /// difference leaves out components.
    ///
    /// Changes are made as by hand: hooks and observers are called, and removed values are dropped. Those of new entities are called at the
    /// end, when all is in place. What they change is on top of the difference; an entity that one of them removes keeps the rest of its
    /// changes from being made.
    ///
    /// O(size of the difference), and of the lists of sources that it has.
    ///
    /// ```
    /// use ecs_core::data::ApplyError;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.gold")]
    /// struct Gold(u32);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Gold(3));
    /// let mut other = world.try_clone()?;
    /// other.insert(hero, Gold(5))?;
    /// let diff = world.diff(&other)?;
    ///
    /// world.insert(hero, Gold(4))?;
    /// let error = diff.apply(&mut world).unwrap_err();
    /// assert!(matches!(error, ApplyError::OtherValue { .. }));
    /// assert!(error.to_string().starts_with("entity 0v1, `game.gold`: the diff starts from 3, the world has 4\nhelp: "));
    /// world.insert(hero, Gold(3))?;
    /// diff.apply(&mut world)?;
    /// assert_eq!(world.get::<Gold>(hero).unwrap().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ApplyError`]. Nothing has changed then, apart from the flush, and from components that the world knows now.
    ///
    /// # Panics
    /// * If a component or resource is borrowed for writing by a guard that was leaked.
    /// * If a hook, an observer or a `Drop` panics; a part of the changes is made then.
    /// * If the world would have more tables or rows than it can have, and an entity has to make way for one with the same index; a part of the
    ///   changes is made then.
    pub fn apply(&self, world: &mut World) -> Result<(), ApplyError> {
        world.flush();
        let plan = check(self, world)?;
        let gone = |index| {
            let mut gone = plan.despawned.iter();
            gone.any(|entity| entity.index() == index)
        };
        let makes_way =
            !plan.despawned.is_empty() && plan.spawned.iter().any(|new| gone(new.index()));
        let mut staged = Some(plan.staged);
        // Whatever is left to go wrong goes wrong here, before anything else.
        if !makes_way && let Some(staged) = staged.take() {
            world
                .commit(staged, &plan.spawned)
                .map_err(ApplyError::Stage)?;
        }
        // From here on an error means that a hook or an observer has removed the entity, or has related it to others.
        for (entity, relation) in plan.unlinked {
            _ = world.remove_erased(entity, relation);
        }
        for (entity, component) in plan.removed {
            _ = world.remove_erased(entity, component);
        }
        world.despawn_batch(plan.despawned);
        if let Some(staged) = staged {
            let committed = world.commit(staged, &plan.spawned);
            committed.unwrap_or_else(|error| panic!("the diff is applied in part: {error}"));
        }
        for (entity, mut column) in plan.inserted.into_iter().chain(plan.linked) {
            _ = world.insert_erased(entity, &mut column);
        }
        for (relation, position) in plan.orders {
            let order = &self.orders[position];
            world.order_sources_erased(&relation, order.target, &order.new);
        }
        for (data, value) in plan.resources {
            let resources = world.resources_mut();
            drop(match value {
                Some(value) => resources.insert_erased(data.name(), value),
                None => resources.remove_erased(data.type_id()),
            });
        }
        world.announce(&plan.spawned);
        Ok(())
    }
}
