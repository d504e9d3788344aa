//! Earlier frames, to step back to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ecs_app::{App, AppSnapshot};

#[derive(Default)]
pub(crate) struct History {
    /// The number of snapshots to keep.
    most: usize,
    taken: VecDeque<AppSnapshot>,
    /// The reason why the last snapshot could not be taken.
    why_not: Option<String>,
}

/// The history, which a hook of the app shares with the methods.
#[derive(Clone, Default)]
pub(crate) struct SharedHistory(Arc<Mutex<History>>);

impl SharedHistory {
    pub(crate) fn lock(&self) -> MutexGuard<'_, History> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps snapshots of the last frames.
    pub(crate) fn keep(&self, app: &mut App, most: usize) {
        if most == 0 {
            return;
        }
        self.lock().most = most;
        let history = self.clone();
        app.before_frame(move |app| history.lock().take(app));
    }
}

impl History {
    fn take(&mut self, app: &mut App) {
        let full = self.taken.len() >= self.most;
        let mut snapshot = full
            .then(|| self.taken.pop_front())
            .flatten()
            .unwrap_or_default();
        match app.snapshot_into(&mut snapshot) {
            Ok(()) => {
                self.taken.push_back(snapshot);
                self.why_not = None;
            }
            Err(error) => {
                // The frames before are not reached from here.
                self.taken.clear();
                self.why_not = Some(error.to_string());
            }
        }
    }

    /// Returns the number of frames that can be taken back, or the reason why none can.
    pub(crate) fn back(&self) -> Result<usize, String> {
        match (&self.why_not, self.taken.len()) {
            (Some(error), _) => Err(error.clone()),
            (None, 0) if self.most == 0 => Err(
                "earlier frames are not kept; help: `Inspect::new(port).history(frames)`"
                    .to_owned(),
            ),
            (None, 0) => Err("no earlier frame is kept".to_owned()),
            (None, frames) => Ok(frames),
        }
    }

    /// Returns the app to the state before its last frames.
    pub(crate) fn step_back(&mut self, app: &mut App, frames: usize) -> Result<(), String> {
        let kept = self.back()?;
        if frames > kept {
            return Err(format!("only the last {kept} frames are kept"));
        }
        let at = kept - frames;
        app.restore(&mut self.taken[at])
            .map_err(|error| error.to_string())?;
        self.taken.truncate(at);
        Ok(())
    }
}
