//! Buffered events: values that some systems send and others read later, each reader at its own pace.
//!
//! An [`Events<E>`] resource keeps the events of one type. Systems take it as
//! [`EventWriter<E>`](EventWriter) and [`EventReader<E>`](EventReader). Every reader sees every event exactly once and
//! in the order in which they were sent, however often or seldom it runs: there are no frames in which an event must be
//! caught. This is not for being called back at once when something happens; that is what hooks are for.

mod cursor;
mod events;
mod reader;
#[cfg(test)]
mod tests;
mod world_ext;
mod writer;

pub use cursor::EventCursor;
pub use events::Events;
pub use reader::{EventReader, ReadEvents};
pub use writer::EventWriter;
