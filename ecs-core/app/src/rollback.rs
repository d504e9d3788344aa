//! Apps whose frames a rollback runs and repeats.

use std::time::Duration;

use ecs_data::{RollbackError, Simulation};
use ecs_engine::World;
use ecs_engine::schedule::{Label, Schedule, ScheduleError};

use crate::app::App;
use crate::labels::FixedUpdate;
use crate::real_time::RealTime;
use crate::time::Time;

/// All frames of an app, for a rollback; see [`App::frames_of`].
#[derive(Debug)]
pub struct AppFrames<'a> {
    app: &'a mut App,
    frame: Duration,
}

/// The fixed steps of an app, for a rollback; see [`App::fixed_steps`].
#[derive(Debug)]
pub struct AppSteps<'a> {
    app: &'a mut App,
    /// The times of frames, which no rollback changes.
    outside: (Option<Time>, Option<RealTime>),
}

/// Rollback: a [`Rollback`](ecs_data::Rollback) runs the frames of an app, and runs some again when late inputs arrive.
impl App {
    /// Returns all frames of the app, each `frame` long, for [`Rollback::advance_by`](ecs_data::Rollback::advance_by): a
    /// simulation in which everything is repeated. Before the first one, the app is [built](Self::build) and `Startup` runs.
    ///
    /// Errors of systems are treated by the policies of the app, each time that a frame runs. If the app ends in a frame that
    /// is rolled back, it goes on; otherwise later frames run nothing, and [`Exit`](crate::Exit) has the request.
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::data::Rollback;
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[derive(Resource, Clone, Default)]
    /// struct Pushes([i32; 2]);
    /// #[derive(Resource, Clone, Default)]
    /// struct Place(i32);
    ///
    /// #[system]
    /// fn push(mut place: ResMut<Place>, pushes: Res<Pushes>) {
    ///     place.0 += pushes.0[0] + pushes.0[1];
    /// }
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Pushes>().init_resource::<Place>().add_systems(FixedUpdate, push);
    /// let snapshotter = Snapshotter::new().resource::<Pushes>().resource::<Place>();
    /// let mut rollback = Rollback::new(2, snapshotter);
    /// for frame in 0..4 {
    ///     rollback.add_input(0, frame, 1)?;
    ///     if frame == 3 {
    ///         // Late, and not as predicted.
    ///         rollback.add_input(1, 0, 10)?;
    ///     }
    ///     let mut frames = app.frames_of(App::DEFAULT_FIXED_STEP);
    ///     rollback.advance_by(&mut frames, |world, frame| {
    ///         world.resource_mut::<Pushes>().0 = [frame.inputs[0], frame.inputs[1]];
    ///     })?;
    /// }
    /// assert_eq!(app.world().resource::<Place>().0, 4 * (1 + 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn frames_of(&mut self, frame: Duration) -> AppFrames<'_> {
        AppFrames { app: self, frame }
    }

    /// Takes [`FixedUpdate`] out of the frames: it runs when [`fixed_steps`](Self::fixed_steps) run it.
    /// [Delayed commands](ecs_engine::Commands::delay) then wait for steps and their time, not for frames.
    ///
    /// # Panics
    /// After the app was built.
    #[track_caller]
    pub fn fixed_by_hand(&mut self) -> &mut Self {
        self.assert_unbuilt();
        // From now on only steps count.
        self.world.count_delays_by_hand();
        self.lists.run_fixed_by_hand();
        self
    }

    /// Returns the steps of [`FixedUpdate`], which runs [by hand](Self::fixed_by_hand), for
    /// [`Rollback::advance_by`](ecs_data::Rollback::advance_by): the simulation is `FixedUpdate`, and other schedules draw it.
    ///
    /// In a step, [`Time`] is the time of the step, at normal speed. The times of frames do not return when the simulation
    /// does, and neither does the memory of systems in other schedules of the frame. Everything else in the world does, or
    /// what the [`Snapshotter`](ecs_engine::snapshot::Snapshotter) copies. Errors of systems are in
    /// [`Advanced::errors`](ecs_data::Advanced::errors).
    ///
    /// States change in frames, so a transition that a wrongly predicted step has requested is not taken back: request it outside of
    /// steps, when the step is [confirmed](ecs_data::Rollback::confirmed), as in the guide's chapter `netcode`.
    ///
    /// ```
    /// use ecs_core::data::Rollback;
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[derive(Resource, Clone, Default)]
    /// struct Place(f32);
    ///
    /// #[system]
    /// fn roll(mut place: ResMut<Place>, time: Res<Time>) {
    ///     place.0 += 64.0 * time.delta_secs();
    /// }
    ///
    /// let mut app = App::new();
    /// app.init_resource::<Place>().add_systems(FixedUpdate, roll).fixed_by_hand();
    /// let mut rollback = Rollback::<u8>::new(1, Snapshotter::new().resource::<Place>());
    /// for frame in 0..5 {
    ///     rollback.add_input(0, frame, 0)?;
    ///     rollback.advance_by(&mut app.fixed_steps(), |_, _| {})?;
    ///     app.update(); // Draws; any number of times.
    /// }
    /// assert_eq!(app.world().resource::<Place>().0, 5.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// If `FixedUpdate` does not run by hand.
    #[track_caller]
    pub fn fixed_steps(&mut self) -> AppSteps<'_> {
        assert!(
            self.lists.is_fixed_by_hand() || self.is_fixed_stored(),
            "`FixedUpdate` runs in the frames of the app; help: call `fixed_by_hand` before the app is built"
        );
        let resources = self.world.resources_mut();
        let outside = (
            resources.remove::<Time>(),
            resources.get_mut::<RealTime>().copied(),
        );
        let mut steps = AppSteps { app: self, outside };
        steps.show_step();
        steps
    }

    /// Returns true if the world keeps `FixedUpdate`.
    fn is_fixed_stored(&mut self) -> bool {
        let label = Label::new(FixedUpdate);
        self.world.stored_schedule(&label).is_some()
    }
}

