//! A step of a plan: one system, and what is known of it.

use core::fmt;

use super::job::Place;
use super::{Flush, Plan, StepData};
use crate::meta::{ConditionMeta, Conflict, SystemMeta, conflicts};
use crate::system::SystemId;

/// One system in a [`Plan`].
#[derive(Clone, Copy)]
pub struct Step<'a> {
    pub(crate) plan: &'a Plan,
    /// One of the plan's steps.
    pub(crate) data: &'a StepData,
}

impl<'a> Step<'a> {
    /// The position in the order of running; counts from 0.
    #[must_use]
    pub fn number(self) -> usize {
        self.data.number
    }

    /// The position in the list of systems, in the order in which they were added; counts from 0.
    #[must_use]
    pub fn listed(self) -> usize {
        self.data.listed
    }

    /// The name of the system.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.data.meta.name
    }

    /// What is known of the system.
    #[must_use]
    pub fn meta(self) -> SystemMeta {
        self.data.meta
    }

    /// The steps that must come first because of `after`, `before` or `chain`, ascending.
    pub fn after(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        let plan = self.plan;
        let numbers = self.data.after.iter();
        numbers.map(move |&number| plan.step(number))
    }

    /// The steps that it has to wait for, whatever the [reason](Self::reason), ascending. Those which one of the others
    /// waits for are left out.
    ///
    /// Of steps under one condition the first one asks it. The others do not wait for that step, but for all that it had
    /// to wait for before it could ask.
    ///
    /// Compares every two steps of the plan the first time it is called, unless a run with threads has done so.
    pub fn waits_for(self) -> impl ExactSizeIterator<Item = Step<'a>> {
        let plan = self.plan;
        let numbers = plan.jobs().waits[self.number()].iter();
        numbers.map(move |&number| plan.step(number))
    }

    /// Why this step has to wait for the earlier one; `None` if it need not, or only because of steps between.
    #[must_use]
    #[inline]
    pub fn reason(self, earlier: Step<'_>) -> Option<Reason> {
        if self.data.after.contains(&earlier.number()) {
            return Some(Reason::Asked);
        }
        if let Some(conflict) = earlier.conflict(self) {
            return Some(Reason::Conflict(conflict));
        }
        let sees = || self.metas().into_iter().any(SystemMeta::touches_world);
        if earlier.flush() != Flush::Later && earlier.defers() && sees() {
            return Some(Reason::Commands);
        }
        let waits = || self.plan.jobs().waits[self.number()].contains(&earlier.number());
        (!self.data.conditions.is_empty() && waits()).then_some(Reason::Answer)
    }

    /// On which threads the system can run.
    #[must_use]
    #[inline]
    pub fn place(self) -> Place {
        let jobs = self.plan.jobs();
        jobs.list[jobs.runs[self.number()]].place
    }

    /// Whether the system, or one of its conditions, can put changes of the world off or give out ids of entities.
    #[must_use]
    #[inline]
    pub fn defers(self) -> bool {
        self.metas().into_iter().any(SystemMeta::defers)
    }

    /// Whether what the system puts off is done at the next flush point, or at the end of the run, and not directly
    /// after it.
    #[must_use]
    pub fn flushes_later(self) -> bool {
        self.flush() == Flush::Later
    }

    pub(crate) fn flush(self) -> Flush {
        self.data.flush
    }

    /// Whether the system, conditions aside, can put changes of the world off.
    #[inline]
    pub(crate) fn system_defers(self) -> bool {
        self.data.defers
    }

    /// Whether the step is no more than a call: under no condition, of a system that puts nothing off.
    #[inline]
    pub(crate) fn is_plain(self) -> bool {
        self.data.is_plain
    }

    /// Which system.
    pub(crate) fn id(self) -> SystemId {
        self.data.id
    }

    pub(crate) fn system(self) -> &'a SystemMeta {
        &self.data.meta
    }

    /// What is known of the conditions under which the system runs, in the order in which they are asked.
    pub fn conditions(self) -> impl ExactSizeIterator<Item = &'a ConditionMeta> {
        let all = &self.plan.conditions;
        self.data.conditions.iter().map(|&n| &all[n])
    }

    /// Positions in the schedule's list of conditions.
    pub(crate) fn condition_indices(self) -> &'a [usize] {
        &self.data.conditions
    }

    /// Why the two systems, with their conditions, cannot run at the same time; `None` if they can.
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

    /// What is known of the system and of all that is asked before it.
    #[inline]
    fn metas(self) -> Vec<&'a SystemMeta> {
        let mut metas = vec![self.system()];
        for condition in self.conditions() {
            for meta in &condition.parts {
                metas.push(meta);
            }
        }
        metas
    }
}

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

/// Why a step waits for an earlier one.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// `after`, `before` or `chain` say so.
    Asked,
    /// Both touch the same data, one of them writing.
    Conflict(
        /// The data. The earlier system comes first in it.
        Conflict,
    ),
    /// The later system sees what the earlier one does through `Commands`.
    Commands,
    /// A third system asks a condition of the later one, and waits for the earlier one.
    Answer,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("`after`, `before` or `chain` say so"),
            Self::Conflict(conflict) => conflict.fmt(f),
            Self::Commands => {
                f.write_str("the later one sees what the earlier one does by commands")
            }
            Self::Answer => f.write_str(
                "the later one runs under a condition that is asked for a third one, which waits for the earlier one",
            ),
        }
    }
}
