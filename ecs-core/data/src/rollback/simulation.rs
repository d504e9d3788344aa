//! The programs that a rollback drives.

use ecs_engine::World;
use ecs_engine::schedule::{Schedule, ScheduleError};

use super::RollbackError;

/// A program whose frames a [`Rollback`](super::Rollback) runs and repeats. An app has two, documented at `App::frames_of` and
/// `App::fixed_steps`; a world with a schedule needs none, because [`Rollback::advance`](super::Rollback::advance) takes both.
pub trait Simulation {
    /// Returns the world.
    fn world_mut(&mut self) -> &mut World;

    /// Prepares the schedules, before the world is copied for the first time.
    ///
    /// # Errors
    /// If a schedule cannot run.
    fn prepare(&mut self) -> Result<(), RollbackError>;

    /// Calls a function with the world, and with all schedules whose systems have a memory that returns with it: always the
    /// same ones, in the same order.
    fn with_schedules(&mut self, f: &mut dyn FnMut(&mut World, &mut [&mut Schedule]));

    /// Runs a frame.
    ///
    /// # Errors
    /// If systems return errors, or the schedule cannot run.
    fn run(&mut self) -> Result<(), ScheduleError>;
}

/// A world and a schedule.
pub(super) struct WorldAndSchedule<'a> {
    pub(super) world: &'a mut World,
    pub(super) schedule: &'a mut Schedule,
}

impl Simulation for WorldAndSchedule<'_> {
    fn world_mut(&mut self) -> &mut World {
        self.world
    }

    fn prepare(&mut self) -> Result<(), RollbackError> {
        let prepared = self.schedule.prepare(self.world);
        prepared.map_err(RollbackError::Schedule)
    }

    fn with_schedules(&mut self, f: &mut dyn FnMut(&mut World, &mut [&mut Schedule])) {
        f(self.world, &mut [self.schedule]);
    }

    fn run(&mut self) -> Result<(), ScheduleError> {
        self.schedule.run(self.world)
    }
}

/// A simulation whose new entities get the ids of the simulation.
pub(super) struct InSimulation<'a> {
    pub(super) simulation: &'a mut dyn Simulation,
    was_local: bool,
}

impl<'a> InSimulation<'a> {
    pub(super) fn new(simulation: &'a mut dyn Simulation) -> Self {
        let world = simulation.world_mut();
        world.flush();
        let was_local = world.set_local_ids(false);
        Self {
            simulation,
            was_local,
        }
    }
}

impl Drop for InSimulation<'_> {
    fn drop(&mut self) {
        let world = self.simulation.world_mut();
        world.set_local_ids(self.was_local);
    }
}
