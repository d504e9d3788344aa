//! Schedules at a fixed rate.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::resource_exists;
use ecs_core::schedule::{Fixed, FixedTime, FrameTime, fixed, measure_frame};
use ecs_core::snapshot::Snapshotter;
use proptest::prelude::*;

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The time that the steps and the systems after them see.
#[derive(Resource, Default)]
struct Seen {
    steps: Vec<u64>,
    alphas: Vec<f32>,
}

#[system]
fn simulate(mut seen: ResMut<Seen>, time: Res<FixedTime>) {
    assert_eq!((time.overstep(), time.alpha()), (Duration::ZERO, 0.0));
    seen.steps.push(time.steps());
}

#[system]
fn draw(mut seen: ResMut<Seen>, time: Res<FixedTime>) {
    seen.alphas.push(time.alpha());
}

fn simulation() -> Schedule {
    let mut schedule = Schedule::named("simulation");
    schedule.add(simulate);
    schedule
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Seen::default());
    world.insert_resource(FrameTime::default());
    world
}

fn frame_of(fixed: Fixed) -> Schedule {
    let mut frame = Schedule::new();
    frame.add((fixed, draw));
    frame
}

/// Runs a frame that took `delta`; returns its number of steps.
fn run(frame: &mut Schedule, world: &mut World, delta: Duration) -> usize {
    world.resource_mut::<FrameTime>().delta = delta;
    let before = world.resource::<Seen>().steps.len();
    frame.run(world).unwrap();
    world.resource::<Seen>().steps.len() - before
}

