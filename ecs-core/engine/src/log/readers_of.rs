//! Readers that are registered before their log exists.

use alloc::sync::Arc;

use hashbrown::HashMap;

use super::Readers;
use crate::hash::BuildIndexHasher;
use crate::sync::{Mutex, PoisonError};

/// The [`Readers`] of several logs, by key. A log may be created after its readers.
#[derive(Default)]
pub(crate) struct ReadersOf(Mutex<HashMap<usize, Arc<Readers>, BuildIndexHasher>>);

impl ReadersOf {
    /// The readers of one log: the same for all callers, on any thread.
    pub(crate) fn get(&self, key: usize) -> Arc<Readers> {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(readers.entry(key).or_default())
    }
}
