//! Frames and their length, events, threads, runners.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::app::{Clock, Exit, RealTime, fixed_update};
use ecs_core::event::Events;
use ecs_core::from_fn;
use ecs_core::prelude::*;

use crate::{app, log, note};

const STEP: Duration = App::DEFAULT_FIXED_STEP;

#[test]
fn events_reach_a_fixed_step_exactly_once_however_many_steps_a_frame_has() {
    let mut app = app();
    app.add_event::<u32>();
    app.insert_resource(Vec::<u32>::new());
    app.add_systems(
        PreUpdate,
        |mut sent: EventWriter<u32>, mut n: Local<u32>| {
            *n += 1;
            sent.send(*n);
        },
    );
    app.add_systems(
        FixedUpdate,
        |mut read: EventReader<u32>, mut seen: ResMut<Vec<u32>>| {
            seen.extend(read.read());
        },
    );
    for steps in [0, 3, 0, 0, 1, 2, 0, 5] {
        app.update_by(STEP * steps);
    }
    assert_eq!(
        *app.world().resource::<Vec<u32>>(),
        [1, 2, 3, 4, 5, 6, 7, 8]
    );
}

#[test]
fn the_time_after_a_fixed_step_that_panics_is_that_around_it() {
    let mut steps = Schedule::new();
    steps.add(|time: Res<Time>| assert_ne!(time.delta(), STEP / 2, "half a step"));
    let mut inside = Schedule::new();
    inside.add(fixed_update(STEP / 2, steps));
    let mut app = app();
    app.world_mut().insert_schedule("inside", inside);
    let catches = || {
        from_fn(|world: &mut World| {
            catch_unwind(AssertUnwindSafe(|| world.run_schedule("inside"))).unwrap_err();
        })
    };
    app.insert_resource(Vec::<Duration>::new());
    let note = |time: Res<Time>, mut seen: ResMut<Vec<Duration>>| seen.push(time.delta());
    app.add_systems(FixedUpdate, (catches(), note));
    app.add_systems(Update, (note, catches(), note));
    app.update_by(STEP * 2);
    assert_eq!(
        *app.world().resource::<Vec<Duration>>(),
        [STEP, STEP, STEP * 2, STEP * 2]
    );
}

#[test]
fn a_frame_of_a_given_length_counts_as_a_whole_and_one_by_the_clock_up_to_a_limit() {
    let second = Duration::from_secs(1);
    for has_door in [false, true] {
        let (mut app, (clock, hand)) = (app(), Clock::manual());
        app.set_clock(clock);
        if has_door {
            app.between_frames(|_| {});
        }
        let mut frame = |long: Option<Duration>| {
            _ = match long {
                Some(delta) => app.update_by(delta),
                None => app.update(),
            };
            let world = app.world();
            [
                world.resource::<Time>().delta(),
                world.resource::<RealTime>().delta(),
            ]
        };
        assert_eq!(frame(None), [Duration::ZERO; 2], "the first reading");
        assert_eq!(frame(Some(second)), [second; 2]);
        hand.advance(second);
        assert_eq!(frame(None), [Time::DEFAULT_MAX_DELTA, second]);
        hand.advance(second);
        assert_eq!(frame(Some(second * 9)), [second * 9; 2]);
    }
    let mut app = app();
    app.update_times(3, second);
    app.step_by(second);
    assert_eq!(app.world().resource::<Time>().elapsed(), second * 4);
}

#[test]
fn the_length_of_the_fixed_step_can_be_set() {
    let mut app = app();
    app.fixed_step(Duration::from_millis(100));
    app.add_systems(FixedUpdate, note!("fixed"));
    app.update_by(Duration::from_millis(250));
    assert_eq!(log(&mut app), "fixed fixed");
    app.update_by(Duration::from_millis(50));
    assert_eq!(log(&mut app), "fixed");
}

#[test]
fn an_app_with_a_rate_runs_no_faster() {
    let mut app = app();
    app.rate(500.0);
    app.add_systems(Update, |time: Res<RealTime>, mut exit: ResMut<Exit>| {
        if time.frame() == 21 {
            exit.success();
        }
    });
    let start = std::time::Instant::now();
    assert!(app.run().is_success());
    // The last one starts 20 frames of 2 ms after the first one.
    assert!(start.elapsed() >= Duration::from_millis(40));
}

