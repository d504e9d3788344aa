//! The plugin that records an app.

use std::any::TypeId;
use std::io;
use std::mem::replace;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ecs_app::{App, AppError, Exit, FrameMoment, FramePanic, Plugin};
use ecs_data::__private::step_hash;
use ecs_data::{WorldData, WorldHasher};
use ecs_engine::World;
use ecs_engine::schedule::Step;

use crate::check::RecorderCheck;
use crate::writer::{FrameInputs, RecordingWriter, ResourceMoment};

/// Records an app as long as it runs: a plugin.
///
/// The recording has an exact snapshot of the app before its first frame, when `Startup` has run, and then for each frame its
/// length, and the resources and events that code outside of systems has written since the frame before: the input of a
/// player, messages of a network, settings. Nothing has to be declared. With a hash of the world every few frames, a
/// [`Replay`](crate::Replay) proves that it does the same.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Outcome, Recorder, Replay};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
/// #[resource(data = "game.keys")]
/// struct Keys(Vec<char>);
/// #[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
/// #[resource(data = "game.text")]
/// struct Text(String);
///
/// #[system]
/// fn type_keys(keys: Res<Keys>, mut text: ResMut<Text>) { text.0.extend(&keys.0) }
///
/// fn game(app: &mut App) {
///     app.init_resource::<Keys>().init_resource::<Text>().add_systems(Update, type_keys);
/// }
///
/// # let folder = std::env::temp_dir().join(format!("recorder-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("match.rec");
/// let mut app = App::new();
/// app.add_plugin(game).add_plugin(Recorder::new(&path));
/// for key in "hello".chars() {
///     app.world_mut().resource_mut::<Keys>().0 = vec![key];
///     app.update();
/// }
/// drop(app);
///
/// let mut replay = Replay::open(&path, || {
///     let mut app = App::new();
///     app.add_plugin(game);
///     app
/// })?;
/// replay.run_to(3)?;
/// assert_eq!(replay.world().resource::<Text>().0, "hel");
/// replay.back()?;
/// assert_eq!(replay.world().resource::<Text>().0, "he");
/// assert_eq!(replay.finish()?, Outcome::Same);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Files
/// Everything is in the file at the path, and is there as soon as a frame begins: a program that is killed leaves all frames up to the
/// one that it was in. A panic of a system writes its name and its message. With [`keep`](Self::keep), older parts have the
/// path with a number at its end, and the oldest are removed. A recording that is at the path already is replaced.
///
/// # Limits
/// [`check`](Self::check) lists it before the first frame. The app must be one that has [snapshots as
/// bytes](ecs_app::AppSnapshot::to_bytes). Where that fails, or the disk is full, the recorder prints the reason as an error and ends; the app goes on.
/// Changes of entities from outside of systems are recorded by a snapshot, if the hashes around them show them.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    keep: Option<u64>,
    snapshot_every: u64,
    hashes: HashCadence,
    steps: bool,
}

/// When the world is hashed.
#[derive(Clone, Copy, Debug)]
enum HashCadence {
    /// Often enough to take this part of the time, in percent.
    Percent(u32),
    /// After each frame whose number this divides.
    Every(u64),
    Never,
}

