//! Buffered events: values that some systems send and others read later, each reader at its own pace.
//!
//! An [`Events<E>`] resource keeps the events of one type. Systems access it through [`EventWriter<E>`](EventWriter) and
//! [`EventReader<E>`](EventReader). Every reader sees every event exactly once and in the order of sending, however often it
//! runs: events do not expire after some number of frames. (A system that sleeps because of a
//! [state](crate::schedule::Unread) does not see events that were sent while it slept.) To be called at the moment when
//! something happens, use [hooks and observers](crate::world::hooks) instead.

mod cursor;
mod data;
mod delayed;
mod events;
mod queue;
mod reader;
#[cfg(feature = "data")]
mod serde;
#[cfg(feature = "snapshot")]
mod snapshot;
#[cfg(test)]
mod tests;
mod world_ext;
mod writer;

pub use cursor::EventCursor;
pub use data::DataEvent;
#[doc(hidden)]
pub use data::{EventDataOf, data_of};
pub(crate) use delayed::delay_kinds;
pub(crate) use events::EventValue;
pub use events::Events;
pub use queue::EventQueue;
pub use reader::{EventReader, ReadEvents};
pub use writer::EventWriter;
