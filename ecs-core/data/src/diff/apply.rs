//! Changes worlds by differences.

use std::any::Any;
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use ecs_engine::World;

use super::check::{Cut, DiffPlan, check};
use super::{ApplyError, Diff};

impl Diff {
    /// Changes a world that is in the state from which the difference starts to the one in which it ends.
    ///
    /// The world is [flushed](World::flush) first. Then all is checked, and all values are made, before the first change: what differs has to be
    /// as it was before, and everything else does not matter. An entity that goes has to have nothing else that is data, but for
    /// components that the difference [leaves out](super::Differ::without).
    ///
    /// Afterwards the world is in the second state: with the same values, and the same order of the targets of each source and of the
    /// sources of each target. So hooks and observers are *not* called: what they have written into the world is part of the difference
    /// if it is data. Where something outside of the data has to follow, such as a body in a physics engine, either make it in a system
    /// that reads [`Added`](ecs_engine::Added) and [`Removed`](ecs_engine::Removed), which see these changes as all others, or ask for the calls:
    /// [`apply_with_hooks`](Self::apply_with_hooks). [Required](ecs_engine::component::Required) components that are data are part of
    /// the difference as well; missing ones that are not, or are left out, are made.
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
    /// * If the `Deserialize` of a value or the constructor of a required component panics. Nothing has changed then, as above.
    /// * If the `Drop` of a value panics that was removed or replaced. All changes are made then, and each other value is dropped.
    /// * If a component or resource is borrowed for writing by a guard that was leaked. Nothing has changed then.
    /// * If the world would have more tables or rows than it can have, and an entity has to make way for one with the same index; a part of the
    ///   changes is made then.
    pub fn apply(&self, world: &mut World) -> Result<(), ApplyError> {
        self.apply_to(world, false).map(AppliedDiff::finish)
    }

    /// Changes a world as [`apply`](Self::apply) does, and calls hooks and observers as if the changes were made by hand: before
    /// a value is removed or replaced and after one is inserted. Those of new entities are called at the end, when all is in place.
    ///
    /// It is for a world in which hooks keep something that is not data, and that was not there when the changes were recorded, or was
    /// lost. What hooks change is on top of the difference: with a hook that counts, the world is in another state than the second one.
    /// An entity that a hook removes keeps the rest of its changes from being made.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::world::hooks::{DeferredWorld, OnAdd};
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.body")]
    /// struct Body(f32);
    ///
    /// /// The bodies that the physics engine knows.
    /// #[derive(Resource, Default)]
    /// struct Known(Vec<Entity>);
    ///
    /// let mut world = World::new();
    /// let empty = world.try_clone()?;
    /// let ball = world.spawn(Body(1.0));
    /// let diff = empty.diff(&world)?;
    ///
    /// let mut client = empty;
    /// client.insert_resource(Known::default());
    /// client.observe(|added: OnAdd<Body>, mut known: ResMut<Known>| known.0.push(added.entity()));
    /// diff.apply_with_hooks(&mut client)?;
    /// assert_eq!(client.resource::<Known>().0, [ball]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`apply`](Self::apply).
    ///
    /// # Panics
    /// As [`apply`](Self::apply), and if a hook or an observer panics: a change that it precedes is not made then, the others are.
    pub fn apply_with_hooks(&self, world: &mut World) -> Result<(), ApplyError> {
        self.apply_to(world, true).map(AppliedDiff::finish)
    }

    /// Implements [`apply`](Self::apply) and [`apply_with_hooks`](Self::apply_with_hooks).
    pub(crate) fn apply_to(
        &self,
        world: &mut World,
        with_hooks: bool,
    ) -> Result<AppliedDiff, ApplyError> {
        world.flush();
        let plan = check(self, world)?;
        if with_hooks {
            return self.make(plan, world, true);
        }
        world.without_hooks(|world| self.make(plan, world, false))
    }

    /// Makes the changes.
    fn make(
        &self,
        plan: DiffPlan,
        world: &mut World,
        with_hooks: bool,
    ) -> Result<AppliedDiff, ApplyError> {
        let gone: HashSet<u32> = plan.despawned.iter().map(|gone| gone.index()).collect();
        let makes_way = plan.spawned.iter().any(|new| gone.contains(&new.index()));
        let mut staged = Some(plan.staged);
        // Whatever is left to go wrong goes wrong here, before anything else.
        if !makes_way && let Some(staged) = staged.take() {
            world
                .commit(staged, &plan.spawned)
                .map_err(ApplyError::Stage)?;
        }
        // From here on an error means that a hook or an observer has removed the entity, or has related it to others.
        let mut applied = AppliedDiff(None);
        for cut in plan.cut {
            applied.attempt(|| match cut {
                Cut::All(source, relation) => _ = world.remove_erased(source, relation),
                Cut::One(relation, source, target) => {
                    _ = world.unrelate_erased(&relation, source, target);
                }
            });
        }
        for (entity, component) in plan.removed {
            applied.attempt(|| _ = world.remove_erased(entity, component));
        }
        // A panic ends a batch.
        let mut despawned = plan.despawned;
        while !despawned.is_empty() {
            applied.attempt(|| _ = world.despawn_batch(despawned.iter().copied()));
            let before = despawned.len();
            despawned.retain(|&entity| world.contains(entity));
            if despawned.len() == before {
                break;
            }
        }
        if let Some(staged) = staged {
            let committed = world.commit(staged, &plan.spawned);
            committed.unwrap_or_else(|error| panic!("the diff is applied in part: {error}"));
        }
        for (entity, mut column) in plan.inserted.into_iter().chain(plan.linked) {
            applied.attempt(|| {
                _ = world.restore_erased(entity, &mut column);
                drop(column);
            });
        }
        for (relation, position) in plan.orders {
            let order = &self.orders[position];
            world.order_sources_erased(&relation, order.target, &order.new);
        }
        for (data, value) in plan.resources {
            let resources = world.resources_mut();
            let old = match value {
                Some(value) => resources.insert_erased(data.name(), value),
                None => resources.remove_erased(data.type_id()),
            };
            applied.attempt(|| drop(old));
        }
        if with_hooks {
            applied.attempt(|| world.announce(&plan.spawned));
        }
        Ok(applied)
    }
}

/// The end of an application, with the first panic of a `Drop`, or of a hook.
#[must_use]
pub(crate) struct AppliedDiff(Option<Box<dyn Any + Send>>);

impl AppliedDiff {
    fn attempt(&mut self, f: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(f)) {
            self.0.get_or_insert(panic);
        }
    }

    /// Continues the panic.
    pub(crate) fn finish(self) {
        if let Some(panic) = self.0 {
            resume_unwind(panic);
        }
    }
}
