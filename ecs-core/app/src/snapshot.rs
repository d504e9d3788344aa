//! Snapshots of an app.

use std::error::Error;
use std::fmt;

#[cfg(feature = "data")]
use ecs_data::{ReadSnapshotError, SnapshotBytes, SnapshotterBytes, WriteSnapshotError};
use ecs_engine::World;
use ecs_engine::schedule::Schedule;
use ecs_engine::snapshot::{LeftOut, RestoreError, Ring, Snapshot, SnapshotError, Snapshotter};

use crate::app::App;
use crate::error::AppError;

/// A copy of an app between two frames. The app can return to it. Made by [`App::snapshot`].
#[derive(Debug, Default)]
pub struct AppSnapshot {
    world: Snapshot,
}

impl AppSnapshot {
    /// Makes a snapshot without content, to be filled by [`App::snapshot_into`].
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the snapshot as bytes: everything that it has. The app [returns](App::restore_bytes) to them, and so does any app
    /// of the same program, in this process or another one, whether it has run or not. O(values).
    ///
    /// States are written if they are [data](ecs_data::WorldData::register_data_state). The functions of
    /// [delayed](ecs_engine::Commands::delay) commands cannot be written. A snapshot taken
    /// [for bytes](ecs_data::SnapshotterBytes::for_bytes) has no such parts.
    ///
    /// # Errors
    /// As for [`SnapshotBytes::to_bytes`].
    #[cfg(feature = "data")]
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteSnapshotError> {
        self.world.to_bytes()
    }

    /// Like [`to_bytes`](Self::to_bytes), in the memory of earlier bytes, which are replaced.
    ///
    /// # Errors
    /// As for [`to_bytes`](Self::to_bytes). The bytes are empty then.
    #[cfg(feature = "data")]
    pub fn to_bytes_into(&self, bytes: &mut Vec<u8>) -> Result<(), WriteSnapshotError> {
        self.world.to_bytes_into(bytes)
    }

    /// Returns everything that could not be copied and was left out; see [`Snapshotter::without_others`].
    #[must_use]
    pub fn left_out(&self) -> &LeftOut {
        self.world.left_out()
    }
}

/// An app cannot be copied.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum AppSnapshotError {
    /// The app cannot be built.
    App(AppError),
    /// Something in it cannot be copied.
    Snapshot(SnapshotError),
}

impl fmt::Display for AppSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(error) => error.fmt(f),
            Self::Snapshot(error) => error.fmt(f),
        }
    }
}

impl Error for AppSnapshotError {}

/// Bytes cannot become a snapshot of an app.
#[cfg(feature = "data")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReadAppSnapshotError {
    /// The app cannot be built.
    App(AppError),
    /// The bytes are damaged, or another program has written them.
    Read(ReadSnapshotError),
}

#[cfg(feature = "data")]
impl fmt::Display for ReadAppSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::App(error) => error.fmt(f),
            Self::Read(error) => error.fmt(f),
        }
    }
}

#[cfg(feature = "data")]
impl Error for ReadAppSnapshotError {}

/// An app cannot return to a snapshot as bytes; see [`App::restore_bytes`].
#[cfg(feature = "data")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RestoreBytesError {
    /// The bytes cannot be read.
    Read(ReadAppSnapshotError),
    /// The app cannot return to what they contain.
    Restore(RestoreError),
}

#[cfg(feature = "data")]
impl fmt::Display for RestoreBytesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Restore(error) => error.fmt(f),
        }
    }
}

#[cfg(feature = "data")]
impl Error for RestoreBytesError {}

