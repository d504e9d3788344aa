//! Commands: deferred changes of the world.
//!
//! A system that shares the world with others cannot make structural changes. It records them in a [`CommandQueue`],
//! through the handles [`Commands`] and [`EntityCommands`], and a schedule applies them directly after the system.

mod commands;
mod delayed;
mod entity;
#[cfg(feature = "parallel")]
mod parallel;
#[cfg(test)]
mod tests;
mod world_ext;

pub use commands::Commands;
#[cfg(feature = "snapshot")]
pub(crate) use delayed::DelayCounts;
#[doc(hidden)]
pub use delayed::set_game_clock;
pub use delayed::{Delay, Delayed, DelayedFunction};
pub use entity::EntityCommands;
#[cfg(feature = "parallel")]
pub use parallel::ParCommands;

pub use crate::world::{Command, CommandQueue};
