//! Plans of the schedules inside steps.
//!
//! All steps have numbers in one sequence, for timings and traces: the order of the list, with the inner steps of each step
//! directly after it. So a step that is added later changes no other number.

#[cfg(feature = "std")]
use alloc::borrow::ToOwned as _;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::TypeId;

use super::SchedulePlan;
#[cfg(feature = "std")]
use super::Step;
use super::error::PlanError;
use crate::schedule::declare::{Inner, MAX_DEPTH, StepBody, StepList, Unread, join_path};
use crate::world::World;

/// The plans of the schedules inside one step.
#[derive(Clone)]
pub(crate) struct InnerPlans {
    /// The position of the step in the list of systems.
    listed: usize,
    /// The plans, with the names that tell them apart.
    plans: Vec<(String, SchedulePlan)>,
}

impl SchedulePlan {
    /// Plans a list that is not inside another one, and the lists inside it. `known` contains plans of schedules inside its
    /// steps that have not changed since: they move into the new plan. After an error, `known` contains all plans that were
    /// made.
    pub(crate) fn of(list: &StepList, known: &mut Vec<InnerPlans>) -> Result<Self, PlanError> {
        let mut plan = Self::of_list(list, known)?;
        refuse_states(list, &mut Vec::new())?;
        plan.take_inner(known);
        plan.settle(0, None);
        if !plan.inner.is_empty() {
            let mut notes = Vec::new();
            plan.add_notes("", &mut notes);
            plan.notes = notes;
        }
        Ok(plan)
    }

    /// Adds the notes of all depths. Notes of inner plans start with the path of the step.
    fn add_notes(&self, path: &str, all: &mut Vec<String>) {
        for note in &self.notes {
            all.push(match path {
                "" => note.clone(),
                path => format!("in `{path}`: {note}"),
            });
        }
        for inner in &self.inner {
            let step = self.steps().find(|step| step.list_index() == inner.listed);
            let path = join_path(path, step.expect("in the list").name());
            for (name, plan) in &inner.plans {
                plan.add_notes(&join_path(&path, name), all);
            }
        }
    }

    /// Plans a list, and adds the plans of the schedules inside its steps to `known`.
    fn of_list(list: &StepList, known: &mut Vec<InnerPlans>) -> Result<Self, PlanError> {
        let plan = Self::of_steps(list)?;
        for (listed, system) in list.systems.iter().enumerate() {
            if let StepBody::Inner(inner) = &system.body
                && let Err(at) = known.binary_search_by_key(&listed, |inner| inner.listed)
            {
                let plans = plan_all(system.meta.name, inner)?;
                known.insert(at, InnerPlans { listed, plans });
            }
        }
        Ok(plan)
    }

    /// Makes `inner` the plans inside the steps.
    fn take_inner(&mut self, inner: &mut Vec<InnerPlans>) {
        self.inner = core::mem::take(inner);
        for inner in &self.inner {
            let plans = || inner.plans.iter().map(|(_, plan)| plan);
            self.size += plans().map(|plan| plan.size).sum::<usize>();
            if plans().any(|plan| plan.has_readers) {
                let mut steps = self.steps.iter_mut();
                let step = steps.find(|step| step.listed == inner.listed);
                step.expect("in the list").has_readers = true;
                self.has_readers = true;
            }
        }
    }

    /// Tells the world which data its systems and conditions name, at all depths.
    pub(crate) fn make_known(&self, world: &mut World) {
        let metas = self.steps.iter().map(|step| &step.meta);
        let parts = self
            .conditions
            .iter()
            .flat_map(|condition| &condition.parts);
        for meta in metas.chain(parts) {
            world.make_params_known(meta.params);
        }
        for inner in &self.inner {
            for (_, plan) in &inner.plans {
                plan.make_known(world);
            }
        }
    }

    /// Returns the plans inside the steps, for the next plan of the list.
    pub(crate) fn into_inner(self) -> Vec<InnerPlans> {
        self.inner
    }

