//! One world over several threads or processes; part of `ecs-core`, which re-exports it as `ecs_core::shard` with the feature
//! `shard`.
//!
//! Each shard owns a part of the entities and runs the same systems on them, tick by tick together with the others. The
//! results are the same as in one world: equal hashes for any number of shards, and for any borders. Systems whose results could
//! differ are refused before the first tick.
//!
//! | item | meaning |
//! |---|---|
//! | [`Shards`], [`PlaceOptions`], [`Grid`] | the declaration: the places of entities, their neighbours, the parts of a tick |
//! | [`run()`], [`ShardConfig`], [`Shard`] | runs it in threads or processes; [`run_on`] over a network of your own |
//! | [`Gid`], [`Birth`], [`Stub`] | ids that all shards share |
//! | [`Neighbours`], [`Neighbour`], [`Near`], [`Mirror`] | other entities, also beyond borders |
//! | [`Outbox`], [`Inbox`], [`ShardMessage`] | messages from entities to entities |
//! | [`Reduce`], [`Reduction`], [`TickNumber`] | numbers that are the same on all shards |
//! | [`shard_check`], [`ShardDifference`] | a test that compares one world and several shards |
//! | [`ShardError`], [`RefusedSystem`] | the reasons why shards do not start, or stop |
//! | [`Net`], [`Solo`], [`Peers`] | exchanges bytes between shards, in rounds |
//! | [`run_threads`], [`run_processes`] | give it to a function: in threads, or in processes over TCP |
//! | [`NetError`] | a shard is lost or late, or sent something else |

mod births;
mod borders;
mod check;
mod checkpoint;
mod checkpoint_writer;
mod clock;
mod digest;
mod error;
mod gid;
mod gid_set;
mod grid;
mod known;
mod local;
mod messages;
mod neighbours;
mod net;
mod packet;
mod placement;
mod reduce;
mod refuse;
mod run;
mod settle;
mod setup;
mod shard;
mod shards;
mod tick;

pub use check::{ShardCheckError, ShardDifference, shard_check};
pub use clock::TickNumber;
pub use error::{RefusedSystem, ShardError};
pub use gid::{Birth, Gid, Stub};
pub use grid::Grid;
pub use messages::{Inbox, Outbox, ShardMessage};
pub use neighbours::{Mirror, Near, Neighbour, Neighbours};
pub use net::{
    FrameProblem, MeetingDifference, Net, NetError, Peers, Solo, run_processes, run_threads,
};
pub use reduce::{Reduce, Reduction};
pub use run::{ShardConfig, run, run_on};
pub use shard::{Shard, ShardStats};
pub use shards::{PlaceOptions, Shards};
