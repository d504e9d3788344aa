//! Adding systems, sets, flush points and plugins to a schedule.

use core::any::TypeId;
use core::mem::size_of;

use super::Schedule;
use super::declare::{Configs, IntoConfigs, IntoTarget, Label, SetConfig, SetLabel};
use crate::world::World;

impl Schedule {
    /// Adds a system, or a tuple of systems in its order, at the end of the list.
    ///
    /// The parameters of systems are prepared, and constraints looked at, when the schedule is run next.
    pub fn add<M>(&mut self, systems: impl IntoConfigs<M>) -> &mut Self {
        self.union_with(systems.into_configs())
    }

    // Compiled here, and not once more for each type of system.
    fn union_with(&mut self, configs: Configs) -> &mut Self {
        configs.add_to(&mut self.list);
        self.plan = None;
        self
    }

    /// Says something about all systems of a set, wherever in the schedule they are added.
    ///
    /// A set is there as soon as a system is [in](IntoConfigs::in_set) it or it is configured; it may stay empty, and is
    /// like a system that does nothing then: what runs after it runs after all that it waits for. Sets can be in other
    /// sets, and constraints name sets as they name systems.
    ///
    /// A set is configured in one place: doing it again is an error when the schedule is planned.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// enum Frame { Input, Physics }
    ///
    /// #[system]
    /// fn gravity(mut log: ResMut<String>) { log.push('g') }
    /// #[system]
    /// fn collide(mut log: ResMut<String>) { log.push('c') }
    /// #[system]
    /// fn keys(mut log: ResMut<String>) { log.push('k') }
    /// #[system]
    /// fn draw(mut log: ResMut<String>) { log.push('d') }
    /// #[system]
    /// fn playing(paused: Res<bool>) -> bool { !*paused }
    ///
    /// let mut frame = Schedule::new();
    /// frame.configure(Frame::Physics, |set| set.after(Frame::Input).run_if(playing));
    /// frame.add((gravity, collide).in_set(Frame::Physics));
    /// frame.add((draw.after(Frame::Physics), keys.in_set(Frame::Input)));
    ///
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// world.insert_resource(false);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kgcd");
    /// world.insert_resource(true);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kgcdkd");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn configure(
        &mut self,
        set: impl SetLabel,
        configure: impl FnOnce(SetConfig) -> SetConfig,
    ) -> &mut Self {
        let config = configure(SetConfig::default());
        self.list.configure(Label::new(set), config);
        self.plan = None;
        self
    }

    /// The sets run in this order: all systems of a set before those of the next one.
    ///
    /// Sets without systems are passed over. What is said here is said beside [`configure`](Self::configure), as often
    /// as you like.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// enum Frame { Input, Physics, Draw }
    ///
    /// #[system]
    /// fn draw(mut log: ResMut<String>) { log.push('d') }
    /// #[system]
    /// fn keys(mut log: ResMut<String>) { log.push('k') }
    ///
    /// let mut frame = Schedule::new();
    /// frame.chain_sets([Frame::Input, Frame::Physics, Frame::Draw]);
    /// frame.add((draw.in_set(Frame::Draw), keys.in_set(Frame::Input)));
    /// let mut world = World::new();
    /// world.insert_resource(String::new());
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<String>(), "kd");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    pub fn chain_sets<L: SetLabel>(&mut self, sets: impl IntoIterator<Item = L>) -> &mut Self {
        let sets: Vec<_> = sets.into_iter().map(Label::new).collect();
        self.list.chain_sets(&sets);
        self.plan = None;
        self
    }

    /// Says that it does not matter which of two systems comes first; of sets, the same of every system of one and every
    /// system of the other.
    ///
    /// Without it list order decides between systems that conflict. With it the plan puts first the one that can start
    /// sooner. That is decided once, so the result still is the same in each run and on any number of threads; but it may
    /// be another one after systems were added. [`Plan::ambiguities`](super::Plan::ambiguities) lists the pairs for which
    /// it matters. Between systems that touch different data, or only read, list order costs nothing and there is nothing
    /// to waive. Where both are placed relative to each other by `after`, `before` or `chain`, that holds.
    pub fn unordered<M, N>(
        &mut self,
        one: impl IntoTarget<M>,
        other: impl IntoTarget<N>,
    ) -> &mut Self {
        self.list.waive(one.into_target(), other.into_target());
        self.plan = None;
        self
    }

    /// Adds a flush point at the end of the list: what systems with [`flush_later`](IntoConfigs::flush_later) have
    /// put off by then is done there.
    pub fn add_flush(&mut self) -> &mut Self {
        self.union_with(Configs::flush_point())
    }

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
        let anew = size_of::<F>() > 0 || self.setups.note_plugin(TypeId::of::<F>());
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
        self.setups.add(Box::new(setup));
        self
    }
}
