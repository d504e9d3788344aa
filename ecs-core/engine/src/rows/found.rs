//! The values of entities that are to be taken: where they are, and who is named.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use hashbrown::HashMap;

use super::OutsideEntity;
use super::error::TakeRowsError;
use crate::component::{ComponentId, End};
use crate::entity::{Entity, TableId};
use crate::hash::{BuildIndexHasher, IdMap};
use crate::staging::{
    EdgeTarget, ErasedColumn, GatheredEdge, RelationInfo, Staged, StagedEdge, StagedEdges,
    StagedRows,
};
use crate::storage::{Frozen, Storage};
use crate::world::{ReadOnlyWorld, World};

/// A function that returns the key of an entity.
pub(super) type KeyOf<'a> = &'a mut dyn FnMut(ReadOnlyWorld<'_>, Entity) -> Option<u64>;

/// The entities to be taken, by number and by id.
pub(super) struct RowNumbers<'a> {
    pub(super) entities: &'a [Entity],
    /// The numbers by id; none if the ids are in ascending order.
    by_id: Option<IdMap<u32>>,
}

impl<'a> RowNumbers<'a> {
    /// Checks that no two entities are the same.
    pub(super) fn of(entities: &'a [Entity]) -> Result<Self, TakeRowsError> {
        let mut by_id = None;
        if !entities.is_sorted_by(|one, other| one < other) {
            let mut map = IdMap::default();
            map.reserve(entities.len());
            for (number, &entity) in (0..).zip(entities) {
                if map.insert(entity.to_bits(), number).is_some() {
                    return Err(TakeRowsError::Twice { entity });
                }
            }
            by_id = Some(map);
        }
        Ok(Self { entities, by_id })
    }

    pub(super) fn of_entity(&self, entity: Entity) -> Option<u32> {
        match &self.by_id {
            Some(map) => map.get(&entity.to_bits()).copied(),
            None => self.entities.binary_search(&entity).ok().map(|n| n as u32),
        }
    }
}

/// The values of the entities to be taken: where they are.
#[derive(Default)]
pub(super) struct LeavingValues {
    pub(super) tables: Vec<FoundTable>,
    /// Sparse components, and the numbers of the entities that have them.
    pub(super) sets: Vec<(ComponentId, Vec<u32>)>,
    pub(super) relations: Vec<FoundEdges>,
}

pub(super) struct FoundTable {
    pub(super) table: TableId,
    pub(super) numbers: Vec<u32>,
}

pub(super) struct FoundEdges {
    pub(super) info: RelationInfo,
    /// The numbers of the sources, in ascending order.
    sources: Vec<(u32, Entity)>,
    pub(super) edges: Vec<GatheredEdge>,
}

impl LeavingValues {
    /// Finds the values, and checks that the entities exist and that no observer belongs to one.
    pub(super) fn of(
        world: &mut World,
        numbers: &RowNumbers<'_>,
        leaves_stubs: bool,
    ) -> Result<Self, TakeRowsError> {
        let mut found = Self::default();
        let observers = World::own_observers();
        let storage = Frozen::of(&mut world.storage);
        let mut of_tables: HashMap<TableId, usize, BuildIndexHasher> = HashMap::default();
        let mut last = (None, 0);
        for (number, &entity) in (0..).zip(numbers.entities) {
            let Some(at) = storage.entities.get(entity) else {
                return Err(TakeRowsError::NoEntity { entity });
            };
            if last.0 != Some(at.table) {
                let next = found.tables.len();
                let position = *of_tables.entry(at.table).or_insert(next);
                if position == next {
                    found.tables.push(FoundTable {
                        table: at.table,
                        numbers: Vec::new(),
                    });
                }
                last = (Some(at.table), position);
            }
            found.tables[last.1].numbers.push(number);
            for component in storage.get().sparse_of(entity) {
                if !storage.store(component).set().contains(entity) {
                    continue;
                }
                if component == observers {
                    return Err(TakeRowsError::Observed { entity });
                }
                let is_it = |(known, _): &&mut (ComponentId, Vec<u32>)| *known == component;
                match found.sets.iter_mut().find(is_it) {
                    Some((_, numbers)) => numbers.push(number),
                    None => found.sets.push((component, vec![number])),
                }
            }
        }
        // In the order of registration, like everything that programs can observe.
        found
            .sets
            .sort_unstable_by_key(|(component, _)| storage.get().rank(*component));
        found.find_edges(world, numbers, leaves_stubs)?;
        Ok(found)
    }

    /// Makes lists of edges of the sets that are ends of relations.
    fn find_edges(
        &mut self,
        world: &World,
        numbers: &RowNumbers<'_>,
        leaves_stubs: bool,
    ) -> Result<(), TakeRowsError> {
        let is_end = |set: &mut (ComponentId, Vec<u32>)| set.0.info().link.is_some();
        for (component, with) in self.sets.extract_if(.., is_end) {
            if let Some(info) = RelationInfo::of(component) {
                let sources = with.iter();
                let sources: Vec<_> = sources
                    .map(|&number| (number, numbers.entities[number as usize]))
                    .collect();
                let number_of = |entity| numbers.of_entity(entity);
                let edges = world.gather_edges_of(&info, &sources, &number_of);
                self.relations.push(FoundEdges {
                    info,
                    sources,
                    edges,
                });
                continue;
            }
            if leaves_stubs {
                continue;
            }
            for number in with {
                let target = numbers.entities[number as usize];
                let list = world.storage.list(component, target);
                let mut sources = list.into_iter().flat_map(|list| list.iter());
                let stays = |source: &Entity| numbers.of_entity(*source).is_none();
                if let Some(source) = sources.find(stays) {
                    let outgoing = component.info().link.map(|link| link.other());
                    let relation = outgoing.and_then(RelationInfo::of);
                    let relation = relation.map_or(component.name(), |info| info.name());
                    return Err(TakeRowsError::Related {
                        source,
                        target,
                        relation,
                    });
                }
            }
        }
        Ok(())
    }

