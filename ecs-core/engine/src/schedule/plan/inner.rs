//! Plans of the schedules inside steps.
//!
//! The steps of a plan and of those inside have numbers in one sequence, for timings and traces: in the order of the list,
//! each followed by the steps inside it. So what is added later changes no number.

use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::TypeId;

use super::Plan;
#[cfg(feature = "std")]
use super::Step;
use super::error::PlanError;
use crate::schedule::declare::{Body, Inner, List, StateType};

/// The plans of the schedules inside one step.
#[derive(Clone)]
pub(crate) struct InnerPlans {
    /// The position of the step in the list of systems.
    listed: usize,
    /// The states whose transitions the step makes.
    states: Vec<StateType>,
    /// With the names that distinguish them.
    plans: Vec<(String, Plan)>,
}

/// Returns the name of a place inside the place `outer`.
pub(crate) fn join_path(outer: &str, inner: &str) -> String {
    match (outer, inner) {
        (outer, "") => outer.to_owned(),
        ("", inner) => inner.to_owned(),
        (outer, inner) => format!("{outer} > {inner}"),
    }
}

impl Plan {
    /// Plans the schedules inside the steps of a list.
    pub(super) fn plan_inner(&mut self, list: &List) -> Result<(), PlanError> {
        for (listed, system) in list.systems.iter().enumerate() {
            if let Body::Inner(inner) = &system.body {
                let plans = plan_all(system.meta.name, inner)?;
                if let Some(error) = &inner.state_error {
                    return Err(PlanError::State(error.clone()));
                }
                self.size += plans.iter().map(|(_, plan)| plan.size).sum::<usize>();
                self.inner.push(InnerPlans {
                    listed,
                    states: inner.states.clone(),
                    plans,
                });
            }
        }
        self.refuse_state_twice(&mut Vec::new())?;
        self.number_from(0);
        Ok(())
    }

    /// Fails if two steps make the transitions of one state.
    fn refuse_state_twice(&self, seen: &mut Vec<TypeId>) -> Result<(), PlanError> {
        for inner in &self.inner {
            for state in &inner.states {
                if seen.contains(&state.id) {
                    return Err(PlanError::TransitionsTwice { state: state.name });
                }
                seen.push(state.id);
            }
            for (_, plan) in &inner.plans {
                plan.refuse_state_twice(seen)?;
            }
        }
        Ok(())
    }

    fn number_from(&mut self, first: usize) {
        self.first_id = first;
        for index in 0..self.inner.len() {
            let mut next = self.id_of(self.inner[index].listed) + 1;
            for (_, plan) in &mut self.inner[index].plans {
                plan.number_from(next);
                next += plan.size;
            }
        }
    }

    /// Returns the number of a step among all steps of the outermost plan, by its position in the list.
    pub(crate) fn id_of(&self, listed: usize) -> usize {
        let before = self.inner.iter().filter(|inner| inner.listed < listed);
        let inside = before.flat_map(|inner| &inner.plans);
        self.first_id + listed + inside.map(|(_, plan)| plan.size).sum::<usize>()
    }

    /// Returns the plans of the schedules inside a step, with their names, by its position in the list.
    pub(crate) fn inner_of(&self, listed: usize) -> &[(String, Plan)] {
        let found = self
            .inner
            .binary_search_by_key(&listed, |inner| inner.listed);
        found.map_or(&[], |index| &self.inner[index].plans)
    }
}

/// For timings and traces.
#[cfg(feature = "std")]
impl Plan {
    /// Returns all steps in the order of [`id_of`](Self::id_of), each with the path of the step that it is inside.
    pub(crate) fn all_steps(&self) -> Vec<(String, Step<'_>)> {
        let mut all = Vec::with_capacity(self.size);
        self.add_steps("", &mut all);
        all
    }

    fn add_steps<'a>(&'a self, path: &str, all: &mut Vec<(String, Step<'a>)>) {
        let mut steps: Vec<Step<'a>> = self.steps().collect();
        steps.sort_unstable_by_key(|step| step.list_index());
        for step in steps {
            all.push((path.to_owned(), step));
            for (name, plan) in self.inner_of(step.list_index()) {
                plan.add_steps(&join_path(&join_path(path, step.name()), name), all);
            }
        }
    }
}

fn plan_all(step: &str, inner: &Inner) -> Result<Vec<(String, Plan)>, PlanError> {
    let mut plans = Vec::with_capacity(inner.schedules.len());
    for schedule in &inner.schedules {
        let plan = Plan::of(&schedule.list).map_err(|error| {
            let here = join_path(step, &schedule.name);
            match error {
                PlanError::Inside { path, error } => PlanError::Inside {
                    path: join_path(&here, &path),
                    error,
                },
                error => PlanError::Inside {
                    path: here,
                    error: Box::new(error),
                },
            }
        })?;
        plans.push((schedule.name.clone(), plan));
    }
    Ok(plans)
}
