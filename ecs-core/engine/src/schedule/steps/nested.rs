//! A schedule as one step of another one, and other steps that need the world alone.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::schedule::Schedule;
use crate::schedule::declare::exclusive;
use crate::schedule::execute::{ScheduleError, SystemError};
use crate::system::{BoxError, IntoSystem, SystemSource};

/// Marker of the implementation of [`IntoSystem`] for schedules.
#[doc(hidden)]
pub struct Nested;

/// A schedule is an exclusive system: it can be [added](Schedule::add) to another one, with conditions, constraints and
/// sets. It is planned and built by its first run, and always uses [`run`](Schedule::run), independent of how the outer
/// one runs; the errors of its systems are the error of the step.
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
#[diagnostic::do_not_recommend]
impl IntoSystem<Nested> for Schedule {
    fn into_source(mut self) -> SystemSource {
        let name = self.name.unwrap_or("schedule");
        exclusive::<Self>(name, move |world| Ok(self.run(world)?))
    }
}

/// The errors of systems in several runs, as the error of one step.
#[derive(Default)]
pub(crate) struct Errors(Vec<SystemError>);

impl Errors {
    /// Collects the errors of systems; any other error means that nothing ran, and is returned.
    pub(crate) fn collect(
        &mut self,
        result: Result<(), ScheduleError>,
    ) -> Result<(), ScheduleError> {
        match result {
            Err(ScheduleError::Systems(mut errors)) => self.0.append(&mut errors),
            other => other?,
        }
        Ok(())
    }

    pub(crate) fn into_result(self) -> Result<(), BoxError> {
        if self.0.is_empty() {
            Ok(())
        } else {
            Err(Box::new(ScheduleError::Systems(self.0)))
        }
    }
}
