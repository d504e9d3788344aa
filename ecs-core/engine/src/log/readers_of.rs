//! Readers that are registered before their log exists.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Readers;
use crate::sync::{Mutex, PoisonError};

/// The [`Readers`] of several logs, by key. A log may be created after its readers.
pub(crate) struct ReadersOf<K>(Mutex<Vec<(K, Arc<Readers>)>>);

impl<K: Copy + PartialEq> ReadersOf<K> {
    /// The readers of one log: the same for all callers, on any thread.
    pub(crate) fn get(&self, key: K) -> Arc<Readers> {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = readers.iter().find(|(other, _)| *other == key) {
            return known.clone();
        }
        let new = Arc::<Readers>::default();
        readers.push((key, new.clone()));
        new
    }
}

impl<K> Default for ReadersOf<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}
