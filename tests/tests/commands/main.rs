//! Entities that begin and end, alone and in batches, directly and by commands.

mod batches;
mod command_runs;
mod delayed;
mod despawn_batch;
mod limits;
mod panics;
mod parallel_commands;
mod replace_all;
mod scopes;
mod swapped_worlds;
