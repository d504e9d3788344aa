//! Copies of worlds that stay alike: clones, differences, hashes, replicas, and steps that are undone.

mod clones;
mod data_steps;
mod differences;
mod edited_trees;
mod hashes;
mod hashes_by_key;
mod replication;
mod rollback;
mod rows;
mod undo;
