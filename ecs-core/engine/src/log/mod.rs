//! A numbered list of what happened, and who has read how far: what events and removals share.

mod cursor;
mod kept;

pub(crate) use cursor::{Cursor, Readers};
pub(crate) use kept::{Log, Unread};
