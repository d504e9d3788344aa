//! Commands that are delayed by runs, or by time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::command::{Delay, Delayed};
use ecs_core::prelude::*;
use ecs_tests::Ledger;
use proptest::prelude::*;

#[derive(Resource, Default)]
struct Log(Vec<usize>);

/// A delay of a random program, and the delay of the command that it leaves behind.
fn delays() -> impl Strategy<Value = Vec<(Delay, Option<Delay>)>> {
    let delay = || {
        prop_oneof![
            (0..4_u64).prop_map(Delay::Runs),
            (0..40_u64).prop_map(|ms| Delay::Time(Duration::from_millis(ms))),
        ]
    };
    prop::collection::vec((delay(), prop::option::of(delay())), 0..12)
}

/// What waits, in a plain list: a delay, what is left of it, and the number in the log.
struct Waiting {
    runs: Option<u64>,
    time: Option<Duration>,
    then: Option<Delay>,
    number: usize,
}

fn waiting(delay: Delay, then: Option<Delay>, number: usize) -> Waiting {
    let (runs, time) = match delay {
        Delay::Runs(runs) => (Some(runs), None),
        Delay::Time(time) => (None, Some(time)),
    };
    Waiting {
        runs,
        time,
        then,
        number,
    }
}

proptest! {
    #[test]
    fn delayed_commands_come_when_a_plain_list_says(
        delays in delays(),
        frames in prop::collection::vec(0..30_u64, 0..10),
        steps in 1..4_usize,
    ) {
        let mut world = World::new();
        world.insert_resource(Log::default());
        let mut plain: Vec<Waiting> = Vec::new();
        let (mut runs, mut time) = (0, Duration::ZERO);
        let mut expected = Vec::new();
        let mut delays = delays.into_iter().enumerate();
        for frame in frames {
            for (number, (delay, then)) in delays.by_ref().take(steps) {
                world.delay(delay, move |world| {
                    world.resource_mut::<Log>().0.push(number);
                    if let Some(then) = then {
                        world.delay(then, move |world| world.resource_mut::<Log>().0.push(number + 100));
                    }
                });
                let mut new = waiting(delay, then, number);
                new.runs = new.runs.map(|delay| delay + runs);
                new.time = new.time.map(|delay| delay + time);
                plain.push(new);
            }
            let frame = Duration::from_millis(frame);
            let made = world.advance_delayed(frame);
            runs += 1;
            time += frame;
            let is_due = |waiting: &Waiting| {
                waiting.runs.is_some_and(|run| run <= runs) || waiting.time.is_some_and(|due| due <= time)
            };
            // The world was empty until the first delay: nothing was counted before.
            let (mut due, rest): (Vec<Waiting>, Vec<Waiting>) = plain.into_iter().partition(is_due);
            plain = rest;
            due.sort_by_key(|waiting| (waiting.runs.is_none(), waiting.runs, waiting.time));
            prop_assert_eq!(made, due.len());
            for done in due {
                expected.push(done.number);
                if let Some(then) = done.then {
                    let mut new = waiting(then, None, done.number + 100);
                    new.runs = new.runs.map(|delay| delay + runs);
                    new.time = new.time.map(|delay| delay + time);
                    plain.push(new);
                }
            }
            prop_assert_eq!(&world.resource::<Log>().0, &expected);
            let len = world.get_resource::<Delayed>().map_or(0, |delayed| delayed.len());
            prop_assert_eq!(len, plain.len());
        }
    }
}

#[test]
fn a_change_that_panics_leaves_the_others_and_all_are_dropped_with_the_world() {
    let ledger = Ledger::default();
    let mut world = World::new();
    world.insert_resource(Log::default());
    for number in 0..4 {
        let token = ledger.token();
        world.delay(Delay::Runs(1 + number / 3), move |world| {
            assert!(token.id() != 1, "this change panics");
            world.resource_mut::<Log>().0.push(token.id() as usize);
        });
    }
    assert!(catch_unwind(AssertUnwindSafe(|| world.advance_delayed(Duration::ZERO))).is_err());
    assert_eq!(world.resource::<Log>().0, [0]);
    assert_eq!(world.resource::<Delayed>().len(), 2);
    assert_eq!(ledger.alive(), [2, 3]);
    drop(world);
    assert_eq!(ledger.alive(), []);
}

#[system]
fn fuse(mut commands: Commands) {
    commands.delay(Delay::Runs(2), |world| {
        world.spawn(());
    });
}

#[test]
fn a_system_delays_and_a_step_of_the_schedule_counts() {
    let mut world = World::new();
    let mut frame = Schedule::new();
    frame.add((
        fuse,
        ecs_core::system::from_fn(|world: &mut World| {
            world.advance_delayed(Duration::ZERO);
        }),
    ));
    for expected in [0, 1, 2, 3] {
        frame.run(&mut world).unwrap();
        assert_eq!(world.len(), expected);
    }
}
