//! Builds systems and conditions once a world is available, and evaluates conditions.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem::replace;
use core::ops::Deref;
use core::ptr::NonNull;

use super::failure::{StepPhase, StepPosition};
use super::instrument::Instrument;
use super::runs::{BuiltInner, Runs};
use super::turn_cell::{Answer, SharedBits, TurnCell};
use crate::schedule::declare::{ListedStep, MovedPositions, OfCondition, StepBody, StepList};
use crate::schedule::plan::Step;
use crate::system::{BoxCondition, BoxError, DynSystem, LockError, Remember, Runner, Turn};
use crate::world::{CommandQueue, World};

/// The built body of a step.
///
/// It has no variant with a [`Runner`] inside: a second look at the kind would make runs of short systems slower.
pub(crate) enum BuiltStep {
    Shared(Box<dyn DynSystem<(), Result<(), BoxError>>>),
    Exclusive(Box<dyn DynSystem<(), Result<(), BoxError>>>),
    Inner(Box<BuiltInner>),
}

impl From<Runner> for BuiltStep {
    fn from(runner: Runner) -> Self {
        match runner.is_exclusive {
            false => Self::Shared(runner.system),
            true => Self::Exclusive(runner.system),
        }
    }
}

/// The built systems and conditions of a schedule, in list order.
#[derive(Default)]
pub(crate) struct Built {
    pub(crate) systems: Vec<TurnCell<BuiltStep>>,
    pub(crate) conditions: Vec<BuiltCondition>,
    /// Positions of systems that were replaced and whose replacement is not built yet.
    replaced: Vec<usize>,
    /// Empty between runs; kept for its buffer.
    pub(crate) queue: CommandQueue,
}

impl Built {
    /// Builds everything unbuilt, including inside steps. The error is the name of a system or condition that cannot be
    /// built because an earlier attempt panicked.
    pub(crate) fn build(
        &mut self,
        list: &mut StepList,
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
            if let (StepBody::Inner(inner), BuiltStep::Inner(built)) =
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
            self.conditions
                .push(BuiltCondition::new(build(world), defers));
        }
        Ok(())
    }

    /// Begins a run: commands that were deferred before it come before the commands of its systems, and conditions have no
    /// answers yet.
    #[inline]
    pub(crate) fn begin(&mut self, world: &mut World) {
        if !self.queue.is_empty() {
            self.queue.apply(world);
        }
        world.flush();
        for condition in &mut self.conditions {
            condition.forget();
        }
    }

    /// Takes out the systems and conditions that were removed from the list.
    #[inline]
    pub(crate) fn remove(
        &mut self,
        systems: &MovedPositions,
        conditions: &MovedPositions,
    ) -> (Vec<TurnCell<BuiltStep>>, Vec<BuiltCondition>) {
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

/// Builds a step, without the schedules inside. The error is the name of a system that cannot be built because an earlier
/// attempt panicked.
fn build_step(listed: &mut ListedStep, world: &World) -> Result<BuiltStep, &'static str> {
    let name = listed.meta.name;
    // Taken before the call, so that after a panic the lists still match.
    Ok(match &mut listed.body {
        StepBody::System(build) => build.take().ok_or(name)?(world).into(),
        StepBody::Inner(inner) => BuiltStep::Inner(Box::new(BuiltInner {
            driver: inner.driver.take().ok_or(name)?,
            sleeps: !inner.states.is_empty(),
            schedules: inner.schedules.iter().map(|_| Runs::default()).collect(),
        })),
    })
}

/// Takes the place of a system that was replaced, until the new one is built.
struct Replaced;

impl DynSystem<(), Result<(), BoxError>> for Replaced {
    unsafe fn run(&mut self, _: NonNull<World>, (): ()) -> Result<(), BoxError> {
        unreachable!("systems are built before they run")
    }

    fn remembered(&mut self, _: &mut Remember<'_>) {}
}

/// The mark that a condition had a turn.
const MARKED: u8 = 1 << 7;

/// A built condition, and its turn in the current run.
pub(crate) struct BuiltCondition {
    pub(crate) system: TurnCell<BoxCondition>,
    /// True if it can defer structural changes.
    pub(crate) defers: bool,
    answer: Answer,
    /// The error if the condition could not be asked; taken by the step that reports it.
    error: TurnCell<Option<BoxError>>,
    /// The [`Turn`] of all its steps.
    turn: SharedBits,
}

impl BuiltCondition {
    pub(crate) fn new(system: BoxCondition, defers: bool) -> Self {
        Self {
            system: TurnCell::new(system),
            defers,
            answer: Answer::default(),
            error: TurnCell::default(),
            turn: SharedBits::default(),
        }
    }

