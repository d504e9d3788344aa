//! Plugins: functions that add to a schedule.

use core::any::TypeId;
use core::mem::size_of;

use super::Schedule;
use super::turn::Turn;
use crate::world::World;

type Setup = Box<dyn FnOnce(&mut World) + Send>;

/// What is done to a world before the first system runs in it.
#[derive(Default)]
pub(super) struct Setups {
    /// Functions that were added as plugins.
    plugins: Vec<TypeId>,
    /// In turns only so that schedules can be shared, as resources are.
    open: Turn<Vec<Setup>>,
}

impl Setups {
    /// Does what was not done yet.
    #[inline]
    pub(super) fn run(&mut self, world: &mut World) {
        while !self.open.get_mut().is_empty() {
            let setup = self.open.get_mut().remove(0);
            setup(world);
        }
    }

    /// Notes a plugin; `false` if it was added before.
    fn note(&mut self, plugin: TypeId) -> bool {
        let anew = !self.plugins.contains(&plugin);
        if anew {
            self.plugins.push(plugin);
        }
        anew
    }
}

impl Schedule {
    /// Calls a function that adds systems, sets, resources and other plugins.
    ///
    /// A plugin that is added again does nothing, so that a plugin can add those that it relies on, whoever else does.
    /// Functions are told apart by their types; a closure that captures values, and a function pointer, is called each
    /// time.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Resource)]
    /// struct Gravity(f32);
    /// #[derive(Component)]
    /// struct Velocity(f32);
    ///
    /// #[system(for_each)]
    /// fn fall(velocity: &mut Velocity, gravity: Res<Gravity>) {
    ///     velocity.0 -= gravity.0;
    /// }
    ///
    /// fn physics(schedule: &mut Schedule) {
    ///     schedule.setup(|world| _ = world.insert_resource(Gravity(10.0)));
    ///     schedule.add(fall);
    /// }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add_plugin(physics).add_plugin(physics);
    /// assert_eq!(frame.len(), 1);
    /// let mut world = World::new();
    /// let stone = world.spawn(Velocity(0.0));
    /// frame.run(&mut world)?;
    /// assert_eq!(world.get::<Velocity>(stone).unwrap().0, -10.0);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn add_plugin<F: FnOnce(&mut Self) + 'static>(&mut self, plugin: F) -> &mut Self {
        let anew = size_of::<F>() > 0 || self.setups.note(TypeId::of::<F>());
        if anew {
            plugin(self);
        }
        self
    }

    /// Prepares the world: `setup` is called once, by the next run, before systems are built and any of them runs.
    ///
    /// For resources, events and entities that the systems rely on. Several are called in the order in which they were
    /// added. One that panics is not called again.
    pub fn setup(&mut self, setup: impl FnOnce(&mut World) + Send + 'static) -> &mut Self {
        let open = self.setups.open.get_mut();
        open.push(Box::new(setup));
        self
    }
}
