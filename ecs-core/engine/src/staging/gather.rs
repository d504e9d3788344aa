//! Lists the edges of some entities, in the order in which they are staged.

use alloc::vec::Vec;

use super::{Edge, EdgeTarget, RelationInfo};
use crate::entity::Entity;
use crate::world::World;

/// An edge from one of some entities, from [`World::gather_edges`].
#[derive(Clone, Copy, Debug)]
pub struct GatheredEdge {
    /// The edge.
    pub edge: Edge,
    /// The position among the targets of the source.
    pub position: u32,
    /// A pointer to the value, which is valid as long as the world is borrowed.
    pub value: *const u8,
}

impl World {
    /// Lists the edges of a relation that start at these entities, which differ. `number_of` returns the position of an entity
    /// in the list.
    ///
    /// Edges to entities of the list come first, for each target in the order of its sources. Those to others follow, in the
    /// order of the list.
    ///
    /// O(edges log edges), plus O(sources) of each target in the list, and of the relation or of the list, whichever is shorter.
    #[inline]
    #[must_use]
    pub fn gather_edges(
        &self,
        relation: &RelationInfo,
        entities: &[Entity],
        number_of: &dyn Fn(Entity) -> Option<u32>,
    ) -> Vec<GatheredEdge> {
        let of_relation = self.sources_of_relation(relation);
        let mut sources: Vec<(u32, Entity)> = if of_relation.len() < entities.len() {
            let numbered = |&entity: &Entity| Some((number_of(entity)?, entity));
            of_relation.iter().filter_map(numbered).collect()
        } else {
            (0..).zip(entities.iter().copied()).collect()
        };
        sources.sort_unstable();
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (source, entity) in sources {
            for (position, (end, value)) in (0..).zip(self.targets_erased(relation, entity)) {
                let (target, list) = match number_of(end) {
                    Some(target) => (EdgeTarget::New(target), &mut inside),
                    None => (EdgeTarget::Living(end), &mut outside),
                };
                let edge = GatheredEdge {
                    edge: Edge { source, target },
                    position,
                    value,
                };
                list.push(((end, source), edge));
            }
        }
        inside.sort_unstable_by_key(|&(ends, _)| ends);
        let mut by_target: Vec<_> = inside.chunk_by(|a, b| a.0.0 == b.0.0).collect();
        by_target.sort_unstable_by_key(|edges| number_of(edges[0].0.0));
        let mut gathered = Vec::with_capacity(inside.len() + outside.len());
        for edges in by_target {
            let target = edges[0].0.0;
            let sources = self.sources_erased(relation, target);
            for source in sources.filter_map(number_of) {
                let found = edges.binary_search_by_key(&(target, source), |&(ends, _)| ends);
                gathered.extend(found.ok().map(|edge| edges[edge].1));
            }
        }
        gathered.extend(outside.into_iter().map(|(_, edge)| edge));
        gathered
    }
}
