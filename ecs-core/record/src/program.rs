//! The programs that are recorded and replayed: apps, and schedules that a program runs by hand.

use std::fmt;
use std::time::Duration;

use ecs_app::{App, AppSnapshot, AppSnapshotError, FrameMoment, ReadAppSnapshotError};
use ecs_data::{SnapshotBytes, SnapshotterBytes};
use ecs_engine::World;
use ecs_engine::schedule::{Schedule, Step};
use ecs_engine::snapshot::{Snapshot, Snapshotter};

use crate::error::ReplayError;

/// A program that a [`Replay`](crate::Replay) runs: an [`App`], or a [`ScheduleProgram`].
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Outcome, RecordedProgram, Replay, ReplayError};
///
/// /// Replays any recording, of an app or of a schedule.
/// fn is_same<P: RecordedProgram>(replay: &mut Replay<P>) -> Result<bool, ReplayError> {
///     Ok(replay.finish()? == Outcome::Same)
/// }
/// ```
pub trait RecordedProgram: sealed::Replayed {}

impl RecordedProgram for App {}

impl RecordedProgram for ScheduleProgram {}

/// A world, and the schedule that a program runs by hand, for a [`Replay`](crate::Replay) of what a
/// [`ScheduleRecorder`](crate::ScheduleRecorder) has recorded.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Outcome, Recorder, Replay, ScheduleProgram};
///
/// # let path = std::env::temp_dir().join(format!("program-doc-{}.rec", std::process::id()));
/// let (mut world, mut turn) = (World::new(), Schedule::new());
/// Recorder::new(&path).by_hand().run(&mut world, &mut turn)?;
///
/// let again = || ScheduleProgram::new(World::new(), Schedule::new());
/// assert_eq!(Replay::open(&path, again)?.finish()?, Outcome::Same);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ScheduleProgram {
    world: World,
    schedule: Schedule,
    snapshotter: Snapshotter,
    before: Option<FrameHook>,
    steps: Option<StepHook>,
}

type FrameHook = Box<dyn FnMut(&mut World) + Send>;
type StepHook = Box<dyn FnMut(Step<'_>, &World) + Send>;

impl ScheduleProgram {
    /// Makes a program from a world and its schedule, which has not run.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::ScheduleProgram;
    ///
    /// let mut turn = Schedule::new();
    /// turn.add(|mut turns: ResMut<u32>| *turns += 1);
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// let program = ScheduleProgram::new(world, turn);
    /// # drop(program);
    /// ```
    #[must_use]
    pub fn new(world: World, schedule: Schedule) -> Self {
        Self {
            world,
            schedule,
            snapshotter: Snapshotter::new(),
            before: None,
            steps: None,
        }
    }

    /// Sets how snapshots copy values that are not data, or leave them out. Pass the same as to
    /// [`ScheduleRecorder::snapshotter`](crate::ScheduleRecorder::snapshotter).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::ScheduleProgram;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// /// No part of the game.
    /// #[derive(Resource)]
    /// struct Window(u32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Window(7));
    /// let snapshotter = Snapshotter::new().without_resource::<Window>();
    /// let program = ScheduleProgram::new(world, Schedule::new()).snapshotter(snapshotter);
    /// # drop(program);
    /// ```
    #[must_use]
    pub fn snapshotter(mut self, snapshotter: Snapshotter) -> Self {
        self.snapshotter = snapshotter;
        self
    }

    /// Returns the world and the schedule.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::ScheduleProgram;
    ///
    /// let program = ScheduleProgram::new(World::new(), Schedule::new());
    /// let (mut world, mut turn) = program.into_parts();
    /// turn.run(&mut world)?;
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    #[must_use]
    pub fn into_parts(self) -> (World, Schedule) {
        (self.world, self.schedule)
    }
}

impl fmt::Debug for ScheduleProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleProgram")
            .field("schedule", &self.schedule)
            .finish_non_exhaustive()
    }
}

pub(crate) mod sealed {
    use super::{Duration, ReplayError, Step, World};

    /// The functions of a program that a replay calls.
    pub trait Replayed: Sized {
        /// A copy of the program between two frames.
        type Copy;

        fn world(&self) -> &World;

        fn world_mut(&mut self) -> &mut World;

        /// Sets the function that is called at the beginning of each frame, after all hooks of the program itself.
        fn before_systems(&mut self, hook: impl FnMut(&mut World) + Send + 'static);

        /// Sets the function that is called after each system.
        fn after_systems(&mut self, hook: impl FnMut(Step<'_>, &World) + Send + 'static);

        fn copy(&mut self) -> Result<Self::Copy, ReplayError>;

        fn read(&mut self, frame: u64, bytes: &[u8]) -> Result<Self::Copy, ReplayError>;

        fn put_back(&mut self, copy: &mut Self::Copy) -> Result<(), ReplayError>;

        /// Runs a frame.
        fn run(&mut self, delta: Duration, real: Duration);

        /// Runs the next system of a frame; false if the frame has ended.
        fn run_system(&mut self, delta: Duration, real: Duration) -> bool;
    }
}

impl sealed::Replayed for App {
    type Copy = AppSnapshot;

    fn world(&self) -> &World {
        self.world()
    }

    fn world_mut(&mut self) -> &mut World {
        self.world_mut()
    }