impl Recorder {
    /// Records into a file, which is replaced.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            keep: None,
            snapshot_every: 600,
            hashes: HashCadence::Percent(1),
            steps: false,
        }
    }

    /// Keeps about this many bytes, and at least the newest part; without this, everything. A part is about a quarter of it, or as long as two
    /// snapshots if that is more, and can be replayed without the others.
    #[must_use]
    pub fn keep(mut self, bytes: u64) -> Self {
        self.keep = Some(bytes);
        self
    }

    /// Adds a snapshot every so many frames, from which a [`Replay`](crate::Replay) begins to get to a frame quickly; at first 600. 0 is
    /// as good as never.
    #[must_use]
    pub fn snapshot_every(mut self, frames: u64) -> Self {
        self.snapshot_every = if frames == 0 { u64::MAX } else { frames };
        self
    }

    /// Hashes the world after every n-th frame; 0 for never. Without this, it is hashed as often as that takes at most one hundredth of the
    /// time.
    #[must_use]
    pub fn hash_every(mut self, frames: u64) -> Self {
        self.hashes = match frames {
            0 => HashCadence::Never,
            frames => HashCadence::Every(frames),
        };
        self
    }

    /// Hashes, after each system, everything that it can write, so that a [difference](crate::first_difference) names the system without
    /// running both programs. Systems run one after the other then, as with [`App::after_step`].
    #[must_use]
    pub fn each_step(mut self) -> Self {
        self.steps = true;
        self
    }

    /// Builds an app and runs its `Startup`, and returns its inputs, and everything that cannot be recorded.
    ///
    /// # Errors
    /// If the app cannot be built.
    pub fn check(app: &mut App) -> Result<RecorderCheck, AppError> {
        RecorderCheck::of(app)
    }
}

impl Plugin for Recorder {
    fn build(self, app: &mut App) {
        let is_stepped = self.steps;
        let session = Arc::new(Mutex::new(RecordSession::new(self)));
        let around = Arc::clone(&session);
        app.around_frame(move |app, moment| locked(&around).at(app, moment));
        if is_stepped {
            let steps = Arc::clone(&session);
            app.after_step(move |step, world| {
                // It is locked while the first snapshot runs `Startup`, which is no frame.
                if let Ok(mut session) = steps.try_lock() {
                    session.step(step, world);
                }
            });
        }
        app.on_panic(move |panic, _| locked(&session).panic(panic));
    }
}

/// A panic of a `Serialize` ends the app, not the recorder.
fn locked(session: &Mutex<RecordSession>) -> MutexGuard<'_, RecordSession> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A recording that is being made.
struct RecordSession {
    settings: Recorder,
    writer: RecordingWriter,
    hasher: WorldHasher,
    is_on: bool,
    /// The number of the next frame, from the start of the recording.
    frame: u64,
    last_snapshot: u64,
    before: ResourceMoment,
    /// The hash of all entities after the last frame.
    rows: Option<u64>,
    steps: Vec<(&'static str, u64)>,
    unrecorded: Vec<TypeId>,
    /// True if a frame has panicked, so that its number is the next one's.
    has_panicked: bool,
    start: Instant,
    hashing: Duration,
}

impl RecordSession {
    fn new(settings: Recorder) -> Self {
        Self {
            writer: RecordingWriter::new(settings.path.clone(), settings.keep),
            settings,
            hasher: WorldHasher::new().only_data(),
            is_on: true,
            frame: 0,
            last_snapshot: 0,
            before: ResourceMoment::default(),
            rows: None,
            steps: Vec::new(),
            unrecorded: Vec::new(),
            has_panicked: false,
            start: Instant::now(),
            hashing: Duration::ZERO,
        }
    }

    fn at(&mut self, app: &mut App, moment: FrameMoment) {
        if !self.is_on {
            return;
        }
        let result = match moment {
            FrameMoment::Begin { delta, real } => self.begin(app, delta, real),
            FrameMoment::End => {
                self.end(app.world_mut());
                Ok(())
            }
        };
        if let Err(message) = result {
            self.is_on = false;
            let path = self.settings.path.display();
            eprintln!(
                "error: the recording {path} ends before frame {}: {message}",
                self.frame
            );
        }
    }