#[test]
fn a_frame_makes_as_many_steps_as_fit_the_time_that_passed() {
    let (mut frame, mut world) = (frame_of(fixed(ms(10), simulation())), world());
    let steps = [9, 1, 10, 25, 4, 1, 0, 20].map(|delta| run(&mut frame, &mut world, ms(delta)));
    assert_eq!(steps, [0, 1, 1, 2, 0, 1, 0, 2]);
    let seen = world.resource::<Seen>();
    assert_eq!(seen.steps, [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(seen.alphas, [0.9, 0.0, 0.0, 0.5, 0.9, 0.0, 0.0, 0.0]);
    assert_eq!(world.resource::<FixedTime>().elapsed(), ms(70));
}

#[test]
fn too_long_a_frame_is_caught_up_to_the_bound_and_the_rest_is_lost() {
    let fixed = fixed(ms(10), simulation()).max_steps(3);
    let (mut frame, mut world) = (frame_of(fixed), world());
    assert_eq!(run(&mut frame, &mut world, ms(57)), 3);
    let time = *world.resource::<FixedTime>();
    assert_eq!((time.overstep(), time.lost()), (ms(7), ms(20)));
    assert_eq!(run(&mut frame, &mut world, ms(3)), 1);
    assert_eq!(world.resource::<FixedTime>().lost(), ms(20));
    assert_eq!(run(&mut frame, &mut world, Duration::MAX), 3);
}

#[test]
fn by_default_a_frame_makes_at_most_eight_steps() {
    let (mut frame, mut world) = (frame_of(fixed(ms(10), simulation())), world());
    assert_eq!(run(&mut frame, &mut world, ms(1000)), 8);
    assert_eq!(Fixed::DEFAULT_MAX_STEPS, 8);
}

#[test]
fn a_bound_of_no_steps_loses_all_whole_ones() {
    let fixed = fixed(ms(10), simulation()).max_steps(0);
    let (mut frame, mut world) = (frame_of(fixed), world());
    assert_eq!(run(&mut frame, &mut world, ms(15)), 0);
    assert_eq!(run(&mut frame, &mut world, ms(15)), 0);
    assert_eq!(world.resource::<FixedTime>().lost(), ms(30));
}

#[test]
fn a_step_has_constraints_and_conditions_and_time_does_not_pass_while_it_is_off() {
    let mut frame = Schedule::new();
    frame.add((
        draw,
        fixed(ms(10), simulation())
            .before(draw)
            .run_if(resource_exists::<u8>()),
    ));
    let mut world = world();
    world.insert_resource(0_u8);
    assert_eq!(run(&mut frame, &mut world, ms(10)), 1);
    world.remove_resource::<u8>();
    assert_eq!(run(&mut frame, &mut world, ms(50)), 0);
    world.insert_resource(0_u8);
    assert_eq!(run(&mut frame, &mut world, ms(10)), 1);
}

#[test]
fn rates_are_independent() {
    let mut frame = Schedule::new();
    #[system]
    fn think(mut thoughts: ResMut<u32>, time: Res<FixedTime>) {
        assert_eq!(time.step(), ms(100));
        *thoughts += 1;
    }
    let mut ai = Schedule::new();
    ai.add(think);
    frame.add((fixed(ms(10), simulation()), fixed(ms(100), ai)));
    let mut world = world();
    world.insert_resource(0_u32);
    for _ in 0..50 {
        run(&mut frame, &mut world, ms(7));
    }
    assert_eq!(
        (
            world.resource::<Seen>().steps.len(),
            *world.resource::<u32>()
        ),
        (35, 3)
    );
}

#[test]
fn without_a_frame_time_the_step_says_what_is_missing() {
    let mut world = world();
    world.remove_resource::<FrameTime>();
    let mut frame = Schedule::new();
    frame.add(fixed(ms(10), simulation()));
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(
        error.starts_with("system `simulation` failed: no resource `")
            && error.contains("FrameTime`; help: insert it with `insert_resource`"),
        "{error}"
    );
}

#[test]
fn errors_of_all_steps_are_reported() {
    #[system]
    fn fails(mut seen: ResMut<Seen>) -> Result<(), String> {
        seen.steps.push(0);
        Err(format!("no luck in step {}", seen.steps.len()))
    }
    let mut inner = Schedule::new();
    inner.add(fails);
    let mut frame = frame_of(fixed(ms(10), inner));
    let mut world = world();
    world.insert_resource(FrameTime { delta: ms(25) });
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert_eq!(
        error,
        "in `fixed`: system `schedules::fixed_timestep::fails` failed: no luck in step 1; \
         in `fixed`: system `schedules::fixed_timestep::fails` failed: no luck in step 2"
    );
    assert_eq!(world.resource::<Seen>().alphas, [0.5]);
}

#[test]
fn after_a_panic_the_remaining_steps_run_in_the_next_frame() {
    let mut inner = Schedule::new();
    inner.add((
        simulate,
        from_fn(|time: Res<FixedTime>| assert_ne!(time.steps(), 2, "second step")),
    ));
    let mut frame = frame_of(fixed(ms(10), inner));
    let mut world = world();
    let first = AssertUnwindSafe(|| run(&mut frame, &mut world, ms(45)));
    catch_unwind(first).unwrap_err();
    assert_eq!(world.resource::<Seen>().steps, [1, 2]);
    assert_eq!(run(&mut frame, &mut world, ms(0)), 2);
    assert_eq!(world.resource::<FixedTime>().overstep(), ms(5));
}

#[test]
#[should_panic(expected = "the length of a fixed step must not be zero")]
fn a_step_of_no_time_is_refused() {
    let _ = fixed(Duration::ZERO, Schedule::new());
}

#[test]
fn frames_are_measured_by_the_clock() {
    let mut frame = Schedule::new();
    frame.add((
        measure_frame(),
        fixed(ms(1), simulation()).max_steps(u32::MAX),
    ));
    let mut world = world();
    frame.run(&mut world).unwrap();
    assert_eq!(world.resource::<FrameTime>().delta, Duration::ZERO);
    std::thread::sleep(ms(3));
    frame.run(&mut world).unwrap();
    assert!(world.resource::<FrameTime>().delta >= ms(3));
    assert!(world.resource::<FixedTime>().steps() >= 3);
}

proptest! {
    /// `elapsed + overstep + lost` is the sum of all frames, to the nanosecond.
    #[test]
    fn no_time_is_gained_or_lost(
        step in 1..50_000_000_u64,
        max_steps in 0..6_u32,
        frames in proptest::collection::vec(
            prop_oneof![0..100_000_000_u64, 0..1000_u64, 0..10_000_000_000_u64],
            1..60,
        ),
    ) {
        let step = Duration::from_nanos(step);
        let mut frame = frame_of(fixed(step, simulation()).max_steps(max_steps));
        let mut world = world();
        let mut total = Duration::ZERO;
        for nanos in frames {
            let delta = Duration::from_nanos(nanos);
            total += delta;
            let before = world.get_resource::<FixedTime>().map_or(Duration::ZERO, |t| t.overstep());
            let steps = run(&mut frame, &mut world, delta);
            let time = *world.resource::<FixedTime>();
            prop_assert_eq!(time.elapsed() + time.overstep() + time.lost(), total);
            prop_assert!(time.overstep() < step);
            prop_assert!((0.0..1.0).contains(&time.alpha()));
            let due = (before + delta).as_nanos() / step.as_nanos();
            prop_assert_eq!(steps as u128, due.min(u128::from(max_steps)));
        }
    }

    /// The steps do not depend on how time is divided into frames, as long as no frame is too long.
    #[test]
    fn the_steps_do_not_depend_on_the_frame_rate(
        cuts in proptest::collection::vec(0..1_000_000_000_u64, 100..120),
    ) {
        let step = Duration::from_secs(1) / 60;
        let mut frame = frame_of(fixed(step, simulation()).max_steps(u32::MAX));
        let mut world = world();
        let mut cuts = cuts;
        cuts.sort_unstable();
        cuts.push(1_000_000_000);
        let mut last = 0;
        for cut in cuts {
            run(&mut frame, &mut world, Duration::from_nanos(cut - last));
            last = cut;
        }
        prop_assert_eq!(world.resource::<FixedTime>().steps(), 60);
    }
}

#[test]
fn alpha_stays_below_one_for_the_longest_step() {
    let (mut frame, mut world) = (frame_of(fixed(ms(1_000_000), simulation())), world());
    run(
        &mut frame,
        &mut world,
        ms(1_000_000) - Duration::from_nanos(1),
    );
    let alpha = world.resource::<FixedTime>().alpha();
    assert!(alpha < 1.0 && alpha > 0.999, "{alpha}");
}

#[test]
fn fixed_steps_of_several_lengths_return_exactly_to_a_snapshot() {
    #[derive(Resource, Clone, Default)]
    struct Times(Vec<FixedTime>);
    #[system]
    fn note(mut times: ResMut<Times>, time: Res<FixedTime>) {
        times.0.push(*time);
    }
    let noting = || {
        let mut schedule = Schedule::new();
        schedule.add(note);
        schedule
    };
    let mut frame = Schedule::new();
    frame.add((fixed(ms(10), noting()), note, fixed(ms(16), noting()), note));
    let mut world = world();
    world.insert_resource(Times::default());
    frame.prepare(&mut world).unwrap();
    let snapshotter = Snapshotter::new()
        .resource::<Times>()
        .without_resource::<Seen>();
    let lengths = |from: u64| (from..from + 5).map(|n| ms(n * 7 % 37));
    for from in 0..20 {
        let schedules = &mut [&mut frame];
        let mut snapshot = snapshotter.take_with(&mut world, schedules).unwrap();
        let mut futures = Vec::new();
        for _ in 0..2 {
            for delta in lengths(from) {
                world.resource_mut::<FrameTime>().delta = delta;
                frame.run(&mut world).unwrap();
            }
            futures.push(world.resource::<Times>().0.clone());
            let schedules = &mut [&mut frame];
            snapshotter
                .restore_with(&mut world, schedules, &mut snapshot)
                .unwrap();
        }
        assert_eq!(futures[0], futures[1]);
        for delta in lengths(from).take(1) {
            world.resource_mut::<FrameTime>().delta = delta;
            frame.run(&mut world).unwrap();
        }
    }
    assert!(world.resource::<Times>().0.len() > 80);
}
