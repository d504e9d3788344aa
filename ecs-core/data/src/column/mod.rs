//! Consecutive values of one type: written from their place in a world, and read into columns outside of any world.

mod moving;
mod read;
mod write;

pub(crate) use moving::Moving;
pub(crate) use read::{ReadFailure, boxed, read, read_and, read_one, read_tree, read_tree_to};
pub(crate) use write::{ValueRun, WriteFailure, write, write_readable};
