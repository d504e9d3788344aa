//! What the peers share: the data of each workload, and the digest of what is left.
//!
//! All ways of a workload start from equal data and do the same to it; the harness compares what they leave.

pub mod add_remove;
pub mod bodies;
pub mod churn;
pub mod frag;
pub mod get;
pub mod heavy;
pub mod linked;
pub mod links;
pub mod schedule;
pub mod tracking;
pub mod tree;
