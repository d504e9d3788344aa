//! A numbered list of what happened, and who has read how far: what events and removals share.

mod cursor;
mod kept;
mod readers_of;

pub(crate) use cursor::{Cursor, Readers};
pub(crate) use kept::{Log, Unread};
pub(crate) use readers_of::ReadersOf;
