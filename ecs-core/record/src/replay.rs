//! A recording that runs again.

use std::fmt;
use std::mem::replace;
use std::path::Path;
use std::sync::{Arc, Mutex};

use ecs_app::App;
use ecs_data::__private::{HashPart, StepHashes};
use ecs_data::{HashError, WorldHasher};
use ecs_engine::World;
use ecs_engine::task::Tasks;

use crate::error::ReplayError;
use crate::lock::locked;
use crate::part::RecordedFrame;
use crate::program::RecordedProgram;
use crate::recording::{RecordedSnapshot, Recording};
use crate::same::SameUntil;

/// The frames of a [`Recording`] in an app of the same program: forward, back, and to any of them.
///
/// The app must be the one that was recorded, without the [`Recorder`](crate::Recorder): the same plugins, in the same order.
/// Inputs come from the recording, after all hooks before the frame, so they replace the values that a hook writes.
///
/// After each frame whose hash was recorded, the world is compared with it. Frames run on as many threads as the app says;
/// the results are the same.
///
/// See [`Recorder`](crate::Recorder) for an example.
pub struct Replay<P: RecordedProgram = App> {
    recording: Arc<Recording>,
    program: P,
    hasher: WorldHasher,
    /// The number of the next frame.
    frame: u64,
    /// True if the app is at the snapshot before the next frame.
    is_restored: bool,
    /// True if the app is at a frame of the recording.
    has_begun: bool,
    /// Copies of the app before some frames, in their order, for steps back.
    copies: Vec<(u64, P::Copy)>,
    same: SameUntil,
    outcome: Outcome,
    compared: u64,
    shared: Arc<Mutex<ReplayShared>>,
    /// True if the hash after each step is taken.
    is_watched: bool,
}

/// State that hooks of the app share with the replay.
#[derive(Default)]
struct ReplayShared {
    /// The number of the frame that is about to begin.
    next: Option<u64>,
    /// The error of an input.
    wrong: Option<String>,
    steps: Vec<(&'static str, u64)>,
    /// The deferred changes of the world before the step.
    deferred: (u64, usize),
}

/// The result of a [`Replay`] so far.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Outcome, Recorder, Replay};
///
/// # let path = std::env::temp_dir().join(format!("outcome-doc-{}.rec", std::process::id()));
/// let mut app = App::new();
/// app.add_plugin(Recorder::new(&path).hash_every(1));
/// app.update_times(3, App::DEFAULT_FIXED_STEP);
///
/// let mut replay = Replay::open(&path, App::new)?;
/// match replay.finish()? {
///     Outcome::Same => println!("{} hashes are the same", replay.compared()),
///     other => panic!("{other}"),
/// }
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// All hashes that were compared are the same.
    #[default]
    Same,
    /// The world differs from the recorded one.
    #[non_exhaustive]
    Different {
        /// The first frame after which it was seen.
        frame: u64,
        /// The first frame that can have made the difference: the one after the last hash that was the same.
        since: u64,
        /// The first system whose results differ, if the recording has hashes of [each step](crate::Recorder::each_step).
        system: Option<String>,
    },
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Same => f.write_str("all hashes are the same"),
            Self::Different {
                frame,
                since,
                system,
            } => {
                write!(f, "the world differs after frame {frame}")?;
                if since < frame {
                    write!(f, ", since frame {since} at the earliest")?;
                }
                system
                    .iter()
                    .try_for_each(|system| write!(f, ": first after `{system}`"))
            }
        }
    }
}

/// The number of copies that a step back leaves for more of them.
const COPIES: u64 = 32;

impl<P: RecordedProgram> Replay<P> {
    /// Reads a recording, makes its app, and returns to the first frame.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("open-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let replay = Replay::open(&path, App::new)?;
    /// assert_eq!(replay.frame(), 0);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`Recording::read`] and [`new`](Self::new).
    pub fn open(path: impl AsRef<Path>, make: impl FnOnce() -> P) -> Result<Self, ReplayError> {
        Self::new(Recording::read(path)?, make())
    }

    /// Replays a recording in an app that has not run.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("new-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// let replay = Replay::new(recording, App::new())?;
    /// assert_eq!(replay.frame(), 0);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the app cannot be built, or is not the recorded one: it has other types or other systems.
    pub fn new(recording: Recording, mut program: P) -> Result<Self, ReplayError> {
        let recording = Arc::new(recording);
        let shared = Arc::new(Mutex::new(ReplayShared::default()));
        let (inputs, all) = (Arc::clone(&shared), Arc::clone(&recording));
        program.before_systems(move |world| {
            let shared = &mut *locked(&inputs);
            if let Some(frame) = shared.next.take().and_then(|frame| all.any_frame(frame)) {
                shared.wrong = put_inputs(frame, world).err();
            }
            shared.deferred = world.deferred_changes();
        });
        let has_steps = recording.has_steps();
        let mut replay = Self {
            frame: recording.first_frame(),
            recording,
            program,
            hasher: hasher(),
            is_restored: false,
            has_begun: false,
            copies: Vec::new(),
            same: SameUntil::default(),
            outcome: Outcome::Same,
            compared: 0,
            shared,
            is_watched: false,
        };
        if has_steps {
            replay.watch_steps();
        }
        replay.seek(replay.frame)?;
        Ok(replay)
    }

