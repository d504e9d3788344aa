//! Resolves a list of steps: names of systems and sets become positions.

use alloc::vec::Vec;

use super::SchedulePlan;
use super::error::PlanError;
use super::members::SystemPositions;
use super::sets::NumberedSets;
use crate::schedule::declare::{StepList, Subject, add_pairs, bridge};

impl SchedulePlan {
    /// Plans the steps of a list: finds the systems that constraints name, and applies the configuration of sets to their
    /// systems.
    pub(super) fn of_steps(list: &StepList) -> Result<Self, PlanError> {
        let sets = NumberedSets::of(list)?;
        let members = SystemPositions::of(list, &sets);
        let mut edges = list.chained.clone();
        for (position, system) in list.systems.iter().enumerate() {
            let named = || Subject::System(system.meta.name);
            members.constrain(&[position], &named, &system.constraints, &mut edges)?;
        }
        for set in &list.sets {
            let systems = members.of_set(&set.label).unwrap_or_default();
            let named = || Subject::set(&set.label);
            members.constrain(systems, &named, &set.constraints, &mut edges)?;
        }
        for chained in &list.chained_sets {
            let first = members.of_set(&chained.first).unwrap_or_default();
            let second = members.of_set(&chained.second).unwrap_or_default();
            add_pairs(first, second, &mut edges);
        }
        let empty = list.systems.len()..members.places;
        // A copy that still has the empty sets, for error messages.
        let with_empty = (!empty.is_empty()).then(|| edges.clone());
        for place in empty {
            bridge(place, &mut edges);
        }
        refuse_backward(list, &edges)?;
        let waived = members.waived(list.systems.len(), &list.waived)?;
        let mut systems = Vec::with_capacity(list.systems.len());
        for system in &list.systems {
            systems.push(sets.planned(system));
        }
        let mut conditions = Vec::with_capacity(list.conditions.len());
        for condition in &list.conditions {
            conditions.push(condition.meta.clone());
        }
        let explain = |cycle: &[usize]| match &with_empty {
            Some(edges) => members.orders_in(&members.with_empty_sets(cycle, edges)),
            None => members.orders_in(cycle),
        };
        let mut plan = Self::new(&systems, &edges, &waived, conditions, &explain)?;
        plan.notes = members.notes;
        Ok(plan)
    }
}

/// Fails if a system of a later part has to run before a system of an earlier part.
fn refuse_backward(list: &StepList, edges: &[(usize, usize)]) -> Result<(), PlanError> {
    for &(first, second) in edges {
        let (first, second) = (&list.systems[first], &list.systems[second]);
        if first.part > second.part {
            return Err(PlanError::AgainstParts {
                before: first.meta.name,
                later: list.parts[first.part].clone(),
                after: second.meta.name,
                earlier: list.parts[second.part].clone(),
            });
        }
    }
    Ok(())
}
