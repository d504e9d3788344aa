//! A schedule as one step of another one.

use alloc::string::String;
use alloc::vec;
use core::mem::take;

use crate::schedule::Schedule;
use crate::schedule::declare::{Configs, Driver, Inner, InnerSchedule, IntoConfigs, ListedStep};
use crate::system::BoxError;
use crate::world::World;

/// Marker of the implementation of [`IntoConfigs`] for schedules, and for other steps with schedules inside.
#[doc(hidden)]
pub struct Nested;

/// A schedule is an exclusive system: it can be [added](Schedule::add) to another one, with conditions, constraints and
/// sets.
///
/// It is part of the plan of the outer schedule. All schedules, at all depths, are planned, set up and built before the
/// first step runs, so errors of the plan are reported immediately, and readers of events and removals see everything from
/// the first run on. It runs like the outer one, on one thread or by the same executor. Under [`run`](Schedule::run), each
/// schedule chooses for itself. Errors of its systems are errors of the outer run, with the
/// [path](super::super::SystemError::path) to them. Its systems have their own timings and traces.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::every;
///
/// #[system]
/// fn think(mut log: ResMut<String>) { log.push('t') }
/// #[system]
/// fn act(mut log: ResMut<String>) { log.push('a') }
/// #[system]
/// fn draw(mut log: ResMut<String>) { log.push('d') }
///
/// let mut turn = Schedule::named("turn");
/// turn.add((think, act));
/// let mut frame = Schedule::new();
/// frame.add((turn.run_if(every(2)), draw));
///
/// let mut world = World::new();
/// world.insert_resource(String::new());
/// for _ in 0..4 {
///     frame.run(&mut world)?;
/// }
/// assert_eq!(*world.resource::<String>(), "dtaddtad");
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # Errors
/// Schedules can be nested [`Schedule::MAX_DEPTH`] levels deep. More levels are an error of the plan, and the steps beyond
/// are dropped.
///
/// # Panics
/// If the schedule has run: its systems keep state, which cannot move into the outer schedule.
#[diagnostic::do_not_recommend]
impl IntoConfigs<Nested> for Schedule {
    fn into_configs(self) -> Configs {
        let name = self.name.unwrap_or("schedule");
        let once = NestedDriver { is_due: false };
        let inner = Inner::new(vec![self.into_inner(String::new())], once);
        Configs::of(ListedStep::with_inner::<Self>(name, inner))
    }
}

/// Runs the only schedule of a step.
struct NestedDriver {
    is_due: bool,
}

impl Driver for NestedDriver {
    fn start(&mut self, _: &mut World) -> Result<(), BoxError> {
        self.is_due = true;
        Ok(())
    }

    fn next(&mut self, _: &mut World) -> Option<usize> {
        take(&mut self.is_due).then_some(0)
    }
}

impl Schedule {
    /// Makes it a schedule inside a step. `name` tells the schedules of one step apart.
    pub(super) fn into_inner(self, name: String) -> InnerSchedule {
        let (setups, list) = self.into_unbuilt();
        InnerSchedule { name, list, setups }
    }
}
