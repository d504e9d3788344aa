//! Schedules: lists of systems that run as if one after the other.
//!
//! A [`Schedule`] is planned when it first runs: constraints and list order give a [`Plan`], an immutable result that
//! anybody can read. An executor then runs the plan. This room knows nothing of what systems are made of; that is the
//! business of [`system`](mod@crate::system).

mod build;
pub mod conditions;
mod config;
mod constant;
mod error;
mod executor;
mod fixed;
mod flush;
mod graph;
mod label;
mod list;
mod members;
mod nested;
mod parts;
mod plan;
mod plugin;
mod reach;
mod resolve;
mod running;
mod sets;
mod states;
mod step;
mod target;
#[cfg(test)]
mod tests;
mod timing;
mod trace;
mod turn;
mod waive;
mod why;

use core::fmt;

pub use config::{Configs, IntoConfigs};
#[doc(hidden)]
pub use constant::{
    Link, SystemList, Written, matrix, order, refuse_cycle, refuse_unknown, refuse_waived, stages,
    table_size,
};
pub use constant::{StaticPlan, StaticSchedule, StaticStep};
pub use error::{Named, PlanError, Relation, ScheduleError, SystemError};
pub use executor::{Executor, LocalTask, Released, Round, Run, Task};
pub use fixed::{Fixed, FixedTime, FrameTime, fixed, measure_frame};
pub use label::SetLabel;
#[doc(hidden)]
pub use nested::Nested;
pub use parts::Place;
pub use plan::Plan;
pub use sets::SetConfig;
pub use states::{NextState, State, StateValue, Transitions};
pub use step::{Reason, Step};
pub use target::{IntoTarget, Target};
pub use timing::Timing;
pub use trace::{Trace, TraceKind, TraceSpan};
pub use why::{InPlan, Why};

use self::build::{BuildList, Condition};
use self::list::List;
use self::plugin::Setups;
use self::timing::Records;
use self::turn::Turn;
use crate::system::Runner;
use crate::world::{CommandQueue, WorldId};

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
    runners: BuildList<Turn<Runner>>,
    conditions: BuildList<Condition>,
    /// `None` if something was added since.
    plan: Option<Plan>,
    records: Records,
    /// Empty between runs; keeps its buffer.
    queue: CommandQueue,
    world: Option<WorldId>,
    #[cfg(feature = "parallel")]
    pace: executor::pace::Pace,
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
            self.plan = Some(self.make_plan()?);
        }
        Ok(self.plan.as_ref().expect("made above"))
    }

    fn make_plan(&self) -> Result<Plan, PlanError> {
        let resolved = self.list.resolve()?;
        let (edges, waived) = (&resolved.edges, &resolved.waived);
        Plan::new(&resolved.systems, edges, waived, &self.list.conditions)
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
