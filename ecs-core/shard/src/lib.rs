//! One world over several threads or processes; part of `ecs-core`, which re-exports it as `ecs_core::shard` with the feature
//! `shard`.
//!
//! | item | meaning |
//! |---|---|
//! | [`Net`] | exchanges bytes between shards, in rounds |
//! | [`Solo`] | a single shard |
//! | [`run_threads`] | shards as threads of one process |
//! | [`run_processes`], [`Peers`] | shards as processes, over TCP |
//! | [`NetError`] | a shard is lost or late, or sent something else |

mod net;

pub use net::{
    FrameProblem, MeetingDifference, Net, NetError, Peers, Solo, run_processes, run_threads,
};
