//! Schedules that are joined from parts, which run one after the other.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::vec::Vec;
use core::any::TypeId;

use super::Schedule;
use super::declare::{IntoConfigs, Label, ListedStep, SetConfig, StepBody, StepList, join_path};
use super::execute::Runs;
use super::plan::{PlanError, forget_changed, refuse_states};

/// For packages that join several schedules to one plan. All parts are one list: a part may start before the previous one
/// has ended, as long as no system has to wait.
#[doc(hidden)]
impl Schedule {
    /// Creates a schedule of parts with these names.
    #[must_use]
    #[inline]
    pub fn of_parts(names: Vec<String>) -> Self {
        let mut schedule = Self::new();
        schedule.list.parts = names;
        schedule
    }

    /// Returns true if nothing was added: neither systems nor configurations of sets.
    #[must_use]
    #[inline]
    pub fn is_blank(&self) -> bool {
        let list = &self.list;
        list.systems.is_empty()
            && list.sets.is_empty()
            && list.chained_sets.is_empty()
            && list.waived.is_empty()
    }

    /// Fails if a step of the schedule, at any depth, makes the transitions of a state that another schedule already makes.
    /// `seen` contains the states of the other schedules, and receives the states of this one.
    ///
    /// # Errors
    /// [`PlanError::TransitionsTwice`], inside the path of the step.
    #[inline]
    pub fn refuse_states(&self, seen: &mut Vec<TypeId>) -> Result<(), PlanError> {
        refuse_states(&self.list, seen)
    }

    /// Lets runs of this schedule not count for [delays](crate::Commands::delay): they belong to no frame.
    #[inline]
    pub fn without_counting(&mut self) {
        self.is_uncounted = true;
    }

    /// Drops the state of all systems of a schedule that never runs again. Otherwise the world would keep events and
    /// removals for their readers. The plan stays.
    #[inline]
    pub fn end(&mut self) {
        self.halted = None;
        self.runs = Runs::default();
    }

    /// Adds systems at the end of a part.
    #[inline]
    pub fn add_to_part<M>(&mut self, part: usize, systems: impl IntoConfigs<M>) -> &mut Self {
        let first = self.list.systems.len();
        self.add(systems);
        for system in &mut self.list.systems[first..] {
            system.part = part;
        }
        self
    }

    /// Moves a schedule that has not run to the end of a part, into the set `label`.
    #[inline]
    pub fn append_to_part(&mut self, part: usize, label: &Label, schedule: Self) {
        self.outdate();
        let (setups, mut list) = schedule.into_unbuilt();
        for system in &mut list.systems {
            system.part = part;
            system.sets.push(label.clone());
        }
        self.list.append(list);
        self.setups.append(setups);
        // The set exists, even if it stays empty.
        if !self.list.sets.iter().any(|set| set.label == *label) {
            self.list.configure(label.clone(), SetConfig::default());
        }
    }

    /// Finds the first step of a part that has exactly one schedule inside, and moves a schedule that has not run into that
    /// one. Returns the schedule if there is no such step.
    #[must_use]
    #[inline]
    pub fn append_inside(&mut self, part: usize, schedule: Self) -> Option<Self> {
        self.outdate();
        let Some((position, step)) = self.list.inside(part) else {
            return Some(schedule);
        };
        let (setups, list) = schedule.into_unbuilt();
        let inner = &mut step.schedules[0];
        let mut names = Vec::new();
        add_names(&list, &inner.name, &mut names);
        inner.list.append(list);
        inner.setups.append(setups);
        step.update_depth();
        let listed = &self.list.systems[..=position];
        for (path, _) in &mut names {
            *path = join_path(listed[position].meta.name, path);
        }
        let end: usize = listed.iter().map(ListedStep::size).sum();
        self.records.insert(end - names.len(), names);
        forget_changed(&mut self.inner_plans, position);
        None
    }
}

/// Adds the path and the name of each step of a list, including the steps inside, in the order of their numbers.
#[inline]
fn add_names(list: &StepList, path: &str, names: &mut Vec<(String, &'static str)>) {
    for listed in &list.systems {
        let name = listed.meta.name;
        names.push((path.to_owned(), name));
        if let StepBody::Inner(inner) = &listed.body {
            let here = join_path(path, name);
            for schedule in &inner.schedules {
                add_names(&schedule.list, &join_path(&here, &schedule.name), names);
            }
        }
    }
}
