//! The two ends of relations in copies that are written and read.
//!
//! Lists of edges are written without their gaps. Both ends are written because each has an order of its own, and they are
//! compared with each other when they are read. The slots that edges have in the lists follow from that.

use alloc::vec::Vec;
use core::convert::Infallible;
use core::mem::ManuallyDrop;
use core::slice;

use super::lists::has_forms;
use super::{CopyInput, CopyOutput, CopyProblem, Run, put_ids, put_u32s, take_ids, take_u32s};
use crate::component::{ComponentId, EdgeValues, End};
use crate::entity::Entity;
use crate::hash::IdMap;
use crate::storage::links::{Head, TargetLink, find_cycle};
use crate::storage::{EdgeList, ErasedColumn};

/// Writes the values of an end of a relation. Returns false if that is not possible.
pub(in crate::storage) fn write_ends(out: &mut dyn CopyOutput, values: &ErasedColumn) -> bool {
    let component = values.component();
    let Some(link) = component.info().link else {
        return false;
    };
    match link.end {
        End::Sources { .. } => {
            // SAFETY: each value of the end is an `EdgeList`, see `End::Sources`.
            let lists = unsafe { lists(values) };
            put_edges(out, lists);
            true
        }
        End::Target { values: edges, .. } => {
            // SAFETY: each value begins with a `TargetLink`, see `End::Target`.
            let links = unsafe { heads::<TargetLink>(values) };
            let targets: Vec<Entity> = links.map(|link| link.target).collect();
            put_ids(out, &targets);
            let first = (0..values.len()).map(|row| (row, 0));
            write_edges(out, values, edges.edge, first)
        }
        End::Targets { values: edges } => {
            // SAFETY: each value begins with an `EdgeList`, see `End::Targets`.
            let lists = unsafe { heads::<EdgeList>(values) };
            let slots = lists.enumerate().flat_map(|(row, list)| {
                let slots = list.edges();
                slots.map(move |(slot, _)| (row, slot))
            });
            // SAFETY: as above.
            let lists = unsafe { heads::<EdgeList>(values) };
            put_edges(out, lists);
            write_edges(out, values, edges.edge, slots)
        }
    }
}

/// Returns the beginning of each value.
///
/// # Safety
/// The values begin with a `T`.
unsafe fn heads<'a, T: 'a>(values: &'a ErasedColumn) -> impl Iterator<Item = &'a T> {
    (0..values.len()).filter_map(|row| {
        let value = values.get(row)?;
        // SAFETY: the value begins with a `T` by the caller's contract, and the column is borrowed as long.
        Some(unsafe { &*value.cast::<T>() })
    })
}

/// Returns the values of a column of sources.
///
/// # Safety
/// The values are lists.
unsafe fn lists<'a>(values: &'a ErasedColumn) -> slice::Iter<'a, EdgeList> {
    // SAFETY: the column has as many lists by the caller's contract, and is borrowed as long.
    unsafe { slice::from_raw_parts(values.as_ptr().cast::<EdgeList>(), values.len()) }.iter()
}

const NO_EDGES: CopyProblem = CopyProblem::Malformed("an end of a relation has no edges");

/// Writes the length of each list, and the edges of all.
fn put_edges<'a>(out: &mut dyn CopyOutput, lists: impl Iterator<Item = &'a EdgeList>) {
    let (mut lengths, mut all) = (Vec::new(), Vec::new());
    for list in lists {
        let edges = list.as_slice();
        lengths.push(edges.len() as u32);
        all.extend_from_slice(edges);
    }
    put_u32s(out, &lengths);
    put_ids(out, &all);
}

/// Reads the lists of some rows. No list is empty.
fn take_edges(input: &mut dyn CopyInput, rows: usize) -> Result<Vec<Vec<Entity>>, CopyProblem> {
    if !has_forms(input) {
        return (0..rows)
            .map(|_| match take_ids(input)? {
                list if list.is_empty() => Err(NO_EDGES),
                list => Ok(list),
            })
            .collect();
    }
    let lengths = take_u32s(input)?;
    let all = take_ids(input)?;
    let mut rest = &all[..];
    let mut lists = Vec::with_capacity(lengths.len());
    for &length in &lengths {
        match rest.split_at_checked(length as usize) {
            Some((list, others)) if length > 0 => {
                lists.push(list.to_vec());
                rest = others;
            }
            _ => return Err(NO_EDGES),
        }
    }
    match lists.len() == rows && rest.is_empty() {
        true => Ok(lists),
        false => Err(CopyProblem::Malformed("there are more edges than ends")),
    }
}

