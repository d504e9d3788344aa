//! A check for users' tests: does a schedule have the same results under all circumstances that must not matter?

mod compare;
mod error;
mod play;

use std::fmt;
use std::ops::ControlFlow;

use ecs_engine::World;
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::schedule::Schedule;
use ecs_engine::snapshot::Snapshotter;

pub use error::{Desync, DeterminismError};

use crate::diff::{Diff, Differ};
use crate::hash::WorldHasher;
use compare::{HashLog, MomentHasher, add_writers};
use play::{PlayMode, PlayMoment, on_threads};

/// Runs a schedule several times from the same beginning, each time under other circumstances that must not matter, and compares
/// the hashes of the worlds: after each system the data that it can write, and after each frame everything.
///
/// Lockstep, rollback, replays and saves need games that do the same again. This is for tests of such games: an error names the
/// first frame, the system, the entity and the component that differ, with both values.
///
/// ```
/// use std::hash::{BuildHasher, RandomState};
///
/// use ecs_core::data::DeterminismCheck;
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.position")]
/// struct Position(f32);
///
/// #[system(for_each)]
/// fn fall(position: &mut Position) {
///     position.0 -= 0.1;
/// }
///
/// #[system]
/// fn shake(mut positions: Query<&mut Position>) {
///     for position in &mut positions {
///         // Something outside of the world, which differs from run to run.
///         position.0 += RandomState::new().hash_one(7) as f32;
///     }
/// }
///
/// let spawn = |world: &mut World| {
///     world.spawn(Position(1.0));
/// };
/// let frame = |shakes: bool| move || {
///     let mut frame = Schedule::new();
///     frame.add(fall);
///     if shakes {
///         frame.add(shake);
///     }
///     frame
/// };
/// DeterminismCheck::new(frame(false), spawn).frames(60).run()?;
///
/// let error = DeterminismCheck::new(frame(true), spawn).run().unwrap_err().to_string();
/// assert!(error.contains("shake`: 0v1 game.position: "), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It compares the data that [`WorldHasher`] hashes: components, relations and resources that are data. A system's metadata
/// say which data it can write; a system with commands or the whole world can write everything, and one that writes nothing
/// costs nothing. After a frame on several threads an error lists the systems that may have caused the difference: commands that
/// are [declared](ecs_engine::Commands#declared-components) leave out a system, unless they declare the data that differs.
///
/// The first run has one thread, even for parallel loops in systems. Each of the others has one [`Variation`].
pub struct DeterminismCheck<'a> {
    schedule: Box<dyn Fn() -> Schedule + Send + Sync + 'a>,
    set_up: Box<Change<'a>>,
    input: Box<Input<'a>>,
    after_load: Box<Change<'a>>,
    frames: u32,
    threads: usize,
    variations: Vec<Variation>,
    without: Vec<ComponentId>,
    only_data: bool,
    snapshots: Snapshotter,
}

type Input<'a> = dyn Fn(&mut World, u32) + Send + Sync + 'a;
type Change<'a> = dyn Fn(&mut World) + Send + Sync + 'a;

/// A difference between runs of a [`DeterminismCheck`] that must not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Variation {
    /// Nothing varies: the same run again. Finds times, random seeds, addresses, the order of a `HashMap` of the standard
    /// library, and statics.
    Repeated,
    /// Tables were made in the opposite order, so that loops visit entities in another order. Finds sums of floats, and
    /// everything else that depends on the order of rows.
    OtherTables,
    /// A snapshot is taken before each frame, and after the frame the world and the schedule return to it, and the frame runs
    /// again. Finds the memory of systems outside of the world and their [`Local`](ecs_engine::Local)s.
    Restored,
    /// In the middle the world is saved, and the run continues in a new world with a new schedule. Finds memory of systems that
    /// is not saved.
    Loaded,
    /// Several threads: first inside of the systems, one system after the other, then for all of the schedule. Finds the order of
    /// threads that take a lock, or count. Needs the feature `parallel`, and is skipped without it.
    Threads,
}

impl Variation {
    /// All variations, in the order that they are tried.
    pub const ALL: [Self; 5] = [
        Self::Repeated,
        Self::OtherTables,
        Self::Restored,
        Self::Loaded,
        Self::Threads,
    ];
}

impl<'a> DeterminismCheck<'a> {
    /// Returns a check of 16 frames with all variations and 4 threads.
    ///
    /// Each run makes a new world, calls `set_up` with it, and then `schedule`. After a load only `schedule` is called. All runs
    /// need the same inputs, and both functions must do the same each time.
    #[must_use]
    pub fn new(
        schedule: impl Fn() -> Schedule + Send + Sync + 'a,
        set_up: impl Fn(&mut World) + Send + Sync + 'a,
    ) -> Self {
        Self {
            schedule: Box::new(schedule),
            set_up: Box::new(set_up),
            input: Box::new(|_, _| {}),
            after_load: Box::new(|_| {}),
            frames: 16,
            threads: 4,
            variations: Variation::ALL.to_vec(),
            without: Vec::new(),
            only_data: false,
            snapshots: Snapshotter::new(),
        }
    }

    /// Sets the number of runs of the schedule.
    #[must_use]
    pub fn frames(mut self, frames: u32) -> Self {
        self.frames = frames;
        self
    }

