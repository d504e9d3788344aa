//! A recorder for a world and a schedule, without an app.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use ecs_app::FramePanic;
use ecs_engine::World;
use ecs_engine::schedule::{Schedule, ScheduleError};
use ecs_engine::snapshot::Snapshotter;

use crate::check::RecorderCheck;
use crate::program::ScheduleSource;
use crate::session::RecordSession;
use crate::settings::RecorderSettings;

/// Records the runs of a schedule in a world, for programs without an [`App`](ecs_app::App). Made by
/// [`Recorder::by_hand`](crate::Recorder::by_hand).
///
/// Each [`run`](Self::run) is a frame of the recording. Everything else is as for a [`Recorder`](crate::Recorder): whatever code
/// between the runs writes to resources and events is recorded without any extra code.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Outcome, Recorder, Replay, ScheduleProgram};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
/// #[resource(data = "game.dice")]
/// struct Dice(u32);
/// #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
/// #[resource(data = "game.place")]
/// struct Place(u32);
///
/// #[system]
/// fn walk(dice: Res<Dice>, mut place: ResMut<Place>) { place.0 = (place.0 + dice.0) % 40 }
///
/// fn game() -> (World, Schedule) {
///     let mut world = World::new();
///     world.insert_resource(Dice::default());
///     world.insert_resource(Place::default());
///     let mut turn = Schedule::new();
///     turn.add(walk);
///     (world, turn)
/// }
///
/// # let path = std::env::temp_dir().join(format!("by-hand-doc-{}.rec", std::process::id()));
/// let (mut world, mut turn) = game();
/// let mut recorder = Recorder::new(&path).by_hand();
/// for dice in [3, 6, 1, 4] {
///     world.resource_mut::<Dice>().0 = dice;
///     recorder.run(&mut world, &mut turn)?;
/// }
/// drop(recorder);
///
/// let mut replay = Replay::open(&path, || {
///     let (world, turn) = game();
///     ScheduleProgram::new(world, turn)
/// })?;
/// replay.run_to(2)?;
/// assert_eq!(replay.world().resource::<Place>().0, 9);
/// assert_eq!(replay.finish()?, Outcome::Same);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ScheduleRecorder {
    session: RecordSession,
    is_stepped: bool,
    snapshotter: Snapshotter,
}

impl ScheduleRecorder {
    pub(crate) fn new(settings: RecorderSettings) -> Self {
        Self {
            is_stepped: settings.steps,
            session: RecordSession::new(settings),
            snapshotter: Snapshotter::new(),
        }
    }

    /// Sets how snapshots copy values that are not data, or leave them out. Without this, such values end the recording before
    /// its first frame, with an error that names them.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// # let path = std::env::temp_dir().join(format!("hand-snapshotter-doc-{}.rec", std::process::id()));
    /// let (mut world, mut turn) = (World::new(), Schedule::new());
    /// /// No part of the game.
    /// #[derive(Resource)]
    /// struct Window(u32);
    ///
    /// world.insert_resource(Window(7));
    /// let mut recorder = Recorder::new(&path)
    ///     .by_hand()
    ///     .snapshotter(Snapshotter::new().without_resource::<Window>());
    /// recorder.run(&mut world, &mut turn)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn snapshotter(mut self, snapshotter: Snapshotter) -> Self {
        self.snapshotter = snapshotter;
        self
    }

    /// Returns the inputs of a schedule, and everything that cannot be recorded, as [`Recorder::check`](crate::Recorder::check)
    /// does for an app.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// let (mut world, mut turn) = (World::new(), Schedule::new());
    /// let recorder = Recorder::new("match.rec").by_hand();
    /// let check = recorder.check(&mut world, &mut turn)?;
    /// assert!(check.is_complete(), "{check}");
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    ///
    /// # Errors
    /// If the schedule has no plan, or belongs to another world.
    pub fn check(
        &self,
        world: &mut World,
        schedule: &mut Schedule,
    ) -> Result<RecorderCheck, ScheduleError> {
        RecorderCheck::of_schedule(ScheduleSource {
            world,
            schedule,
            snapshotter: &self.snapshotter,
        })
    }

    /// Says that code between two runs has changed entities, as an editor or a load does; not needed after changes of
    /// resources and events, nor if the next run is in another world. The next run then begins with a snapshot. O(1).
    ///
    /// Without this call, the recorder only notices such a change if it has [hashed](crate::Recorder::hash_every) the world
    /// before and after it.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("note-change-doc-{}.rec", std::process::id()));
    /// let (mut world, mut turn) = (World::new(), Schedule::new());
    /// let mut recorder = Recorder::new(&path).by_hand();
    /// recorder.run(&mut world, &mut turn)?;
    /// // An editor adds an entity.
    /// world.spawn(());
    /// recorder.note_change();
    /// recorder.run(&mut world, &mut turn)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn note_change(&mut self) {
        self.session.jump();
    }

    /// Runs a schedule, and records it. It is the same schedule each time, or one with the same systems.
    ///
    /// It [chooses](Schedule::run) between this thread and the threads of the current pool. With
    /// [`Recorder::each_step`](crate::Recorder::each_step), systems run one after the other.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("hand-run-doc-{}.rec", std::process::id()));
    /// let (mut world, mut turn) = (World::new(), Schedule::new());
    /// let mut recorder = Recorder::new(&path).by_hand();
    /// for _ in 0..3 {
    ///     recorder.run(&mut world, &mut turn)?;
    /// }
    /// drop(recorder);
    /// assert_eq!(Recording::read(&path)?.end_frame(), 3);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Schedule::run`]. The recorder prints its own errors and ends; the program goes on.
    ///
    /// # Panics
    /// As for [`Schedule::run`]. The recording then contains the panic.
    pub fn run(&mut self, world: &mut World, schedule: &mut Schedule) -> Result<(), ScheduleError> {
        let source = &mut ScheduleSource {
            world,
            schedule,
            snapshotter: &self.snapshotter,
        };
        self.session.begin(source, Duration::ZERO, Duration::ZERO);
        let session = &mut self.session;
        let run = || match self.is_stepped {
            true => schedule.run_watched(world, |step, world| session.step(step, world)),
            false => schedule.run(world),
        };
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(result) => {
                self.session.end(world);
                result
            }
            Err(payload) => {
                let steps = world.take_run_panic(&*payload);
                let panic = FramePanic::new(steps.as_deref(), &*payload);
                self.session.panic(&panic, world);
                resume_unwind(payload)
            }
        }
    }
}

impl fmt::Debug for ScheduleRecorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScheduleRecorder").finish_non_exhaustive()
    }
}
