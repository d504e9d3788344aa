//! Copies of events.

use super::Events;
use crate::data_type::{DataType, DataTypeOf};
use crate::resource::ResourceCopier;

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
