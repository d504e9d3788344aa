//! Conditions of time.

use std::time::Duration;

use ecs_engine::resource::Res;
use ecs_engine::system::{
    ConditionSource, IntoCondition, Remember, Remembered, Turn, TurnLocal, TurnMemory, from_fn,
};

use crate::time::Time;
use crate::timer::Timer;

/// True once per `period` of [`Time`].
///
/// Follows the time where it is evaluated: a fixed step has its own time. The condition is slower where the time is scaled down,
/// and stands still while it is paused. Nothing is rounded away: the runs stay in time with the period however long frames are.
/// If several periods pass in one frame, it is true once in that frame; a [`Timer`] counts them.
///
/// A period that ends while another condition of the system is false is not lost: the system runs as soon as all are true,
/// and the next period ends when it would have. Whatever the order of the conditions, the time stands still while the
/// system sleeps because of a [state](ecs_engine::schedule::conditions::in_state), or while a schedule around it does not
/// run. If it should keep running, keep a [`Timer`] in a resource.
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

/// True when `delay` of [`Time`] has passed, until the system has run once.
///
/// Counts the time like [`on_timer`].
pub fn once_after(delay: Duration) -> ConditionSource {
    let name = format!("once_after({delay:?})");
    finishes(Timer::once(delay)).named(name)
}

/// True when the time finishes the timer.
fn finishes(timer: Timer) -> ConditionSource {
    let ask = move |time: Res<Time>, count: TurnLocal<Count>| count.0.ask(timer, time.delta());
    // The timer at the start.
    from_fn(ask).into_condition().without_captured()
}

/// The time that the turns of a condition have counted.
#[derive(Default)]
struct Count {
    elapsed: Duration,
    /// True if the timer has finished for good.
    is_done: bool,
    /// True if it has finished and no system has run since.
    is_due: bool,
    /// The timer at the end of this turn.
    next: Option<Timer>,
}

impl Count {
    fn ask(&mut self, timer: Timer, delta: Duration) -> bool {
        let next = self.next.insert(timer.after(self.elapsed, self.is_done));
        next.tick(delta).just_finished() || self.is_due
    }
}

impl TurnMemory for Count {
    fn settle(&mut self, turn: Turn) {
        if let (Some(timer), true) = (self.next.take(), turn.is_awake()) {
            (self.elapsed, self.is_done) = timer.progress();
            self.is_due = !turn.ran() && (self.is_due || timer.just_finished());
        }
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.elapsed));
        remember(Remembered::value(&mut self.is_done));
        remember(Remembered::value(&mut self.is_due));
    }
}
