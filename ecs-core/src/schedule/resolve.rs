//! From what was said about systems to positions in the list.

use std::collections::HashMap;

use super::config::Constraint;
use super::error::{PlanError, Relation};
use super::plan::Planned;
use crate::meta::SystemMeta;
use crate::system::SystemId;

/// A system of the list, with what was said about it.
pub(super) struct Listed {
    pub(super) id: SystemId,
    pub(super) meta: SystemMeta,
    pub(super) constraints: Vec<Constraint>,
    /// Positions in the list of conditions, in the order in which they are asked.
    pub(super) conditions: Vec<usize>,
}

/// What a plan is made from; pairs are of positions in the list.
pub(super) struct Resolved {
    pub(super) systems: Vec<Planned>,
    /// The first one runs first.
    pub(super) edges: Vec<(usize, usize)>,
    /// List order need not be kept.
    pub(super) waived: Vec<(usize, usize)>,
}

/// Finds the systems that constraints name.
pub(super) fn resolve(
    systems: &[Listed],
    chained: &[(usize, usize)],
) -> Result<Resolved, PlanError> {
    let mut by_id: HashMap<SystemId, Vec<usize>> = HashMap::new();
    for (position, system) in systems.iter().enumerate() {
        by_id.entry(system.id).or_default().push(position);
    }
    let mut edges = chained.to_vec();
    for (position, system) in systems.iter().enumerate() {
        for constraint in &system.constraints {
            let (name, relation, other) = (system.meta.name, constraint.relation, constraint.name);
            let target = match by_id.get(&constraint.other).map(Vec::as_slice) {
                Some(&[target]) => target,
                Some(_) => {
                    return Err(PlanError::AmbiguousSystem {
                        system: name,
                        relation,
                        other,
                    });
                }
                None => {
                    return Err(PlanError::UnknownSystem {
                        system: name,
                        relation,
                        other,
                    });
                }
            };
            edges.push(match relation {
                Relation::After => (target, position),
                Relation::Before => (position, target),
            });
        }
    }
    let planned = |system: &Listed| Planned {
        meta: system.meta,
        conditions: system.conditions.clone(),
    };
    Ok(Resolved {
        systems: systems.iter().map(planned).collect(),
        edges,
        waived: Vec::new(),
    })
}
