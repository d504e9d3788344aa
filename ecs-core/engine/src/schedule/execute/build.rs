//! Building of systems and conditions, once a world is available, and evaluation of conditions.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::replace;
use core::ops::Deref;

use super::failure::{Phase, Position};
use super::instrument::Instrument;
use super::runs::{BuiltInner, Runs};
use super::skip::after_false;
use super::turn_cell::{Answer, TurnCell};
use crate::schedule::declare::{Body, List, Listed, Moved, OfCondition, Unread};
use crate::schedule::plan::Step;
use crate::system::{BoxCondition, BoxError, DynExclusive, DynSystem, Remember, Runner};
use crate::world::{CommandQueue, World};

/// What a step runs, built.
///
/// Not with a [`Runner`] inside: runs of short systems would be slower by the second look at the kind.
pub(crate) enum BuiltStep {
    Shared(Box<dyn DynSystem<(), Result<(), BoxError>>>),
    Exclusive(Box<dyn DynExclusive<(), Result<(), BoxError>>>),
    Inner(Box<BuiltInner>),
}

impl From<Runner> for BuiltStep {
    fn from(runner: Runner) -> Self {
        match runner {
            Runner::Shared(system) => Self::Shared(system),
            Runner::Exclusive(system) => Self::Exclusive(system),
        }
    }
}

/// The built systems and conditions of a schedule, in list order.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) systems: Vec<TurnCell<BuiltStep>>,
    pub(crate) conditions: Vec<Condition>,
    /// Positions of systems that were replaced and are not built yet.
    replaced: Vec<usize>,
    /// Empty between runs; kept for its buffer.
    pub(crate) queue: CommandQueue,
}

impl Built {
    /// Builds what is unbuilt, also inside steps. The error is the name of a system or condition that cannot be built because an earlier
    /// attempt panicked.
    pub(crate) fn build(
        &mut self,
        list: &mut List,
        world: &World,
    ) -> Result<(), Cow<'static, str>> {
        while let Some(&position) = self.replaced.last() {
            let step = build_step(&mut list.systems[position], world)?;
            self.systems[position] = TurnCell::new(step);
            self.replaced.pop();
        }
        while let Some(listed) = list.systems.get_mut(self.systems.len()) {
            let step = build_step(listed, world)?;
            self.systems.push(TurnCell::new(step));
        }
        for (listed, step) in list.systems.iter_mut().zip(&mut self.systems) {
            if let (Body::Inner(inner), BuiltStep::Inner(built)) =
                (&mut listed.body, step.get_mut())
            {
                for (schedule, runs) in inner.schedules.iter_mut().zip(&mut built.schedules) {
                    runs.built.build(&mut schedule.list, world)?;
                }
            }
        }
        while let Some(listed) = list.conditions.get_mut(self.conditions.len()) {
            let build = listed
                .build
                .take()
                .ok_or_else(|| listed.meta.name.clone())?;
            let defers = listed.meta.parts.iter().any(|part| part.defers());
            self.conditions.push(Condition::new(build(world), defers));
        }
        Ok(())
    }

    /// Takes out what was removed from the list.
    #[inline]
    pub(crate) fn remove(
        &mut self,
        systems: &Moved,
        conditions: &Moved,
    ) -> (Vec<TurnCell<BuiltStep>>, Vec<Condition>) {
        let replaced = self.replaced.iter();
        self.replaced = replaced.filter_map(|&old| systems.get(old)).collect();
        (
            systems.take_from(&mut self.systems),
            conditions.take_from(&mut self.conditions),
        )
    }

    /// Returns the first schedule inside a step, if it was built.
    #[inline]
    pub(crate) fn inside(&mut self, position: usize) -> Option<&mut Self> {
        match self.systems.get_mut(position)?.get_mut() {
            BuiltStep::Inner(inner) => Some(&mut inner.schedules.first_mut()?.built),
            _ => None,
        }
    }

    /// Takes out a system that was replaced in the list, if it was built.
    #[inline]
    pub(crate) fn replace(&mut self, position: usize) -> Option<BuiltStep> {
        let step = self.systems.get_mut(position)?.get_mut();
        if !self.replaced.contains(&position) {
            self.replaced.push(position);
        }
        Some(replace(step, BuiltStep::Exclusive(Box::new(Replaced))))
    }
}

