//! The plan: which system runs when, and why.

use core::fmt;

use super::error::PlanError;
use super::graph;
use crate::meta::{ConditionMeta, Conflict, SystemMeta, conflicts};

/// A system as the plan is made from it.
pub(super) struct Planned {
    pub(super) meta: SystemMeta,
    /// Positions in the list of conditions, in the order in which they are asked.
    pub(super) conditions: Vec<usize>,
}

/// The order in which the systems of a schedule run: the result of planning, which no longer changes.
///
/// Holds names and metadata and no system, so it can be read, printed and compared without a world. An executor runs
/// it.
#[derive(Clone)]
pub struct Plan {
    /// In the order in which they run.
    steps: Vec<StepData>,
    /// All conditions of the schedule.
    conditions: Vec<ConditionMeta>,
}

#[derive(Clone)]
struct StepData {
    meta: SystemMeta,
    /// The position in the list of systems.
    listed: usize,
    /// The steps that must come first because somebody said so, ascending.
    after: Vec<usize>,
    /// Positions in the list of conditions, in the order in which they are asked.
    conditions: Vec<usize>,
}

impl Plan {
    /// Plans `systems`, which are in list order. Positions in that list are also what `edges` (the first one runs first)
    /// and `waived` (list order need not be kept) are pairs of.
    pub(super) fn new(
        systems: &[Planned],
        edges: &[(usize, usize)],
        waived: &[(usize, usize)],
        conditions: &[ConditionMeta],
    ) -> Result<Self, PlanError> {
        // One system after the other, in list order, is one of the orders that are allowed.
        let _ = waived;
        let metas = systems.iter().map(|system| &system.meta);
        let parts = conditions.iter().flat_map(|condition| &condition.parts);
        for meta in metas.chain(parts) {
            if let Some(message) = meta.refusal() {
                let system = meta.name;
                return Err(PlanError::ConflictingParameters { system, message });
            }
        }
        let order = graph::order(systems.len(), edges).map_err(|cycle| PlanError::Cycle {
            systems: cycle.iter().map(|&n| systems[n].meta.name).collect(),
        })?;
        let mut place = vec![0; order.len()];
        for (step, &listed) in order.iter().enumerate() {
            place[listed] = step;
        }
        let step = |&listed: &usize| StepData {
            meta: systems[listed].meta,
            listed,
            after: Vec::new(),
            conditions: systems[listed].conditions.clone(),
        };
        let mut steps: Vec<StepData> = order.iter().map(step).collect();
        for &(first, second) in edges {
            steps[place[second]].after.push(place[first]);
        }
        for step in &mut steps {
            step.after.sort_unstable();
            step.after.dedup();
        }
        Ok(Self {
            steps,
            conditions: conditions.to_vec(),
        })
    }

    /// The steps in the order in which they run.
    pub fn steps(&self) -> impl ExactSizeIterator<Item = Step<'_>> {
        (0..self.steps.len()).map(|number| Step { plan: self, number })
    }

    /// Every pair of systems of which the metadata says that they must not run at the same time, and why; the first one
    /// runs earlier. Conditions count as parts of their systems.
    ///
    /// O(pairs of systems).
    pub fn conflicts(&self) -> impl Iterator<Item = (Step<'_>, Step<'_>, Conflict)> {
        self.steps().flat_map(move |second| {
            self.steps()
                .take(second.number)
                .filter_map(move |first| first.conflict(second).map(|why| (first, second, why)))
        })
    }
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.steps()).finish()
    }
}

/// One system in a [`Plan`].
#[derive(Clone, Copy)]
pub struct Step<'a> {
    plan: &'a Plan,
    number: usize,
}

impl<'a> Step<'a> {
    fn data(self) -> &'a StepData {
        &self.plan.steps[self.number]
    }

    /// The position in the order of running; counts from 0.
    #[must_use]
    pub fn number(self) -> usize {
        self.number
    }

    /// The position in the list of systems, in the order in which they were added; counts from 0.
    #[must_use]
    pub fn listed(self) -> usize {
        self.data().listed
    }

    /// The name of the system.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.data().meta.name
    }

    /// What is known of the system.
    #[must_use]
    pub fn meta(self) -> SystemMeta {
        self.data().meta
    }

    /// The steps that must come first because of `after`, `before` or `chain`, ascending.
    pub fn after(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        let plan = self.plan;
        let numbers = self.data().after.iter();
        numbers.map(move |&number| Step { plan, number })
    }

    /// What is known of the conditions under which the system runs, in the order in which they are asked.
    pub fn conditions(self) -> impl ExactSizeIterator<Item = &'a ConditionMeta> {
        let all = &self.plan.conditions;
        self.data().conditions.iter().map(|&n| &all[n])
    }

    /// Positions in the schedule's list of conditions.
    pub(super) fn condition_indices(self) -> &'a [usize] {
        &self.data().conditions
    }

    /// Why the two systems, with their conditions, cannot run at the same time; `None` if they can.
    #[must_use]
    pub fn conflict(self, other: Step<'_>) -> Option<Conflict> {
        self.parts()
            .find_map(|one| other.parts().find_map(|two| conflicts(one, two)))
    }

    /// What is known of the system and of all that is asked before it.
    fn parts(self) -> impl Iterator<Item = &'a SystemMeta> {
        let asked = self.conditions().flat_map(|condition| &condition.parts);
        core::iter::once(&self.data().meta).chain(asked)
    }
}

impl fmt::Debug for Step<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (i, condition) in self.conditions().enumerate() {
            let word = if i == 0 { " if" } else { " and" };
            write!(f, "{word} {}", condition.name)?;
        }
        Ok(())
    }
}
