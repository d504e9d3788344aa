//! Staged edges: checked, and made into components of their sources.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use super::check::no_such_number;
use super::staged::{EdgeTarget, Staged, StagedEdges};
use super::{ErasedColumn, RelationInfo, StageError, StagedEdge};
use crate::bits::Bits;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::hash::IdMap;
use crate::storage::{EdgeList, Head, NewEdge, Storage, TargetLink, find_cycle};

/// The positions of checked edges, sorted by source, and for each source in the order of its list of targets.
pub(super) struct CheckedEdges {
    info: RelationInfo,
    sorted: Vec<u32>,
}

/// Checks the edges of a relation.
#[inline]
pub(super) fn check(
    staged: &Staged,
    edges: &StagedEdges,
    ids: &[Entity],
    storage: &Storage,
) -> Result<CheckedEdges, StageError> {
    let info = RelationInfo::of(edges.outgoing);
    let info = info.ok_or(StageError::NoRelation {
        component: edges.outgoing.name(),
    })?;
    check_lengths(&info, edges)?;
    check_ends(staged, &info, edges, storage)?;
    let list = &edges.edges;
    let mut sorted: Vec<u32> = (0..list.len() as u32).collect();
    sorted.sort_unstable_by_key(|&edge| {
        let key = edges.order.get(edge as usize).copied().unwrap_or(0);
        (list[edge as usize].source, key, edge)
    });
    let relation = info.name();
    if info.is_many() {
        refuse_same_targets(&info, list, &sorted)?;
    } else {
        for pair in sorted.windows(2) {
            let number = list[pair[0] as usize].source;
            if number == list[pair[1] as usize].source {
                return Err(StageError::SecondTarget { number, relation });
            }
        }
    }
    if info.is_tree() && staged.fills.is_empty() {
        refuse_cycle(staged.entities, &info, list)?;
    } else if info.is_tree() {
        refuse_cycle_of_all(&info, list, ids, storage)?;
    }
    Ok(CheckedEdges { info, sorted })
}

#[inline]
fn check_lengths(info: &RelationInfo, edges: &StagedEdges) -> Result<(), StageError> {
    let (component, expected) = (info.name(), edges.edges.len());
    if !edges.values.is_of_edges() || edges.values.component() != edges.outgoing {
        return Err(StageError::WrongPlace { component });
    }
    let order = match edges.order.len() {
        0 => expected,
        len => len,
    };
    for values in [edges.values.len(), order] {
        if values != expected {
            return Err(StageError::WrongLength {
                component,
                values,
                expected,
            });
        }
    }
    let relation = component;
    u32::try_from(expected).map_err(|_| StageError::TooManyEdges { relation })?;
    Ok(())
}

/// Checks that the ends of each edge exist, and differ.
#[inline]
fn check_ends(
    staged: &Staged,
    info: &RelationInfo,
    edges: &StagedEdges,
    storage: &Storage,
) -> Result<(), StageError> {
    let (relation, incoming) = (info.name(), info.incoming());
    let has_lists = storage.component(incoming).is_some();
    for &StagedEdge { source, target } in &edges.edges {
        if source >= staged.entities {
            return Err(no_such_number(staged, source, Some(relation)));
        }
        let number = source;
        match target {
            EdgeTarget::New(target) if target >= staged.entities => {
                return Err(no_such_number(staged, target, Some(relation)));
            }
            EdgeTarget::New(target) if target == source => {
                return Err(StageError::Itself { number, relation });
            }
            EdgeTarget::New(_) => {}
            EdgeTarget::Living(target) => {
                if !storage.entities.contains(target) {
                    return Err(StageError::NoTarget {
                        number,
                        target,
                        relation,
                    });
                }
                let list = has_lists.then(|| storage.list(incoming, target)).flatten();
                let end = list.map_or(0, EdgeList::end) + edges.edges.len();
                u32::try_from(end).map_err(|_| StageError::TooManyEdges { relation })?;
            }
        }
    }
    Ok(())
}

/// Checks that no two edges have the same source and target.
#[inline]
fn refuse_same_targets(
    info: &RelationInfo,
    list: &[StagedEdge],
    sorted: &[u32],
) -> Result<(), StageError> {
    let mut targets: Vec<u64> = Vec::new();
    let same_source = |a: &u32, b: &u32| list[*a as usize].source == list[*b as usize].source;
    for edges in sorted.chunk_by(same_source) {
        targets.clear();
        // The generation of a living entity is not 0, so the numbers differ from its bits.
        targets.extend(edges.iter().map(|&edge| match list[edge as usize].target {
            EdgeTarget::New(number) => u64::from(number),
            EdgeTarget::Living(entity) => entity.to_bits(),
        }));
        targets.sort_unstable();
        if targets.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(StageError::Twice {
                number: list[edges[0] as usize].source,
                component: Some(info.name()),
            });
        }
    }
    Ok(())
}

