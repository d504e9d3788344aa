//! Readers that are registered before their log exists.

use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Readers;
use crate::sync::{Mutex, PoisonError};

/// The [`Readers`] of several logs, by key and sorted by it. A log may be created after its readers.
#[derive(Default)]
pub(crate) struct ReadersOf(Mutex<Vec<(usize, Arc<Readers>)>>);

impl ReadersOf {
    /// The readers of one log: the same for all callers, on any thread. O(log of logs), and O(logs) the first time.
    pub(crate) fn get(&self, key: usize) -> Arc<Readers> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.partition_point(|&(other, _)| other < key);
        match all.get(place) {
            Some((found, readers)) if *found == key => Arc::clone(readers),
            _ => {
                let readers = Arc::<Readers>::default();
                all.insert(place, (key, Arc::clone(&readers)));
                readers
            }
        }
    }
}
