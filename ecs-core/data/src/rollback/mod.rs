//! Rollback: a game that continues without waiting for the inputs of other players, and corrects itself when they
//! arrive.

mod error;
mod hashes;
mod inputs;
mod simulation;

use std::fmt;

use ecs_engine::World;
use ecs_engine::schedule::{Schedule, ScheduleError};
use ecs_engine::snapshot::{Ring, Snapshotter};

pub use error::{InputError, RollbackError};
pub use simulation::Simulation;

use crate::hash::WorldHasher;
use hashes::Hashes;
use inputs::Inputs;
use simulation::{InSimulation, WorldAndSchedule};

/// Runs a game of several players who send each other their inputs, with prediction and rollback.
///
/// A frame runs immediately, with the inputs that are known. The others are predicted: each player is assumed to repeat the
/// last input. When an input arrives that differs from the prediction, the next [`advance`](Self::advance) returns to its
/// frame, and runs all frames since then again. So all machines have the same world once they know the same inputs, if the game
/// is [deterministic](crate::DeterminismCheck).
///
/// Inputs are any type: a number with a bit for each button, an enum, a struct. The program decides how they get from one machine
/// to the other; the example `netplay` uses UDP.
///
/// ```
/// use ecs_core::data::Rollback;
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::Snapshotter;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place(i32);
/// #[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
/// #[resource(data = "game.pushes")]
/// struct Pushes([i32; 2]);
///
/// #[system]
/// fn push(mut places: Query<&mut Place>, pushes: Res<Pushes>) {
///     for place in &mut places {
///         place.0 += pushes.0[0] + pushes.0[1];
///     }
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Pushes::default());
/// let ball = world.spawn(Place(0));
/// let mut sim = Schedule::new();
/// sim.add(push);
///
/// let mut rollback = Rollback::new(2, Snapshotter::new());
/// for frame in 0..3 {
///     rollback.add_input(0, frame, 1)?;
///     rollback.advance(&mut world, &mut sim, |world, frame| {
///         world.resource_mut::<Pushes>().0 = [frame.inputs[0], frame.inputs[1]];
///     })?;
/// }
/// assert_eq!(world.get::<Place>(ball).unwrap().0, 3, "the other player was predicted to do nothing");
///
/// // The inputs of the other player arrive late, and two of three are not as predicted.
/// for (frame, input) in [(0, 0), (1, 10), (2, 10)] {
///     rollback.add_input(1, frame, input)?;
/// }
/// rollback.add_input(0, 3, 1)?;
/// rollback.advance(&mut world, &mut sim, |world, frame| {
///     world.resource_mut::<Pushes>().0 = [frame.inputs[0], frame.inputs[1]];
/// })?;
/// assert_eq!(rollback.stats().frames_again, 2);
/// assert_eq!(world.get::<Place>(ball).unwrap().0, 4 + 20 + 10, "and goes on with what it did last");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The idea comes from [GGPO](https://www.ggpo.net).
pub struct Rollback<I> {
    snapshotter: Snapshotter,
    ring: Ring,
    players: Vec<Inputs<I>>,
    /// The frame that runs next; the world is at its beginning.
    frame: u64,
    delay: u32,
    prediction: u32,
    /// The first frame that ran with an input other than the one that is known now.
    wrong: Option<u64>,
    hashes: Option<Hashes>,
    stats: RollbackStats,
    /// The inputs of the frame that runs; kept to reuse the memory.
    row: Vec<I>,
}

/// A frame about to run, for the function that gives its inputs to the world.
#[derive(Debug)]
#[non_exhaustive]
pub struct RollbackFrame<'a, I> {
    /// The number, from 0 on.
    pub number: u64,
    /// The input of each player, known or predicted.
    pub inputs: &'a [I],
    /// True if the frame ran before with other inputs, so that its sounds, for example, were played already.
    pub is_again: bool,
    /// True if all inputs are known, so that the frame does not run again.
    pub is_confirmed: bool,
}

/// The outcome of [`Rollback::advance`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Advanced {
    /// True if no new frame ran, because the inputs of another player are too far behind.
    pub is_waiting: bool,
    /// The number of frames that ran again.
    pub again: u32,
    /// The frames whose systems returned errors, with the errors. These frames are complete nevertheless.
    pub errors: Vec<(u64, ScheduleError)>,
}

