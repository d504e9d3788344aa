//! A numbered log of items and the progress of each of its readers; shared by events and removals.

mod buffer;
mod cursor;
mod readers_of;

pub(crate) use buffer::{Log, UnreadItems};
#[cfg(feature = "snapshot")]
pub(crate) use cursor::CursorCopy;
pub(crate) use cursor::{Cursor, Readers, Start};
pub(crate) use readers_of::ReadersOf;