    /// Returns the recording.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("recording-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let replay = Replay::open(&path, App::new)?;
    /// assert_eq!(replay.recording().end_frame(), 3);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    /// Returns the number of the next frame.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("frame-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.step()?;
    /// assert_eq!(replay.frame(), 1);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Returns the world before the next frame.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("world-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.run_to(2)?;
    /// assert_eq!(replay.world().resource::<Time>().elapsed(), 2 * App::DEFAULT_FIXED_STEP);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn world(&self) -> &World {
        self.program.world()
    }

    /// Returns the program, for example to let an inspector see it. Code that changes its world makes another future than the
    /// recorded one, until the replay returns to an earlier frame.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("program-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.run_to(2)?;
    /// let app: &mut App = replay.program();
    /// let bytes = app.snapshot()?.to_bytes()?;
    /// # assert!(!bytes.is_empty());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn program(&mut self) -> &mut P {
        &mut self.program
    }

    /// Returns the result so far.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Outcome, Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("outcome-so-far-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.run_to(2)?;
    /// assert_eq!(*replay.outcome(), Outcome::Same);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Returns the number of hashes that were compared so far. Without any, the [outcome](Self::outcome) proves nothing.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("compared-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path).hash_every(1));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    /// drop(app);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.finish()?;
    /// assert_eq!(replay.compared(), 3);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compared(&self) -> u64 {
        self.compared
    }

    /// Runs the next frame; false at the end of the recording.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("step-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// while replay.step()? {
    ///     println!("frame {}", replay.frame());
    /// }
    /// assert_eq!(replay.frame(), 3);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the app does not accept an input, or the world cannot be hashed.
    ///
    /// # Panics
    /// If a system does.
    pub fn step(&mut self) -> Result<bool, ReplayError> {
        let recording = Arc::clone(&self.recording);
        let Some(frame) = recording.frame(self.frame) else {
            return Ok(false);
        };
        if let Some(jump) = recording.jump_to(self.frame)
            && !self.is_restored
        {
            self.restore(jump)?;
        }
        self.run(&frame)?;
        self.frame += 1;
        self.compare(&frame)?;
        Ok(true)
    }

    /// Returns to the frame before; false at the beginning of the recording.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("back-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.run_to(3)?;
    /// assert!(replay.back()?);
    /// assert_eq!(replay.frame(), 2);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run_to`](Self::run_to).
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn back(&mut self) -> Result<bool, ReplayError> {
        if self.frame <= self.recording.first_frame() {
            return Ok(false);
        }
        let to = self.frame - 1;
        self.go_near(to, to)?;
        self.copies.retain(|(frame, _)| *frame <= to);
        while self.frame <= to {
            // The first of many steps back copies the frames that the others return to. A snapshot of the recording has the
            // inputs of its frame already.
            let place = self
                .copies
                .partition_point(|(frame, _)| *frame < self.frame);
            let is_known = self
                .copies
                .get(place)
                .is_some_and(|(frame, _)| *frame == self.frame);
            // A task that runs cannot be copied.
            let tasks = self.program.world().get_resource::<Tasks>();
            let is_idle = tasks.is_none_or(|tasks| tasks.pending() == 0);
            if to - self.frame < COPIES && !is_known && !self.is_restored && is_idle {
                let copy = self.program.copy()?;
                self.copies.insert(place, (self.frame, copy));
            }
            if self.frame == to {
                break;
            }
            self.step()?;
        }
        Ok(true)
    }

    /// Runs to before a frame, forward or back, from the nearest snapshot.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("run-to-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// replay.run_to(3)?;
    /// replay.run_to(1)?;
    /// assert_eq!(replay.frame(), 1);
    /// assert!(replay.run_to(4).is_err());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such frame, and as for [`step`](Self::step).
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn run_to(&mut self, frame: u64) -> Result<&Outcome, ReplayError> {
        self.seek(frame)?;
        Ok(&self.outcome)
    }

    /// Runs frames until a condition on the world is true, or to the end; returns true if it is.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("run-until-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// let late = App::DEFAULT_FIXED_STEP * 2;
    /// assert!(replay.run_until(|world| world.resource::<Time>().elapsed() >= late)?);
    /// assert_eq!(replay.frame(), 2);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn run_until(
        &mut self,
        mut condition: impl FnMut(&World) -> bool,
    ) -> Result<bool, ReplayError> {
        loop {
            if condition(self.program.world()) {
                return Ok(true);
            }
            if !self.step()? {
                return Ok(false);
            }
        }
    }

    /// Runs all frames that are left, and returns the result. From the [first frame](Recording::first_frame) on, that
    /// proves that the program still does the same.
    ///
    /// A frame that has panicked is not run; see [`repeat_panic`](Self::repeat_panic).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Outcome, Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("finish-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// assert_eq!(replay.finish()?, Outcome::Same);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`step`](Self::step).
    ///
    /// # Panics
    /// As for [`step`](Self::step).
    pub fn finish(&mut self) -> Result<Outcome, ReplayError> {
        while self.step()? {}
        Ok(self.outcome.clone())
    }

    /// Runs to the frame that has panicked at the end of the recording, and runs it; false if there is none. In the same
    /// program it panics again, for a debugger.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Replay};
    ///
    /// # let path = std::env::temp_dir().join(format!("repeat-panic-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let mut replay = Replay::open(&path, App::new)?;
    /// assert!(!replay.repeat_panic()?, "no frame has panicked");
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`run_to`](Self::run_to).
    ///
    /// # Panics
    /// As the recorded program did.
    pub fn repeat_panic(&mut self) -> Result<bool, ReplayError> {
        let recording = Arc::clone(&self.recording);
        let Some(frame) = recording.panicked() else {
            return Ok(false);
        };
        self.seek(recording.end_frame())?;
        self.run(&frame)?;
        Ok(true)
    }

    pub(crate) fn shared_recording(&self) -> Arc<Recording> {
        Arc::clone(&self.recording)
    }

    /// Takes the hash after each step from now on.
    pub(crate) fn watch_steps(&mut self) {
        if replace(&mut self.is_watched, true) {
            return;
        }
        let steps = Arc::clone(&self.shared);
        let (mut hasher, mut hashes) = (hasher(), StepHashes::default());
        self.program.after_systems(move |step, world| {
            let shared = &mut *locked(&steps);
            let now = world.deferred_changes();
            let has_deferred = replace(&mut shared.deferred, now) != now;
            let hash = hashes.after(step, has_deferred, &mut hasher, world);
            let hash = hash.unwrap_or_default();
            shared.steps.push((step.name(), hash));
        });
    }

    /// Returns the steps of the last frame, and the hash after each.
    pub(crate) fn steps(&self) -> Vec<(&'static str, u64)> {
        locked(&self.shared).steps.clone()
    }

    /// Runs only the first steps of the next frame. It is the last that this replay runs.
    pub(crate) fn run_steps(&mut self, count: usize) -> Result<(), ReplayError> {
        let recording = Arc::clone(&self.recording);
        let Some(frame) = recording.frame(self.frame) else {
            return Ok(());
        };
        self.prepare();
        while locked(&self.shared).steps.len() < count
            && self.program.run_system(frame.delta, frame.real)
        {}
        self.input_error()
    }

    fn seek(&mut self, to: u64) -> Result<(), ReplayError> {
        let recording = Arc::clone(&self.recording);
        let (first, end) = (recording.first_frame(), recording.end_frame());
        if to < first || to > end {
            return Err(ReplayError::NoFrame {
                frame: to,
                first,
                end,
            });
        }
        self.go_near(to, self.frame)?;
        while self.frame < to {
            self.step()?;
        }
        Ok(())
    }

    /// Returns to the nearest copy or snapshot before a frame, unless the replay is nearer, and before `before`.
    fn go_near(&mut self, to: u64, before: u64) -> Result<(), ReplayError> {
        let recording = Arc::clone(&self.recording);
        let here = Some(self.frame).filter(|frame| self.has_begun && *frame <= to.min(before));
        let copy = self.copies.iter().rposition(|(frame, _)| *frame <= to);
        let of_copy = copy.map(|copy| self.copies[copy].0);
        let snapshot = recording.snapshot_before(to);
        if here.is_some() && here >= of_copy.max(Some(snapshot.frame)) {
            return Ok(());
        }
        match copy {
            Some(copy) if of_copy >= Some(snapshot.frame) => {
                end_tasks(self.program.world_mut());
                let (frame, copy) = &mut self.copies[copy];
                self.program.put_back(copy)?;
                self.same.go_back(*frame);
                self.frame = *frame;
                self.is_restored = false;
                Ok(())
            }
            _ => self.restore(snapshot),
        }
    }

    /// Returns to a snapshot of the recording.
    pub(crate) fn restore(&mut self, snapshot: &RecordedSnapshot) -> Result<(), ReplayError> {
        end_tasks(self.program.world_mut());
        let bytes = self.recording.bytes(snapshot).ok_or(ReplayError::Damaged {
            frame: snapshot.frame,
        })?;
        let mut copy = self.program.read(snapshot.frame, &bytes)?;
        self.program.put_back(&mut copy)?;
        self.frame = snapshot.frame;
        self.same.restart(snapshot.frame);
        self.is_restored = true;
        self.has_begun = true;
        Ok(())
    }

    /// Runs a frame of the recording.
    fn run(&mut self, frame: &RecordedFrame<'_>) -> Result<(), ReplayError> {
        self.prepare();
        self.program.run(frame.delta, frame.real);
        self.input_error()
    }

    fn prepare(&mut self) {
        self.is_restored = false;
        let mut shared = locked(&self.shared);
        shared.next = Some(self.frame);
        shared.steps.clear();
    }

    fn input_error(&mut self) -> Result<(), ReplayError> {
        let mut wrong = locked(&self.shared).wrong.take();
        let resources = self.program.world_mut().resources_mut();
        if let Some(tasks) = resources.bypass::<Tasks>() {
            let of_tasks = tasks.repeat_error();
            wrong = wrong.or(of_tasks);
        }
        match wrong {
            Some(message) => Err(ReplayError::Input {
                frame: self.frame,
                message,
            }),
            None => Ok(()),
        }
    }

    /// Compares the world after a frame with the recorded one.
    fn compare(&mut self, frame: &RecordedFrame<'_>) -> Result<(), ReplayError> {
        let Some(hash) = frame.hash else {
            // There may be hashes of the steps alone. Together they have everything that systems write.
            self.compared += frame.steps.len() as u64;
            match self.other_step(frame) {
                Some(system) => self.note_difference(Some(system)),
                None if frame.steps.is_empty() => {}
                None => self.same.note(HashPart::WHOLE, self.frame),
            }
            return Ok(());
        };
        let now = self.hasher.part(self.program.world(), hash.part);
        let now = now.map_err(hash_error)?;
        self.compared += 1;
        if now == hash.hash {
            self.same.note(hash.part, self.frame);
        } else {
            self.note_difference(self.other_step(frame));
        }
        Ok(())
    }

    /// Notes that the last frame has another result than in the recording, unless an earlier one had.
    fn note_difference(&mut self, system: Option<String>) {
        let last = self.frame - 1;
        let known = match &self.outcome {
            Outcome::Same => u64::MAX,
            Outcome::Different { frame, .. } => *frame,
        };
        if last < known {
            self.outcome = Outcome::Different {
                frame: last,
                since: self.same.frame(),
                system,
            };
        }
    }

    /// Returns the name of the first step that had another result than in the recording.
    fn other_step(&self, frame: &RecordedFrame<'_>) -> Option<String> {
        if frame.steps.is_empty() {
            return None;
        }
        let now = &locked(&self.shared).steps;
        let pairs = now.iter().zip(&frame.steps);
        let same = pairs.take_while(|(now, recorded)| now == recorded).count();
        // Either may have steps that the other does not have, also at the end.
        let system = now.get(same).or(frame.steps.get(same));
        system.map(|(name, _)| (*name).to_owned())
    }
}