    /// Moves everything out of the storage. Nothing fails, and no user code runs.
    pub(super) fn move_out(
        self,
        storage: &mut Storage,
        numbers: &RowNumbers<'_>,
        leaves_stubs: bool,
    ) -> Staged {
        let entities = numbers.entities;
        let mut staged = Staged::new(entities.len() as u32);
        staged.make_only(false, Vec::new());
        let mut lists = Vec::with_capacity(self.relations.len());
        for relation in &self.relations {
            lists.push(relation.copy());
        }
        for relation in &self.relations {
            let component = relation.info.outgoing();
            let Some(End::Target { values, .. } | End::Targets { values }) =
                component.info().link.map(|link| link.end)
            else {
                continue;
            };
            for &(_, source) in &relation.sources {
                // SAFETY: the values of all edges were copied to lists, which own them from here on.
                unsafe { storage.take_source(component, values.edge, source) };
            }
        }
        lists.into_iter().for_each(|list| staged.add_edges(list));
        let mut is_tracked = false;
        for (component, with) in self.sets {
            let of_set = with.iter().map(|&number| entities[number as usize]);
            let (column, ages) = storage.take_of_set(component, of_set);
            is_tracked |= ages.is_some();
            staged.add_aged_set(with, column, ages);
        }
        for FoundTable { table, numbers } in self.tables {
            let is_all = numbers.len() == entities.len();
            let (of_table, rows) = match is_all {
                true => (
                    Cow::Borrowed(entities),
                    StagedRows::Range(0..entities.len() as u32),
                ),
                false => (
                    numbers.iter().map(|&n| entities[n as usize]).collect(),
                    StagedRows::List(numbers),
                ),
            };
            let (columns, ages): (Vec<_>, Vec<_>) = storage
                .take_of_table(table, &of_table, leaves_stubs)
                .into_iter()
                .unzip();
            is_tracked |= ages.iter().any(Option::is_some);
            staged.add_aged_table(rows, columns, ages);
        }
        if is_tracked {
            storage.clock.note_moved();
        }
        staged
    }
}

impl FoundEdges {
    /// Copies the edges with the bytes of their values, which have two owners until the caller makes the world forget them.
    fn copy(&self) -> StagedEdges {
        let outgoing = self.info.outgoing();
        let mut values = ErasedColumn::of_edges(outgoing).expect("it is the component of sources");
        values.reserve(self.edges.len());
        for edge in &self.edges {
            // SAFETY: it points to the value of an edge of this relation, which the world has; the caller makes it forget it.
            unsafe { values.push_bytes(edge.value) };
        }
        StagedEdges {
            outgoing,
            edges: self
                .edges
                .iter()
                .map(|edge| edge.edge)
                .collect::<Vec<StagedEdge>>(),
            order: self.edges.iter().map(|edge| edge.position).collect(),
            values,
        }
    }
}

/// Entities that stay, and are named by others that go, in the order of the search.
#[derive(Default)]
pub(super) struct NamedEntities {
    entities: Vec<(Entity, &'static str)>,
    by_id: IdMap<u32>,
}

impl NamedEntities {
    /// Returns the targets of edges that stay.
    pub(super) fn of_edges(found: &LeavingValues) -> Self {
        let mut named = Self::default();
        for relation in &found.relations {
            for edge in &relation.edges {
                if let EdgeTarget::Living(target) = edge.edge.target {
                    named.add(target, relation.info.name());
                }
            }
        }
        named
    }

    /// Returns those that exist.
    pub(super) fn existing(self, storage: &Storage) -> Vec<Entity> {
        let all = self.entities.into_iter().map(|(entity, _)| entity);
        all.filter(|entity| storage.entities.contains(*entity))
            .collect()
    }

    /// Adds an entity, unless it was added before, and returns its number.
    pub(super) fn add(&mut self, entity: Entity, named_by: &'static str) -> u32 {
        let next = self.entities.len() as u32;
        let number = *self.by_id.entry(entity.to_bits()).or_insert(next);
        if number == next {
            self.entities.push((entity, named_by));
        }
        number
    }

    /// Asks for the keys of those that exist.
    pub(super) fn keyed(
        self,
        world: &mut World,
        key: KeyOf<'_>,
    ) -> Result<Vec<OutsideEntity>, TakeRowsError> {
        let mut all = Vec::with_capacity(self.entities.len());
        for (entity, name) in self.entities {
            let exists = world.storage.entities.contains(entity);
            let named_by = Some(name);
            let key = match exists.then(|| key(world.read_only(), entity)) {
                None => None,
                Some(Some(key)) => Some(key),
                Some(None) => return Err(TakeRowsError::NoKey { entity, named_by }),
            };
            all.push(OutsideEntity { id: entity, key });
        }
        Ok(all)
    }
}
