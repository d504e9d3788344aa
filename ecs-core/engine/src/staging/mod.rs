//! Structural changes of many entities at once, without types: the basis of saving, loading, cloning and prefabs.
//!
//! * [`Staged`] holds new entities by number, with their values in columns, the edges between them, and resources. It
//!   belongs to no world, and drops its content.
//! * [`World::commit`](crate::World::commit) moves all of it into a world, or nothing: everything that can fail comes before
//!   the first write. [`World::announce`](crate::World::announce) calls hooks and observers when everything is in place.
//! * [`World::next_ids`](crate::World::next_ids) returns the ids that new entities will get, so that values can name them
//!   before.
//! * [`World::clone_row`](crate::World::clone_row) clones an entity whose values are its own, without staging it.
//! * [`World::gather_edges`](crate::World::gather_edges) lists the edges of some entities, to copy them out.
//! * A relation is known by the component of its sources; see [`RelationInfo`]. [`find_cycle`] checks a tree.
//!
//! Public for the package `ecs-data`. Safe code cannot break a world with it: functions that have to trust the caller are
//! `unsafe`.

mod aged;
mod check;
mod clone_row;
mod commit;
mod edges;
mod error;
mod gather;
mod relations;
mod required;
mod staged;

pub use crate::entity::GivenIdError;
pub use crate::resource::{ErasedRes, ErasedResMut};
pub use crate::storage::{ColumnAges, ErasedColumn, find_cycle};
pub(crate) use aged::StagedPlace;
pub use clone_row::RowValue;
pub(crate) use commit::ReadyStaged;
pub use error::StageError;
pub use gather::GatheredEdge;
pub use relations::{RelationInfo, TargetsOf};
pub use staged::{EdgeTarget, Staged, StagedEdge, StagedEdges, StagedRows};
