//! The edges of a save.

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::{EdgeTarget, RelationInfo};

use super::contents::Contents;
use crate::column::Run;
use crate::file::Edge;
use crate::saved::is_saved;

/// The edges of a relation between entities that are saved, in the order of their targets, and there in that of the sources.
pub(crate) struct Edges {
    pub(crate) data: &'static DataType,
    pub(crate) is_many: bool,
    pub(crate) edges: Vec<Edge>,
    /// The value of each edge.
    pub(crate) values: Vec<Run>,
}

impl Edges {
    /// Collects the edges of a relation; returns `None` if there are none, or the relation is not saved.
    pub(crate) fn of(
        world: &World,
        relation: &RelationInfo,
        contents: &Contents<'_>,
    ) -> Option<Self> {
        let data = relation.data().filter(|data| is_saved(data))?;
        let numbers = &contents.numbers;
        let gathered = world.gather_edges(relation, &numbers.entities, &|end| numbers.of(end));
        let (mut edges, mut values) = (Vec::new(), Vec::new());
        for found in gathered {
            // An edge to an entity that is not saved ends with the save.
            if let EdgeTarget::New(target) = found.edge.target {
                edges.push(Edge {
                    source: found.edge.source,
                    target,
                    slot: found.position,
                });
                values.push(Run {
                    first: found.value,
                    len: 1,
                });
            }
        }
        close_gaps(&mut edges);
        (!edges.is_empty()).then_some(Self {
            data,
            is_many: relation.is_many(),
            edges,
            values,
        })
    }
}

/// Numbers the edges of each source anew, in the same order.
fn close_gaps(edges: &mut [Edge]) {
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
