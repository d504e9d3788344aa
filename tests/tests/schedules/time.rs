//! The time of frames and of fixed steps, and the clocks that measure it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use ecs_core::app::{Clock, fixed_update};
use ecs_core::from_fn;
use ecs_core::prelude::*;
use proptest::prelude::*;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The delta, elapsed time and frame that a system sees.
type Seen = (Duration, Duration, u64);

#[derive(Resource, Default)]
struct Log {
    frames: Vec<Seen>,
    steps: Vec<Seen>,
}

fn seen(time: &Time) -> Seen {
    (time.delta(), time.elapsed(), time.frame())
}

#[system]
fn in_frame(mut log: ResMut<Log>, time: Res<Time>) {
    log.frames.push(seen(&time));
}

#[system]
fn in_step(mut log: ResMut<Log>, time: Res<Time>) {
    log.steps.push(seen(&time));
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.insert_resource(Time::new());
    world
}

/// A frame with fixed steps of 10 ms, and a system after them.
fn frame_around(steps: Schedule) -> Schedule {
    let mut frame = Schedule::new();
    frame.add((fixed_update(ms(10), steps), in_frame));
    frame
}

fn logged_steps() -> Schedule {
    let mut steps = Schedule::named("steps");
    steps.add(in_step);
    steps
}

fn run(frame: &mut Schedule, world: &mut World, real: Duration) -> Result<(), String> {
    world.resource_mut::<Time>().advance(real);
    frame.run(world).map_err(|error| error.to_string())
}

#[test]
fn a_system_sees_the_time_of_the_step_inside_fixed_steps_and_of_the_frame_outside() {
    let (mut frame, mut world) = (frame_around(logged_steps()), world());
    for real in [0, 25, 4, 1] {
        run(&mut frame, &mut world, ms(real)).unwrap();
    }
    let log = world.resource::<Log>();
    assert_eq!(
        log.frames,
        [
            (ms(0), ms(0), 1),
            (ms(25), ms(25), 2),
            (ms(4), ms(29), 3),
            (ms(1), ms(30), 4)
        ]
    );
    assert_eq!(
        log.steps,
        [
            (ms(10), ms(10), 1),
            (ms(10), ms(20), 2),
            (ms(10), ms(30), 3)
        ]
    );
}

#[test]
fn a_paused_time_has_frames_without_a_delta_and_without_steps() {
    let (mut frame, mut world) = (frame_around(logged_steps()), world());
    run(&mut frame, &mut world, ms(15)).unwrap();
    world.resource_mut::<Time>().pause();
    // It counts from the next frame on.
    assert_eq!(world.resource::<Time>().delta(), ms(15));
    assert!(world.resource::<Time>().is_paused());
    for _ in 0..5 {
        run(&mut frame, &mut world, ms(15)).unwrap();
    }
    assert_eq!(world.resource::<Log>().steps.len(), 1);
    assert_eq!(world.resource::<Log>().frames[5], (ms(0), ms(15), 6));
    world.resource_mut::<Time>().resume();
    run(&mut frame, &mut world, ms(5)).unwrap();
    assert_eq!(world.resource::<Log>().steps.len(), 2);
    assert_eq!(world.resource::<Log>().frames[6], (ms(5), ms(20), 7));
}

#[test]
fn twice_the_speed_makes_twice_as_many_steps_of_the_same_length() {
    let (mut frame, mut world) = (frame_around(logged_steps()), world());
    world.resource_mut::<Time>().set_scale(2.0);
    run(&mut frame, &mut world, ms(20)).unwrap();
    let log = world.resource::<Log>();
    assert_eq!(log.frames, [(ms(40), ms(40), 1)]);
    assert_eq!(log.steps.len(), 4);
    assert_eq!(log.steps[3], (ms(10), ms(40), 4));
}

#[test]
fn what_a_step_sets_holds_after_it() {
    let mut steps = Schedule::new();
    steps.add(|mut time: ResMut<Time>| {
        time.set_scale(0.5);
        time.pause();
    });
    let (mut frame, mut world) = (frame_around(steps), world());
    run(&mut frame, &mut world, ms(30)).unwrap();
    let time = world.resource::<Time>();
    assert_eq!((time.scale(), time.is_paused()), (0.5, true));
    assert_eq!(seen(&time), (ms(30), ms(30), 1));
}