/// Statistics of a [`Rollback`], to display or to tune it by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RollbackStats {
    /// Frames that ran, each counted once.
    pub frames: u64,
    /// The number of times that the game returned to an earlier frame.
    pub rollbacks: u64,
    /// Frames that ran again because of rollbacks.
    pub frames_again: u64,
    /// The most frames that ran again in one rollback.
    pub longest: u32,
    /// Calls that ran no new frame, because inputs were too far behind.
    pub waits: u64,
}

/// The input of one player for a [`Rollback`]: any type with these traits. You don't implement it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the input of a `Rollback`",
    label = "not an input",
    note = "add `#[derive(Clone, Default, PartialEq)]` to the type"
)]
pub trait RollbackInput: Clone + PartialEq + Default {}

#[diagnostic::do_not_recommend]
impl<I: Clone + PartialEq + Default> RollbackInput for I {}

impl<I: RollbackInput> Rollback<I> {
    /// Returns a driver for this many players, without input delay, that runs at most 8 frames ahead of the inputs it
    /// knows.
    ///
    /// Players are numbered from 0 on, and all machines number them alike. `snapshotter` takes snapshots of the world and of the
    /// memory of the schedule's systems.
    ///
    /// # Panics
    /// If there are no players.
    #[must_use]
    #[track_caller]
    pub fn new(players: usize, snapshotter: Snapshotter) -> Self {
        assert!(
            players > 0,
            "a game without players has no inputs to wait for"
        );
        let prediction = 8;
        Self {
            ring: Ring::new(snapshotter.clone(), prediction as usize + 1),
            snapshotter,
            players: (0..players).map(|_| Inputs::default()).collect(),
            frame: 0,
            delay: 0,
            prediction,
            wrong: None,
            hashes: None,
            stats: RollbackStats::default(),
            row: Vec::new(),
        }
    }

    /// Sets the number of frames before a [local](Self::add_local_input) input counts. Each frame of delay is one that other
    /// machines need not predict. In the first `frames` frames all players do nothing (`I::default()`). All machines must have
    /// the same delay.
    #[must_use]
    pub fn input_delay(mut self, frames: u32) -> Self {
        self.delay = frames;
        self
    }

    /// Sets how many frames may run beyond the last one whose inputs are all known.
    ///
    /// 0 is lockstep: a frame runs when all its inputs are known. Memory: a snapshot for each frame.
    #[must_use]
    pub fn max_prediction(mut self, frames: u32) -> Self {
        self.prediction = frames;
        self.ring = Ring::new(self.snapshotter.clone(), frames as usize + 1);
        self
    }

    /// Hashes the world at the beginning of every `every`th frame, for [`confirmed_hash`](Self::confirmed_hash).
    ///
    /// # Panics
    /// If `every` is 0.
    #[must_use]
    #[track_caller]
    pub fn hashes(mut self, every: u32, hasher: WorldHasher) -> Self {
        assert!(every > 0, "frames are hashed every few frames, not every 0");
        self.hashes = Some(Hashes::new(every, hasher));
        self
    }

    /// Adds the input that a local player makes now, for the next frame, or for a later one with an [input
    /// delay](Self::input_delay). Returns the frames that it counts for, to be sent to the other machines. There are none if the
    /// player already has an input for that frame, for example because the last call of [`advance`](Self::advance)
    /// [waited](Advanced::is_waiting).
    ///
    /// # Errors
    /// If there is no such player.
    pub fn add_local_input(
        &mut self,
        player: usize,
        input: I,
    ) -> Result<std::ops::Range<u64>, InputError> {
        let first = self.next_input(player)?;
        let end = self.frame + u64::from(self.delay) + 1;
        for frame in first..end {
            let is_last = frame + 1 == end;
            let input = if is_last { input.clone() } else { I::default() };
            self.add_input(player, frame, input)?;
        }
        Ok(first..end.max(first))
    }

