//! Timers and stopwatches, and the conditions made of them.

use std::panic::catch_unwind;
use std::time::Duration;

use ecs_core::app::fixed_update;
use ecs_core::app::{on_timer, once_after};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::in_state;
use ecs_core::schedule::{NextState, Transitions};
use proptest::prelude::*;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

const fn ns(ns: u64) -> Duration {
    Duration::from_nanos(ns)
}

#[test]
fn a_timer_finishes_once_and_stays_finished() {
    let mut timer = Timer::once(ms(10));
    assert!(!timer.is_finished());
    let seen = [4, 5, 1, 3].map(|delta| {
        timer.tick(ms(delta));
        (
            timer.just_finished(),
            timer.is_finished(),
            timer.remaining(),
        )
    });
    assert_eq!(
        seen,
        [
            (false, false, ms(6)),
            (false, false, ms(1)),
            (true, true, ms(0)),
            (false, true, ms(0)),
        ]
    );
    assert_eq!((timer.elapsed(), timer.fraction()), (ms(10), 1.0));
    timer.reset();
    assert_eq!(timer, Timer::once(ms(10)));
    timer.tick(ms(10));
    timer.reset();
    assert!(!timer.just_finished());
}

#[test]
fn a_repeating_timer_counts_the_periods_of_each_tick() {
    let mut timer = Timer::repeating(ms(10));
    let times = [9, 1, 35, 4, 1, 0].map(|delta| timer.tick(ms(delta)).times_finished());
    assert_eq!(times, [0, 1, 3, 0, 1, 0]);
    assert!(!timer.is_finished() && timer.is_repeating());
    timer.tick(ms(5));
    assert_eq!((timer.fraction(), timer.remaining()), (0.5, ms(5)));
}

#[test]
fn a_paused_timer_ignores_ticks_and_keeps_its_time() {
    for mut timer in [Timer::once(ms(10)), Timer::repeating(ms(10))] {
        timer.tick(ms(6));
        timer.pause();
        assert!(!timer.tick(ms(100)).just_finished() && timer.is_paused());
        assert_eq!(timer.elapsed(), ms(6));
        timer.resume();
        assert!(timer.tick(ms(4)).just_finished());
        timer.pause();
        assert!(!timer.tick(ms(0)).just_finished());
        timer.reset();
        assert!(timer.is_paused());
    }
}

#[test]
fn a_timer_of_no_time_finishes_at_the_first_tick() {
    let mut timer = Timer::once(Duration::ZERO);
    assert!(!timer.is_finished());
    assert_eq!((timer.fraction(), timer.remaining()), (1.0, ms(0)));
    assert!(timer.tick(Duration::ZERO).just_finished());
    assert!(!timer.tick(Duration::ZERO).just_finished());
}

#[test]
fn a_period_of_no_time_is_refused() {
    let tried = [
        catch_unwind(|| Timer::repeating(Duration::ZERO)).err(),
        catch_unwind(|| Timer::repeating(ms(1)).set_duration(Duration::ZERO)).err(),
        catch_unwind(|| drop(on_timer(Duration::ZERO))).err(),
    ];
    for refused in tried {
        let refused = refused.unwrap();
        let message = refused.downcast_ref::<&str>().unwrap();
        assert!(
            message.contains("must not be zero") && message.contains("help: use at least"),
            "{message}"
        );
    }
}

#[test]
fn another_duration_keeps_the_elapsed_time() {
    let mut timer = Timer::repeating(ms(100));
    timer.tick(ms(35));
    timer.set_duration(ms(10));
    assert_eq!((timer.fraction(), timer.remaining()), (1.0, ms(0)));
    assert_eq!(timer.tick(ms(1)).times_finished(), 3);
    assert_eq!(timer.elapsed(), ms(6));

    let mut timer = Timer::once(ms(10));
    timer.tick(ms(20));
    timer.set_duration(ms(4));
    assert!(timer.is_finished());
    assert_eq!(timer.elapsed(), ms(4));
    timer.set_duration(ms(9));
    assert!(!timer.is_finished());
    assert!(!timer.tick(ms(4)).is_finished());
    assert!(timer.tick(ms(1)).just_finished());
}

#[test]
fn a_million_ticks_do_not_drift() {
    // A sixtieth of a second is not a whole number of nanoseconds.
    let frame = Duration::from_secs(1) / 60;
    let (mut timer, mut watch, mut times) = (Timer::repeating(ms(7)), Stopwatch::new(), 0);
    for _ in 0..1_000_000 {
        times += timer.tick(frame).times_finished();
        watch.tick(frame);
    }
    let total = frame * 1_000_000;
    assert_eq!(watch.elapsed(), total);
    assert_eq!(u128::from(times), total.as_nanos() / 7_000_000);
    assert_eq!(timer.elapsed().as_nanos(), total.as_nanos() % 7_000_000);
}