#[test]
fn after_an_error_in_a_step_the_time_is_that_of_the_frame() {
    let mut steps = logged_steps();
    steps.add(|time: Res<Time>| match time.frame() {
        2 => Err("no luck"),
        _ => Ok(()),
    });
    let (mut frame, mut world) = (frame_around(steps), world());
    let error = run(&mut frame, &mut world, ms(30)).unwrap_err();
    assert!(error.contains("no luck"), "{error}");
    let log = world.resource::<Log>();
    assert_eq!(log.steps.len(), 3);
    assert_eq!(log.frames, [(ms(30), ms(30), 1)]);
}

#[test]
fn after_a_panic_in_a_step_the_next_frame_starts_right() {
    let mut steps = logged_steps();
    steps.add(|time: Res<Time>| assert!(![2, 7].contains(&time.frame()), "unlucky step"));
    let (mut frame, mut world) = (frame_around(steps), world());
    let mut next = |real| run(&mut frame, &mut world, ms(real)).unwrap();
    catch_unwind(AssertUnwindSafe(|| next(45))).unwrap_err();
    next(7);
    catch_unwind(AssertUnwindSafe(|| next(25))).unwrap_err();
    next(4);
    let log = world.resource::<Log>();
    assert_eq!(log.frames, [(ms(7), ms(52), 2), (ms(4), ms(81), 4)]);
    // Steps that a panic prevented run in the next frame.
    let last = log.steps.last().copied();
    assert_eq!(last, Some((ms(10), ms(80), 8)));
    assert_eq!(world.resource::<FixedTime>().overstep(), ms(1));
}

#[test]
fn a_time_that_was_taken_out_in_a_step_goes_on_as_that_of_frames() {
    /// The time that a step has taken out of the world.
    #[derive(Resource)]
    struct Taken(Time);

    let mut steps = logged_steps();
    steps.add(ecs_core::from_fn(|world: &mut World| {
        if world.resource::<Time>().frame() == 4 {
            let time = world.remove_resource::<Time>().unwrap();
            world.insert_resource(Taken(time));
        }
    }));
    let (mut frame, mut world) = (frame_around(steps), world());
    run(&mut frame, &mut world, ms(32)).unwrap();
    run(&mut frame, &mut world, ms(8)).unwrap_err();
    let Taken(time) = world.remove_resource::<Taken>().unwrap();
    assert_eq!(seen(&time), (ms(10), ms(40), 4), "that of the step");
    world.insert_resource(time);
    run(&mut frame, &mut world, ms(5)).unwrap();
    let frames = &world.resource::<Log>().frames;
    assert_eq!(frames[..], [(ms(32), ms(32), 1), (ms(5), ms(45), 3)]);
}

#[test]
fn steps_inside_of_steps_divide_the_outer_ones() {
    let mut outer = Schedule::new();
    outer.add((fixed_update(ms(4), logged_steps()), in_frame));
    let mut frame = Schedule::new();
    frame.add((fixed_update(ms(10), outer), in_frame));
    let mut world = world();
    run(&mut frame, &mut world, ms(25)).unwrap();
    let log = world.resource::<Log>();
    assert_eq!(
        log.steps
            .iter()
            .map(|(_, elapsed, _)| *elapsed)
            .collect::<Vec<_>>(),
        [ms(4), ms(8), ms(12), ms(16), ms(20)]
    );
    // Twice in the outer steps, after the inner ones, and once in the frame.
    assert_eq!(
        log.frames,
        [
            (ms(10), ms(10), 1),
            (ms(10), ms(20), 2),
            (ms(25), ms(25), 1)
        ]
    );
}

#[test]
fn a_time_that_is_replaced_or_removed_in_a_step_is_left_alone() {
    let mut steps = logged_steps();
    steps.add(from_fn(|world: &mut World| {
        if world.resource::<Time>().frame() == 1 {
            world.insert_resource(Time::new());
        }
    }));
    let (mut frame, mut world) = (frame_around(steps), world());
    run(&mut frame, &mut world, ms(30)).unwrap();
    let log = world.resource::<Log>();
    assert_eq!(log.steps[1..], [(ms(0), ms(0), 0); 2]);
    assert_eq!(log.frames, [(ms(0), ms(0), 0)]);
    drop(log);

    let mut steps = Schedule::new();
    steps.add(from_fn(|world: &mut World| {
        world.remove_resource::<Time>();
    }));
    let mut frame = Schedule::new();
    frame.add(fixed_update(ms(10), steps));
    run(&mut frame, &mut world, ms(20)).unwrap();
    assert_eq!(world.resource::<FixedTime>().steps(), 2);
}

