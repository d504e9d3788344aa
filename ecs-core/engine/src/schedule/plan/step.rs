//! A step of a plan: one system and its metadata.

use alloc::vec::Vec;
use core::fmt;

use super::job::ThreadPlacement;
use super::{Flush, SchedulePlan, StepData, Unread};
use crate::meta::{ConditionMeta, Conflict, SystemMeta, conflicts};
use crate::system::SystemId;

/// One system in a [`SchedulePlan`].
#[derive(Clone, Copy)]
pub struct Step<'a> {
    pub(crate) plan: &'a SchedulePlan,
    /// One of the plan's steps.
    pub(crate) data: &'a StepData,
}

impl<'a> Step<'a> {
    /// Returns the position in running order, counted from 0.
    #[must_use]
    pub fn number(self) -> usize {
        self.data.number
    }

    /// Returns the position in the list of systems, in the order they were added, counted from 0.
    #[must_use]
    pub fn list_index(self) -> usize {
        self.data.listed
    }

    /// Returns the name of the system.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.data.meta.name
    }

    /// Returns the metadata of the system.
    #[must_use]
    pub fn meta(self) -> SystemMeta {
        self.data.meta
    }

    /// Returns the plans of the schedules that the step runs, with the names that tell them apart, such as `on_enter(Menu)`.
    /// The name is empty if there is only one. A system has no plans inside.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn think() {}
    ///
    /// let mut turn = Schedule::named("turn");
    /// turn.add(think);
    /// let mut frame = Schedule::new();
    /// frame.add(turn);
    /// let plan = frame.plan()?;
    /// let turn = plan.steps().next().unwrap();
    /// assert_eq!(turn.name(), "turn");
    /// let (_, inside) = turn.inner().next().unwrap();
    /// assert!(inside.steps().next().unwrap().name().ends_with("think"));
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    pub fn inner(self) -> impl ExactSizeIterator<Item = (&'a str, &'a SchedulePlan)> {
        let plans = self.plan.inner_of(self.list_index()).iter();
        plans.map(|(name, plan)| (name.as_str(), plan))
    }

    /// Returns the number of the step among all steps of the outermost plan, for timings and traces.
    #[cfg(feature = "std")]
    pub(crate) fn id_in_tree(self) -> usize {
        self.plan.id_of(self.list_index())
    }

    /// Returns the steps that `after`, `before` or `chain` place before this one, ascending.
    pub fn after(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        let plan = self.plan;
        let numbers = self.data.after.iter();
        numbers.map(move |&number| plan.step(number))
    }

    /// Returns the steps that this one has to wait for, for any [reason](Self::reason), ascending. A step that one of them
    /// waits for, too, is left out.
    ///
    /// If several steps share a condition, the first one evaluates it. The others do not wait for that step, but for all
    /// steps that it had to wait for before the evaluation.
    ///
    /// The first call of a plan compares steps that touch the same types, unless a run with threads has already done so.
    pub fn waits_for(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        let plan = self.plan;
        let numbers = plan.jobs().waits[self.number()].iter();
        numbers.map(move |&number| plan.step(number))
    }

    /// Returns the reason why this step has to wait for the earlier one. `None` if it need not wait, or only waits for
    /// steps between them.
    #[must_use]
    #[inline]
    pub fn reason(self, earlier: Step<'_>) -> Option<Reason> {
        if self.data.after.contains(&earlier.number()) {
            return Some(Reason::Constraint);
        }
        if let Some(conflict) = earlier.conflict(self) {
            return Some(Reason::Conflict(conflict));
        }
        let sees = || self.metas().into_iter().any(SystemMeta::touches_world);
        // The changes of conditions are always applied before their system runs.
        let mut conditions = earlier.conditions().flat_map(|condition| &condition.parts);
        let applies = match earlier.flush() {
            Flush::Later => conditions.any(SystemMeta::defers),
            _ => earlier.defers(),
        };
        if applies && sees() {
            return Some(Reason::Commands);
        }
        let waits = || self.plan.jobs().waits[self.number()].contains(&earlier.number());
        (!self.data.conditions.is_empty() && waits()).then_some(Reason::SharedCondition)
    }

    /// Returns the threads on which the system can run.
    #[must_use]
    #[inline]
    pub fn placement(self) -> ThreadPlacement {
        let jobs = self.plan.jobs();
        jobs.list[jobs.runs[self.number()]].place
    }

    /// Returns true if the system, or one of its conditions, can defer structural changes or allocate entities.
    #[must_use]
    #[inline]
    pub fn defers(self) -> bool {
        self.metas().into_iter().any(SystemMeta::defers)
    }

    /// Returns true if the system's deferred changes are applied at the next flush point, or at the end of the run, instead
    /// of directly after it.
    #[must_use]
    pub fn flushes_later(self) -> bool {
        self.flush() == Flush::Later
    }

    pub(crate) fn flush(self) -> Flush {
        self.data.flush
    }

    /// Returns true if the system, or one inside the step, has readers of events or removals.
    #[inline]
    pub(crate) fn has_readers(self) -> bool {
        self.data.has_readers
    }

    /// Returns the choice about unread events for a skipped turn. `None` if it depends on the conditions.
    pub(crate) fn unread(self) -> Option<Unread> {
        self.data.unread.or(self.plan.unread)
    }

    /// Returns true if the system, conditions aside, can defer structural changes.
    #[inline]
    pub(crate) fn system_defers(self) -> bool {
        self.data.defers
    }

    /// Returns true if the step is a plain call: it has no conditions, and the system defers nothing.
    #[doc(hidden)]
    #[must_use]
    #[inline]
    pub fn is_plain(self) -> bool {
        self.data.is_plain
    }

    /// Returns the id of the system.
    pub(crate) fn id(self) -> SystemId {
        self.data.id
    }

    pub(crate) fn system(self) -> &'a SystemMeta {
        &self.data.meta
    }

    /// Returns the metadata of the system's conditions, in the order of evaluation.
    pub fn conditions(self) -> impl ExactSizeIterator<Item = &'a ConditionMeta> {
        let all = &self.plan.conditions;
        self.data.conditions.iter().map(|&n| &all[n])
    }

    /// Returns positions in the schedule's list of conditions.
    pub(crate) fn condition_indices(self) -> &'a [usize] {
        &self.data.conditions
    }

    /// Returns the conflict between two systems and their conditions. `None` if they can run at the same time.
    #[must_use]
    #[inline]
    pub fn conflict(self, other: Step<'_>) -> Option<Conflict> {
        let others = other.metas();
        for one in self.metas() {
            for two in &others {
                let conflict = conflicts(one, two);
                if conflict.is_some() {
                    return conflict;
                }
            }
        }
        None
    }

    /// Returns the metadata of the system and of its conditions.
    #[inline]
    pub(super) fn metas(self) -> Vec<&'a SystemMeta> {
        let mut metas = vec![self.system()];
        for condition in self.conditions() {
            for meta in &condition.parts {
                metas.push(meta);
            }
        }
        metas
    }
}