    /// Adds the input of a player for a frame. Inputs of a player come in the order of frames, without gaps; one that is known
    /// already changes nothing, so messages may repeat inputs until they have arrived.
    ///
    /// # Errors
    /// If there is no such player, an input before it is missing, another one is known for the frame, or the frame is more than
    /// 1,024 ahead. Nothing has changed in that case.
    pub fn add_input(&mut self, player: usize, frame: u64, input: I) -> Result<(), InputError> {
        let now = self.frame;
        let inputs = self.player_mut(player)?;
        if frame > now + WINDOW {
            return Err(InputError::TooEarly { player, frame });
        }
        if inputs.add(player, frame, input)? {
            self.wrong = Some(self.wrong.map_or(frame, |wrong| wrong.min(frame)));
        }
        Ok(())
    }

    /// Returns the frame that the next input of a player is for: all earlier ones are known. Machines send this to each other, so
    /// that each knows which of its inputs have arrived.
    ///
    /// # Errors
    /// If there is no such player.
    pub fn next_input(&self, player: usize) -> Result<u64, InputError> {
        let count = self.players.len();
        let inputs = self.players.get(player);
        inputs
            .map(Inputs::end)
            .ok_or(InputError::NoPlayer { player, count })
    }

    /// Returns the known inputs of a player from a frame on, to send them again. The inputs of the last 1,024 frames are
    /// kept.
    pub fn inputs_from(&self, player: usize, frame: u64) -> impl Iterator<Item = (u64, &I)> {
        let inputs = self.players.get(player);
        inputs
            .into_iter()
            .flat_map(move |inputs| inputs.from(frame))
    }