impl<P: RecordedProgram> fmt::Debug for Replay<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replay")
            .field("frame", &self.frame)
            .field("outcome", &self.outcome)
            .finish_non_exhaustive()
    }
}

pub(crate) fn hasher() -> WorldHasher {
    WorldHasher::new().only_data()
}

/// Puts the inputs of a frame into a world.
fn put_inputs(frame: RecordedFrame<'_>, world: &mut World) -> Result<(), String> {
    let removed = world.data_types().into_iter();
    let removed = removed.filter(|data| frame.removed.contains(&data.name()));
    for data in removed {
        drop(world.resources_mut().remove_erased(data.type_id()));
    }
    for (resource, is_inserted) in &frame.written {
        resource.put(world, *is_inserted)?;
    }
    if let Some(tasks) = world.resources_mut().bypass::<Tasks>() {
        tasks.repeat_results(frame.tasks);
    }
    Ok(())
}

/// Cancels the tasks of frames that the replay leaves.
fn end_tasks(world: &mut World) {
    if let Some(mut tasks) = world.get_resource_mut::<Tasks>() {
        while let Some(task) = tasks.newest() {
            tasks.cancel(task);
        }
    }
}

pub(crate) fn hash_error(error: HashError) -> ReplayError {
    ReplayError::Hash(Box::new(error))
}
