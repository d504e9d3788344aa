//! The plugin that records an app.

use std::mem::replace;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use ecs_app::{App, AppError, FrameMoment, Plugin};
use ecs_engine::World;

use crate::by_hand::ScheduleRecorder;
use crate::check::RecorderCheck;
use crate::control::RecorderControl;
use crate::lock::locked;
use crate::session::RecordSession;
use crate::settings::{HashCadence, RecorderSettings};

/// Records an app as long as it runs: a plugin.
///
/// The recording has an exact snapshot of the app before its first frame, when `Startup` has run, and then for each frame its
/// length, and the resources and events that code outside of systems has written since the frame before: the input of a
/// player, messages of a network, settings. Nothing has to be declared. With hashes of the world, in parts if it is
/// large, a [`Replay`](crate::Replay) proves that it does the same.
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
/// Everything is in the file at the path, and is there as soon as a frame begins: a program that is killed leaves all frames up
/// to the one that it was in. A panic of a system writes its name and its message. With [`keep`](Self::keep), older parts have
/// the path with a number at its end, and the oldest are removed. A recording that is at the path already is replaced.
///
/// # Limits
/// [`check`](Self::check) lists it before the first frame. The app must be one that has [snapshots as
/// bytes](ecs_app::AppSnapshot::to_bytes). Where that fails, or the disk is full, the recorder prints the reason as an error and
/// ends; the app goes on. Changes of entities from outside of systems are recorded by a snapshot, if the hashes around them show
/// them, or they are commands that wait in the world, or the code that makes them [says so](App::note_change).
#[derive(Debug)]
pub struct Recorder {
    settings: RecorderSettings,
    control: RecorderControl,
}

impl Recorder {
    /// Records into a file, which is replaced.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("recorder-new-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            control: RecorderControl::new(&path),
            settings: RecorderSettings {
                path,
                keep: None,
                snapshot_every: 600,
                hashes: HashCadence::Percent(1),
                steps: false,
            },
        }
    }

    /// Keeps about this many bytes, and at least the newest part; without this, everything. A part is about a quarter of it, or
    /// as long as two snapshots if that is more, and can be replayed without the others.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("keep-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// // About the last hundred megabytes.
    /// app.add_plugin(Recorder::new(&path).keep(100_000_000));
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn keep(mut self, bytes: u64) -> Self {
        self.settings.keep = Some(bytes);
        self
    }

    /// Adds a snapshot every so many frames, from which a [`Replay`](crate::Replay) begins to get to a frame quickly; at first
    /// 600. 0 is as good as never.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("snapshot-every-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// // Ten seconds of 60 frames: a replay runs at most as many to get to a frame.
    /// app.add_plugin(Recorder::new(&path).snapshot_every(600));
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn snapshot_every(mut self, frames: u64) -> Self {
        self.settings.snapshot_every = if frames == 0 { u64::MAX } else { frames };
        self
    }

    /// Hashes the whole world after every n-th frame; 0 for never. Without this, it is hashed [in
    /// parts](Self::hash_at_most), as often as that takes at most one hundredth of the time.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("hash-every-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// // A test wants to know the first frame that differs.
    /// app.add_plugin(Recorder::new(&path).hash_every(1));
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn hash_every(mut self, frames: u64) -> Self {
        self.settings.hashes = match frames {
            0 => HashCadence::Never,
            frames => HashCadence::Every(frames),
        };
        self
    }

    /// Hashes at most about so many values after each frame: of a larger world a part, so that all parts take turns. A world that differs is
    /// noticed after at most twice as many frames as there are parts, and each frame takes the same time.
    ///
    /// The parts are a power of two. They do not cover the order of the sources of a relation's target. A resource is never cut.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("hash-at-most-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// // 100,000 entities with two components: 64 parts, and a second of frames.
    /// app.add_plugin(Recorder::new(&path).hash_at_most(5_000));
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn hash_at_most(mut self, values: u64) -> Self {
        self.settings.hashes = HashCadence::Values(values);
        self
    }

    /// Hashes, after each system, everything that it can write, so that a [difference](crate::first_difference) names the system
    /// without running both programs. Systems run one after the other then, as with [`App::after_step`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("each-step-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path).hash_every(1).each_step());
    /// app.update();
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn each_step(mut self) -> Self {
        self.settings.steps = true;
        self
    }

    /// Waits for [`RecorderControl::start`] before it records.
    #[must_use]
    pub fn stopped(self) -> Self {
        self.control.stop();
        self
    }

    /// Returns the switch that starts and stops the recording while the app runs.
    #[must_use]
    pub fn control(&self) -> RecorderControl {
        self.control.clone()
    }

    /// Makes a recorder for a world and a schedule that the program runs by hand, without an [`App`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// # let path = std::env::temp_dir().join(format!("by-hand-fn-doc-{}.rec", std::process::id()));
    /// let (mut world, mut turn) = (World::new(), Schedule::new());
    /// let mut recorder = Recorder::new(&path).by_hand();
    /// recorder.run(&mut world, &mut turn)?;
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn by_hand(self) -> ScheduleRecorder {
        ScheduleRecorder::new(self.settings)
    }

    /// Builds an app and runs its `Startup`, and returns its inputs, and everything that cannot be recorded.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// let mut app = App::new();
    /// let check = Recorder::check(&mut app)?;
    /// assert!(check.is_complete(), "{check}");
    /// # Ok::<(), ecs_core::app::AppError>(())
    /// ```
    ///
    /// # Errors
    /// If the app cannot be built.
    pub fn check(app: &mut App) -> Result<RecorderCheck, AppError> {
        RecorderCheck::of(app)
    }
}

impl Plugin for Recorder {
    fn build(self, app: &mut App) {
        let is_stepped = self.settings.steps;
        let session = Arc::new(Mutex::new(RecordSession::new(self.settings)));
        let around = Arc::clone(&session);
        let mut changes = app.noted_changes();
        let (noted, control) = (self.control.clone(), self.control);
        let mut seen = 0;
        app.around_frame(move |app, moment| match moment {
            FrameMoment::Begin { delta, real } => {
                let mut session = locked(&around);
                if let Some(is_wanted) = control.change(&mut seen) {
                    session.switch(is_wanted);
                    control.note(&session);
                }
                control.note_begin();
                let noted = app.noted_changes();
                if replace(&mut changes, noted) != noted {
                    session.jump();
                }
                session.begin(app, delta, real);
            }
            FrameMoment::End => end_frame(&around, &control, app.world_mut()),
        });
        if is_stepped {
            let steps = Arc::clone(&session);
            app.after_step(move |step, world| {
                // It is locked while the first snapshot runs `Startup`, which is no frame.
                if let Ok(mut session) = steps.try_lock() {
                    session.step(step, world);
                }
            });
        }
        app.on_panic(move |panic, app| {
            let mut session = locked(&session);
            session.panic(panic, app.world_mut());
            noted.note(&session);
        });
    }
}

/// Not inlined: it would save the registers that only the beginning of a frame needs.
#[inline(never)]
fn end_frame(session: &Mutex<RecordSession>, control: &RecorderControl, world: &mut World) {
    let mut session = locked(session);
    session.end(world);
    control.note(&session);
}
