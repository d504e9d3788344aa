//! Adding systems, sets, flush points and setup functions to a schedule.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::Schedule;
use super::declare::{
    Configs, IntoConfigs, IntoTarget, Label, MAX_DEPTH, SetConfig, SetLabel, Setups, StepList,
};
use crate::world::World;

impl Schedule {
    /// The maximum depth to which schedules can be nested; a deeper one cannot be planned
    /// ([`PlanError::TooDeep`](super::PlanError::TooDeep)).
    pub const MAX_DEPTH: usize = MAX_DEPTH;

    /// Creates a schedule without systems.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a schedule without systems; messages call it `name` when it is a step of another schedule.
    #[must_use]
    pub fn named(name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..Self::default()
        }
    }

    /// Adds a system, or a tuple of systems in its order, at the end of the list.
    ///
    /// The parameters of systems are prepared and constraints are checked by the next run.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[system]
    /// fn count(mut frames: ResMut<u32>) {
    ///     *frames += 1;
    /// }
    ///
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let mut frame = Schedule::new();
    /// frame.add((count, count.run_if(|frames: Res<u32>| *frames < 2)));
    /// frame.run(&mut world).unwrap();
    /// assert_eq!(*world.resource::<u32>(), 2);
    /// ```
    #[doc(alias = "add_systems")]
    #[doc(alias = "add_system")]
    #[doc(alias = "with_system")]
    #[doc(alias = "with")]
    pub fn add<M>(&mut self, systems: impl IntoConfigs<M>) -> &mut Self {
        self.union_with(systems.into_configs())
    }

    // Not generic, so it is compiled once and not once per type of system.
    fn union_with(&mut self, configs: Configs) -> &mut Self {
        self.outdate();
        configs.add_to(&mut self.list);
        self
    }

    /// Configures a set: constraints and conditions that hold for all of its systems, wherever they are added.
    ///
    /// A set exists as soon as it is configured or a system is [in it](IntoConfigs::in_set). An empty set acts like a system
    /// that does nothing: systems after it run after everything that it waits for. Sets can be in other sets, and
    /// constraints can name sets as well as systems.
    ///
    /// Several configurations of a set add up: all their constraints and all their conditions hold. So plugins need not know
    /// of each other. A constraint may name a set without systems: the systems before that set still run before the systems
    /// after it. [`SchedulePlan::notes`](super::SchedulePlan::notes) lists the sets that only constraints name.
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
    #[track_caller]
    #[doc(alias = "configure_sets")]
    #[doc(alias = "configure_set")]
    pub fn configure(
        &mut self,
        set: impl SetLabel,
        configure: impl FnOnce(SetConfig) -> SetConfig,
    ) -> &mut Self {
        let config = configure(SetConfig::default());
        self.outdate();
        self.list.configure(Label::new(set), config);
        self
    }

    /// Orders sets: each set runs completely before the next one.
    ///
    /// Sets without systems are skipped. You can call this several times, and combine it with
    /// [`configure`](Self::configure).
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
    #[track_caller]
    pub fn chain_sets<L: SetLabel>(&mut self, sets: impl IntoIterator<Item = L>) -> &mut Self {
        let sets: Vec<_> = sets.into_iter().map(Label::new).collect();
        self.outdate();
        self.list.chain_sets(&sets);
        self
    }

    /// Declares that the order of two systems does not matter. For two sets, this covers every pair of a system from one and
    /// a system from the other.
    ///
    /// Without it, list order decides between systems that conflict. With it, the plan puts the system first that can start
    /// sooner. It decides this once, so the result is the same in each run and on any number of threads, but it may change
    /// when systems are added. [`SchedulePlan::ambiguities`](super::SchedulePlan::ambiguities) lists the pairs whose order
    /// makes a difference. Systems that touch different data, or only read, never wait for each other because of list order,
    /// so they do not need it. An order set by `after`, `before` or `chain` takes precedence.
    #[doc(alias = "ambiguous_with")]
    #[doc(alias = "ignore_ambiguity")]
    pub fn unordered<M, N>(
        &mut self,
        one: impl IntoTarget<M>,
        other: impl IntoTarget<N>,
    ) -> &mut Self {
        self.outdate();
        self.list.waive(one.into_target(), other.into_target());
        self
    }

    /// Adds a flush point at the end of the list: it applies the deferred commands of systems with
    /// [`flush_later`](IntoConfigs::flush_later).
    pub fn add_flush(&mut self) -> &mut Self {
        self.union_with(Configs::flush_point())
    }

    /// Splits a schedule into its setup functions and its list, so that it can become a part or a step of another one.
    pub(super) fn into_unbuilt(self) -> (Setups, StepList) {
        assert!(
            self.world.is_none(),
            "the schedule `{}` has run, so its systems have state, and it cannot become a step of another one; help: add it before its first run",
            self.name.unwrap_or("schedule")
        );
        (self.setups, self.list)
    }

    /// Adds a function that prepares the world. The next run calls it once, before any system is built or run.
    ///
    /// Use it for resources, events and entities that the systems rely on. Functions are called in the order they were
    /// added. A function that panicked is not called again.
    pub fn setup(&mut self, setup: impl FnOnce(&mut World) + Send + 'static) -> &mut Self {
        self.assert_not_halted();
        self.setups.add(Box::new(setup));
        self.is_prepared = false;
        self
    }
}
