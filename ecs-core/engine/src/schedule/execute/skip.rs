//! Skipped turns: keeps or discards the events that the systems have not read.
//!
//! # Skip a turn
//! A condition that is false skips a step. `execute/skip.rs` looks whether one of them is about states (`ConditionMeta`). If
//! so, it moves the cursors of the system's readers to the end, by `SystemParam::skip`; otherwise it leaves them. It goes
//! down the tree of steps inside, as far as the plan knows of readers. With threads, the job of the system does this,
//! because that job has the accesses. A step without conditions has no instruction for it.

use super::build::{Built, BuiltCondition, BuiltStep, mark};
use super::exclusive::ExclusiveRun;
use super::failure::StepPosition;
use super::instrument::Instrument;
use super::runs::BuiltInner;
use crate::bits::Bits;
use crate::schedule::declare::Unread;
use crate::schedule::plan::{SchedulePlan, Step};
use crate::system::Turn;
use crate::world::World;

/// Returns the default for unread events: `Discard` if one of the step's conditions is about states and false, otherwise
/// `Keep`. The step's own choice takes precedence.
pub(crate) fn after_false(step: Step<'_>, conditions: &[BuiltCondition]) -> Unread {
    let mut all = step.condition_indices().iter().zip(step.conditions());
    if all.any(|(&index, meta)| meta.is_about_states && conditions[index].is_false()) {
        Unread::Discard
    } else {
        Unread::Keep
    }
}

/// Notes that the turn of a step is skipped because of its conditions.
#[cold]
pub(crate) fn mark_skipped(step: Step<'_>, conditions: &[BuiltCondition]) {
    let otherwise = after_false(step, conditions);
    let keeps = step.unread().unwrap_or(otherwise) == Unread::Keep;
    mark(
        step,
        conditions,
        Turn::skipped(otherwise == Unread::Keep, keeps),
    );
}

/// Returns true if the unread events of a skipped step count as read. `otherwise` is for a step without a choice of its own.
pub(crate) fn discards(step: Step<'_>, otherwise: Unread) -> bool {
    step.has_readers() && step.unread().unwrap_or(otherwise) == Unread::Discard
}

impl<W: Instrument> ExclusiveRun<'_, W> {
    /// Skips the turn of a step, because of one of its conditions.
    pub(crate) fn skip(&mut self, step: Step<'_>, built: &mut BuiltStep) {
        if step.has_readers() {
            self.at = StepPosition::running(step);
            let otherwise = after_false(step, self.conditions);
            built.skip(step, otherwise, self.world);
        }
    }
}

impl BuiltStep {
    /// Skips the turn of the step, at all depths. `otherwise` is for systems without a choice of their own.
    fn skip(&mut self, step: Step<'_>, otherwise: Unread, world: &mut World) {
        match self {
            Self::Shared(system) | Self::Exclusive(system) => {
                if discards(step, otherwise) {
                    // SAFETY: `world` is borrowed mutably, so no other code accesses it.
                    unsafe { system.skip(world) };
                }
            }
            Self::Inner(inner) => {
                let plans = step.plan.inner_of(step.list_index());
                for ((_, plan), runs) in plans.iter().zip(&mut inner.schedules) {
                    runs.built.skip(plan, otherwise, world);
                }
            }
        }
    }
}

impl Built {
    /// Skips the turns of all systems.
    fn skip(&mut self, plan: &SchedulePlan, otherwise: Unread, world: &mut World) {
        if plan.has_readers {
            for step in plan.steps() {
                if step.unread().unwrap_or(otherwise) == Unread::Discard {
                    for &index in step.condition_indices() {
                        let condition = self.conditions[index].system.get_mut();
                        // SAFETY: `world` is borrowed mutably, so no other code accesses it.
                        unsafe { condition.skip(world) };
                    }
                }
                let built = self.systems[step.list_index()].get_mut();
                built.skip(step, otherwise, world);
            }
        }
    }
}

impl BuiltInner {
    /// Skips the turns of the systems in the schedules that did not run, because these sleep.
    pub(crate) fn skip_others(&mut self, step: Step<'_>, ran: &Bits, world: &mut World) {
        let plans = step.plan.inner_of(step.list_index());
        for (index, ((_, plan), runs)) in plans.iter().zip(&mut self.schedules).enumerate() {
            if !ran.contains(index) {
                runs.built.skip(plan, Unread::Discard, world);
            }
        }
    }
}
