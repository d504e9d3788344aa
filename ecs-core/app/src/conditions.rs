//! Conditions of time.

use std::time::Duration;

use ecs_engine::resource::Res;
use ecs_engine::system::{ConditionSource, IntoCondition, from_fn};

use crate::time::Time;
use crate::timer::Timer;

/// True once per `period` of [`Time`].
///
/// Follows the time where it is evaluated: in a fixed step that of the steps, slower where the time is scaled down, and
/// never true while it is paused. Nothing is rounded away: the evaluations at which it is true stay in time with the
/// period however long frames are. If several periods pass in one frame it is true once in that frame; a
/// [`Timer`] says how many there were.
///
/// The condition counts the time of the frames in which it is evaluated. While an earlier condition of the system is
/// false, or a schedule around it does not run, its time stands still. Where the period is to go on meanwhile, put it
/// first: `run_if(on_timer(period)).run_if(in_state(Screen::Game))`.
///
/// ```
/// use core::time::Duration;
/// use ecs_core::app::on_timer;
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn spawn_wave(mut waves: ResMut<u32>) {
///     *waves += 1;
/// }
///
/// let mut frame = Schedule::new();
/// frame.add(spawn_wave.run_if(on_timer(Duration::from_secs(1))));
/// let mut world = World::new();
/// world.insert_resource(0_u32);
/// world.insert_resource(Time::new());
/// for _ in 0..35 {
///     world.resource_mut::<Time>().advance(Duration::from_millis(100));
///     frame.run(&mut world)?;
/// }
/// assert_eq!(*world.resource::<u32>(), 3);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
///
/// # Panics
/// If `period` is zero.
#[track_caller]
pub fn on_timer(period: Duration) -> ConditionSource {
    let name = format!("on_timer({period:?})");
    finishes(Timer::repeating(period)).named(name)
}

/// True at one evaluation: the first one when `delay` of [`Time`] has passed.
///
/// Counts the time of the frames in which it is evaluated, as [`on_timer`] does.
pub fn once_after(delay: Duration) -> ConditionSource {
    let name = format!("once_after({delay:?})");
    finishes(Timer::once(delay)).named(name)
}

/// True where the time finishes the timer.
fn finishes(mut timer: Timer) -> ConditionSource {
    let tick = move |time: Res<Time>| timer.tick(time.delta()).just_finished();
    from_fn(tick).into_condition()
}
