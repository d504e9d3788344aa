//! Commands: changes of the world that a system puts off.
//!
//! A system that shares the world with others cannot change which entities there are and what components they have. It
//! writes down what is to be done in a [`CommandQueue`], through the handles [`Commands`] and [`EntityCommands`], and a
//! schedule does it directly after the system.

mod commands;
mod entity;
#[cfg(test)]
mod tests;
mod world_ext;

pub use commands::Commands;
pub use entity::EntityCommands;

pub use crate::world::{Command, CommandQueue};