/// The same step of the same plan.
impl PartialEq for Step<'_> {
    fn eq(&self, other: &Self) -> bool {
        core::ptr::eq(self.plan, other.plan) && self.number() == other.number()
    }
}

impl Eq for Step<'_> {}

impl fmt::Debug for Step<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        for (i, condition) in self.conditions().enumerate() {
            let word = if i == 0 { " if" } else { " and" };
            write!(f, "{word} {}", condition.name)?;
        }
        Ok(())
    }
}

/// The reason why a step waits for an earlier one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
#[allow(
    clippy::large_enum_variant,
    reason = "reasons are returned one by one, and not kept"
)]
pub enum Reason {
    /// An `after`, `before` or `chain`.
    Constraint,
    /// Both touch the same data, and one of them writes.
    Conflict(
        /// The data. The earlier system comes first.
        Conflict,
    ),
    /// The later system sees the effect of the earlier one's `Commands`.
    Commands,
    /// A third system evaluates a condition of the later one, and waits for the earlier one.
    SharedCondition,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constraint => f.write_str("`after`, `before` or `chain` order them"),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::Commands => {
                    f.write_str("the later one sees the effect of the earlier one's commands")
            }
            Self::SharedCondition => f.write_str(
                "a third one, which waits for the earlier one, evaluates a condition of the later one",
            ),
        }
    }
}
