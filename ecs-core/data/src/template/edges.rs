//! Copies edges out of a world.

use ecs_engine::entity::session::Session;
use ecs_engine::staging::{EdgeTarget, RelationInfo};

use super::take::{OutsidePolicy, Taking};
use super::values::{TemplateValues, ValueOwner};
use super::{CloneError, TemplateEdges};
use crate::codec::Encoder;
use crate::column::ValueRun;

/// Copies the edges of a relation; returns `None` if there are none, or they are left out.
pub(super) fn take(
    taking: &Taking<'_>,
    relation: &RelationInfo,
    session: &Session<'_>,
    encoder: &mut Encoder,
) -> Result<Option<TemplateEdges>, CloneError> {
    let mut ends = [relation.outgoing(), relation.incoming()].into_iter();
    if ends.any(|end| taking.left_out.components.contains(&end)) {
        return Ok(None);
    }
    let numbers = &taking.numbers;
    let mut found =
        (taking.world).gather_edges(relation, &numbers.entities, &|end| numbers.of(end));
    if taking.outside != OutsidePolicy::Same {
        found.retain(|found| matches!(found.edge.target, EdgeTarget::New(_)));
    }
    let Some(first) = found.first() else {
        return Ok(None);
    };
    let data = taking.data(relation.data(), relation.name(), first.edge.source)?;
    let Some(data) = data else {
        return Ok(None);
    };
    let runs: Vec<ValueRun> = found
        .iter()
        .map(|edge| ValueRun {
            first: edge.value,
            len: 1,
        })
        .collect();
    let owner = ValueOwner::Edges(relation.outgoing());
    // SAFETY: `relation.data()` describes the type of the values of its edges, which nothing changes while the world is borrowed.
    let copied =
        unsafe { TemplateValues::copy(owner, data, &runs, taking.keeps_ids, session, encoder) };
    let source = |row: usize| found.get(row).map(|edge| edge.edge.source);
    let values = copied.map_err(|failure| taking.failed(data.name(), failure, source))?;
    Ok(Some(TemplateEdges {
        edges: found.iter().map(|edge| edge.edge).collect(),
        order: found.iter().map(|edge| edge.position).collect(),
        values,
    }))
}
