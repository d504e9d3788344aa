//! The schedule of fixed steps, where `Time` is the time of the steps.

use std::time::Duration;

use ecs_engine::schedule::{Fixed, FixedTime, Schedule, fixed};
use ecs_engine::system::BoxError;
use ecs_engine::world::World;

use crate::time::Time;

/// Runs a schedule at a fixed rate of [`Time`], inside another schedule. Its systems read the time of the steps from `Time`.
///
/// In each frame it runs as often as whole steps fit into the time that passed, so it runs more often when the time is
/// scaled up, and not while it is paused. The rest is kept for the next frame. In everything else it is a [`fixed`]
/// step: [`FixedTime`] has the progress, and [`alpha`](FixedTime::alpha) the fraction of a step to interpolate drawings
/// by.
///
/// A frame by the clock simulates at most [`Time::max_delta`] of real time, 250 milliseconds unless set, and each frame at most
/// [`max_steps`](Fixed::max_steps), 8 unless set. Whole steps above that are skipped, and counted as
/// [`FixedTime::lost`]: where steps take longer than the time that they simulate, the game slows down instead of
/// freezing. A game that is sped up raises both.
///
/// After any frames `elapsed + overstep + lost` of [`FixedTime`] is exactly `elapsed` of [`Time`].
///
/// A fixed step inside another one divides the steps of the outer one as if they were frames.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::prelude::*;
/// use ecs_core::app::fixed_update;
///
/// #[system]
/// fn integrate(mut distance: ResMut<f32>, time: Res<Time>) {
///     *distance += 3.0 * time.delta_secs();
/// }
///
/// let mut physics = Schedule::named("physics");
/// physics.add(integrate);
/// let mut frame = Schedule::new();
/// frame.add(fixed_update(Duration::from_millis(500), physics));
///
/// let mut world = World::new();
/// world.insert_resource(0.0_f32);
/// world.insert_resource(Time::new());
/// for _ in 0..10 {
///     world.resource_mut::<Time>().advance(Duration::from_millis(240));
///     frame.run(&mut world)?;
/// }
/// // Four steps of half a second in 2.4 seconds.
/// assert_eq!(*world.resource::<f32>(), 6.0);
/// assert_eq!(world.resource::<FixedTime>().overstep(), Duration::from_millis(400));
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # Errors
/// The step fails if there is no [`Time`].
///
/// # Panics
/// If `step` is zero.
#[track_caller]
pub fn fixed_update(step: Duration, schedule: Schedule) -> Fixed {
    fixed(step, schedule).driven_by(enter, notify)
}

fn enter(world: &mut World) -> Result<Duration, BoxError> {
    Ok(world.resources().try_borrow_mut::<Time>()?.enter_steps())
}

/// Shows the time of the next step, or the frame's own after the last one.
fn notify(world: &mut World, fixed: &FixedTime, inside: bool) {
    // A system may have removed it.
    let Some(time) = world.resources_mut().get_mut::<Time>() else {
        return;
    };
    if inside {
        time.enter_step(fixed.step(), fixed.elapsed(), fixed.steps());
    } else {
        time.leave_steps();
    }
}
