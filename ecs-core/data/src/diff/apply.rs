//! Changes worlds by differences.

use ecs_engine::World;

use super::check::{DiffPlan, check};
use super::{ApplyError, Diff};
use crate::edit::AppliedEdit;

impl Diff {
    /// Changes a world from the difference's first state to its second.
    ///
    /// The world is [flushed](World::flush) first. Then everything is checked, and all values are made, before the first change:
    /// if a value differs between the states, the world must have the first one, and everything else does not matter. An entity
    /// that goes has to have no other data, except for components that the difference [leaves out](super::Differ::without).
    ///
    /// Afterwards the world is in the second state: with the same values, and the same order of the targets of each source and of
    /// the sources of each target. So hooks and observers are *not* called: if they have written data, the difference includes
    /// their changes. If something outside of the data has to follow, such as a body in a physics engine, there are two ways. A
    /// system can read [`Added`](ecs_engine::Added) and [`Removed`](ecs_engine::Removed), which see these changes like all
    /// others, or you can ask for the calls: [`apply_with_hooks`](Self::apply_with_hooks).
    /// [Required](ecs_engine::component::Required) components that are data are part of the difference as well; missing ones are
    /// made if they are not data or are left out.
    ///
    /// O(size of the difference), and of the lists of sources in it.
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
    /// assert!(error.to_string().starts_with("entity 0v1, `game.gold`: the diff starts from 3, the world has 4; help: "));
    /// world.insert(hero, Gold(3))?;
    /// diff.apply(&mut world)?;
    /// assert_eq!(world.get::<Gold>(hero).unwrap().0, 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// See [`ApplyError`]. Nothing has changed in that case, apart from the flush, and from components that the world
    /// now knows.
    ///
    /// # Panics
    /// * If the `Deserialize` of a value or the constructor of a required component panics. Nothing has changed, with the same
    ///   exceptions.
    /// * If the `Drop` of a removed or replaced value panics. All changes are made, and each other value is dropped.
    /// * If a component or resource is borrowed for writing by a guard that was leaked. Nothing has changed.
    /// * If the world would have more tables or rows than it can have, and an entity has to make way for one with the same index;
    ///   part of the changes is made.
    pub fn apply(&self, world: &mut World) -> Result<(), ApplyError> {
        self.apply_to(world, false).map(AppliedEdit::finish)
    }

    /// Changes a world like [`apply`](Self::apply), and calls hooks and observers as if the changes were made by hand: before a
    /// value is removed or replaced and after one is inserted. For new entities they are called at the end, when everything is in
    /// place.
    ///
    /// Use it if hooks keep state outside of the data, and that state did not exist when the changes were recorded, or was lost.
    /// The changes of hooks come on top of the difference: with a hook that counts, the world is not exactly in the second state.
    /// If a hook removes an entity, the rest of that entity's changes are not made.
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
    /// The same as for [`apply`](Self::apply).
    ///
    /// # Panics
    /// Like [`apply`](Self::apply), and if a hook or an observer panics: the change that it precedes is not made, the others are.
    pub fn apply_with_hooks(&self, world: &mut World) -> Result<(), ApplyError> {
        self.apply_to(world, true).map(AppliedEdit::finish)
    }

    /// Implements [`apply`](Self::apply) and [`apply_with_hooks`](Self::apply_with_hooks).
    pub(crate) fn apply_to(
        &self,
        world: &mut World,
        with_hooks: bool,
    ) -> Result<AppliedEdit, ApplyError> {
        world.flush();
        let DiffPlan { mut edit, orders } = check(self, world)?;
        edit.calls_hooks = with_hooks;
        let applied = edit.apply(world, |world| {
            for (relation, position) in orders {
                let order = &self.orders[position];
                world.order_sources_erased(&relation, order.target, &order.new);
            }
        });
        applied.map_err(ApplyError::Stage)
    }
}
