//! Earlier frames, to step back to.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ecs_app::{App, AppSnapshot};

#[derive(Default)]
pub(crate) struct History {
    size: HistorySize,
    /// The snapshots with the memory of the world at their time.
    taken: VecDeque<(AppSnapshot, usize)>,
    /// The reason why the last snapshot could not be taken.
    why_not: Option<String>,
}

/// The snapshots that are kept: fewer than so many if they have more bytes, but one at least.
#[derive(Clone, Copy)]
pub(crate) struct HistorySize {
    pub(crate) frames: usize,
    pub(crate) bytes: usize,
}

impl Default for HistorySize {
    fn default() -> Self {
        Self {
            frames: 0,
            bytes: 1 << 30,
        }
    }
}

/// The history, which a hook of the app shares with the methods.
#[derive(Clone, Default)]
pub(crate) struct SharedHistory(Arc<Mutex<History>>);

impl SharedHistory {
    pub(crate) fn lock(&self) -> MutexGuard<'_, History> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps snapshots of the last frames.
    pub(crate) fn keep(&self, app: &mut App, size: HistorySize) {
        if size.frames == 0 {
            return;
        }
        self.lock().size = size;
        let history = self.clone();
        app.before_frame(move |app| history.lock().take(app));
    }
}

impl History {
    /// Makes room for a snapshot of so many bytes, and returns an old one, whose memory is used again.
    fn make_room(&mut self, bytes: usize) -> AppSnapshot {
        let mut left = None;
        let mut sum = self.taken.iter().map(|(_, bytes)| bytes).sum::<usize>();
        while self.taken.len() >= self.size.frames || sum.saturating_add(bytes) > self.size.bytes {
            let Some((oldest, bytes)) = self.taken.pop_front() else {
                break;
            };
            sum -= bytes;
            left = Some(oldest);
        }
        left.unwrap_or_default()
    }

    fn take(&mut self, app: &mut App) {
        let bytes = app.world().memory_usage().total().used;
        let mut snapshot = self.make_room(bytes);
        match app.snapshot_into(&mut snapshot) {
            Ok(()) => {
                self.taken.push_back((snapshot, bytes));
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
            (None, 0) if self.size.frames == 0 => Err(
                "earlier frames are not kept; help: turn on `Inspect::new(port).history(frames)`"
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
        app.restore(&mut self.taken[at].0)
            .map_err(|error| error.to_string())?;
        self.taken.truncate(at);
        Ok(())
    }
}
