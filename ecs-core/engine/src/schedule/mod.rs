//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order determine a [`SchedulePlan`], which is
//! immutable and public. An executor then runs the plan.
//!
//! The modules form layers; each layer uses only lower ones:
//! * `steps`: schedules, fixed rates and states as steps, and conditions; `constant`: `schedule!`,
//! * this module, `add`, `change` and `run`: [`Schedule`], which connects the others,
//! * `execute`: runs of a plan,
//! * `plan`: the order of steps, and the reasons for it,
//! * `declare`: systems, sets and constraints that users list.

// The documentation of `Schedule` has its methods in the order of these modules.
mod add;

mod run;

#[cfg(feature = "std")]
mod access_lock;
mod access_text;
mod change;
mod constant;
mod declare;
mod execute;
mod parts;
mod plan;
#[cfg(feature = "snapshot")]
mod remembered;
mod steps;
mod stepwise;
mod stored;
#[cfg(test)]
mod tests;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

#[cfg(feature = "std")]
pub use access_lock::assert_access_lock;
#[doc(hidden)]
pub use access_text::joined;
pub use change::ReplaceError;
#[doc(hidden)]
pub use constant::{
    ConstLink, DistinctSets, ListedFunction, SystemList, WrittenCondition, matrix, order,
    refuse_cycle, refuse_undetermined, refuse_undetermined_condition, refuse_unknown,
    refuse_waived, stages, table_size,
};
pub use constant::{StaticPlan, StaticSchedule, StaticStep};
pub use declare::{
    Configs, ErrorPolicy, FrameTime, IntoConfigs, IntoTarget, OnError, OrderKind, SetConfig,
    SetLabel, StateError, Subject, SystemError, Unread,
};
#[doc(hidden)]
pub use declare::{ConstraintTarget, Label};
pub use execute::{Executor, LocalTask, Released, Round, Run, ScheduleError, Task};
#[cfg(feature = "std")]
pub use execute::{Timing, Trace, TraceKind, TraceSpan};
pub use plan::{
    ContractError, EffectOf, InPlan, PlanError, Reason, SchedulePlan, Step, ThreadPlacement, Why,
};
#[doc(hidden)]
pub use steps::Nested;
pub use steps::conditions;
#[doc(hidden)]
pub use steps::is_state;
#[cfg(feature = "std")]
pub use steps::measure_frame;
pub use steps::{
    DespawnOnExit, Fixed, FixedTime, FixedTimes, NextState, State, StateValue, Transitions, fixed,
};
#[cfg(feature = "snapshot")]
pub(crate) use steps::{LastLoad, PendingTransition};
#[doc(hidden)]
pub use steps::{Load, StateMemory};

use self::declare::{Setups, StepList};
use self::execute::{Records, Runs};
use self::plan::InnerPlans;
use self::stepwise::Halted;
use crate::world::WorldId;

/// A list of systems that run together, in an order that is planned once.
///
/// # Order
/// The systems run as if one after the other in the order they were added. `after`, `before` and `chain` (see
/// [`IntoConfigs`]) change that order as little as possible: the next system is always the first in the list that waits for
/// no other one.
///
/// Systems can be grouped into sets ([`in_set`](IntoConfigs::in_set)), and [`configure`](Self::configure) places a set as a
/// whole.
///
/// The same system can be added several times, each time with its own parameter state. Then `after` and `before` cannot name
/// it.
///
/// # Parallelism
/// [`run`](Self::run) uses several threads if that is faster. Systems run at the same time only if the result is the same:
/// the world, the ids of entities and errors are as if the systems had run one after the other, on any number of threads.
/// This does not cover state outside the world (statics, files, the terminal): a system without any parameter that touches
/// the world conflicts with no other system. The [`SchedulePlan`] shows the systems that each system waits for, and why.
///
/// # Commands
/// The commands that a system queues through `Commands` are applied directly after it, before the next system sees the
/// world, even if the system returns an error. If many systems have `Commands`, [`flush_later`](IntoConfigs::flush_later)
/// lets the systems between them run at the same time.
///
/// # Errors and panics
/// If a system returns an error, the others still run; [`run`](Self::run) reports all errors at the end. A panic ends
/// the run. The schedule and the world can be used afterwards.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Position(f32);
/// #[derive(Component)]
/// struct Velocity(f32);
///
/// #[system]
/// fn movement(mut pos: CompMut<Position>, vel: Comp<Velocity>) {
///     (&mut pos, &vel).for_each(|(p, v)| p.0 += v.0);
/// }
///
/// #[system]
/// fn gravity(mut vel: CompMut<Velocity>) {
///     vel.iter_mut().for_each(|v| v.0 -= 1.0);
/// }
///
/// #[system]
/// fn awake(paused: Res<bool>) -> bool {
///     !*paused
/// }
///
/// let mut world = World::new();
/// let stone = world.spawn((Position(10.0), Velocity(0.0)));
/// world.insert_resource(false);
///
/// let mut frame = Schedule::new();
/// frame.add((movement.after(gravity), gravity).run_if(awake));
/// frame.run(&mut world)?;
/// frame.run(&mut world)?;
/// assert_eq!(world.get::<Position>(stone).unwrap().0, 10.0 - 1.0 - 2.0);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Default)]
#[doc(alias = "Workload")]
#[doc(alias = "Dispatcher")]
pub struct Schedule {
    name: Option<&'static str>,
    list: StepList,
    setups: Setups,
    runs: Runs,
    /// `None` if the schedule changed since it was planned.
    plan: Option<SchedulePlan>,
    /// The plans of unchanged inner schedules, kept while the schedule itself has no plan.
    inner_plans: Vec<InnerPlans>,
    records: Records,
    world: Option<WorldId>,
    halted: Option<Box<Halted>>,
    /// True if nothing changed since the last run, and no run is halted.
    is_prepared: bool,
    /// True if a plan that is not deterministic is refused.
    is_deterministic: bool,
    /// True if its runs do not count for delays.
    is_uncounted: bool,
}

impl Schedule {
    /// Returns the number of systems.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.systems.len()
    }

    /// Returns true if there are no systems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.systems.is_empty()
    }

    /// Returns the plan, and plans again if the schedule has changed. Inner schedules are only planned again if they have
    /// changed.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// #[system]
    /// fn think() {}
    /// #[system]
    /// fn walk() {}
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((think.after(walk), walk));
    /// let plan = frame.plan().unwrap();
    /// assert!(plan.steps().next().unwrap().name().ends_with("walk"));
    /// ```
    ///
    /// # Errors
    /// If constraints contradict each other, or name a system that is missing or was added more than once, or if parameters
    /// of a system conflict.
    pub fn plan(&mut self) -> Result<&SchedulePlan, PlanError> {
        if self.plan.is_none() {
            let plan = SchedulePlan::of(&self.list, &mut self.inner_plans)?;
            if self.is_deterministic {
                plan.check_determinism()?;
            }
            self.plan = Some(plan);
        }
        Ok(self.plan.as_ref().expect("planned above"))
    }

    /// Makes the next run plan and build the changed parts. Called before a change.
    ///
    /// # Panics
    /// In the middle of a run.
    fn outdate(&mut self) {
        self.assert_not_halted();
        if let Some(plan) = self.plan.take() {
            self.inner_plans = plan.into_inner();
        }
        self.is_prepared = false;
    }
}

impl fmt::Debug for Schedule {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.list.systems.iter().map(|system| system.meta.name);
        f.write_str("Schedule ")?;
        f.debug_list().entries(names).finish()
    }
}