#[test]
fn rates_that_no_app_can_run_at_are_refused() {
    for hz in [f64::NAN, f64::INFINITY, 0.0, -1.0, 5e-324, 1e-12] {
        let refused = std::panic::catch_unwind(|| _ = App::new().rate(hz)).unwrap_err();
        let message = refused.downcast::<String>().unwrap();
        assert!(
            message.contains("Hz; help: use a positive number"),
            "{message}"
        );
    }
    App::new().rate(1e-6).rate(f64::MAX);
}

#[test]
fn what_only_startup_reads_is_not_kept_after_it() {
    let mut app = app();
    app.add_event::<u32>();
    app.add_systems(
        Startup,
        |mut read: EventReader<u32>, mut log: ResMut<crate::Log>| {
            if read.read().eq(&[7]) {
                log.0.push("startup");
            }
        },
    );
    app.add_systems(Update, |mut sent: EventWriter<u32>| sent.send(8));
    app.add_systems(PostUpdate, |mut read: EventReader<u32>| {
        _ = read.read().count();
    });
    app.world_mut().send_event(7_u32);
    for _ in 0..9 {
        app.update();
        let kept = app.world().resource::<Events<u32>>().len();
        // The events of this frame and the frame before.
        assert!(kept <= 2, "{kept}");
    }
    // Newly added systems do not start it again.
    app.add_systems(Update, note!("update"));
    app.update();
    assert_eq!(log(&mut app), "startup update");
    assert_eq!(app.build().unwrap().startup().steps().count(), 1);
}

#[test]
fn what_only_startup_reads_is_not_kept_after_a_panic_of_it() {
    let mut app = app();
    app.add_event::<u32>();
    app.add_systems(Startup, |_: EventReader<u32>| {});
    app.add_systems(Startup, |log: Res<crate::Log>| {
        assert!(!log.0.is_empty());
    });
    app.add_systems(Update, |mut sent: EventWriter<u32>| sent.send(8));
    app.add_systems(PostUpdate, |mut read: EventReader<u32>| {
        _ = read.read().count();
    });
    catch_unwind(AssertUnwindSafe(|| app.update())).unwrap_err();
    for _ in 0..9 {
        assert_eq!(app.update(), None);
    }
    let kept = app.world().resource::<Events<u32>>().len();
    assert!(kept <= 2, "{kept}");
}

#[test]
fn a_runner_gets_the_app() {
    let mut app = app();
    app.add_systems(Update, note!("update"));
    app.set_runner(|mut app| {
        app.update();
        assert_eq!(log(&mut app), "update");
        AppExit::error(9)
    });
    assert_eq!(app.run(), AppExit::error(9));
}

#[derive(Component)]
struct Value(u64);

#[system(for_each)]
fn grow(value: &mut Value) {
    value.0 = value.0.wrapping_mul(3) + 1;
}

#[system]
fn sum(values: Comp<Value>, mut sum: ResMut<u64>) {
    *sum = values
        .iter()
        .fold(*sum, |sum, value| sum.rotate_left(7) ^ value.0);
}

#[test]
fn one_thread_and_several_give_the_same_results() {
    let run = |single: bool| {
        let mut app = App::new();
        app.single_threaded(single).insert_resource(0_u64);
        app.add_systems(Startup, |mut commands: Commands| {
            for n in 0..100 {
                commands.spawn(Value(n));
            }
        });
        app.add_systems(Update, (grow, grow))
            .add_systems(PostUpdate, sum);
        for _ in 0..50 {
            assert_eq!(app.update(), None);
        }
        *app.world().resource::<u64>()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn an_app_can_be_moved_to_another_thread() {
    let mut app = app();
    app.add_systems(Update, note!("update"));
    let moved = std::thread::spawn(move || {
        app.update();
        log(&mut app)
    });
    assert_eq!(moved.join().unwrap(), "update");
}