/// Builds a step, without what is inside. The error is the name of one that cannot be built because an earlier attempt
/// panicked.
fn build_step(listed: &mut Listed, world: &World) -> Result<BuiltStep, &'static str> {
    let name = listed.meta.name;
    // Taken before the call, so that after a panic the lists still match.
    Ok(match &mut listed.body {
        Body::System(build) => build.take().ok_or(name)?(world).into(),
        Body::Inner(inner) => BuiltStep::Inner(Box::new(BuiltInner {
            driver: inner.driver.take().ok_or(name)?,
            sleeps: !inner.states.is_empty(),
            schedules: inner.schedules.iter().map(|_| Runs::default()).collect(),
        })),
    })
}

/// Stands for a system that was replaced, until the new one is built.
struct Replaced;

impl DynExclusive<(), Result<(), BoxError>> for Replaced {
    fn run(&mut self, _: &mut World, (): ()) -> Result<(), BoxError> {
        unreachable!("systems are built before they run")
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}

/// A built condition and its result in the current run.
pub(crate) struct Condition {
    pub(crate) system: TurnCell<BoxCondition>,
    /// True if it can defer structural changes.
    pub(crate) defers: bool,
    answer: Answer,
}

impl Condition {
    pub(crate) fn new(system: BoxCondition, defers: bool) -> Self {
        Self {
            system: TurnCell::new(system),
            defers,
            answer: Answer::default(),
        }
    }

    /// Returns true if it was evaluated in this run, and is false.
    pub(crate) fn is_false(&self) -> bool {
        self.answer.get() == Some(false)
    }

    /// Resets the result.
    pub(crate) fn forget(&mut self) {
        self.answer.forget();
    }
}

/// Evaluates the step's conditions that have no result yet, up to the first `false`; calls `evaluated` after each.
///
/// # Errors
/// If a parameter of a condition cannot be locked. The condition then counts as false for other steps.
///
/// # Safety
/// No other code uses what the conditions access in a conflicting way: the contract of
/// [`DynSystem::run`] for those of them that have no result.
pub(crate) unsafe fn evaluate<W: Deref<Target = World>>(
    step: Step<'_>,
    conditions: &[Condition],
    mut world: W,
    at: &mut Position,
    instrument: &impl Instrument,
    mut evaluated: impl FnMut(&Condition, &mut W),
) -> Result<bool, BoxError> {
    for (place, &index) in step.condition_indices().iter().enumerate() {
        at.phase = Phase::Evaluating(index);
        let condition = &conditions[index];
        // It has a result if it was evaluated by a step, or by a job that the caller's job waits for.
        let answer = match condition.answer.get() {
            Some(answer) => answer,
            None => {
                // SAFETY: the contract of `DynSystem::run`, by the caller's contract.
                let run = || unsafe { condition.system.take().run(&world, ()) };
                let answer = instrument.measure(step, at.phase, run);
                condition.answer.give(matches!(answer, Ok(true)));
                evaluated(condition, &mut world);
                answer.map_err(OfCondition)?
            }
        };
        if !answer {
            if !step.data.sleepers.is_empty() {
                // SAFETY: by the caller's contract.
                unsafe { skip_after_false(step, place, conditions, &world) };
            }
            return Ok(false);
        }
    }
    Ok(true)
}

/// Skips the conditions that sleep because the one at `place` in the order of evaluation is false.
///
/// # Safety
/// As for [`evaluate`].
#[cold]
unsafe fn skip_after_false(step: Step<'_>, place: usize, conditions: &[Condition], world: &World) {
    let otherwise = after_false(step, conditions);
    if step.unread().unwrap_or(otherwise) == Unread::Keep {
        return;
    }
    for &at in step.data.sleepers.iter().filter(|at| **at > place) {
        let condition = &conditions[step.condition_indices()[at]];
        // SAFETY: by the caller's contract: the condition has no result, as one before it is false for all its steps, and
        // this is the first of them, so its metadata counts for the caller's job (`Evaluators`).
        unsafe { condition.system.take().skip(world) };
    }
}