#[test]
fn the_longest_ticks_are_counted_exactly() {
    let mut timer = Timer::repeating(Duration::MAX);
    timer.tick(Duration::MAX - ns(1));
    assert_eq!(timer.tick(Duration::MAX).times_finished(), 1);
    assert_eq!(timer.elapsed(), Duration::MAX - ns(1));
    let mut timer = Timer::repeating(ns(1));
    assert_eq!(timer.tick(Duration::MAX).times_finished(), u64::MAX);
}

#[test]
fn a_stopwatch_counts_while_it_is_not_paused() {
    let mut watch = Stopwatch::new();
    assert_eq!(watch.tick(ms(250)).elapsed_secs(), 0.25);
    watch.pause();
    assert!(watch.tick(ms(250)).is_paused());
    watch.resume();
    assert_eq!(watch.tick(ms(1)).elapsed(), ms(251));
    watch.pause();
    watch.reset();
    assert_eq!((watch.elapsed(), watch.is_paused()), (ms(0), true));
    watch.resume();
    assert_eq!(watch, Stopwatch::default());
    watch.tick(Duration::MAX);
    assert_eq!(watch.tick(Duration::MAX).elapsed(), Duration::MAX);
}

#[system]
fn count(mut runs: ResMut<u32>) {
    *runs += 1;
}

/// Runs frames of these milliseconds; returns the numbers of the frames that ran the counting system.
fn frames_with_a_run(frame: &mut Schedule, world: &mut World, frames: &[u64]) -> Vec<usize> {
    let mut with = Vec::new();
    for (i, delta) in frames.iter().enumerate() {
        world.insert_resource(0_u32);
        world.resource_mut::<Time>().advance(ms(*delta));
        frame.run(world).unwrap();
        if *world.resource::<u32>() > 0 {
            with.push(i);
        }
    }
    with
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Time::new());
    world.insert_resource(0_u32);
    world
}

#[test]
fn a_timer_condition_is_true_once_per_period_and_once_in_a_frame() {
    let (mut frame, mut world) = (Schedule::new(), world());
    frame.add(count.run_if(on_timer(ms(10))));
    let frames = [0, 9, 1, 35, 4, 1, 0, 10, 10];
    let with = frames_with_a_run(&mut frame, &mut world, &frames);
    assert_eq!(with, [2, 3, 5, 7, 8]);
}

#[test]
fn once_after_is_true_in_one_frame() {
    let (mut frame, mut world) = (Schedule::new(), world());
    frame.add(count.run_if(once_after(ms(10))));
    let with = frames_with_a_run(&mut frame, &mut world, &[0, 9, 2, 10, 100]);
    assert_eq!(with, [2]);

    let mut frame = Schedule::new();
    frame.add(count.run_if(once_after(ms(0))));
    let with = frames_with_a_run(&mut frame, &mut world, &[0, 0]);
    assert_eq!(with, [0]);
}

#[test]
fn timer_conditions_follow_the_scale_and_the_pause_of_the_time() {
    let (mut frame, mut world) = (Schedule::new(), world());
    frame.add(count.run_if(on_timer(ms(10))));
    world.resource_mut::<Time>().set_scale(0.5);
    let with = frames_with_a_run(&mut frame, &mut world, &[10, 10, 10, 10]);
    assert_eq!(with, [1, 3]);
    world.resource_mut::<Time>().pause();
    let with = frames_with_a_run(&mut frame, &mut world, &[100, 100]);
    assert_eq!(with, [0; 0]);
}

#[test]
fn in_fixed_steps_timer_conditions_follow_the_steps() {
    let mut steps = Schedule::new();
    steps.add(count.run_if(on_timer(ms(20))));
    let (mut frame, mut world) = (Schedule::new(), world());
    frame.add(fixed_update(ms(10), steps));
    world.resource_mut::<Time>().advance(ms(80));
    frame.run(&mut world).unwrap();
    assert_eq!(*world.resource::<u32>(), 4);
}

#[test]
fn a_period_that_ends_while_another_condition_is_false_is_made_up_for_in_any_order() {
    let frames_of = |mut frame: Schedule| {
        let mut world = world();
        let mut with = Vec::new();
        for (i, on) in [true, false, false, true, true, true]
            .into_iter()
            .enumerate()
        {
            world.insert_resource(on);
            if !frames_with_a_run(&mut frame, &mut world, &[5]).is_empty() {
                with.push(i);
            }
        }
        with
    };
    let on = |on: Res<bool>| *on;
    for (period, expected) in [(10, vec![3, 5]), (15, vec![3, 5]), (30, vec![5])] {
        let mut after = Schedule::new();
        after.add(count.run_if(on).run_if(on_timer(ms(period))));
        assert_eq!(frames_of(after), expected);
        let mut first = Schedule::new();
        first.add(count.run_if(on_timer(ms(period))).run_if(on));
        assert_eq!(frames_of(first), expected);
        let mut both = Schedule::new();
        both.add(count.run_if(on_timer(ms(period)).and(on)));
        assert_eq!(frames_of(both), expected);
    }
    let mut once = Schedule::new();
    once.add(count.run_if(once_after(ms(10))).run_if(on));
    assert_eq!(frames_of(once), [3]);
}