#[test]
fn without_a_time_the_steps_say_what_is_missing() {
    let (mut frame, mut world) = (frame_around(logged_steps()), world());
    world.remove_resource::<Time>();
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(
        error.starts_with("system `steps` failed: no resource `")
            && error.contains("Time`; help: insert it with `insert_resource`"),
        "{error}"
    );
}

#[test]
fn time_does_not_pass_for_steps_that_a_condition_turns_off() {
    let mut frame = Schedule::new();
    frame.add(fixed_update(ms(10), logged_steps()).run_if(|on: Res<bool>| *on));
    let mut world = world();
    for (on, steps) in [(true, 2), (false, 2), (true, 4)] {
        world.insert_resource(on);
        run(&mut frame, &mut world, ms(20)).unwrap();
        assert_eq!(world.resource::<Log>().steps.len(), steps);
    }
}

#[test]
fn a_frame_of_a_suspended_program_is_cut_but_real_time_tells_the_truth() {
    let (mut time, mut real) = (Time::new(), RealTime::new());
    for delta in [ms(0), ms(16), ms(3_600_000), ms(16)] {
        time.advance(delta);
        real.advance(delta);
    }
    assert_eq!((time.elapsed(), time.frame()), (ms(16 + 250 + 16), 4));
    assert_eq!((real.elapsed(), real.frame()), (ms(3_600_032), 4));
    time.set_max_delta(Duration::MAX);
    time.advance(ms(3_600_000));
    assert_eq!(time.delta(), ms(3_600_000));
}

#[test]
fn the_longest_frame_is_measured_before_it_is_scaled() {
    let mut time = Time::new();
    time.set_scale(10.0);
    time.advance(ms(1000));
    assert_eq!(time.delta(), ms(2500));
}

#[test]
fn a_thousandth_of_the_speed_loses_no_nanosecond() {
    let mut time = Time::new();
    time.set_scale(1.0 / 1024.0);
    for _ in 0..1_000_000 {
        time.advance(Duration::from_nanos(1023));
    }
    assert_eq!(
        time.elapsed(),
        Duration::from_nanos(1023 * 1_000_000 / 1024)
    );
}

#[test]
fn the_end_of_time_is_reached_and_not_passed() {
    let (mut time, mut real) = (Time::new(), RealTime::new());
    time.set_max_delta(Duration::MAX);
    time.set_scale(f64::MAX);
    for _ in 0..3 {
        time.advance(Duration::MAX);
        real.advance(Duration::MAX);
    }
    assert_eq!((time.elapsed(), time.delta()), (Duration::MAX, ms(0)));
    assert_eq!((real.elapsed(), real.delta()), (Duration::MAX, ms(0)));
}

#[test]
fn a_scale_that_is_no_speed_is_refused() {
    for scale in [-0.5, f64::INFINITY, f64::NAN] {
        let refused = catch_unwind(|| Time::new().set_scale(scale)).unwrap_err();
        let message = refused.downcast_ref::<String>().unwrap();
        assert!(
            message.contains(&format!("not {scale}; help: use 1 for normal speed")),
            "{message}"
        );
    }
}

#[test]
#[should_panic(expected = "the longest frame must not be zero; help: use `pause` to stop the time")]
fn a_longest_frame_of_no_time_is_refused() {
    Time::new().set_max_delta(Duration::ZERO);
}

#[test]
#[should_panic(expected = "the length of a fixed step must not be zero")]
fn a_fixed_update_of_no_time_is_refused() {
    let _ = fixed_update(Duration::ZERO, Schedule::new());
}

#[test]
fn seconds_are_those_of_the_durations() {
    let (mut time, mut real) = (Time::new(), RealTime::new());
    for _ in 0..2 {
        time.advance(ms(125));
        real.advance(ms(125));
    }
    assert_eq!((time.delta_secs(), time.elapsed_secs()), (0.125, 0.25));
    assert_eq!(
        (time.delta_secs_f64(), time.elapsed_secs_f64()),
        (0.125, 0.25)
    );
    assert_eq!((real.delta_secs(), real.elapsed_secs()), (0.125, 0.25));
    assert_eq!(
        (real.delta_secs_f64(), real.elapsed_secs_f64()),
        (0.125, 0.25)
    );
}

#[test]
fn the_clock_of_the_system_starts_at_zero_and_goes_on() {
    let start = Instant::now();
    let mut clock = Clock::default();
    assert_eq!(clock.frame(), Duration::ZERO);
    let sum: Duration = (0..100_000).map(|_| clock.frame()).sum();
    assert!(sum > Duration::ZERO && sum <= start.elapsed());
}