/// Writes the values of edges: of each pair of a row and a slot.
fn write_edges(
    out: &mut dyn CopyOutput,
    values: &ErasedColumn,
    edges: &'static EdgeValues,
    all: impl Iterator<Item = (usize, usize)>,
) -> bool {
    let Some(data) = values.component().relation() else {
        return false;
    };
    if data.type_id() != (edges.type_id)() {
        return false;
    }
    let size = edges.layout.size();
    let mut runs: Vec<Run> = Vec::new();
    for (row, slot) in all {
        let Some(value) = values.get(row) else {
            return false;
        };
        // SAFETY: the function is for values of the component (invariant 1 of `EdgeValues`), and this is one.
        let edge = unsafe { (edges.value)(value, slot) };
        match runs.last_mut() {
            Some((first, len)) if first.wrapping_add(*len * size) == edge => *len += 1,
            _ => runs.push((edge, 1)),
        }
    }
    // SAFETY: the data is of the type of these edges, and there is a value for each edge of a list.
    unsafe { out.put_values(data, &runs) }
}

/// The values of an end of a relation that were read, and are not yet compared with the other end.
pub(in crate::storage) struct ReadEnds {
    component: ComponentId,
    /// The other ends of each entity.
    lists: EndLists,
    /// The values of edges, of the component; none for sources.
    values: Option<ErasedColumn>,
}

enum EndLists {
    /// The target of each source.
    One(Vec<Entity>),
    /// The targets of each source, or the sources of each target.
    Many(Vec<Vec<Entity>>),
}

impl ReadEnds {
    pub(in crate::storage) fn component(&self) -> ComponentId {
        self.component
    }

    /// Returns the component of the other end.
    pub(in crate::storage) fn other(&self) -> Option<ComponentId> {
        let link = self.component.info().link?;
        Some(link.other())
    }
}

/// Reads the values of an end of a relation.
pub(in crate::storage) fn read_ends(
    input: &mut dyn CopyInput,
    component: ComponentId,
    end: End,
    rows: usize,
) -> Result<ReadEnds, CopyProblem> {
    let lists = match end {
        End::Target { .. } => {
            let targets = take_ids(input)?;
            if targets.len() != rows {
                return Err(CopyProblem::Malformed("not each source has a target"));
            }
            EndLists::One(targets)
        }
        End::Targets { .. } | End::Sources { .. } => EndLists::Many(take_edges(input, rows)?),
    };
    let mut read = ReadEnds {
        component,
        lists,
        values: None,
    };
    let Some(edges) = end.edge_values() else {
        return Ok(read);
    };
    let data = component.relation();
    let data = data.filter(|data| data.type_id() == (edges.type_id)());
    let column = ErasedColumn::of_edges(component);
    let (Some(data), Some(mut column)) = (data, column) else {
        return Err(CopyProblem::Uncopied(component.name()));
    };
    let rows = match &read.lists {
        EndLists::One(targets) => targets.len(),
        EndLists::Many(lists) => lists.iter().map(Vec::len).sum(),
    };
    // SAFETY: the column is one for values of edges, which have the type of the data.
    unsafe { input.take_values(data, rows, &mut column) }?;
    if column.len() != rows {
        return Err(CopyProblem::Malformed("not each edge has a value"));
    }
    read.values = Some(column);
    Ok(read)
}

