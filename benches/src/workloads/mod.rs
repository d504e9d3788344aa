//! The data of each workload, shared by all peers, and its digest.
//!
//! All forms of a workload start from equal data and perform the same work on it; the harness compares the results.

pub mod add_remove;
pub mod bodies;
pub mod churn;
pub mod finds;
pub mod frag;
pub mod game;
pub mod game_boids;
pub mod game_missiles;
pub mod game_rogue;
pub mod get;
pub mod heavy;
pub mod kinds;
pub mod linked;
pub mod links;
pub mod order;
pub mod plain;
pub mod saves;
pub mod schedule;
pub mod sparse;
pub mod systems;
pub mod tracking;
pub mod travel;
pub mod tree;
pub mod waves;
