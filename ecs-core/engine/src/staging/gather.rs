//! Lists the edges of some entities in the order for staging.

use alloc::vec::Vec;

use super::{EdgeTarget, RelationInfo, StagedEdge};
use crate::entity::Entity;
use crate::world::World;

/// An edge from one of some entities, from [`World::gather_edges`].
#[derive(Clone, Copy, Debug)]
pub struct GatheredEdge {
    /// The edge.
    pub edge: StagedEdge,
    /// The position among the targets of the source.
    pub position: u32,
    /// A pointer to the value, which is valid as long as the world is borrowed.
    pub value: *const u8,
}

#[doc(hidden)]
impl World {
    /// Lists the edges of a relation that start at these entities, which differ. `number_of` returns the position of an entity
    /// in the list.
    ///
    /// Edges to entities of the list come first, for each target in the order of its sources. Edges to other entities
    /// follow, in the order of the list.
    ///
    /// O(edges log edges), plus O(sources) of the relation or O(entities) of the list, whichever are fewer.
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
        self.gather_edges_of(relation, &sources, number_of)
    }

    /// Lists the edges that start at these sources, which are sorted by their numbers; see [`gather_edges`](Self::gather_edges).
    #[inline]
    pub(crate) fn gather_edges_of(
        &self,
        relation: &RelationInfo,
        sources: &[(u32, Entity)],
        number_of: &dyn Fn(Entity) -> Option<u32>,
    ) -> Vec<GatheredEdge> {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for &(source, entity) in sources {
            let mut targets = self.targets_erased(relation, entity);
            let mut position = 0;
            while let Some(((end, value), place)) = targets.next_placed() {
                let number = number_of(end);
                let target = number.map_or(EdgeTarget::Living(end), EdgeTarget::New);
                let edge = GatheredEdge {
                    edge: StagedEdge { source, target },
                    position,
                    value,
                };
                match number {
                    Some(target) => inside.push(((target, place), edge)),
                    None => outside.push(edge),
                }
                position += 1;
            }
        }
        inside.sort_unstable_by_key(|&(order, _)| order);
        let mut gathered: Vec<_> = inside.into_iter().map(|(_, edge)| edge).collect();
        gathered.append(&mut outside);
        gathered
    }
}
