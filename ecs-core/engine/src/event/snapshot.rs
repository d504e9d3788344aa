//! Copies of events.

use core::any::Any;

use super::Events;
use crate::data_type::{DataType, DataTypeOf, EventFns};
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
        data.of_resources().with_events(EventFns {
            exchange: exchange::<E>,
            first: first::<E>,
            set_first: set_first::<E>,
        })
    }
}

fn first<E: Send + Sync + 'static>(events: &(dyn Any + Send + Sync)) -> u64 {
    let events = events.downcast_ref::<Events<E>>();
    events.map_or(0, |events| events.log.parts().0)
}

fn set_first<E: Send + Sync + 'static>(events: &mut (dyn Any + Send + Sync), first: u64) {
    if let Some(events) = events.downcast_mut::<Events<E>>() {
        events.log.start_at(first);
    }
}

/// Exchanges the events of a world and of a copy.
fn exchange<E: Send + Sync + 'static>(
    events: &mut (dyn Any + Send + Sync),
    copy: &mut (dyn Any + Send + Sync),
) {
    let both = (events.downcast_mut::<Events<E>>(), copy.downcast_mut());
    if let (Some(Events { log }), Some(Events { log: copy })) = both {
        log.exchange(copy);
    }
}
