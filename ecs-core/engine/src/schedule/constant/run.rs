//! Running a list that was planned while compiling.
//!
//! Order and functions are known to the compiler, so a step is a call of the system and nothing around it that depends
//! on the other ones. The rules are those of the sequential executor of plans.

use core::any::{Any, type_name};
use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::list::SystemList;
use crate::schedule::error::{PlanError, SystemError};
#[cfg(feature = "tracing")]
use crate::schedule::executor::watch::system_span;
use crate::system::{
    BoxCondition, Call, IntoCondition, RunnableFn, Slot, System, SystemOutput, with_arguments,
};
use crate::world::{CommandQueue, World};

/// What the systems of a list remember from run to run, in list order.
pub(super) struct States {
    /// `None` for exclusive systems.
    systems: Vec<Option<Slot>>,
    conditions: Vec<Condition>,
    /// Empty between runs; keeps its buffer.
    queue: CommandQueue,
}

/// A condition and what it said in the current run.
struct Condition {
    name: Cow<'static, str>,
    system: BoxCondition,
    /// Forgotten at the beginning of each run.
    answer: Option<bool>,
}

/// Makes the states of all systems and conditions of a list.
#[doc(hidden)]
pub struct Builder<'w> {
    world: &'w World,
    states: States,
    error: Option<PlanError>,
}

impl<'w> Builder<'w> {
    pub(super) fn new(world: &'w World) -> Self {
        Self {
            world,
            states: States {
                systems: Vec::new(),
                conditions: Vec::new(),
                queue: CommandQueue::new(),
            },
            error: None,
        }
    }

    /// Adds the next system of the list.
    pub fn system<F, M>(&mut self, _: &F)
    where
        F: RunnableFn<M>,
        F::Out: SystemOutput + 'static,
        F::System: Call<F::Out>,
    {
        let meta = <F::System as System>::META;
        if self.error.is_some() {
            return;
        }
        if let Some(message) = meta.refusal() {
            let system = with_arguments(&meta, type_name::<F::System>()).name;
            self.error = Some(PlanError::ConflictingParameters { system, message });
        } else {
            self.states.systems.push(Slot::build::<F, M>(self.world));
        }
    }

    /// Adds the next condition of the list.
    pub fn condition<M>(&mut self, condition: impl IntoCondition<M>) {
        if self.error.is_some() {
            return;
        }
        let source = condition.into_condition();
        for part in &source.meta.parts {
            if let Some(message) = part.refusal() {
                let system = part.name;
                self.error = Some(PlanError::ConflictingParameters { system, message });
                return;
            }
        }
        self.states.conditions.push(Condition {
            name: source.meta.name,
            system: (source.build)(self.world),
            answer: None,
        });
    }

    pub(super) fn finish(self) -> Result<States, PlanError> {
        match self.error {
            None => Ok(self.states),
            Some(error) => Err(error),
        }
    }
}

/// What is being done; says whom to blame for a panic. Numbers are places in the list.
#[derive(Clone, Copy)]
enum Doing {
    Nothing,
    /// Asking the condition at the first place for the system at the second.
    Asking(usize, usize),
    Running(usize),
    Applying(usize),
}

/// A run of a list.
#[doc(hidden)]
pub struct Running<'a> {
    states: &'a mut States,
    world: &'a mut World,
    doing: Doing,
    errors: Vec<SystemError>,
}

/// Runs all systems in order; the errors are those of systems, or a panic, which ended the run.
pub(super) fn run<S: SystemList>(
    states: &mut States,
    world: &mut World,
) -> Result<Vec<SystemError>, Box<dyn Any + Send>> {
    let mut running = Running {
        states,
        world,
        doing: Doing::Nothing,
        errors: Vec::new(),
    };
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        for condition in &mut running.states.conditions {
            condition.answer = None;
        }
        // What was deferred before this run is older than anything that the systems do.
        running.settle();
        S::run(&mut running);
    }));
    match outcome {
        Ok(()) => Ok(running.errors),
        Err(panic) => {
            let doing = running.doing;
            running.discard();
            let system = |listed: usize| S::SYSTEMS[listed].name();
            let culprit = match doing {
                Doing::Nothing => return Err(panic),
                Doing::Asking(index, listed) => {
                    let condition = &states.conditions[index].name;
                    format!("condition `{condition}` of system `{}`", system(listed))
                }
                Doing::Running(listed) => format!("system `{}`", system(listed)),
                Doing::Applying(listed) => format!("a command of system `{}`", system(listed)),
            };
            Err(named(panic, &culprit))
        }
    }
}

impl Running<'_> {
    /// Runs the system at place `listed`, if all the conditions say yes.
    #[inline]
    pub fn step<F, M>(&mut self, listed: usize, conditions: &[usize], _: &F)
    where
        F: RunnableFn<M>,
        F::Out: SystemOutput + 'static,
        F::System: Call<F::Out>,
    {
        if !conditions.iter().all(|&index| self.ask(index, listed)) {
            return;
        }
        self.doing = Doing::Running(listed);
        let States { systems, queue, .. } = &mut *self.states;
        let result = {
            #[cfg(feature = "tracing")]
            let _span = system_span(<F::System as System>::META.name);
            Slot::run::<F, M>(&mut systems[listed], self.world, queue)
        };
        if const { <F::System as System>::META.defers() } {
            self.doing = Doing::Applying(listed);
            self.settle();
        }
        if let Err(error) = result {
            let meta = const { &<F::System as System>::META };
            let system = with_arguments(meta, type_name::<F::System>()).name;
            self.errors.push(SystemError { system, error });
        }
    }

    /// The condition's answer for this run; asks at the first call.
    fn ask(&mut self, index: usize, listed: usize) -> bool {
        let condition = &mut self.states.conditions[index];
        if let Some(answer) = condition.answer {
            return answer;
        }
        self.doing = Doing::Asking(index, listed);
        // SAFETY: nobody else has the world.
        let answer = unsafe { condition.system.run(self.world, ()) };
        condition.system.flush(&mut self.states.queue);
        condition.answer = Some(answer);
        self.settle();
        answer
    }

    /// Does what was put off by a system.
    #[inline]
    fn settle(&mut self) {
        let queue = &mut self.states.queue;
        if !queue.is_empty() {
            queue.apply(self.world);
        }
        self.world.flush();
    }

    /// Drops what was queued by the system or condition that panicked, directly or through the world.
    fn discard(&mut self) {
        let States {
            conditions, queue, ..
        } = &mut *self.states;
        if let Doing::Asking(index, _) = self.doing {
            conditions[index].system.flush(queue);
        }
        for queue in [queue, &mut self.world.take_due()] {
            // A second panic, of a command's destructor, would only hide the first one.
            drop(catch_unwind(AssertUnwindSafe(|| queue.clear())));
        }
    }
}

/// Adds to a panic's message who panicked; a panic without a message stays as it is.
fn named(panic: Box<dyn Any + Send>, culprit: &str) -> Box<dyn Any + Send> {
    let message = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => *message,
        (_, Some(message)) => message.as_str(),
        (None, None) => return panic,
    };
    Box::new(format!("{culprit} panicked: {message}"))
}