#[test]
fn the_time_of_a_timer_condition_stands_still_while_its_system_sleeps() {
    for state_first in [false, true] {
        let mut frame = Schedule::new();
        if state_first {
            frame.add(count.run_if(in_state(true)).run_if(on_timer(ms(10))));
        } else {
            frame.add(count.run_if(on_timer(ms(10))).run_if(in_state(true)));
        }
        let mut world = world();
        let mut states = Transitions::new();
        states.add_state(false);
        let mut screens = Schedule::new();
        screens.add(states);
        let mut with = Vec::new();
        for i in 0..8 {
            if i == 3 {
                world.resource_mut::<NextState<bool>>().set(true);
            }
            screens.run(&mut world).unwrap();
            if !frames_with_a_run(&mut frame, &mut world, &[5]).is_empty() {
                with.push(i);
            }
        }
        assert_eq!(with, [4, 6]);
    }
}

#[test]
fn the_plan_knows_that_a_timer_condition_reads_the_time() {
    let mut frame = Schedule::new();
    frame.add((
        |mut time: ResMut<Time>| time.pause(),
        count.run_if(on_timer(ms(10))),
    ));
    let plan = frame.plan().unwrap();
    let names: Vec<_> = plan
        .steps()
        .flat_map(|step| {
            step.conditions()
                .map(|c| c.name.to_string())
                .collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(names, ["on_timer(10ms)"]);
    let last = plan.steps().nth(1).unwrap();
    assert_eq!(last.waits_for().count(), 1);
}

/// An action of a program on a timer.
#[derive(Clone, Copy, Debug)]
enum Op {
    Tick(u64),
    Pause(bool),
    Reset,
    Duration(u64),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        8 => prop_oneof![0..20_u64, 0..5_000_000_000_u64].prop_map(Op::Tick),
        1 => any::<bool>().prop_map(Op::Pause),
        1 => Just(Op::Reset),
        1 => prop_oneof![1..20_u64, 1..3_000_000_000_u64].prop_map(Op::Duration),
    ]
}

proptest! {
    /// The model of a repeating timer is a number: the time since the last finish.
    #[test]
    fn a_repeating_timer_is_a_division_with_remainder(
        first in 1..3_000_000_000_u64,
        ops in proptest::collection::vec(op(), 1..80),
    ) {
        let mut timer = Timer::repeating(ns(first));
        let (mut period, mut elapsed, mut paused) = (u128::from(first), 0_u128, false);
        for op in ops {
            match op {
                Op::Tick(delta) => {
                    let total = elapsed + if paused { 0 } else { u128::from(delta) };
                    let times = if paused { 0 } else { total / period };
                    elapsed = total - times * period;
                    timer.tick(ns(delta));
                    prop_assert_eq!(u128::from(timer.times_finished()), times);
                    prop_assert_eq!(timer.just_finished(), times > 0);
                    prop_assert_eq!(timer.is_finished(), times > 0);
                }
                Op::Pause(pause) => {
                    if pause { timer.pause() } else { timer.resume() }
                    paused = pause;
                }
                Op::Reset => {
                    timer.reset();
                    elapsed = 0;
                }
                Op::Duration(duration) => {
                    timer.set_duration(ns(duration));
                    period = u128::from(duration);
                }
            }
            prop_assert_eq!(timer.elapsed().as_nanos(), elapsed);
            prop_assert_eq!(timer.remaining().as_nanos(), period.saturating_sub(elapsed));
            prop_assert_eq!(timer.is_paused(), paused);
            prop_assert!((0.0..=1.0).contains(&timer.fraction()));
        }
    }

    /// The model of a timer that finishes once is the remaining time.
    #[test]
    fn a_timer_that_finishes_once_counts_down_to_zero(
        first in 1..3_000_000_000_u64,
        ops in proptest::collection::vec(op(), 1..80),
    ) {
        let mut timer = Timer::once(ns(first));
        let (mut duration, mut left, mut done, mut paused) = (i128::from(first), i128::from(first), false, false);
        for op in ops {
            match op {
                Op::Tick(delta) => {
                    let was_done = done;
                    if !paused && !done {
                        left -= i128::from(delta);
                        done = left <= 0;
                        if done {
                            left = 0;
                        }
                    }
                    prop_assert_eq!(timer.tick(ns(delta)).just_finished(), done && !was_done);
                }
                Op::Pause(pause) => {
                    if pause { timer.pause() } else { timer.resume() }
                    paused = pause;
                }
                Op::Reset => {
                    timer.reset();
                    (left, done) = (duration, false);
                }
                Op::Duration(new) => {
                    timer.set_duration(ns(new));
                    let elapsed = duration - left;
                    duration = i128::from(new);
                    left = if done { (duration - elapsed).max(0) } else { duration - elapsed };
                    done = done && left == 0;
                }
            }
            prop_assert_eq!(timer.is_finished(), done);
            prop_assert_eq!(timer.remaining().as_nanos() as i128, left.max(0));
        }
    }
}