/// Snapshots: copies of everything that determines the future of an app. The frames after [`restore`](Self::restore) do the
/// same as the frames after [`snapshot`](Self::snapshot) did, if they have the same lengths and inputs.
///
/// A snapshot has the world, as a [`Snapshotter`] copies it, with times, states and [delayed
/// commands](ecs_engine::Commands::delay), and the memory of the systems in all schedules of the app, including schedules
/// [by hand](Self::add_schedule): `Local`s, positions of readers, conditions, the rest of fixed steps. If the app has ended since
/// then, it has not ended after the return. Values that are bound to a thread are not part of it, nor is the
/// [clock](Self::set_clock), which goes on: [`update_by`](Self::update_by) repeats frames exactly. The memory of observers
/// and of registered systems is part of it; in memory, but not as bytes, also the memory of systems that are called as functions. The
/// values that a closure of these has captured do not return: [`left_out`](AppSnapshot::left_out) names such closures.
///
/// ```
/// use std::time::Duration;
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::Snapshotter;
///
/// #[derive(Resource, Clone, Debug, Default, PartialEq)]
/// struct Log(Vec<u32>);
///
/// #[system]
/// fn count(mut log: ResMut<Log>, mut runs: Local<u32>) {
///     *runs += 1;
///     log.0.push(*runs);
/// }
///
/// let mut app = App::new();
/// app.init_resource::<Log>().add_systems(FixedUpdate, count);
/// app.set_snapshotter(Snapshotter::new().resource::<Log>());
/// let frame = Duration::from_millis(10);
/// app.update_times(3, frame);
/// let mut before = app.snapshot()?;
/// app.update_times(10, frame);
/// let log = app.world().resource::<Log>().clone();
///
/// app.restore(&mut before)?;
/// app.update_times(10, frame);
/// assert_eq!(*app.world().resource::<Log>(), log);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl App {
    /// Sets how snapshots copy the values of types that are not data. Without this, such values are refused by name.
    pub fn set_snapshotter(&mut self, snapshotter: Snapshotter) -> &mut Self {
        self.snapshotter = snapshotter;
        self
    }

    /// Takes a snapshot. Before the first frame, it [builds](Self::build) the app and runs `Startup`. O(values).
    ///
    /// # Errors
    /// If the app cannot be built, is in the middle of a frame whose systems are [stepped](Self::step_system), or has
    /// something that cannot be copied. Then nothing has changed, except that `Startup` has run and waiting commands were
    /// applied.
    ///
    /// # Panics
    /// As for [`Snapshotter::take`], and if a system of `Startup` panics.
    pub fn snapshot(&mut self) -> Result<AppSnapshot, AppSnapshotError> {
        let mut snapshot = AppSnapshot::new();
        self.snapshot_into(&mut snapshot)?;
        Ok(snapshot)
    }

    /// Like [`snapshot`](Self::snapshot), into the memory of an earlier one; see [`Snapshotter::take_into`].
    ///
    /// # Errors
    /// As for [`snapshot`](Self::snapshot). The earlier snapshot stays.
    ///
    /// # Panics
    /// As for [`snapshot`](Self::snapshot). If a `Clone` panics, the snapshot is not complete.
    pub fn snapshot_into(&mut self, snapshot: &mut AppSnapshot) -> Result<(), AppSnapshotError> {
        let taken = self.with_schedules(|snapshotter, world, schedules| {
            snapshotter.take_into_with(world, schedules, &mut snapshot.world)
        });
        taken
            .map_err(AppSnapshotError::App)?
            .map_err(AppSnapshotError::Snapshot)
    }

    /// Reads a snapshot that an app of the same program has [written](AppSnapshot::to_bytes); [`restore`](Self::restore)
    /// returns to it, as often as you like; [`restore_bytes`](Self::restore_bytes) does both at once. Before the first frame, it [builds](Self::build) the app and runs `Startup`, which makes everything that a
    /// snapshot leaves out. O(bytes).
    ///
    /// # Errors
    /// If the app cannot be built, and as for [`SnapshotterBytes::read_bytes_with`]: damaged bytes, and bytes of another
    /// program, whose first difference the error names. Nothing has changed then, except that `Startup` has run.
    ///
    /// # Panics
    /// If a system of `Startup` or the `Deserialize` of a type panics.
    #[cfg(feature = "data")]
    pub fn read_snapshot(&mut self, bytes: &[u8]) -> Result<AppSnapshot, ReadAppSnapshotError> {
        let read = self.with_schedules(|snapshotter, world, schedules| {
            snapshotter.read_bytes_with(world, schedules, bytes)
        });
        let world = read
            .map_err(ReadAppSnapshotError::App)?
            .map_err(ReadAppSnapshotError::Read)?;
        Ok(AppSnapshot { world })
    }

    /// Returns to a snapshot of this app: to any, in any order. Calls no systems, hooks and observers. The rest of a frame
    /// whose systems are [stepped](Self::step_system) is dropped; a pause stays. O(values).
    ///
    /// # Errors
    /// If the snapshot is of another app, or not complete, or systems were added or removed since. Nothing has changed then.
    ///
    /// # Panics
    /// As for [`Snapshotter::restore`].
    pub fn restore(&mut self, snapshot: &mut AppSnapshot) -> Result<(), RestoreError> {
        // Before it: a `Drop` that panics comes after the return.
        self.note_change();
        let restored = self.with_schedules(|snapshotter, world, schedules| {
            snapshotter.restore_with(world, schedules, &mut snapshot.world)
        });
        restored.unwrap_or(Err(RestoreError::OtherSchedules))
    }

    /// Returns to a snapshot as bytes that an app of the same program has [written](AppSnapshot::to_bytes), in this process or
    /// another one: [`read_snapshot`](Self::read_snapshot) and [`restore`](Self::restore). O(bytes).
    ///
    /// ```
    /// use std::time::Duration;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
    /// #[resource(data = "game.log")]
    /// struct Log(Vec<u32>);
    ///
    /// #[system]
    /// fn count(mut log: ResMut<Log>, mut runs: Local<u32>) {
    ///     *runs += 1;
    ///     log.0.push(*runs);
    /// }
    ///
    /// fn game() -> App {
    ///     let mut app = App::new();
    ///     app.init_resource::<Log>().add_systems(FixedUpdate, count);
    ///     app
    /// }
    ///
    /// let frame = Duration::from_millis(10);
    /// let mut app = game();
    /// app.update_times(20, frame);
    /// let bytes = app.snapshot()?.to_bytes()?;
    ///
    /// let mut other = game();
    /// other.restore_bytes(&bytes)?;
    /// for app in [&mut app, &mut other] {
    ///     app.update_times(9, frame);
    /// }
    /// assert_eq!(*other.world().resource::<Log>(), *app.world().resource::<Log>());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`read_snapshot`](Self::read_snapshot) and [`restore`](Self::restore). Nothing has changed then, except that
    /// `Startup` has run.
    ///
    /// # Panics
    /// As for [`read_snapshot`](Self::read_snapshot) and [`restore`](Self::restore).
    #[cfg(feature = "data")]
    pub fn restore_bytes(&mut self, bytes: &[u8]) -> Result<(), RestoreBytesError> {
        let mut snapshot = self.read_snapshot(bytes).map_err(RestoreBytesError::Read)?;
        self.restore(&mut snapshot)
            .map_err(RestoreBytesError::Restore)
    }

    /// Takes the snapshot of a frame into a ring; see [`Ring::take`]. The ring has a [`Snapshotter`] of its own.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::{Ring, Snapshotter};
    ///
    /// #[system]
    /// fn count(mut frames: ResMut<u32>) { *frames += 1 }
    ///
    /// let mut app = App::new();
    /// app.insert_resource(0_u32).add_systems(Update, count);
    /// let mut ring = Ring::new(Snapshotter::new().resource::<u32>(), 60);
    /// for frame in 0..9 {
    ///     app.take_in(&mut ring, frame)?;
    ///     app.update();
    /// }
    /// app.restore_from(&mut ring, 5)?;
    /// assert_eq!(*app.world().resource::<u32>(), 5);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`snapshot`](Self::snapshot); the ring is as it was.
    ///
    /// # Panics
    /// As for [`snapshot`](Self::snapshot); the ring is as it was.
    pub fn take_in(&mut self, ring: &mut Ring, frame: u64) -> Result<(), AppSnapshotError> {
        let taken =
            self.with_schedules(|_, world, schedules| ring.take_with(frame, world, schedules));
        taken
            .map_err(AppSnapshotError::App)?
            .map_err(AppSnapshotError::Snapshot)
    }

    /// Returns to the snapshot of a frame in a ring; see [`Ring::restore`].
    ///
    /// # Errors
    /// If there is no snapshot of the frame, or for the reasons of [`restore`](Self::restore). Nothing has changed then.
    ///
    /// # Panics
    /// As for [`restore`](Self::restore).
    pub fn restore_from(&mut self, ring: &mut Ring, frame: u64) -> Result<(), RestoreError> {
        self.note_change();
        let restored =
            self.with_schedules(|_, world, schedules| ring.restore_with(frame, world, schedules));
        restored.unwrap_or(Err(RestoreError::OtherSchedules))
    }

    /// Calls a function with the world and all schedules that run from now on, between two frames. The function may return
    /// the world to an earlier frame.
    ///
    /// # Errors
    /// If the app cannot be built.
    pub(crate) fn with_schedules<R>(
        &mut self,
        f: impl FnOnce(&Snapshotter, &mut World, &mut [&mut Schedule]) -> R,
    ) -> Result<R, AppError> {
        self.get_ready()?;
        if !self.has_started {
            self.exit = self.start();
        }
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is ready");
        };
        let (frame, startup) = (&mut built.frame, &mut built.startup);
        let snapshotter = &self.snapshotter;
        let result = self.world.with_schedules(|world, by_hand| {
            let mut schedules = vec![frame];
            if startup.is_halted() {
                // It refuses snapshots, like the middle of a frame.
                schedules.push(startup);
            }
            schedules.extend(by_hand);
            f(snapshotter, world, &mut schedules)
        });
        if !self.is_in_frame() {
            // The request is part of the world.
            self.exit = self.asked();
            self.is_running = false;
        }
        Ok(result)
    }
}
