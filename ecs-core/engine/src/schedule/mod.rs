//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order give a [`Plan`], which is immutable and public.
//! An executor then runs the plan.
//!
//! Modules in layers, each of which uses lower layers only:
//! * `steps`: schedules, fixed rates and states as steps, and conditions; `constant`: `schedule!`,
//! * this one, `add` and `run`: [`Schedule`], which brings the others together,
//! * `execute`: runs of a plan,
//! * `plan`: the order of steps, and the reasons for it,
//! * `declare`: systems, sets and constraints as users list them.

mod add;
mod constant;
mod declare;
mod execute;
mod plan;
mod run;
mod steps;
#[cfg(test)]
mod tests;

use core::fmt;

#[doc(hidden)]
pub use constant::{
    Link, SystemList, Written, matrix, order, refuse_cycle, refuse_unknown, refuse_waived, stages,
    table_size,
};
pub use constant::{StaticPlan, StaticSchedule, StaticStep};
pub use declare::{
    Configs, ConstraintTarget, IntoConfigs, IntoTarget, OrderKind, SetConfig, SetLabel, Subject,
};
pub use execute::{
    Executor, LocalTask, Released, Round, Run, ScheduleError, SystemError, Task, Timing, Trace,
    TraceKind, TraceSpan,
};
pub use plan::{InPlan, Place, Plan, PlanError, Reason, Step, Why};
#[doc(hidden)]
pub use steps::Nested;
pub use steps::conditions;
pub use steps::{
    Fixed, FixedTime, FrameTime, NextState, State, StateValue, Transitions, fixed, measure_frame,
};

use self::declare::{List, Setups};
#[cfg(feature = "parallel")]
use self::execute::ThreadingHeuristic;
use self::execute::{Built, Records};
use crate::world::WorldId;

/// A list of systems that are run together, in an order that is planned once.
///
/// # Order
/// The systems run as if one after the other in the order in which they were added. `after`, `before` and `chain`
/// (see [`IntoConfigs`]) change that order as little as possible: the next system is always the first in the list that
/// waits for no other one.
///
/// Systems can be grouped into sets ([`in_set`](IntoConfigs::in_set)), which are placed as a whole by
/// [`configure`](Self::configure).
///
/// The same system can be added several times, and each time has parameter states of its own. It cannot be the target
/// of `after` or `before` then.
///
/// # At the same time
/// [`run`](Self::run) uses several threads where it pays. Systems run at the same time only where nobody can tell: the
/// world, ids of entities and errors are the same as if they had run one after the other, on any number of threads. That
/// does not include what the world knows nothing of (statics, files, the terminal); systems without any parameter that
/// touches the world are in nobody's way. The [`Plan`] tells which system waits for which, and why.
///
/// # Commands
/// What a system does through `Commands` is done directly after it, before the next system sees the world. So it is
/// for a system that returns an error, too. Where many systems have `Commands`, [`flush_later`](IntoConfigs::flush_later)
/// lets the systems between run at the same time.
///
/// # Errors and panics
/// A system that returns an error does not keep the others from running; [`run`](Self::run) reports all errors at the
/// end. A panic ends the run. The schedule and the world can be used afterwards.
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
pub struct Schedule {
    name: Option<&'static str>,
    list: List,
    setups: Setups,
    built: Built,
    /// `None` if something was added since.
    plan: Option<Plan>,
    records: Records,
    world: Option<WorldId>,
    #[cfg(feature = "parallel")]
    pace: ThreadingHeuristic,
}

impl Schedule {
    /// No systems yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// No systems yet; `name` is what messages call the schedule when it is a step of another one.
    #[must_use]
    pub fn named(name: &'static str) -> Self {
        Self {
            name: Some(name),
            ..Self::default()
        }
    }

    /// The number of systems.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.systems.len()
    }

    /// Whether there are no systems.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.systems.is_empty()
    }

    /// The plan, made anew if something was added.
    ///
    /// # Errors
    /// If constraints contradict each other, or name a system that is missing or there more than once, or if parameters
    /// of a system conflict.
    pub fn plan(&mut self) -> Result<&Plan, PlanError> {
        if self.plan.is_none() {
            self.plan = Some(Plan::of(&self.list)?);
        }
        Ok(self.plan.as_ref().expect("made above"))
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
