//! The removal and replacement of systems of a list.
//!
//! # Change a schedule
//! `Schedule::remove` and `replace` change the list (`declare/remove.rs`), the built systems (`execute/build.rs`) and the
//! timings, so that positions in all of them match again. Only then destructors run. The next plan takes over the plans
//! inside steps (`inner_plans`), and passes down only the numbers and the choices about unread events
//! (`SchedulePlan::settle`).

use alloc::vec::Vec;
use core::mem::{replace, take};

use super::label::Label;
use super::list::{ListedCondition, ListedStep, StepBody, StepList};
use super::target::{ConstraintPlace, StepConstraint};
use crate::system::{SystemId, SystemSource};

/// The new positions in a list after a removal.
pub(crate) struct MovedPositions(Vec<Option<usize>>);

impl MovedPositions {
    #[inline]
    fn new(is_removed: impl IntoIterator<Item = bool>) -> Self {
        let mut next = 0..;
        let moved = |is_removed: bool| (!is_removed).then(|| next.next()).flatten();
        Self(is_removed.into_iter().map(moved).collect())
    }

    /// Returns the new position; `None` if it was removed.
    #[inline]
    pub(crate) fn get(&self, old: usize) -> Option<usize> {
        self.0[old]
    }

    /// Returns the old positions that were removed.
    #[inline]
    fn removed(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len()).filter(|&old| self.0[old].is_none())
    }

    /// Takes the removed elements out of a list, which may be shorter than the one that this was made for.
    #[inline]
    pub(crate) fn take_from<T>(&self, list: &mut Vec<T>) -> Vec<T> {
        let mut removed = Vec::new();
        for (item, moved) in take(list).into_iter().zip(&self.0) {
            match moved {
                Some(_) => list.push(item),
                None => removed.push(item),
            }
        }
        removed
    }
}

/// The result of a removal from a list.
pub(crate) struct Removal {
    pub(crate) systems: MovedPositions,
    pub(crate) conditions: MovedPositions,
    /// Dropped by the caller at the end, because their destructors may panic.
    pub(crate) removed: (Vec<ListedStep>, Vec<ListedCondition>),
}

impl ListedStep {
    /// Returns the number of steps: this one, and all steps inside it at all depths.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        let inside = match &self.body {
            StepBody::System(_) => 0,
            StepBody::Inner(inner) => {
                let all = inner.schedules.iter().flat_map(|one| &one.list.systems);
                all.map(Self::size).sum()
            }
        };
        1 + inside
    }
}

impl StepList {
    /// Returns a flag for each system: true if it is in a set, directly or in a set inside it.
    #[inline]
    pub(crate) fn members_of(&self, label: &Label) -> Vec<bool> {
        let mut inside = vec![label];
        let mut next = 0;
        while let Some(&outer) = inside.get(next) {
            next += 1;
            for set in &self.sets {
                if set.sets.contains(outer) && !inside.contains(&&set.label) {
                    inside.push(&set.label);
                }
            }
        }
        let is_inside = |system: &ListedStep| system.sets.iter().any(|set| inside.contains(&set));
        self.systems.iter().map(is_inside).collect()
    }

    /// Removes the configuration of a set.
    #[inline]
    pub(crate) fn remove_configuration(&mut self, label: &Label) {
        self.sets.retain(|set| set.label != *label);
    }

    /// Removes systems, and the conditions that no system and no set uses any more.
    #[inline]
    pub(crate) fn remove(&mut self, is_removed: &[bool]) -> Removal {
        let systems = MovedPositions::new(is_removed.iter().copied());
        for place in systems.removed() {
            bridge(place, &mut self.chained);
        }
        for (first, second) in &mut self.chained {
            let moved = |old| systems.get(old).expect("without edges if removed");
            (*first, *second) = (moved(*first), moved(*second));
        }
        let removed = systems.take_from(&mut self.systems);

        let mut is_unused = vec![true; self.conditions.len()];
        let of_systems = self.systems.iter_mut().map(|system| &mut system.conditions);
        let of_sets = self.sets.iter_mut().map(|set| &mut set.conditions);
        let mut used: Vec<_> = of_systems.chain(of_sets).collect();
        for &index in used.iter().flat_map(|conditions| conditions.iter()) {
            is_unused[index] = false;
        }
        let conditions = MovedPositions::new(is_unused);
        for index in used.iter_mut().flat_map(|conditions| conditions.iter_mut()) {
            *index = conditions.get(*index).expect("used");
        }
        let removed_conditions = conditions.take_from(&mut self.conditions);
        Removal {
            systems,
            conditions,
            removed: (removed, removed_conditions),
        }
    }

    /// Replaces a system by another one, including in the constraints that name it. Returns the body of the old system.
    #[inline]
    pub(crate) fn replace(&mut self, position: usize, new: SystemSource) -> StepBody {
        let system = &mut self.systems[position];
        let ListedStep { id, meta, body, .. } = ListedStep::new(new, system.flush);
        system.meta = meta;
        let old_body = replace(&mut system.body, body);
        let old_id = replace(&mut system.id, id);

        let of_systems = self.systems.iter_mut().flat_map(|one| &mut one.constraints);
        let of_sets = self.sets.iter_mut().flat_map(|set| &mut set.constraints);
        let of_constraints = of_systems
            .chain(of_sets)
            .map(|StepConstraint { other, .. }| other);
        let waived = self.waived.iter_mut().flat_map(|(a, b)| [a, b]);
        for place in of_constraints.chain(waived) {
            rename(place, old_id, id, meta.name);
        }
        old_body
    }
}

/// Makes a constraint that names the system `old` name another one instead.
#[inline]
fn rename(place: &mut ConstraintPlace, old: SystemId, new: SystemId, new_name: &'static str) {
    if let ConstraintPlace::System { id, name } = place
        && *id == old
    {
        (*id, *name) = (new, new_name);
    }
}

/// Adds an edge from each position of the first list to each one of the second.
#[inline]
pub(crate) fn add_pairs(first: &[usize], second: &[usize], edges: &mut Vec<(usize, usize)>) {
    for &one in first {
        for &other in second {
            edges.push((one, other));
        }
    }
}

/// Removes the edges of a position, and keeps the order between the systems before and after it.
#[inline]
pub(crate) fn bridge(place: usize, edges: &mut Vec<(usize, usize)>) {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (first, second) in take(edges) {
        match (first == place, second == place) {
            (false, true) => before.push(first),
            (true, false) => after.push(second),
            (true, true) => {}
            (false, false) => edges.push((first, second)),
        }
    }
    add_pairs(&before, &after, edges);
}