/// Checks that no entity of a tree becomes its own ancestor. New entities are not targets of others, so only they can be in
/// a cycle.
#[inline]
fn refuse_cycle(entities: u32, info: &RelationInfo, list: &[StagedEdge]) -> Result<(), StageError> {
    let mut targets = vec![None; entities as usize];
    for edge in list {
        if let EdgeTarget::New(target) = edge.target {
            targets[edge.source as usize] = Some(target);
        }
    }
    let mut visited = vec![0; entities as usize];
    let visit = |number: u32, walk| core::mem::replace(&mut visited[number as usize], walk);
    let found = find_cycle(0..entities, |number| targets[number as usize], visit);
    match found.and_then(|number| Some((number, targets[number as usize]?))) {
        None => Ok(()),
        Some((number, target)) => Err(StageError::Cycle {
            number,
            target,
            relation: info.name(),
        }),
    }
}

/// The component of sources of a relation, with a value for each of them, and the edges that must be made known to their
/// targets.
pub(super) struct NewSources {
    pub(super) outgoing: ComponentId,
    pub(super) incoming: ComponentId,
    /// The numbers of the sources, in ascending order.
    pub(super) numbers: Vec<u32>,
    pub(super) column: ErasedColumn,
    /// In the order of the list.
    pub(super) links: Vec<NewEdge>,
    /// The maximum number of lists that are needed for targets without one.
    pub(super) lists: usize,
}

/// Makes the components of sources of checked edges.
#[inline]
pub(super) fn make(edges: StagedEdges, checked: CheckedEdges, ids: &[Entity]) -> NewSources {
    let CheckedEdges { info, sorted } = checked;
    let StagedEdges {
        outgoing,
        edges,
        values,
        ..
    } = edges;
    let target_of = |edge: u32| match edges[edge as usize].target {
        EdgeTarget::New(number) => ids[number as usize],
        EdgeTarget::Living(entity) => entity,
    };
    let mut links: Vec<NewEdge> = (0..edges.len() as u32)
        .map(|edge| NewEdge {
            source: ids[edges[edge as usize].source as usize],
            target: target_of(edge),
            slot: 0,
        })
        .collect();
    let mut values = in_order(values, &sorted);
    let mut column = ErasedColumn::new(outgoing);
    let mut numbers = Vec::new();
    let same_source = |a: &u32, b: &u32| edges[*a as usize].source == edges[*b as usize].source;
    let first = values.as_mut_ptr();
    let size = values.layout().size();
    // SAFETY: the values are moved into components below. If that panicked the rest of them would leak.
    unsafe { values.set_len(0) };
    let mut moved = 0;
    for group in sorted.chunk_by(same_source) {
        numbers.push(edges[group[0] as usize].source);
        let head = if info.is_many() {
            for (slot, &edge) in group.iter().enumerate() {
                links[edge as usize].slot = slot as u32;
            }
            Head::Targets(EdgeList::of(group.iter().map(|&edge| target_of(edge))))
        } else {
            Head::Target(TargetLink::new(target_of(group[0])))
        };
        let head = ManuallyDrop::new(head);
        // SAFETY: there is a value for each edge, and `moved` of them were moved so far.
        let value = unsafe { first.add(moved * size) };
        moved += group.len();
        column.reserve(1);
        let place = column.spare().as_mut_ptr().cast();
        // SAFETY: `head` belongs to the relation's end, and is not dropped. There is a value for each edge, which is moved
        // here alone, and memory for the component, which is aligned because it is the place of a value of the column.
        unsafe { info.make(&head, value, place) };
        // SAFETY: one more value was written.
        unsafe { column.set_len(column.len() + 1) };
    }
    NewSources {
        outgoing,
        incoming: info.incoming(),
        numbers,
        column,
        lists: count_targets(&edges),
        links,
    }
}

/// Checks the same if some of the entities are in the world already, and others may be below them.
#[inline]
fn refuse_cycle_of_all(
    info: &RelationInfo,
    list: &[StagedEdge],
    ids: &[Entity],
    storage: &Storage,
) -> Result<(), StageError> {
    let id_of = |target| match target {
        EdgeTarget::New(number) => ids[number as usize],
        EdgeTarget::Living(entity) => entity,
    };
    let mut staged = IdMap::<&StagedEdge>::default();
    for edge in list {
        staged.insert(ids[edge.source as usize].to_bits(), edge);
    }
    let of_world = storage.component(info.outgoing()).is_some();
    let parent_of = |entity: Entity| match staged.get(&entity.to_bits()) {
        Some(edge) => Some(id_of(edge.target)),
        None if of_world => Some(storage.target_link(info.outgoing(), entity)?.target),
        None => None,
    };
    let mut visited = IdMap::<u32>::default();
    let visit = |entity: Entity, walk| visited.insert(entity.to_bits(), walk).unwrap_or(0);
    let starts = list.iter().map(|edge| ids[edge.source as usize]);
    // Edges of the world alone form no cycle, so the walk is inside one that has a staged edge.
    let Some(mut at) = find_cycle(starts, parent_of, visit) else {
        return Ok(());
    };
    let edge = loop {
        match staged.get(&at.to_bits()) {
            Some(edge) => break edge,
            None => at = parent_of(at).expect("a cycle goes on"),
        }
    };
    let (number, relation) = (edge.source, info.name());
    Err(match edge.target {
        EdgeTarget::New(target) => StageError::Cycle {
            number,
            target,
            relation,
        },
        EdgeTarget::Living(target) => StageError::CycleOfWorld {
            number,
            target,
            relation,
        },
    })
}