    /// Runs the next frame. Before that, it repeats frames whose predicted inputs turned out wrong.
    ///
    /// `apply` gives the inputs of each frame to the world. Between frames, nothing else may change the simulation or run the
    /// schedule: the simulation is all of the world, or the [entities](Snapshotter::entities) that the snapshotter takes
    /// snapshots of. Other entities may be spawned, changed and despawned at any time if they have [local
    /// ids](World::reserve_local_ids), because `apply` and the schedule spawn entities with [simulated
    /// ids](World::with_simulated_ids). Leave these other entities out of the [hash](WorldHasher::entities), too. If
    /// [`max_prediction`](Self::max_prediction) frames have run with predicted inputs, the next one waits.
    ///
    /// # Errors
    /// If the schedule cannot run, or the world has something that cannot be copied or hashed. The frame has not run in that
    /// case, or runs again in the next call.
    ///
    /// # Panics
    /// If `apply` or a system panics. The next call runs the frame again.
    pub fn advance(
        &mut self,
        world: &mut World,
        schedule: &mut Schedule,
        apply: impl FnMut(&mut World, &RollbackFrame<'_, I>),
    ) -> Result<Advanced, RollbackError> {
        self.advance_by(&mut WorldAndSchedule { world, schedule }, apply)
    }

    /// Like [`advance`](Self::advance), for any simulation: an app, whose frames are all its frames or only its fixed steps.
    ///
    /// # Errors
    /// As for [`advance`](Self::advance).
    ///
    /// # Panics
    /// As for [`advance`](Self::advance).
    pub fn advance_by(
        &mut self,
        simulation: &mut dyn Simulation,
        mut apply: impl FnMut(&mut World, &RollbackFrame<'_, I>),
    ) -> Result<Advanced, RollbackError> {
        let ids = InSimulation::new(simulation);
        let advanced = self.advance_in(&mut *ids.simulation, &mut apply);
        ids.simulation.world_mut().flush();
        advanced
    }

    fn advance_in(
        &mut self,
        simulation: &mut dyn Simulation,
        apply: &mut dyn FnMut(&mut World, &RollbackFrame<'_, I>),
    ) -> Result<Advanced, RollbackError> {
        let mut advanced = Advanced::default();
        simulation.prepare()?;
        if let Some(first) = self.wrong {
            let mut restored = Ok(());
            simulation.with_schedules(&mut |world, schedules| {
                restored = self.ring.restore_with(first, world, schedules);
            });
            restored.map_err(RollbackError::Restore)?;
            let again = (self.frame - first) as u32;
            for frame in first..self.frame {
                self.run(frame, frame > first, simulation, apply, &mut advanced)?;
            }
            // A frame that panicked has not run yet.
            if again > 0 {
                advanced.again = again;
                self.stats.rollbacks += 1;
                self.stats.frames_again += u64::from(again);
                self.stats.longest = self.stats.longest.max(again);
            }
            self.wrong = None;
        }
        if self.frame >= self.confirmed() + u64::from(self.prediction) {
            advanced.is_waiting = true;
            self.stats.waits += 1;
            return Ok(advanced);
        }
        let frame = self.frame;
        self.run(frame, true, simulation, apply, &mut advanced)?;
        self.wrong = None;
        self.frame += 1;
        self.stats.frames += 1;
        self.forget();
        Ok(advanced)
    }

    /// Takes a snapshot if there is none, and runs a frame. If the frame panics, or fails after the snapshot, it is the first
    /// one that has to run again.
    fn run(
        &mut self,
        frame: u64,
        takes: bool,
        simulation: &mut dyn Simulation,
        apply: &mut dyn FnMut(&mut World, &RollbackFrame<'_, I>),
        advanced: &mut Advanced,
    ) -> Result<(), RollbackError> {
        if takes {
            let mut taken = Ok(());
            simulation.with_schedules(&mut |world, schedules| {
                taken = self.ring.take_with(frame, world, schedules);
            });
            taken.map_err(RollbackError::Snapshot)?;
        }
        self.wrong = Some(frame);
        if let Some(hashes) = &mut self.hashes {
            let hashed = hashes.add(frame, simulation.world_mut());
            hashed.map_err(RollbackError::Hash)?;
        }
        let is_confirmed = frame < self.confirmed();
        self.row.clear();
        for inputs in &mut self.players {
            self.row.push(inputs.use_for(frame).clone());
        }
        let about = RollbackFrame {
            number: frame,
            inputs: &self.row,
            is_again: frame < self.frame,
            is_confirmed,
        };
        apply(simulation.world_mut(), &about);
        match simulation.run() {
            Ok(()) => {}
            Err(error @ ScheduleError::Systems(_)) => advanced.errors.push((frame, error)),
            Err(error) => return Err(RollbackError::Schedule(error)),
        }
        Ok(())
    }

    /// Drops inputs that are no longer needed.
    fn forget(&mut self) {
        let first = self.confirmed().min(self.frame).saturating_sub(WINDOW);
        for inputs in &mut self.players {
            inputs.forget(first);
        }
    }

    fn player_mut(&mut self, player: usize) -> Result<&mut Inputs<I>, InputError> {
        let count = self.players.len();
        let inputs = self.players.get_mut(player);
        inputs.ok_or(InputError::NoPlayer { player, count })
    }
}

/// Inputs for frames further ahead are refused, to bound the memory, and inputs further behind are forgotten.
const WINDOW: u64 = 1024;

impl<I> Rollback<I> {
    /// Returns the number of the frame that runs next.
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Returns the first frame with an unknown input. Frames before it do not run again, once
    /// [`advance`](Self::advance) has run them with the inputs that have arrived.
    #[must_use]
    pub fn confirmed(&self) -> u64 {
        let ends = self.players.iter().map(Inputs::end);
        ends.min().unwrap_or(0)
    }

    /// Returns the hash of the world at the beginning of a frame, if all inputs before it are known: another machine has
    /// the same one, or there is a desync. `None` if it is not known yet, or no longer, or if the frame is not one that
    /// is [hashed](Self::hashes).
    #[must_use]
    pub fn confirmed_hash(&self, frame: u64) -> Option<u64> {
        let is_right = frame <= self.confirmed() && self.wrong.is_none_or(|wrong| frame <= wrong);
        is_right.then(|| self.hashes.as_ref()?.get(frame)).flatten()
    }

    /// Returns the last frame that has a [confirmed hash](Self::confirmed_hash), with the hash, to send it to other machines.
    #[must_use]
    pub fn last_confirmed_hash(&self) -> Option<(u64, u64)> {
        let hashes = self.hashes.as_ref()?;
        let mut frames = hashes.frames().rev();
        frames.find_map(|frame| Some((frame, self.confirmed_hash(frame)?)))
    }

    /// Returns statistics of all frames so far.
    #[must_use]
    pub fn stats(&self) -> RollbackStats {
        self.stats
    }
}

impl<I> fmt::Debug for Rollback<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rollback")
            .field("frame", &self.frame)
            .field("confirmed", &self.confirmed())
            .field("players", &self.players.len())
            .field("stats", &self.stats)
            .finish_non_exhaustive()
    }
}