    fn begin(&mut self, app: &mut App, delta: Duration, real: Duration) -> Result<(), String> {
        let is_new = self.writer.is_new();
        let is_due = self.frame - self.last_snapshot >= self.settings.snapshot_every;
        // No system does these, so a replay takes them from a snapshot.
        let is_jump =
            replace(&mut self.has_panicked, false) || self.is_changed_outside(app.world());
        let inputs = if is_new || is_jump {
            FrameInputs::default()
        } else {
            self.inputs(app.world_mut())
        };
        let failed = |error: io::Error| error.to_string();
        if is_new || self.writer.is_part_full() {
            let (schema, bytes) = (app.world().schema_hash(), snapshot(app)?);
            let part = self.writer.begin_part(schema, self.frame, is_jump, &bytes);
            part.map_err(failed)?;
            self.last_snapshot = self.frame;
        } else if is_due || is_jump {
            self.writer
                .put_snapshot(self.frame, is_jump, &snapshot(app)?);
            self.last_snapshot = self.frame;
        }
        let written = self.writer.frame(app.world(), delta, real, &inputs);
        for message in written.map_err(failed)? {
            self.writer.unrecorded(&message);
        }
        Ok(())
    }

    /// Returns true if entities have changed since the end of the last frame, as far as hashes tell.
    fn is_changed_outside(&mut self, world: &World) -> bool {
        let Some(rows) = self.rows.take() else {
            return false;
        };
        let now = Instant::now();
        let hash = self.hasher.rows(world);
        self.hashing += now.elapsed();
        hash.is_ok_and(|now| now != rows)
    }

    /// Returns the resources that have changed since the end of the last frame.
    fn inputs(&mut self, world: &mut World) -> FrameInputs {
        let (written, removed) = self.before.changes(world);
        let mut inputs = FrameInputs::default();
        if written.is_empty() && removed.is_empty() {
            return inputs;
        }
        let known = world.data_types();
        let data = |id: TypeId| {
            known
                .iter()
                .find(|data| data.is_resource() && data.type_id() == id)
        };
        for (id, is_inserted) in written {
            // How an app ends is no input of its systems.
            if id == TypeId::of::<Exit>() {
                continue;
            }
            match data(id) {
                Some(data) => inputs.written.push((data, is_inserted)),
                None if self.unrecorded.contains(&id) => {}
                None => {
                    self.unrecorded.push(id);
                    let types = world.resources().types();
                    let name = types.iter().find(|(known, _)| *known == id);
                    self.writer
                        .unrecorded(name.map_or("a resource", |(_, name)| name));
                }
            }
        }
        inputs
            .removed
            .extend(removed.iter().filter_map(|id| Some(data(*id)?.name())));
        inputs.written.sort_unstable_by_key(|(data, _)| data.name());
        inputs
    }

    fn end(&mut self, world: &mut World) {
        let is_due = match self.settings.hashes {
            HashCadence::Percent(percent) => self.hashing * 100 <= self.start.elapsed() * percent,
            HashCadence::Every(frames) => self.frame.is_multiple_of(frames),
            HashCadence::Never => false,
        };
        let mut hash = None;
        self.rows = None;
        if is_due {
            let now = Instant::now();
            if let Ok(rows) = self.hasher.rows(world)
                && let Ok(resources) = self.hasher.resources(world)
            {
                hash = Some(rows.wrapping_add(resources));
                self.rows = Some(rows);
            }
            self.hashing += now.elapsed();
        }
        self.writer.end_frame(hash, &mut self.steps);
        self.before.note(world);
        self.frame += 1;
    }

    fn step(&mut self, step: Step<'_>, world: &World) {
        if self.is_on
            && let Ok(hash) = step_hash(step, &mut self.hasher, world)
        {
            self.steps.push((step.name(), hash));
        }
    }

    fn panic(&mut self, panic: &FramePanic<'_>) {
        if self.is_on {
            let (system, message) = (panic.system(), panic.message());
            // The panic goes on; the error of a full disk would hide it.
            _ = self
                .writer
                .panic(system.unwrap_or_default(), message.unwrap_or_default());
            self.has_panicked = true;
            self.steps.clear();
        }
    }
}

fn snapshot(app: &mut App) -> Result<Vec<u8>, String> {
    let snapshot = app.snapshot().map_err(|error| error.to_string())?;
    snapshot.to_bytes().map_err(|error| error.to_string())
}
