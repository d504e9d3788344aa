//! The edges of a save.

use std::collections::HashMap;

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::staging::RelationInfo;

use super::contents::{Contents, Run};
use crate::file::Edge;

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
        let data = relation.data().filter(|data| data.codec().is_some())?;
        let by_ends = by_ends(world, relation, contents);
        let mut targets = world.targets_of_relation(relation).to_vec();
        targets.retain(|&target| contents.number_of(target).is_some());
        targets.sort_unstable_by_key(|&target| contents.number_of(target));
        let mut edges = Self {
            data,
            is_many: relation.is_many(),
            edges: Vec::new(),
            values: Vec::new(),
        };
        for target in targets {
            let number = contents.number_of(target);
            for source in world.sources_erased(relation, target) {
                let ends = contents.number_of(source).zip(number);
                if let Some(&(edge, value)) = ends.and_then(|ends| by_ends.get(&ends)) {
                    edges.edges.push(edge);
                    edges.values.push(value);
                }
            }
        }
        (!edges.edges.is_empty()).then_some(edges)
    }
}

/// Returns the edges with their values by the numbers of the source and the target.
fn by_ends(
    world: &World,
    relation: &RelationInfo,
    contents: &Contents<'_>,
) -> HashMap<(u32, u32), (Edge, Run)> {
    let mut edges = HashMap::new();
    for &entity in world.sources_of_relation(relation) {
        let Some(source) = contents.number_of(entity) else {
            continue;
        };
        let mut slot = 0;
        for (target, first) in world.targets_erased(relation, entity) {
            // An edge to an entity that is not saved ends with the save.
            let Some(target) = contents.number_of(target) else {
                continue;
            };
            let edge = Edge {
                source,
                target,
                slot,
            };
            edges.insert((source, target), (edge, Run { first, len: 1 }));
            slot += 1;
        }
    }
    edges
}
