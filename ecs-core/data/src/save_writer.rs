//! Saves that are written in the background.

use std::collections::VecDeque;
use std::fmt;
use std::mem::take;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::SystemTime;

use ecs_engine::__private::message_of;

use crate::save_copy::SaveCopy;
use crate::slots::{SaveSlots, SlotError, SlotInfo};

/// Writes saves into [slots](SaveSlots) in the background, one after the other, while the game goes on.
///
/// [`save`](Self::save) takes a copy, which the frame has paid for; encoding and waiting for the disk
/// are the work of a thread. If a save waits for its turn, and another one is for the same slot, the later one replaces it: so no
/// number of autosaves piles up on a slow disk. When the writer is dropped, it writes all that wait.
///
/// Where there are no threads, as on a page, [`save`](Self::save) writes at once.
///
/// ```
/// use ecs_core::data::{SaveCopy, SaveSlots, SaveWriter, SlotInfo};
/// use ecs_core::prelude::*;
///
/// # let folder = std::env::temp_dir().join(format!("ecs-doc-save-writer-{}", std::process::id()));
/// let mut world = World::new();
/// world.spawn(());
/// let writer = SaveWriter::new(SaveSlots::new(&folder));
/// let copy = SaveCopy::take(&mut world, |world| world.save())?;
/// writer.save("autosave", SlotInfo::new(), copy);
/// // The frames of the game ask for the result.
/// writer.wait();
/// for finished in writer.finished() {
///     assert_eq!(finished.slot, "autosave");
///     finished.result?;
/// }
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SaveWriter {
    slots: SaveSlots,
    shared: Arc<WriterShared>,
}

/// The result of a save in the background.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SaveFinished {
    /// The name of the slot.
    pub slot: String,
    /// Success, or the error: then the slot has its previous save.
    pub result: Result<(), Arc<SlotError>>,
}

impl SaveFinished {
    /// Returns the result of a save.
    #[must_use]
    pub fn new(slot: impl Into<String>, result: Result<(), SlotError>) -> Self {
        Self {
            slot: slot.into(),
            result: result.map_err(Arc::new),
        }
    }
}

/// The part that the thread of a writer has too.
#[derive(Default)]
struct WriterShared {
    state: Mutex<WriterState>,
    /// Notified when the thread has nothing to do any more.
    idle: Condvar,
}

#[derive(Default)]
struct WriterState {
    /// One for each slot at most.
    waiting: VecDeque<WaitingSave>,
    /// True while there is a thread.
    is_running: bool,
    finished: Vec<SaveFinished>,
}

struct WaitingSave {
    slot: String,
    info: SlotInfo,
    copy: SaveCopy,
}

impl SaveWriter {
    /// Returns a writer of the saves in a folder.
    #[must_use]
    pub fn new(slots: SaveSlots) -> Self {
        Self {
            slots,
            shared: Arc::default(),
        }
    }

    /// Returns the slots that it writes.
    #[must_use]
    pub fn slots(&self) -> &SaveSlots {
        &self.slots
    }

    /// Writes a copy into a slot. The time of the save is now, unless the description has another one.
    pub fn save(&self, slot: impl Into<String>, info: SlotInfo, copy: SaveCopy) {
        let (slot, info) = (slot.into(), info.or_time(SystemTime::now));
        let mut state = self.shared.lock();
        // The copy is dropped without the lock.
        let mut old = None;
        let new = WaitingSave { slot, info, copy };
        let mut waiting = state.waiting.iter_mut();
        match waiting.find(|waiting| waiting.slot == new.slot) {
            Some(waiting) => old = Some(std::mem::replace(waiting, new)),
            None => state.waiting.push_back(new),
        }
        let is_running = std::mem::replace(&mut state.is_running, true);
        drop(state);
        drop(old);
        if is_running {
            return;
        }
        let (slots, shared) = (self.slots.clone(), Arc::clone(&self.shared));
        let thread = thread::Builder::new().name("save".to_owned());
        if thread.spawn(move || shared.write(&slots)).is_err() {
            self.shared.write(&self.slots);
        }
    }

    /// Returns true while a save is being written or waits for its turn.
    #[must_use]
    pub fn is_writing(&self) -> bool {
        self.shared.lock().is_running
    }

    /// Returns the results of the saves that have ended since the last call, in the order of their ends.
    #[must_use = "a save may have failed"]
    pub fn finished(&self) -> Vec<SaveFinished> {
        take(&mut self.shared.lock().finished)
    }

    /// Waits until all saves are written, or have failed.
    pub fn wait(&self) {
        let mut state = self.shared.lock();
        while state.is_running {
            let waited = self.shared.idle.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for SaveWriter {
    fn drop(&mut self) {
        self.wait();
    }
}

impl WriterShared {
    /// No user code runs while it is locked.
    fn lock(&self) -> MutexGuard<'_, WriterState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes saves until none waits.
    fn write(&self, slots: &SaveSlots) {
        loop {
            let mut state = self.lock();
            let Some(WaitingSave { slot, info, copy }) = state.waiting.pop_front() else {
                state.is_running = false;
                self.idle.notify_all();
                return;
            };
            drop(state);
            let write = || copy.write(|save| slots.save(&slot, &info, save));
            let result = catch_unwind(AssertUnwindSafe(write)).unwrap_or_else(|panic| {
                let message = message_of(&*panic).unwrap_or("a panic without a message");
                let message = message.to_owned();
                // A payload may panic when it is dropped.
                std::mem::forget(panic);
                Err(SlotError::Panicked { message })
            });
            self.lock().finished.push(SaveFinished::new(slot, result));
        }
    }
}

impl fmt::Debug for SaveWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.lock();
        let waiting = state.waiting.iter().map(|waiting| &waiting.slot);
        f.debug_struct("SaveWriter")
            .field("slots", &self.slots)
            .field("waiting", &waiting.collect::<Vec<_>>())
            .field("is_writing", &state.is_running)
            .finish_non_exhaustive()
    }
}
