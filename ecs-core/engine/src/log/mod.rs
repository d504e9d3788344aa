//! A numbered list of what happened, and who has read how far: what events and removals share.

mod buffer;
mod cursor;
mod readers_of;

pub(crate) use buffer::{Log, Unread};
pub(crate) use cursor::{Cursor, Readers};
pub(crate) use readers_of::ReadersOf;