impl Simulation for AppFrames<'_> {
    fn world_mut(&mut self) -> &mut World {
        &mut self.app.world
    }

    fn prepare(&mut self) -> Result<(), RollbackError> {
        let prepared = self.app.with_schedules(|_, _, _| {});
        prepared.map_err(|error| RollbackError::App(error.into()))
    }

    fn with_schedules(&mut self, f: &mut dyn FnMut(&mut World, &mut [&mut Schedule])) {
        let called = self
            .app
            .with_schedules(|_, world, schedules| f(world, schedules));
        called.expect("the app is built");
    }

    fn run(&mut self) -> Result<(), ScheduleError> {
        // Inputs arrive while the app is paused, too.
        if self.app.is_paused() {
            self.app.step_by(self.frame);
        } else {
            self.app.update_by(self.frame);
        }
        Ok(())
    }
}

impl AppSteps<'_> {
    /// Shows a time whose last frame has the length of a step.
    fn show_step(&mut self) {
        let mut time = Time::new();
        time.set_max_delta(Duration::MAX);
        time.advance(self.app.fixed.step);
        self.app.world.insert_resource(time);
    }
}

impl Drop for AppSteps<'_> {
    fn drop(&mut self) {
        let world = &mut self.app.world;
        match self.outside.0.take() {
            Some(time) => _ = world.insert_resource(time),
            None => _ = world.remove_resource::<Time>(),
        }
        if let Some(real) = self.outside.1 {
            world.insert_resource(real);
        }
    }
}

impl Simulation for AppSteps<'_> {
    fn world_mut(&mut self) -> &mut World {
        &mut self.app.world
    }

    fn prepare(&mut self) -> Result<(), RollbackError> {
        // `Startup` sees the time of frames.
        let prepared = if self.app.has_started {
            self.app.get_ready()
        } else {
            let step = self.app.world.remove_resource::<Time>();
            self.app
                .world
                .insert_resource(self.outside.0.take().unwrap_or_default());
            let prepared = self.app.with_schedules(|_, _, _| {});
            self.outside.0 = self.app.world.remove_resource::<Time>();
            self.app.world.insert_resource(step.unwrap_or_default());
            prepared
        };
        prepared.map_err(|error| RollbackError::App(error.into()))
    }

    fn with_schedules(&mut self, f: &mut dyn FnMut(&mut World, &mut [&mut Schedule])) {
        let world = &mut self.app.world;
        world.with_schedules(|world, mut schedules| f(world, &mut schedules));
    }

    fn run(&mut self) -> Result<(), ScheduleError> {
        self.app.world.advance_delayed(self.app.fixed.step);
        let result = self.app.world.run_schedule(FixedUpdate);
        // Systems may have paused or replaced it.
        self.show_step();
        result
    }
}