impl CheckedEdges {
    /// Returns the numbers of the sources, in ascending order.
    #[inline]
    pub(super) fn sources(&self, edges: &StagedEdges) -> Vec<u32> {
        let sorted = self.sorted.iter();
        let mut sources: Vec<u32> = sorted
            .map(|&edge| edges.edges[edge as usize].source)
            .collect();
        sources.dedup();
        sources
    }
}

impl StagedEdges {
    /// Returns a column with the component of sources that has all these edges, to be
    /// [inserted](crate::World::insert_erased). The target of each edge is an entity of a world; the sources do not matter.
    ///
    /// O(edges x log(edges)). The column is empty if there are no edges.
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::prelude::*;
    /// use ecs_core::relation::Target;
    /// use ecs_core::staging::{EdgeTarget, ErasedColumn, StagedEdge, StagedEdges};
    ///
    /// #[derive(Relation)]
    /// struct ChildOf;
    ///
    /// let mut world = World::new();
    /// let (parent, child) = (world.spawn(()), world.spawn(()));
    /// let outgoing = ComponentId::of::<Target<ChildOf>>();
    /// let mut values = ErasedColumn::of_edges(outgoing).expect("it is the component of sources");
    /// assert!(values.push(ChildOf).is_ok());
    /// let target = EdgeTarget::Living(parent);
    /// let edges = StagedEdges { outgoing, edges: vec![StagedEdge { source: 0, target }], order: Vec::new(), values };
    /// let mut component = edges.into_component()?;
    /// world.insert_erased(child, &mut component)?;
    /// assert!(world.is_related::<ChildOf>(child, parent));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the numbers of edges and values differ, two edges have one target, the relation leads to one target and there are
    /// several edges, or a target is a number.
    #[inline]
    pub fn into_component(mut self) -> Result<ErasedColumn, StageError> {
        let info = RelationInfo::of(self.outgoing).ok_or(StageError::NoRelation {
            component: self.outgoing.name(),
        })?;
        check_lengths(&info, &self)?;
        let (relation, component) = (info.name(), Some(info.name()));
        let sorted: Vec<u32> = (0..self.edges.len() as u32).collect();
        for edge in &mut self.edges {
            edge.source = 0;
            if let EdgeTarget::New(number) = edge.target {
                let entities = 0;
                return Err(StageError::NoSuchNumber {
                    number,
                    entities,
                    component,
                });
            }
        }
        if info.is_many() {
            refuse_same_targets(&info, &self.edges, &sorted)?;
        } else if sorted.len() > 1 {
            return Err(StageError::SecondTarget {
                number: 0,
                relation,
            });
        }
        let Some(&StagedEdge {
            target: EdgeTarget::Living(any),
            ..
        }) = self.edges.first()
        else {
            return Ok(ErasedColumn::new(self.outgoing));
        };
        // The id of the source is for links, which the insertion makes anew.
        Ok(make(self, CheckedEdges { info, sorted }, &[any]).column)
    }
}

/// Sorts the values of edges.
#[inline]
fn in_order(mut values: ErasedColumn, sorted: &[u32]) -> ErasedColumn {
    if sorted.is_sorted() {
        return values;
    }
    let mut other = ErasedColumn::of_edges(values.component()).expect("a column of edges");
    other.reserve(sorted.len());
    let size = values.layout().size();
    // SAFETY: the values are moved to the other column, and only there they are dropped.
    unsafe { values.set_len(0) };
    for &edge in sorted {
        // SAFETY: there was a value for each edge.
        let value = unsafe { values.as_ptr().add(edge as usize * size) };
        // SAFETY: the value belongs to the same relation, and is moved once because each edge occurs once in the order.
        unsafe { other.push_bytes(value) };
    }
    other
}

/// The number of new targets plus the number of edges to living ones.
#[inline]
fn count_targets(edges: &[StagedEdge]) -> usize {
    let (mut new, mut count) = (Bits::default(), 0);
    for edge in edges {
        count += usize::from(match edge.target {
            EdgeTarget::New(number) => new.insert(number as usize),
            EdgeTarget::Living(_) => true,
        });
    }
    count
}
