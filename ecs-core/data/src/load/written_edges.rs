//! Edges as they are written in rows.

use std::collections::HashMap;

use ecs_engine::staging::{EdgeTarget, StagedEdge};

use crate::Value;
use crate::value::NULL;

/// An edge in a row.
pub(super) struct WrittenEdge<'a> {
    pub(super) written: &'a Value,
    /// The number of the target; `None` if there is none.
    pub(super) target: Option<u32>,
    pub(super) value: &'a Value,
}

/// Returns the edges of a source: a target; a target with a value, `{ "to": 3, "value": .. }`; or a list of these.
pub(super) fn edges_of(tree: &Value) -> impl Iterator<Item = WrittenEdge<'_>> {
    let edges = tree.as_list().unwrap_or(core::slice::from_ref(tree));
    edges.iter().map(|written| {
        let (to, value) = match written.as_map() {
            Some(_) => (written.get("to"), written.get("value")),
            None => (Some(written), None),
        };
        let to = to.and_then(Value::as_int);
        WrittenEdge {
            written,
            target: to.and_then(|to| u32::try_from(to).ok()),
            value: value.unwrap_or(&NULL),
        }
    })
}

/// Sorts positions of edges so that the sources of each target come in the given order; sources that the order lacks come
/// last, and keep their order.
pub(super) fn order_of(
    edges: &[StagedEdge],
    mut positions: Vec<usize>,
    orders: &[(u32, Vec<u32>)],
) -> Vec<usize> {
    let mut ranks: HashMap<(u32, u32), usize> = HashMap::new();
    for (target, sources) in orders {
        for (rank, &source) in sources.iter().enumerate() {
            ranks.entry((*target, source)).or_insert(rank);
        }
    }
    let rank = |&edge: &usize| {
        let edge = edges[edge];
        let EdgeTarget::New(target) = edge.target else {
            return usize::MAX;
        };
        let rank = ranks.get(&(target, edge.source));
        rank.copied().unwrap_or(usize::MAX)
    };
    if !ranks.is_empty() {
        positions.sort_by_key(rank);
    }
    positions
}