#[test]
fn a_manual_clock_is_advanced_by_each_clone_of_its_handle_and_only_after_its_first_reading() {
    let (mut clock, hand) = Clock::manual();
    hand.advance(ms(5));
    assert_eq!(clock.frame(), ms(0));
    let other = hand.clone();
    std::thread::spawn(move || other.advance(ms(2)))
        .join()
        .unwrap();
    hand.advance(ms(1));
    assert_eq!(clock.frame(), ms(3));
    hand.advance(Duration::MAX);
    hand.advance(Duration::MAX);
    assert_eq!(clock.frame(), Duration::MAX - ms(8));
}

#[test]
fn a_fixed_clock_has_equal_frames_after_the_first() {
    let mut clock = Clock::fixed(ms(20));
    let frames = [(); 4].map(|()| clock.frame());
    assert_eq!(frames, [ms(0), ms(20), ms(20), ms(20)]);
}

/// The action before a frame, and the frame's length.
#[derive(Clone, Copy, Debug)]
enum Event {
    Frame(u64),
    Scale(f64),
    Pause(bool),
    MaxDelta(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => prop_oneof![0..100_000_000_u64, 0..100_u64, 0..10_000_000_000_u64].prop_map(Event::Frame),
        1 => prop_oneof![0.0..2.0, 0.0..1e-6, 0.0..1000.0, Just(0.0), Just(1.0)].prop_map(Event::Scale),
        1 => any::<bool>().prop_map(Event::Pause),
        1 => (1..1_000_000_000_u64).prop_map(Event::MaxDelta),
    ]
}

/// `nanos * scale` in units of 2^-64 nanoseconds, from the digits of the number; fractions of a unit are cut off.
fn exactly(nanos: u64, scale: f64) -> u128 {
    if scale == 0.0 {
        return 0;
    }
    let bits = scale.to_bits();
    let digits = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let exponent = (bits >> 52) as i32 - 1023 - 52 + 64;
    let units = match exponent {
        0.. => digits << exponent,
        -63..0 => digits >> -exponent,
        _ => 0,
    };
    u128::from(nanos) * units
}

proptest! {
    #[test]
    fn the_sum_of_the_deltas_is_what_elapsed(
        step in 1_000_000..50_000_000_u64,
        max_steps in 0..20_u32,
        events in proptest::collection::vec(event(), 1..100),
    ) {
        let mut frame = Schedule::new();
        let step = Duration::from_nanos(step);
        frame.add((fixed_update(step, logged_steps()).max_steps(max_steps), in_frame));
        let mut world = world();
        let (mut real, mut real_sum) = (RealTime::new(), Duration::ZERO);
        let (mut sum, mut units, mut frames) = (Duration::ZERO, 0_u128, 0);
        for event in events {
            match event {
                Event::Scale(scale) => world.resource_mut::<Time>().set_scale(scale),
                Event::Pause(true) => world.resource_mut::<Time>().pause(),
                Event::Pause(false) => world.resource_mut::<Time>().resume(),
                Event::MaxDelta(nanos) => {
                    world.resource_mut::<Time>().set_max_delta(Duration::from_nanos(nanos));
                }
                Event::Frame(nanos) => {
                    let delta = Duration::from_nanos(nanos);
                    real.advance(delta);
                    real_sum += delta;
                    frames += 1;
                    prop_assert_eq!((real.delta(), real.elapsed(), real.frame()), (delta, real_sum, frames));

                    let steps_before = world.resource::<Log>().steps.len();
                    run(&mut frame, &mut world, delta).unwrap();
                    let time = world.resource::<Time>();
                    if !time.is_paused() {
                        let cut = nanos.min(time.max_delta().as_nanos() as u64);
                        units += exactly(cut, time.scale());
                    }
                    sum += time.delta();
                    prop_assert_eq!(time.elapsed(), sum);
                    prop_assert_eq!(time.elapsed().as_nanos(), units >> 64);
                    prop_assert_eq!(time.frame(), frames);
                    prop_assert_eq!(world.resource::<Log>().frames.last().copied(), Some(seen(&time)));
                    let fixed = *world.resource::<FixedTime>();
                    prop_assert_eq!(fixed.elapsed() + fixed.overstep() + fixed.lost(), sum);
                    let steps = world.resource::<Log>().steps.len() - steps_before;
                    prop_assert!(steps <= max_steps as usize);
                }
            }
        }
        let log = world.resource::<Log>();
        for (i, seen) in log.steps.iter().enumerate() {
            let number = i as u32 + 1;
            prop_assert_eq!(*seen, (step, step * number, u64::from(number)));
        }
    }
}