    /// Returns true if it was asked in this run and answered false.
    pub(crate) fn is_false(&self) -> bool {
        self.answer.get() == Some(false) && !self.answer.has_failed()
    }

    /// Resets the result.
    pub(crate) fn forget(&mut self) {
        self.answer.forget();
        *self.error.get_mut() = None;
    }

    /// Forgets the turn of a run that was abandoned.
    pub(crate) fn forget_turn(&self) {
        self.turn.take();
    }

    /// Ends the turn: the condition's memory moves on if a system ran, or if unread events are discarded.
    pub(crate) fn settle(&self) {
        let turn = match self.turn.take() {
            // Marked by no step, because a panic came first.
            0 => Turn::WAITED,
            bits => Turn::of_bits(bits & !MARKED),
        };
        self.system.take().settle(turn);
    }
}

/// Asks the conditions of the step that have no result yet; calls `evaluated` after each. Returns true if all are true.
///
/// All of them are asked, so their order makes no difference. A condition whose parameters cannot be locked counts as false;
/// [`error_of`] returns the error.
///
/// # Safety
/// No other code accesses the data of the conditions in a conflicting way: for each condition without a result, the contract
/// of [`DynSystem::run`] holds.
pub(crate) unsafe fn evaluate<W: Deref<Target = World>>(
    step: Step<'_>,
    conditions: &[BuiltCondition],
    mut world: W,
    at: &mut StepPosition,
    instrument: &impl Instrument,
    mut evaluated: impl FnMut(&BuiltCondition, &mut W),
) -> bool {
    let mut all = true;
    for &index in step.condition_indices() {
        at.phase = StepPhase::Evaluating(index);
        let condition = &conditions[index];
        // It has a result if another step asked it, or a job that the caller's job waits for.
        if condition.answer.get().is_none() {
            // SAFETY: the contract of `DynSystem::run`, by the caller's contract.
            let ask = || unsafe { condition.system.take().run(NonNull::from(&*world), ()) };
            match instrument.measure(step, at.phase, ask) {
                Ok(answer) => condition.answer.give(answer),
                Err(error) => {
                    condition.answer.fail();
                    *condition.error.take() = Some(error);
                }
            }
            evaluated(condition, &mut world);
        }
        all &= condition.answer.get() == Some(true);
    }
    all
}

/// Returns the error that kept the step from running: the error of its first condition that could not be asked, unless
/// another condition is false. If several steps share the condition, the first one returns the error.
#[cold]
pub(crate) fn error_of(step: Step<'_>, conditions: &[BuiltCondition]) -> Option<BoxError> {
    let indices = step.condition_indices().iter();
    let mut all = indices.map(|&index| &conditions[index]);
    if all.clone().any(BuiltCondition::is_false) {
        return None;
    }
    let failed = all.find(|condition| condition.answer.has_failed())?;
    let error = failed.error.take().take()?;
    Some(Box::new(OfCondition(error)))
}

/// Runs a step whose conditions are all true, and notes whether it ran. A step that cannot begin because a parameter is
/// missing waits, so its conditions give the same answer later.
pub(crate) fn run_marked(
    step: Step<'_>,
    conditions: &[BuiltCondition],
    run: impl FnOnce() -> Result<(), BoxError>,
) -> Result<(), BoxError> {
    // A step that panics has run.
    let mut end = EndOfTurn {
        step,
        conditions,
        turn: Turn::RAN,
    };
    let result = run();
    if let Err(error) = &result
        && error.is::<LockError>()
    {
        end.turn = Turn::WAITED;
    }
    result
}

/// Notes how the turn of a step ended, when it is dropped.
struct EndOfTurn<'a> {
    step: Step<'a>,
    conditions: &'a [BuiltCondition],
    turn: Turn,
}

impl Drop for EndOfTurn<'_> {
    fn drop(&mut self) {
        mark(self.step, self.conditions, self.turn);
    }
}

/// Notes how the turn of a step ended.
pub(crate) fn mark(step: Step<'_>, conditions: &[BuiltCondition], turn: Turn) {
    for &index in step.condition_indices() {
        conditions[index].turn.add(turn.bits() | MARKED);
    }
}
