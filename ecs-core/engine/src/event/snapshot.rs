//! Copies of events.

use super::Events;
use crate::data_type::{DataType, DataTypeOf};
use crate::resource::ResourceCopier;

/// The events that a reader may still have to read, without readers.
impl<E: Clone> Clone for Events<E> {
    fn clone(&self) -> Self {
        Self {
            log: self.log.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.log.clone_from(&other.log);
    }
}

impl<E: Clone + Send + Sync + 'static> Events<E> {
    /// Returns the copier of the events of a world. Readers stay, and have read all events after a return.
    pub(crate) fn copier() -> ResourceCopier {
        let data: &'static DataType = const {
            let data = DataTypeOf::<Self>::new("events", 1);
            &Self::of_data(data).cloned().erased()
        };
        ResourceCopier::of(data).expect("events are resources, and cloned")
    }
}

impl<E: Send + Sync + 'static> Events<E> {
    /// Notes that the values are the events of a world, which has their readers.
    pub(super) const fn of_data(data: DataTypeOf<Self>) -> DataTypeOf<Self> {
        data.of_resources().of_events(Self::kind())
    }
}
