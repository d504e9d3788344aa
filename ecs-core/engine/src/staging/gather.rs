//! Lists the components and edges of some entities, in the form in which they are staged.

use alloc::vec::Vec;
use core::marker::PhantomData;
use hashbrown::HashMap;

use super::{Edge, EdgeTarget, RelationInfo};
use crate::component::ComponentId;
use crate::entity::{Entity, TableId};
use crate::hash::BuildIndexHasher;
use crate::world::{BorrowError, World};

/// The components and edges of some entities, by their positions in a list, so that copies can be staged; from
/// [`World::gather`].
#[derive(Debug, Default)]
pub struct Gathered<'w> {
    /// Those with components in tables: each once.
    pub tables: Vec<GatheredTable>,
    /// The sparse components, without those of relations, in the order of registration.
    pub sets: Vec<GatheredSet>,
    /// The edges from these entities, in the order in which the world knows the relations.
    pub edges: Vec<GatheredEdges<'w>>,
}

/// Entities with the same components in tables, in the order of their rows.
#[derive(Debug)]
pub struct GatheredTable {
    /// The components, in the order of registration.
    pub components: Vec<ComponentId>,
    /// The positions of the entities in the list.
    pub numbers: Vec<u32>,
    /// The entities. Values of those in adjacent rows follow one another.
    pub entities: Vec<Entity>,
}

/// Entities with a sparse component, in the order of the list.
#[derive(Debug)]
pub struct GatheredSet {
    /// The component.
    pub component: ComponentId,
    /// The positions of the entities in the list.
    pub numbers: Vec<u32>,
    /// The entities.
    pub entities: Vec<Entity>,
}

/// The edges of one relation from some entities, as [`StagedEdges`](super::StagedEdges) has them.
///
/// Those to entities of the list come first, for each target in the order of its sources. Those to others follow, in the order
/// of the list.
#[derive(Debug)]
pub struct GatheredEdges<'w> {
    /// The relation.
    pub relation: RelationInfo,
    /// The edges.
    pub edges: Vec<Edge>,
    /// For each edge, the key by which the targets of its source are sorted.
    pub order: Vec<u32>,
    /// For each edge, a pointer to its value, which is valid as long as the world is borrowed.
    pub values: Vec<*const u8>,
    of: PhantomData<&'w World>,
}

impl World {
    /// Lists what these entities, which differ, have: in tables, in sparse sets, and which edges start at them. Those that are
    /// not alive have nothing. Values are read with [`view_erased`](Self::view_erased).
    ///
    /// O(what they have), plus O(sources) of each target among them.
    ///
    /// # Errors
    /// If an [immediate](crate::ImmediateComponent) component is being written, so that it is not known which of them have it.
    #[inline]
    pub fn gather(&self, entities: &[Entity]) -> Result<Gathered<'_>, BorrowError> {
        let mut edges = Vec::new();
        let mut numbers =
            HashMap::with_capacity_and_hasher(entities.len(), BuildIndexHasher::default());
        numbers.extend(
            (0..)
                .zip(entities)
                .map(|(number, entity)| (entity.index(), number)),
        );
        let numbers = Numbers { entities, numbers };
        for relation in self.relations() {
            let found = self.gather_edges(relation, &numbers);
            if !found.edges.is_empty() {
                edges.push(found);
            }
        }
        Ok(Gathered {
            tables: self.gather_tables(entities),
            sets: self.gather_sets(entities)?,
            edges,
        })
    }

    #[inline]
    fn gather_tables(&self, entities: &[Entity]) -> Vec<GatheredTable> {
        let mut rows: Vec<(TableId, u32, u32)> = Vec::with_capacity(entities.len());
        for (number, &entity) in (0..).zip(entities) {
            if let Some(at) = self.storage.entities.get(entity) {
                rows.push((at.table, at.row, number));
            }
        }
        rows.sort_unstable();
        let mut tables = Vec::new();
        for rows in rows.chunk_by(|a, b| a.0 == b.0) {
            let components: Vec<_> = self.storage.table(rows[0].0).components().collect();
            if !components.is_empty() {
                let numbers: Vec<u32> = rows.iter().map(|&(_, _, number)| number).collect();
                tables.push(GatheredTable {
                    components,
                    entities: numbers
                        .iter()
                        .map(|&number| entities[number as usize])
                        .collect(),
                    numbers,
                });
            }
        }
        tables
    }

    #[inline]
    fn gather_sets(&self, entities: &[Entity]) -> Result<Vec<GatheredSet>, BorrowError> {
        let mut sets = Vec::new();
        let mut maybe: Vec<(usize, u32)> = Vec::new();
        for (number, &entity) in (0..).zip(entities) {
            let components = self.storage.sparse_of(entity);
            maybe.extend(components.map(|component| (component.index(), number)));
        }
        maybe.sort_unstable();
        for maybe in maybe.chunk_by(|a, b| a.0 == b.0) {
            let component = ComponentId::from_index(maybe[0].0);
            if component.info().link.is_some() {
                continue;
            }
            let view = self.try_view_erased(component)?;
            let mut set = GatheredSet {
                component,
                numbers: Vec::new(),
                entities: Vec::new(),
            };
            for &(_, number) in maybe {
                let entity = entities[number as usize];
                if view.contains(entity) {
                    set.numbers.push(number);
                    set.entities.push(entity);
                }
            }
            if !set.numbers.is_empty() {
                sets.push(set);
            }
        }
        sets.sort_by_key(|set| self.storage.rank(set.component));
        Ok(sets)
    }

    #[inline]
    fn gather_edges(&self, relation: RelationInfo, numbers: &Numbers<'_>) -> GatheredEdges<'_> {
        let mut found = GatheredEdges {
            relation,
            edges: Vec::new(),
            order: Vec::new(),
            values: Vec::new(),
            of: PhantomData,
        };
        // By source and target, both of the list: the key and the value.
        let mut inside: Vec<((u32, u32), u32, *const u8)> = Vec::new();
        let mut outside = Vec::new();
        for (source, &entity) in (0..).zip(numbers.entities) {
            for (key, (target, value)) in (0..).zip(self.targets_erased(&relation, entity)) {
                match numbers.of(target) {
                    Some(target) => inside.push(((target, source), key, value)),
                    None => outside.push((source, target, key, value)),
                }
            }
        }
        inside.sort_unstable_by_key(|&(ends, ..)| ends);
        let mut add = |source, target, key, value| {
            found.edges.push(Edge { source, target });
            found.order.push(key);
            found.values.push(value);
        };
        for edges in inside.chunk_by(|a, b| a.0.0 == b.0.0) {
            let target = edges[0].0.0;
            let sources = self.sources_erased(&relation, numbers.entities[target as usize]);
            for source in sources.filter_map(|source| numbers.of(source)) {
                let edge = edges.binary_search_by_key(&(target, source), |&(ends, ..)| ends);
                if let Ok(edge) = edge {
                    let (_, key, value) = edges[edge];
                    add(source, EdgeTarget::New(target), key, value);
                }
            }
        }
        for (source, target, key, value) in outside {
            add(source, EdgeTarget::Living(target), key, value);
        }
        found
    }
}

/// The positions of entities in a list.
struct Numbers<'a> {
    entities: &'a [Entity],
    /// By index.
    numbers: HashMap<u32, u32, BuildIndexHasher>,
}

impl Numbers<'_> {
    #[inline]
    fn of(&self, entity: Entity) -> Option<u32> {
        let &number = self.numbers.get(&entity.index())?;
        (self.entities[number as usize] == entity).then_some(number)
    }
}
