//! Adding systems and schedules to an app.

use std::fmt;
use std::panic::Location;

#[cfg(doc)]
use ecs_engine::World;
use ecs_engine::schedule::{IntoConfigs, IntoTarget, Label, Schedule, SetConfig, SetLabel};
use ecs_engine::system::IntoSystem;

use crate::app::App;
use crate::error::Problem;
use crate::lists::ScheduleKind;

impl App {
    /// Adds systems to the end of a schedule: one that every app has, such as [`Update`](crate::Update), or one of [your
    /// own](Self::insert_schedule_after), even if that is added later.
    ///
    /// Systems can also be added between frames; the app plans them before the next one. The one exception is `Startup`
    /// after it has run.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) {
    ///     *thoughts += 1;
    /// }
    /// #[system]
    /// fn walk(thoughts: Res<u32>) {
    ///     assert_eq!(*thoughts, 1);
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, (think, walk));
    /// app.update();
    /// ```
    ///
    /// # Panics
    /// In the middle of a frame, after [`step_system`](Self::step_system).
    #[track_caller]
    #[doc(alias = "add_system")]
    #[doc(alias = "add_startup_system")]
    #[doc(alias = "add_systems_to_stage")]
    pub fn add_systems<M>(
        &mut self,
        schedule: impl SetLabel,
        systems: impl IntoConfigs<M>,
    ) -> &mut Self {
        let (label, at) = (Label::new(schedule), Location::caller());
        self.assert_no_frame();
        self.is_ready = false;
        match &mut self.built {
            None => _ = self.lists.of(label, at).schedule.add(systems),
            Some(Ok(built)) => {
                let so_far = (self.has_started, self.fixed);
                let problem = built.add_systems(&mut self.world, so_far, label, at, systems);
                self.problems.extend(problem);
            }
            Some(Err(_)) => {}
        }
        self
    }

    /// Removes a system from a schedule as often as it was added, and returns how often. It is dropped immediately, with
    /// its state, and all others keep theirs; see [`Schedule::remove`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn tutorial(mut hints: ResMut<u32>) { *hints += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, tutorial);
    /// app.update();
    /// assert_eq!(app.remove_systems(Update, tutorial), 1);
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 1);
    /// ```
    ///
    /// # Panics
    /// In the middle of a frame, after [`step_system`](Self::step_system).
    #[track_caller]
    pub fn remove_systems<M>(
        &mut self,
        schedule: impl SetLabel,
        system: impl IntoSystem<M>,
    ) -> usize {
        let label = Label::new(schedule);
        self.assert_no_frame();
        self.is_ready = false;
        match &mut self.built {
            None => self.lists.remove(&label, system),
            Some(Ok(built)) => built.remove_systems(&mut self.world, &label, system),
            Some(Err(_)) => 0,
        }
    }

    /// Configures a set of systems: constraints and conditions for all systems that are in it, whichever plugin adds them. See
    /// [`Schedule::configure`].
    ///
    /// Sets are shared by all schedules that run each frame. `FixedUpdate` and those that are run by hand have their own.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    /// struct Drawing;
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32);
    /// app.configure(Update, Drawing, |set| set.run_if(|frames: Res<u32>| *frames > 5));
    /// app.add_systems(Update, (|mut frames: ResMut<u32>| *frames += 10).in_set(Drawing));
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 0);
    /// ```
    #[track_caller]
    #[doc(alias = "configure_sets")]
    #[doc(alias = "configure_set")]
    pub fn configure(
        &mut self,
        schedule: impl SetLabel,
        set: impl SetLabel,
        configure: impl FnOnce(SetConfig) -> SetConfig,
    ) -> &mut Self {
        if let Some(schedule) = self.unbuilt(Label::new(schedule), Location::caller()) {
            schedule.configure(set, configure);
        }
        self
    }

    /// Orders sets of a schedule: all systems of a set run before the systems of the next one. See
    /// [`Schedule::chain_sets`].
    #[track_caller]
    pub fn chain_sets<L: SetLabel>(
        &mut self,
        schedule: impl SetLabel,
        sets: impl IntoIterator<Item = L>,
    ) -> &mut Self {
        if let Some(schedule) = self.unbuilt(Label::new(schedule), Location::caller()) {
            schedule.chain_sets(sets);
        }
        self
    }

    /// Declares that the order of two systems or sets of a schedule does not matter. See [`Schedule::unordered`].
    #[track_caller]
    pub fn unordered<M, N>(
        &mut self,
        schedule: impl SetLabel,
        one: impl IntoTarget<M>,
        other: impl IntoTarget<N>,
    ) -> &mut Self {
        if let Some(schedule) = self.unbuilt(Label::new(schedule), Location::caller()) {
            schedule.unordered(one, other);
        }
        self
    }

    /// Adds a schedule that the program runs by hand, with [`World::run_schedule`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::ScheduleError;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// struct Turn;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    /// #[system]
    /// fn two_turns(world: &mut World) -> Result<(), ScheduleError> {
    ///     world.run_schedule(Turn)?;
    ///     world.run_schedule(Turn)
    /// }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32);
    /// app.add_schedule(Turn).add_systems(Turn, think).add_systems(Update, two_turns);
    /// app.update();
    /// assert_eq!(*app.world().resource::<u32>(), 2);
    /// ```
    #[track_caller]
    pub fn add_schedule(&mut self, schedule: impl SetLabel) -> &mut Self {
        let (label, at) = (Label::new(schedule), Location::caller());
        if self.built.is_some() {
            self.too_late(&label, at);
            return self;
        }
        let named = self.lists.of(label, at);
        if named.kind == ScheduleKind::Unknown {
            named.kind = ScheduleKind::ByHand;
        } else {
            let label = format!("{:?}", named.label);
            self.problems.push(Problem::ScheduleTwice { label, at });
        }
        self
    }

    /// Adds a schedule that runs once a frame, directly after another one.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Debug, PartialEq, Eq, Hash)]
    /// struct Combat;
    ///
    /// #[system]
    /// fn fight(mut log: ResMut<String>) { log.push('f') }
    /// #[system]
    /// fn walk(mut log: ResMut<String>) { log.push('w') }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(String::new());
    /// app.insert_schedule_after(Update, Combat);
    /// app.add_systems(Combat, fight).add_systems(Update, walk);
    /// app.update();
    /// assert_eq!(*app.world().resource::<String>(), "wf");
    /// ```
    #[track_caller]
    pub fn insert_schedule_after(
        &mut self,
        other: impl SetLabel,
        schedule: impl SetLabel,
    ) -> &mut Self {
        self.place(
            Label::new(schedule),
            true,
            Label::new(other),
            Location::caller(),
        )
    }

    /// Adds a schedule that runs once a frame, directly before another one.
    #[track_caller]
    pub fn insert_schedule_before(
        &mut self,
        other: impl SetLabel,
        schedule: impl SetLabel,
    ) -> &mut Self {
        self.place(
            Label::new(schedule),
            false,
            Label::new(other),
            Location::caller(),
        )
    }

    #[track_caller]
    fn assert_no_frame(&self) {
        assert!(
            !self.is_in_frame(),
            "the systems of an app cannot change in the middle of a frame; help: finish the frame with `App::step` first"
        );
    }

    fn place(
        &mut self,
        label: Label,
        after: bool,
        other: Label,
        at: &'static Location<'static>,
    ) -> &mut Self {
        if self.built.is_some() {
            self.too_late(&label, at);
        } else {
            self.lists.place(label, after, other, at);
        }
        self
    }

    /// Returns a schedule, if its sets can still be changed.
    fn unbuilt(&mut self, label: Label, at: &'static Location<'static>) -> Option<&mut Schedule> {
        if self.built.is_some() {
            self.too_late(&label, at);
            return None;
        }
        Some(&mut self.lists.of(label, at).schedule)
    }

    pub(crate) fn too_late(&mut self, to: &dyn fmt::Debug, at: &'static Location<'static>) {
        self.is_ready = false;
        self.problems.push(Problem::TooLate {
            to: format!("{to:?}"),
            at,
        });
    }
}
