//! Steps of `FixedUpdate`, which the network counts.

use std::time::Duration;

use ecs_app::{FixedUpdate, Time};
use ecs_engine::World;
use ecs_engine::schedule::ScheduleError;

use crate::online::Online;

/// The number of steps in a frame. A longer frame loses the rest of its time.
pub(crate) const MAX_STEPS: u32 = 8;

/// The time that has passed and was not simulated yet.
#[derive(Debug, Default)]
pub(crate) struct StepClock(Duration);

impl StepClock {
    /// Lets time pass, and returns the number of steps that are due.
    pub(crate) fn due(&mut self, elapsed: Duration, step: Duration) -> u32 {
        self.0 = self.0.saturating_add(elapsed);
        let mut steps = 0;
        while self.0 >= step && steps < MAX_STEPS {
            self.0 -= step;
            steps += 1;
        }
        if steps == MAX_STEPS {
            self.0 = Duration::ZERO;
        }
        steps
    }
}

/// Runs a step, in which [`Time`] is the time of the step.
pub(crate) fn run_step(world: &mut World, tick: u64, is_replay: bool) -> Result<(), ScheduleError> {
    let step = {
        let mut online = world.resource_mut::<Online>();
        online.tick = tick;
        online.is_replay = is_replay;
        online.step
    };
    let of_frame = world.remove_resource::<Time>();
    let mut of_step = Time::new();
    of_step.set_max_delta(Duration::MAX);
    of_step.advance(step);
    world.insert_resource(of_step);
    if !is_replay {
        world.advance_delayed(step);
    }
    let result = world.run_schedule(FixedUpdate);
    world.insert_resource(of_frame.unwrap_or_default());
    world.resource_mut::<Online>().is_replay = false;
    result
}
