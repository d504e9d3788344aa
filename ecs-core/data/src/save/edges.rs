//! The edges of a save.

use ecs_engine::data_type::DataType;
use ecs_engine::staging::{EdgeTarget, RelationInfo};
use ecs_engine::{Entity, World};

use super::SaveError;
use super::contents::Contents;
use super::outside::LEFT_OUT;
use crate::column::ValueRun;
use crate::file::FileEdge;
use crate::saved::is_saved;

/// The edges of a relation that start at saved entities, in the order of their targets, and for each target in the order of its
/// sources; edges to entities that are not saved follow.
pub(crate) struct SavedEdges {
    pub(crate) data: &'static DataType,
    pub(crate) is_many: bool,
    pub(crate) edges: Vec<FileEdge>,
    /// The number of edges that lead to saved entities; they come first.
    pub(crate) inside: usize,
    /// The value of each edge.
    pub(crate) values: Vec<ValueRun>,
}

impl SavedEdges {
    /// Collects the edges of a relation; returns `None` if there are none, or the relation is not saved. `outside` returns
    /// the number of an entity that is not saved, [`LEFT_OUT`] if edges to it are left out, or `None` if they are refused.
    ///
    /// # Errors
    /// If an edge to an entity that is not saved is refused.
    pub(crate) fn of(
        world: &World,
        relation: &RelationInfo,
        contents: &Contents<'_>,
        outside: &dyn Fn(Entity) -> Option<u32>,
    ) -> Result<Option<Self>, SaveError> {
        let Some(data) = relation.data().filter(|data| is_saved(data)) else {
            return Ok(None);
        };
        let numbers = &contents.numbers;
        let gathered = world.gather_edges(relation, &numbers.entities, &|end| numbers.of(end));
        let (mut edges, mut values) = (Vec::new(), Vec::new());
        for found in gathered {
            let source = found.edge.source;
            let target = match found.edge.target {
                EdgeTarget::New(target) => target,
                EdgeTarget::Living(target) => outside(target).ok_or_else(|| SaveError::Edge {
                    source: numbers.entities[source as usize],
                    target,
                    name: data.name(),
                })?,
            };
            // An edge to an entity that is left out ends with the save.
            if target != LEFT_OUT {
                edges.push(FileEdge {
                    source,
                    target,
                    slot: found.position,
                });
                values.push(ValueRun {
                    first: found.value,
                    len: 1,
                });
            }
        }
        let saved = numbers.entities.len() as u32;
        let inside = edges.partition_point(|edge| edge.target < saved);
        close_gaps(&mut edges);
        Ok((!edges.is_empty()).then_some(Self {
            data,
            is_many: relation.is_many(),
            edges,
            inside,
            values,
        }))
    }
}

/// Renumbers the edges of each source, in the same order.
fn close_gaps(edges: &mut [FileEdge]) {
    let mut by_source: Vec<usize> = (0..edges.len()).collect();
    by_source.sort_unstable_by_key(|&edge| (edges[edge].source, edges[edge].slot));
    let mut last = None;
    for edge in by_source {
        let edge = &mut edges[edge];
        let slot = match last {
            Some((source, slot)) if source == edge.source => slot + 1,
            _ => 0,
        };
        edge.slot = slot;
        last = Some((edge.source, slot));
    }
}