/// Compares both ends of a relation, whose entities are given, and returns their values, sources first.
pub(in crate::storage) fn connect(
    [targets, sources]: [&[Entity]; 2],
    incoming: ReadEnds,
    outgoing: ReadEnds,
) -> Result<[ErasedColumn; 2], CopyProblem> {
    const DIFFER: CopyProblem = CopyProblem::Malformed("the ends of a relation differ");
    let (EndLists::Many(of_targets), Some(mut values)) = (incoming.lists, outgoing.values) else {
        return Err(DIFFER);
    };
    let Some(edges) = outgoing.component.info().link else {
        return Err(DIFFER);
    };
    let mut made = ErasedColumn::new(outgoing.component);
    let mut lists: Vec<EdgeList> = Vec::with_capacity(of_targets.len());
    let (end, Some(edge)) = (edges.end, edges.end.edge_values()) else {
        return Err(DIFFER);
    };
    let mut rows = IdMap::<u32>::default();
    rows.extend(
        (0..)
            .zip(sources)
            .map(|(row, source)| (source.to_bits(), row)),
    );
    let row_of = |source: Entity| rows.get(&source.to_bits()).map(|&row| row as usize);
    let heads: Vec<Head> = match outgoing.lists {
        EndLists::One(of_sources) => {
            let mut slots = vec![None; sources.len()];
            for (&target, list) in targets.iter().zip(of_targets) {
                for (slot, &source) in (0..).zip(&list) {
                    let row = row_of(source).ok_or(DIFFER)?;
                    if of_sources[row] != target || source == target || slots[row].is_some() {
                        return Err(DIFFER);
                    }
                    slots[row] = Some(slot);
                }
                lists.push(EdgeList::of_dense(list));
            }
            let mut met = vec![0; sources.len()];
            let parent_of = |row: usize| row_of(of_sources[row]);
            let visit = |row: usize, walk| core::mem::replace(&mut met[row], walk);
            if matches!(end, End::Target { acyclic: true, .. })
                && find_cycle(0..sources.len(), parent_of, visit).is_some()
            {
                return Err(CopyProblem::Malformed("a tree has a cycle"));
            }
            let pairs = of_sources.into_iter().zip(slots);
            let links = pairs.map(|(target, slot)| {
                let link = TargetLink::in_slot(target, slot.ok_or(DIFFER)?);
                Ok(Head::Target(link))
            });
            links.collect::<Result<_, _>>()?
        }
        EndLists::Many(of_sources) => {
            let mut edges = Vec::new();
            for (row, (&source, list)) in sources.iter().zip(&of_sources).enumerate() {
                let pairs = list.iter().map(|&target| (source, target));
                edges.extend((0..).zip(pairs).map(|(slot, pair)| (pair, row, slot)));
            }
            edges.sort_unstable();
            let is_wrong = |(source, target)| source == target;
            let mut both = edges.windows(2);
            if edges.iter().any(|edge| is_wrong(edge.0)) || both.any(|two| two[0].0 == two[1].0) {
                return Err(DIFFER);
            }
            let mut reverse: Vec<Vec<u32>> = Vec::with_capacity(of_sources.len());
            reverse.extend(of_sources.iter().map(|list| vec![u32::MAX; list.len()]));
            let mut left = edges.len();
            for (&target, list) in targets.iter().zip(of_targets) {
                let mut of_list = Vec::with_capacity(list.len());
                for (reverse_slot, &source) in (0..).zip(&list) {
                    let found = edges.binary_search_by_key(&(source, target), |edge| edge.0);
                    let (_, row, slot) = edges[found.map_err(|_| DIFFER)?];
                    let place: &mut u32 = &mut reverse[row][slot as usize];
                    if core::mem::replace(place, reverse_slot) != u32::MAX {
                        return Err(DIFFER);
                    }
                    left -= 1;
                    of_list.push(slot);
                }
                lists.push(EdgeList::of_dense_both(list, of_list));
            }
            if left > 0 {
                return Err(DIFFER);
            }
            let both = of_sources.into_iter().zip(reverse);
            let both = both.map(|(list, slots)| EdgeList::of_dense_both(list, slots));
            both.map(Head::Targets).collect()
        }
    };
    if lists.len() != targets.len() || heads.len() != sources.len() {
        return Err(DIFFER);
    }
    make(&mut made, edge, heads, &mut values);
    let mut column = ErasedColumn::new(incoming.component);
    column.reserve(lists.len());
    for list in lists {
        let write = |place: *mut u8| {
            // SAFETY: the place is memory for a value of sources, which is an `EdgeList`, see `End::Sources`.
            unsafe { place.cast::<EdgeList>().write(list) };
            Ok::<(), Infallible>(())
        };
        // SAFETY: the function writes a value of the component.
        let Ok(()) = unsafe { column.push_with(write) };
    }
    Ok([column, made])
}

/// Makes the values of sources of their heads and the values of their edges, which are as many.
fn make(
    made: &mut ErasedColumn,
    edge: &'static EdgeValues,
    heads: Vec<Head>,
    values: &mut ErasedColumn,
) {
    made.reserve(heads.len());
    let first = values.as_ptr();
    // SAFETY: none of the values is claimed to be initialised: they are moved from here on, or leaked by a panic.
    unsafe { values.set_len(0) };
    let mut moved = 0;
    for head in heads {
        let count = match &head {
            Head::Target(_) => 1,
            Head::Targets(list) => list.len(),
        };
        let head = ManuallyDrop::new(head);
        let write = |place: *mut u8| {
            // SAFETY: the column had a value for each edge.
            let edges = unsafe { first.add(moved * edge.layout.size()) };
            // SAFETY: the function is for the component of sources; it moves the head, which is not dropped, and the values of
            // its edges, which the column no longer has, to memory for a value.
            unsafe { (edge.make)(head.as_ptr(), edges, place) };
            Ok::<(), Infallible>(())
        };
        // SAFETY: the function writes a value of the component.
        let Ok(()) = unsafe { made.push_with(write) };
        moved += count;
    }
}
