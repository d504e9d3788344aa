//! Copies edges out of a world.

use std::collections::HashMap;

use ecs_engine::entity::session::Session;
use ecs_engine::staging::{Edge, EdgeTarget, RelationInfo};

use super::take::{Outside, Taking};
use super::values::{Owner, Run, Values};
use super::{CloneError, Edges};
use crate::codec::Encoder;

/// An edge that is copied.
struct Found {
    /// The order of the list: edges to copied entities by the number of the target and the position among its sources, and
    /// then those to others by the source and the position among its targets.
    key: (bool, u32, u32),
    edge: Edge,
    slot: u32,
    value: *const u8,
}

/// Copies the edges of a relation; returns `None` if there are none, or they are left out.
pub(super) fn take(
    taking: &Taking<'_>,
    relation: &RelationInfo,
    session: &Session<'_>,
    encoder: &mut Encoder,
) -> Result<Option<Edges>, CloneError> {
    let mut ends = [relation.outgoing(), relation.incoming()].into_iter();
    if ends.any(|end| taking.left_out.components.contains(&end)) {
        return Ok(None);
    }
    let mut found = find(taking, relation);
    let Some(first) = found.first() else {
        return Ok(None);
    };
    let data = taking.data(relation.data(), relation.name(), first.edge.source)?;
    let Some(data) = data else {
        return Ok(None);
    };
    found.sort_unstable_by_key(|edge| edge.key);
    let runs: Vec<Run> = found
        .iter()
        .map(|edge| Run {
            first: edge.value,
            len: 1,
        })
        .collect();
    let owner = Owner::Edges(relation.outgoing());
    // SAFETY: `relation.data()` describes the type of the values of its edges, which nothing changes while the world is borrowed.
    let copied = unsafe { Values::copy(owner, data, &runs, session, encoder) };
    let source = |row: usize| found.get(row).map(|edge| edge.edge.source);
    let values = copied.map_err(|failure| taking.failed(data.name(), failure, source))?;
    Ok(Some(Edges {
        edges: found.iter().map(|edge| edge.edge).collect(),
        order: found.iter().map(|edge| edge.slot).collect(),
        values,
    }))
}

/// Finds the edges whose sources are copied.
fn find(taking: &Taking<'_>, relation: &RelationInfo) -> Vec<Found> {
    let world = taking.world;
    let mut found = Vec::new();
    // By the number of the target.
    let mut positions: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    for (source, &entity) in taking.entities.iter().enumerate() {
        let source = source as u32;
        for (slot, (target, value)) in world.targets_erased(relation, entity).enumerate() {
            let slot = slot as u32;
            let (key, end) = match taking.number_of(target) {
                Some(number) => {
                    let of_target = positions.entry(number).or_insert_with(|| {
                        let sources = world.sources_erased(relation, target).enumerate();
                        let copied = sources.filter_map(|(position, source)| {
                            Some((taking.number_of(source)?, position as u32))
                        });
                        copied.collect()
                    });
                    let position = of_target.get(&source).copied().unwrap_or(u32::MAX);
                    ((false, number, position), EdgeTarget::New(number))
                }
                None if taking.outside == Outside::Same => {
                    ((true, source, slot), EdgeTarget::Living(target))
                }
                None => continue,
            };
            let edge = Edge {
                source,
                target: end,
            };
            found.push(Found {
                key,
                edge,
                slot,
                value,
            });
        }
    }
    found
}