    fn before_systems(&mut self, mut hook: impl FnMut(&mut World) + Send + 'static) {
        self.around_frame(move |app, moment| {
            if let FrameMoment::Begin { .. } = moment {
                hook(app.world_mut());
            }
        });
    }

    fn after_systems(&mut self, hook: impl FnMut(Step<'_>, &World) + Send + 'static) {
        self.after_step(hook);
    }

    fn copy(&mut self) -> Result<AppSnapshot, ReplayError> {
        self.snapshot().map_err(|error| match error {
            AppSnapshotError::Snapshot(error) => ReplayError::Copy(Box::new(error)),
            error => ReplayError::Program(error.to_string()),
        })
    }

    fn read(&mut self, frame: u64, bytes: &[u8]) -> Result<AppSnapshot, ReplayError> {
        self.read_snapshot(bytes).map_err(|error| match error {
            ReadAppSnapshotError::Read(error) => {
                let error = Box::new(error);
                ReplayError::Snapshot { frame, error }
            }
            error => ReplayError::Program(error.to_string()),
        })
    }

    fn put_back(&mut self, copy: &mut AppSnapshot) -> Result<(), ReplayError> {
        self.restore(copy)
            .map_err(|error| ReplayError::Restore(Box::new(error)))
    }

    fn run(&mut self, delta: Duration, real: Duration) {
        self.repeat_frame(delta, real);
    }

    fn run_system(&mut self, delta: Duration, real: Duration) -> bool {
        self.repeat_system(delta, real).is_some()
    }
}

impl ScheduleProgram {
    fn prepare(&mut self) -> Result<(), ReplayError> {
        let prepared = self.schedule.prepare(&mut self.world);
        prepared.map_err(|error| ReplayError::Program(error.to_string()))
    }

    fn begin(&mut self) {
        if let Some(before) = &mut self.before {
            before(&mut self.world);
        }
    }
}

impl sealed::Replayed for ScheduleProgram {
    type Copy = Snapshot;

    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn before_systems(&mut self, hook: impl FnMut(&mut World) + Send + 'static) {
        self.before = Some(Box::new(hook));
    }

    fn after_systems(&mut self, hook: impl FnMut(Step<'_>, &World) + Send + 'static) {
        self.steps = Some(Box::new(hook));
    }

    fn copy(&mut self) -> Result<Snapshot, ReplayError> {
        self.prepare()?;
        let (world, schedule) = (&mut self.world, &mut self.schedule);
        let taken = self.snapshotter.take_with(world, &mut [schedule]);
        taken.map_err(|error| ReplayError::Copy(Box::new(error)))
    }

    fn read(&mut self, frame: u64, bytes: &[u8]) -> Result<Snapshot, ReplayError> {
        self.prepare()?;
        let (world, schedule) = (&mut self.world, &mut self.schedule);
        let read = self
            .snapshotter
            .read_bytes_with(world, &mut [schedule], bytes);
        read.map_err(|error| {
            let error = Box::new(error);
            ReplayError::Snapshot { frame, error }
        })
    }

    fn put_back(&mut self, copy: &mut Snapshot) -> Result<(), ReplayError> {
        let (world, schedule) = (&mut self.world, &mut self.schedule);
        let restored = self.snapshotter.restore_with(world, &mut [schedule], copy);
        restored.map_err(|error| ReplayError::Restore(Box::new(error)))
    }

    fn run(&mut self, _: Duration, _: Duration) {
        self.begin();
        // Errors of systems are ignored: the recorded program went on after them too.
        _ = match &mut self.steps {
            Some(watch) => self.schedule.run_watched(&mut self.world, watch),
            None => self.schedule.run(&mut self.world),
        };
    }

    fn run_system(&mut self, _: Duration, _: Duration) -> bool {
        if !self.schedule.is_halted() {
            self.begin();
        }
        let mut nothing = |_: Step<'_>, _: &World| {};
        let watch: &mut dyn FnMut(Step<'_>, &World) = match &mut self.steps {
            Some(watch) => watch,
            None => &mut nothing,
        };
        let ran = self.schedule.run_step_watched(&mut self.world, watch);
        matches!(ran, Ok(Some(_)))
    }
}

/// A program that is being recorded.
pub(crate) trait RecordSource {
    fn world(&mut self) -> &mut World;

    /// Returns an exact snapshot as bytes, or a message.
    fn snapshot_bytes(&mut self) -> Result<Vec<u8>, String>;
}

impl RecordSource for App {
    fn world(&mut self) -> &mut World {
        self.world_mut()
    }

    fn snapshot_bytes(&mut self) -> Result<Vec<u8>, String> {
        let snapshot = self.snapshot().map_err(|error| error.to_string())?;
        snapshot.to_bytes().map_err(|error| error.to_string())
    }
}

/// A world and its schedule, between two runs.
pub(crate) struct ScheduleSource<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) schedule: &'a mut Schedule,
    pub(crate) snapshotter: &'a Snapshotter,
}

impl RecordSource for ScheduleSource<'_> {
    fn world(&mut self) -> &mut World {
        self.world
    }

    fn snapshot_bytes(&mut self) -> Result<Vec<u8>, String> {
        let Self {
            world,
            schedule,
            snapshotter,
        } = self;
        schedule.prepare(world).map_err(|error| error.to_string())?;
        let taken = snapshotter.take_with(world, &mut [schedule]);
        let snapshot = taken.map_err(|error| error.to_string())?;
        snapshot.to_bytes().map_err(|error| error.to_string())
    }
}