    /// Passes to all depths the values that depend on the outer plans: numbers, from `first` on, and the choice of the step
    /// about unread events.
    fn settle(&mut self, first: usize, unread: Option<Unread>) {
        self.first_id = first;
        self.unread = unread;
        for index in 0..self.inner.len() {
            let listed = self.inner[index].listed;
            let mut next = self.id_of(listed) + 1;
            let step = self.steps().find(|step| step.list_index() == listed);
            let unread = step.expect("in the list").unread();
            for (_, plan) in &mut self.inner[index].plans {
                plan.settle(next, unread);
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
    pub(crate) fn inner_of(&self, listed: usize) -> &[(String, SchedulePlan)] {
        let found = self
            .inner
            .binary_search_by_key(&listed, |inner| inner.listed);
        found.map_or(&[], |index| &self.inner[index].plans)
    }
}

/// For timings and traces.
#[cfg(feature = "std")]
impl SchedulePlan {
    /// Returns all steps in the order of [`id_of`](Self::id_of), each with the path of the step around it.
    pub(crate) fn all_steps(&self) -> Vec<(String, Step<'_>)> {
        let mut all = Vec::with_capacity(self.size);
        self.add_steps("", &mut all);
        all
    }

    fn add_steps<'a>(&'a self, path: &str, all: &mut Vec<(String, Step<'a>)>) {
        let mut steps: Vec<Step<'a>> = self.steps().collect();
        crate::sort::sort_by_number(&mut steps, |step| step.list_index() as u64);
        for step in steps {
            all.push((path.to_owned(), step));
            for (name, plan) in self.inner_of(step.list_index()) {
                plan.add_steps(&join_path(&join_path(path, step.name()), name), all);
            }
        }
    }
}

fn plan_all(step: &str, inner: &Inner) -> Result<Vec<(String, SchedulePlan)>, PlanError> {
    let mut plans = Vec::with_capacity(inner.schedules.len());
    for schedule in &inner.schedules {
        let mut inside = Vec::new();
        let mut plan = SchedulePlan::of_list(&schedule.list, &mut inside)
            .map_err(|error| put_inside(error, step, &schedule.name))?;
        plan.take_inner(&mut inside);
        plans.push((schedule.name.clone(), plan));
    }
    Ok(plans)
}

/// Adds the path of an inner schedule to an error.
fn put_inside(error: PlanError, step: &str, name: &str) -> PlanError {
    let here = join_path(step, name);
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
}

/// Fails if schedules are nested too deep, if the states of a step are wrong, or if two steps, at any depth, make the
/// transitions of one state. `seen` contains the states of the lists before.
pub(crate) fn refuse_states(list: &StepList, seen: &mut Vec<TypeId>) -> Result<(), PlanError> {
    for system in &list.systems {
        let StepBody::Inner(inner) = &system.body else {
            continue;
        };
        if inner.depth > MAX_DEPTH {
            let step = system.meta.name;
            return Err(PlanError::TooDeep { step });
        }
        if let Some(error) = &inner.state_error {
            return Err(PlanError::State(error.clone()));
        }
        for state in &inner.states {
            if seen.contains(&state.id) {
                return Err(PlanError::TransitionsTwice { state: state.name });
            }
            seen.push(state.id);
        }
        for schedule in &inner.schedules {
            refuse_states(&schedule.list, seen)
                .map_err(|error| put_inside(error, system.meta.name, &schedule.name))?;
        }
    }
    Ok(())
}

/// Takes the plans of removed steps out of `known`. `moved` returns the new position of a step, or `None` if it was removed.
#[inline]
pub(crate) fn forget_removed(known: &mut Vec<InnerPlans>, moved: impl Fn(usize) -> Option<usize>) {
    known.retain_mut(|inner| match moved(inner.listed) {
        Some(listed) => {
            inner.listed = listed;
            true
        }
        None => false,
    });
}

/// Takes the plans of a replaced step out of `known`.
#[inline]
pub(crate) fn forget_changed(known: &mut Vec<InnerPlans>, position: usize) {
    known.retain(|inner| inner.listed != position);
}