    /// Sets the number of threads of [`Variation::Threads`].
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// Calls a function before each frame, with its number from 0 on, to give the world the inputs of players, and the time.
    #[must_use]
    pub fn input(mut self, input: impl Fn(&mut World, u32) + Send + Sync + 'a) -> Self {
        self.input = Box::new(input);
        self
    }

    /// Calls a function after a load, to give the world everything that saves do not have.
    #[must_use]
    pub fn after_load(mut self, change: impl Fn(&mut World) + Send + Sync + 'a) -> Self {
        self.after_load = Box::new(change);
        self
    }

    /// Tries only these variations.
    #[must_use]
    pub fn only(mut self, variations: &[Variation]) -> Self {
        self.variations = variations.to_vec();
        self
    }

    /// Leaves out a component, or a relation by one of its ends: it may differ.
    #[must_use]
    pub fn without<T: Component>(mut self) -> Self {
        self.without.push(ComponentId::of::<T>());
        self
    }

    /// Leaves out the components and relations that are not data, which are refused otherwise.
    #[must_use]
    pub fn only_data(mut self) -> Self {
        self.only_data = true;
        self
    }

    /// Chooses how snapshots are taken, if the world or its systems have state that is not data.
    #[must_use]
    pub fn snapshots(mut self, snapshots: Snapshotter) -> Self {
        self.snapshots = snapshots;
        self
    }

    /// Runs the check. Takes about as long as ten times the frames, and the hashes after each system.
    ///
    /// # Errors
    /// The first difference, as [`DeterminismError::Desync`], or the obstacle to the check: see [`DeterminismError`].
    ///
    /// # Panics
    /// If one of the given functions or a system panics.
    pub fn run(&self) -> Result<(), DeterminismError> {
        let mut log = HashLog::default();
        let mut tables = Vec::new();
        let mut hasher = self.hasher();
        on_threads(1, |_| {
            self.play(PlayMode::First, &[], &mut |moment, world| {
                log.add(&moment, &mut hasher, world)?;
                if moment.is_end() {
                    tables = world
                        .all_tables()
                        .map(|(_, components)| components)
                        .collect();
                }
                Ok(ControlFlow::Continue(()))
            })
        })?;
        for &variation in &self.variations {
            match variation {
                Variation::Threads => {
                    if cfg!(feature = "parallel") {
                        self.compare(variation, PlayMode::ThreadsInSystems, &log, &tables)?;
                        self.compare(variation, PlayMode::Threads, &log, &tables)?;
                    }
                }
                _ => self.compare(variation, PlayMode::Varied(variation), &log, &tables)?,
            }
        }
        Ok(())
    }

    fn hasher(&self) -> MomentHasher {
        MomentHasher::new(WorldHasher::of_parts(self.without.clone(), self.only_data))
    }

    fn differ(&self) -> Differ {
        let mut differ = Differ::new();
        differ.left_out.components.clone_from(&self.without);
        differ.left_out.not_data = self.only_data;
        differ
    }

    /// Plays all frames in another way, up to the first difference.
    fn compare(
        &self,
        variation: Variation,
        way: PlayMode<'static>,
        log: &HashLog,
        tables: &[Vec<ComponentId>],
    ) -> Result<(), DeterminismError> {
        let mut hasher = self.hasher();
        let mut found = None;
        let threads = way.threads(self.threads);
        on_threads(threads, |pool| {
            self.play(way.with(pool), tables, &mut |moment, world| {
                let expected = log.at(&moment);
                if expected.is_same(&moment, &mut hasher, world)? {
                    return Ok(ControlFlow::Continue(()));
                }
                found = Some(self.desync(variation, expected, &moment, world)?);
                Ok(ControlFlow::Break(()))
            })
        })?;
        found.map_or(Ok(()), |desync| {
            Err(DeterminismError::Desync(Box::new(desync)))
        })
    }

    /// Plays the first run again, up to a moment when another run was different, and compares both worlds.
    fn desync(
        &self,
        variation: Variation,
        expected: &compare::LogEntry,
        moment: &PlayMoment<'_>,
        other: &World,
    ) -> Result<Desync, DeterminismError> {
        let name = moment.name();
        let mut desync = Desync {
            variation,
            threads: self.threads,
            frame: moment.frame,
            systems: Vec::new(),
            undeclared: Vec::new(),
            instead: None,
            differences: Diff::default(),
        };
        if expected.name != name {
            desync.systems.extend(expected.name);
            desync.instead = Some(name);
            return Ok(desync);
        }
        let (frame, index) = (moment.frame, expected.index);
        let differences = &mut desync.differences;
        // A run that depends on chance may be like the other one this time.
        for _ in 0..REPLAYS {
            on_threads(1, |_| {
                self.play(PlayMode::First, &[], &mut |moment, world| {
                    if (moment.frame, moment.index) != (frame, index) {
                        return Ok(ControlFlow::Continue(()));
                    }
                    let between = self.differ().between(world, other);
                    *differences = between.map_err(DeterminismError::Diff)?;
                    Ok(ControlFlow::Break(()))
                })
            })?;
            if !differences.is_empty() {
                break;
            }
        }
        match name {
            Some(name) => desync.systems.push(name),
            None => add_writers(moment, &mut desync),
        }
        Ok(desync)
    }
}

/// How often the first run is played again to see a difference.
const REPLAYS: usize = 8;

impl fmt::Debug for DeterminismCheck<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DeterminismCheck")
            .field("frames", &self.frames)
            .field("threads", &self.threads)
            .field("variations", &self.variations)
            .finish_non_exhaustive()
    }
}
