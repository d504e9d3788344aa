//! A recorder that other code starts and stops.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::session::RecordSession;

/// Starts and stops a [`Recorder`](crate::Recorder) while its app runs: from another plugin, a key, or a thread. Made by
/// [`Recorder::control`](crate::Recorder::control).
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Recorder, Recording};
///
/// # let path = std::env::temp_dir().join(format!("control-doc-{}.rec", std::process::id()));
/// let recorder = Recorder::new(&path).stopped();
/// let control = recorder.control();
/// let mut app = App::new();
/// app.add_plugin(recorder);
/// app.update();
/// assert!(!control.is_recording());
/// control.start();
/// app.update_times(3, App::DEFAULT_FIXED_STEP);
/// control.stop();
/// app.update();
/// assert_eq!(control.frames(), 3);
/// assert_eq!(Recording::read(control.path())?.end_frame(), 3);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RecorderControl(Arc<ControlState>);

#[derive(Debug)]
struct ControlState {
    path: PathBuf,
    is_wanted: AtomicBool,
    /// Changes with each call of `start`.
    starts: AtomicU64,
    is_on: AtomicBool,
    frames: AtomicU64,
    /// True from the beginning of a frame to its end.
    is_in_frame: AtomicBool,
}

impl RecorderControl {
    pub(crate) fn new(path: &Path) -> Self {
        Self(Arc::new(ControlState {
            path: path.to_owned(),
            is_wanted: AtomicBool::new(true),
            starts: AtomicU64::new(0),
            is_on: AtomicBool::new(false),
            frames: AtomicU64::new(0),
            is_in_frame: AtomicBool::new(false),
        }))
    }

    /// Starts a new recording, which replaces the one at the path, with the next frame.
    pub fn start(&self) {
        self.0.is_wanted.store(true, Ordering::Relaxed);
        self.0.starts.fetch_add(1, Ordering::Release);
    }

    /// Ends the recording before the next frame. Its file is then complete.
    pub fn stop(&self) {
        self.0.is_wanted.store(false, Ordering::Relaxed);
        self.0.starts.fetch_add(1, Ordering::Release);
    }

    /// Returns true if the last frame was recorded. After an error, which the recorder has printed, it returns false.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.0.is_on.load(Ordering::Relaxed)
    }

    /// Returns the number of frames that were recorded: the number of the next one in the recording.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.0.frames.load(Ordering::Relaxed)
    }

    /// Returns the path of the recording.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns `Some(true)` if other code has started the recording since `seen`, `Some(false)` if it has stopped it.
    pub(crate) fn change(&self, seen: &mut u64) -> Option<bool> {
        let starts = self.0.starts.load(Ordering::Acquire);
        if *seen == starts {
            return None;
        }
        *seen = starts;
        Some(self.0.is_wanted.load(Ordering::Relaxed))
    }

    /// Notes the state between two frames.
    pub(crate) fn note(&self, session: &RecordSession) {
        self.0.is_on.store(session.is_on(), Ordering::Relaxed);
        self.0.frames.store(session.frames(), Ordering::Relaxed);
        self.0.is_in_frame.store(false, Ordering::Relaxed);
    }

    /// Notes that a frame begins.
    pub(crate) fn note_begin(&self) {
        self.0.is_in_frame.store(true, Ordering::Relaxed);
    }

    /// Returns true if a frame has begun, and has not ended: a system of it was stepped.
    #[cfg(feature = "inspector")]
    pub(crate) fn is_in_frame(&self) -> bool {
        self.0.is_in_frame.load(Ordering::Relaxed)
    }
}
