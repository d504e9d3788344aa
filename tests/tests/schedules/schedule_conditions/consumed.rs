//! The answer of a condition stays true until the system has run.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{
    every, in_state, not, on_event, resource_changed, resource_exists, run_once, state_changed,
};
use ecs_core::schedule::{NextState, ScheduleError, Transitions};
use ecs_core::system::ConditionSource;
use ecs_core::world::hooks::Trigger;

struct Hit;

#[derive(Resource)]
struct Score(u32);

/// The state of a door.
#[derive(Resource)]
struct Open(bool);

#[derive(Resource, Default)]
struct Runs(u32);

#[system]
fn open(open: Res<Open>) -> bool {
    open.0
}

#[system]
fn count(mut runs: ResMut<Runs>) {
    runs.0 += 1;
}

fn world() -> World {
    let mut world = World::new();
    world.add_event::<Hit>();
    world.insert_resource(Open(false));
    world.insert_resource(Runs::default());
    world
}

fn runs(world: &World) -> u32 {
    std::mem::take(&mut world.resource_mut::<Runs>().0)
}

/// Runs a schedule on the threads of a pool, or on this thread.
fn run_on(
    frame: &mut Schedule,
    world: &mut World,
    pool: Option<&rayon::ThreadPool>,
) -> Result<(), ScheduleError> {
    match pool {
        Some(pool) => frame.run_par(world, pool),
        None => frame.run_seq(world),
    }
}

/// Builds the same condition twice.
type Make<'a> = &'a dyn Fn() -> ConditionSource;

/// Returns schedules that run `count` under both conditions, in each order and form.
fn in_all_forms(one: Make<'_>, other: Make<'_>) -> Vec<Schedule> {
    let mut schedules = Vec::new();
    for (one, other) in [(one, other), (other, one)] {
        let mut add = |build: &dyn Fn(&mut Schedule)| {
            let mut schedule = Schedule::new();
            build(&mut schedule);
            schedules.push(schedule);
        };
        add(&|frame| _ = frame.add(count.run_if(one()).run_if(other())));
        add(&|frame| _ = frame.add(count.run_if(one().and(other()))));
        add(&|frame| _ = frame.add((count.run_if(one()),).run_if(other())));
        add(&|frame| {
            frame.add(count.run_if(one()).in_set("set"));
            frame.configure("set", |set| set.run_if(other()));
        });
    }
    schedules
}

/// Triggers the condition while the door is shut, and then opens it: the system runs once, when the door is open.
fn waits_for_the_door(make: Make<'_>, happens: &dyn Fn(&mut World)) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.unwrap();
    for threads in [false, true] {
        for mut frame in in_all_forms(make, &|| open.into_condition()) {
            let mut world = world();
            let mut run = |world: &mut World| {
                run_on(&mut frame, world, threads.then_some(&pool)).unwrap();
                runs(world)
            };
            run(&mut world);
            happens(&mut world);
            assert_eq!(run(&mut world), 0);
            assert_eq!(run(&mut world), 0);
            world.insert_resource(Open(true));
            assert_eq!(run(&mut world), 1);
            assert_eq!(run(&mut world), 0);
        }
    }
}

#[test]
fn what_one_condition_says_waits_for_the_others_in_any_order() {
    waits_for_the_door(&run_once, &|_| ());
    waits_for_the_door(&on_event::<Hit>, &|world| world.send_event(Hit));
    waits_for_the_door(&resource_changed::<Score>, &|world| {
        _ = world.insert_resource(Score(1));
    });
    waits_for_the_door(&state_changed::<u8>, &|world| world.add_state(7_u8));
    let seen = || (|mut hits: EventReader<Hit>| hits.read().count() > 0).into_condition();
    waits_for_the_door(&seen, &|world| world.send_event(Hit));
    let scored =
        || (|score: Option<Res<Score>>| score.is_some_and(|s| s.is_changed())).into_condition();
    waits_for_the_door(&scored, &|world| _ = world.insert_resource(Score(1)));
    let piped = || {
        let hits = |mut hits: EventReader<Hit>| hits.read().count();
        hits.into_value().map(|n| n > 0).into_condition()
    };
    waits_for_the_door(&piped, &|world| world.send_event(Hit));
}

/// Returns the turns that run a system with the condition; an event happens before the third one.
fn turns_of(make: Make<'_>, happens: &dyn Fn(&mut World)) -> Vec<Vec<usize>> {
    let of = |mut frame: Schedule| {
        let mut world = world();
        world.insert_resource(Open(true));
        world.insert_resource(Score(0));
        frame.prepare(&mut world).unwrap();
        let mut ran = |turn| {
            if turn == 3 {
                happens(&mut world);
            }
            frame.run(&mut world).unwrap();
            runs(&world) == 1
        };
        (1..=6).filter(|&turn| ran(turn)).collect()
    };
    let schedules = in_all_forms(make, &|| open.into_condition());
    schedules.into_iter().map(of).collect()
}

#[test]
fn a_condition_that_is_true_while_nothing_is_new_is_false_from_then_on() {
    let check = |make: Make<'_>, happens: &dyn Fn(&mut World), expected: &[usize]| {
        for turns in turns_of(make, happens) {
            assert_eq!(turns, expected);
        }
    };
    let sends = |world: &mut World| world.send_event(Hit);
    let is_quiet = || (|hits: EventReader<Hit>| hits.is_empty()).into_condition();
    let is_loud = || (|mut hits: EventReader<Hit>| hits.read().count() > 0).into_condition();
    check(&is_quiet, &sends, &[1, 2]);
    check(&|| not(is_loud()), &sends, &[1, 2, 4, 5, 6]);
}

#[test]
fn what_has_not_to_be_new_holds_up_a_system_for_one_turn() {
    let check = |make: Make<'_>, happens: &dyn Fn(&mut World), expected: &[usize]| {
        for turns in turns_of(make, happens) {
            assert_eq!(turns, expected);
        }
    };
    let sends = |world: &mut World| world.send_event(Hit);
    let scores = |world: &mut World| world.resource_mut::<Score>().0 += 1;
    check(&|| not(on_event::<Hit>()), &sends, &[1, 2, 4, 5, 6]);
    check(&|| not(resource_changed::<Score>()), &scores, &[2, 4, 5, 6]);
    check(&|| not(run_once()), &|_| (), &[2, 3, 4, 5, 6]);
    check(&|| not(every(3)), &|_| (), &[1, 2, 4, 5]);
    check(
        &|| not(state_changed::<u8>()),
        &|world| world.add_state(7_u8),
        &[1, 2, 4, 5, 6],
    );
    let neither = || not(on_event::<Hit>().or(resource_changed::<Score>()));
    check(&neither, &sends, &[2, 4, 5, 6]);
    check(&|| not(not(on_event::<Hit>())), &sends, &[3]);
    check(&|| not(not(run_once())), &|_| (), &[1]);
}

#[test]
fn events_that_a_condition_has_asked_for_are_kept_while_others_are_sent() {
    let mut frame = Schedule::new();
    let send = |mut hits: EventWriter<Hit>| hits.send(Hit);
    let two = |mut hits: EventReader<Hit>| hits.read().count() == 2;
    frame.add((count.run_if(two).run_if(open), send));
    let mut world = world();
    for _ in 0..3 {
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), 0);
        world.resource_mut::<Open>().0 ^= true;
    }
    // Opened in the second run, which had one event; the third had two.
    world.insert_resource(Open(true));
    frame.run(&mut world).unwrap();
    assert_eq!(runs(&world), 0, "there are three by now");
}

#[test]
fn an_event_of_a_menu_is_not_for_the_game_in_any_order() {
    for mut frame in in_all_forms(&on_event::<Hit>, &|| in_state(true)) {
        let mut world = world();
        let mut states = Transitions::new();
        states.add_state(false);
        let mut all = Schedule::new();
        all.add(states);
        all.run(&mut world).unwrap();
        frame.prepare(&mut world).unwrap();
        world.send_event(Hit);
        let mut run = |world: &mut World| {
            all.run(world).unwrap();
            frame.run(world).unwrap();
            runs(world)
        };
        assert_eq!(run(&mut world), 0);
        world.resource_mut::<NextState<bool>>().set(true);
        assert_eq!(run(&mut world), 0);
        world.send_event(Hit);
        assert_eq!(run(&mut world), 1);
    }
}

#[test]
fn events_of_two_conditions_that_come_together_are_one_run() {
    struct Miss;
    for swap in [false, true] {
        let (hit, miss) = (on_event::<Hit>(), on_event::<Miss>());
        let either = if swap { miss.or(hit) } else { hit.or(miss) };
        let mut frame = Schedule::new();
        frame.add(count.run_if(either));
        let mut world = world();
        world.add_event::<Miss>();
        frame.prepare(&mut world).unwrap();
        world.send_event(Hit);
        world.send_event(Miss);
        frame.run(&mut world).unwrap();
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), 1);
        world.send_event(Miss);
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), 1);
    }
}

#[test]
fn a_condition_of_several_systems_is_consumed_when_one_of_them_runs() {
    let mut frame = Schedule::new();
    frame.add((count.run_if(open), count.run_if(|open: Res<Open>| !open.0)).run_if(run_once()));
    frame.add((count.run_if(open), count.run_if(open)).run_if(run_once()));
    let mut world = world();
    for expected in [1, 0] {
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), expected);
    }
    world.insert_resource(Open(true));
    for expected in [2, 0] {
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), expected);
    }
}

#[test]
fn a_schedule_that_does_not_run_asks_no_conditions_inside() {
    let mut inside = Schedule::new();
    inside.add(count.run_if(on_event::<Hit>()).run_if(run_once()));
    let mut frame = Schedule::new();
    frame.add(inside.run_if(open));
    let mut world = world();
    frame.prepare(&mut world).unwrap();
    world.send_event(Hit);
    frame.run(&mut world).unwrap();
    world.insert_resource(Open(true));
    for expected in [1, 0] {
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), expected);
    }
}

#[test]
fn a_condition_guards_another_one_before_it_and_after_it() {
    #[system]
    fn rich(score: Res<Score>) -> bool {
        score.0 > 9
    }
    for mut frame in in_all_forms(&resource_exists::<Score>, &|| rich.into_condition()) {
        let mut world = world();
        frame.run(&mut world).unwrap();
        world.insert_resource(Score(10));
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), 1);
    }
    // A condition that is true does not.
    for mut frame in in_all_forms(&run_once, &|| rich.into_condition()) {
        let mut world = world();
        let error = frame.run(&mut world).unwrap_err().to_string();
        assert_eq!(error.matches("no resource").count(), 1, "{error}");
        world.insert_resource(Score(10));
        frame.run(&mut world).unwrap();
        assert_eq!(runs(&world), 1, "nothing was consumed");
    }
}

#[test]
fn a_turn_that_ends_with_a_panic_consumes_nothing() {
    let angry = |open: Res<Open>| -> bool {
        assert!(open.0, "shut");
        true
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.unwrap();
    for threads in [false, true] {
        for angry_first in [false, true] {
            let mut frame = Schedule::new();
            let once = run_once().and(on_event::<Hit>());
            if angry_first {
                frame.add(count.run_if(angry).run_if(once));
            } else {
                frame.add(count.run_if(once).run_if(angry));
            }
            let mut world = world();
            frame.prepare(&mut world).unwrap();
            world.send_event(Hit);
            let mut run = |world: &mut World| run_on(&mut frame, world, threads.then_some(&pool));
            for _ in 0..2 {
                catch_unwind(AssertUnwindSafe(|| run(&mut world))).unwrap_err();
            }
            world.insert_resource(Open(true));
            run(&mut world).unwrap();
            run(&mut world).unwrap();
            assert_eq!(runs(&world), 1);
        }
    }
}

#[derive(Component)]
struct Door;

#[test]
fn a_system_that_cannot_begin_consumes_nothing() {
    #[system]
    fn reads(_score: Res<Score>, mut runs: ResMut<Runs>) {
        runs.0 += 1;
    }
    #[system]
    fn looks(_door: Single<&Door>, mut runs: ResMut<Runs>) {
        runs.0 += 1;
    }
    // The last system runs alone.
    #[system]
    fn alone(_world: &World, _score: Res<Score>, mut commands: Commands) {
        commands.queue(|world: &mut World| world.resource_mut::<Runs>().0 += 1);
    }
    type Add = fn(&mut Schedule, ConditionSource);
    let forms: [Add; 5] = [
        |frame, condition| _ = frame.add(reads.run_if(condition)),
        |frame, condition| _ = frame.add(looks.run_if(condition)),
        |frame, condition| _ = frame.add(alone.run_if(condition)),
        |frame, condition| _ = frame.add((looks,).run_if(condition)),
        |frame, condition| {
            let closure = |_score: Res<Score>, mut runs: ResMut<Runs>| runs.0 += 1;
            frame.add(closure.run_if(condition));
        },
    ];
    let conditions: [fn() -> ConditionSource; 5] = [
        run_once,
        on_event::<Hit>,
        || run_once().and(on_event::<Hit>()),
        || (|mut hits: EventReader<Hit>| hits.read().count() > 0).into_condition(),
        || not(not(on_event::<Hit>())),
    ];
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.unwrap();
    for threads in [false, true] {
        for add in forms {
            for condition in conditions {
                let mut frame = Schedule::new();
                add(&mut frame, condition());
                let mut world = world();
                frame.prepare(&mut world).unwrap();
                world.send_event(Hit);
                let mut run =
                    |world: &mut World| run_on(&mut frame, world, threads.then_some(&pool));
                for _ in 0..3 {
                    run(&mut world).unwrap_err();
                }
                world.insert_resource(Score(1));
                world.spawn(Door);
                run(&mut world).unwrap();
                run(&mut world).unwrap();
                assert_eq!(runs(&world), 1);
            }
        }
    }
}

#[test]
fn an_error_of_a_system_that_ran_consumes() {
    let mut frame = Schedule::new();
    let fails = |mut runs: ResMut<Runs>| -> Result<(), String> {
        runs.0 += 1;
        Err("no".to_owned())
    };
    frame.add(fails.run_if(run_once()));
    let mut world = world();
    frame.run_seq(&mut world).unwrap_err();
    frame.run_seq(&mut world).unwrap();
    assert_eq!(runs(&world), 1);
}

#[test]
fn conditions_of_observers_are_consumed_when_the_observer_is_called() {
    for swap in [false, true] {
        let mut world = world();
        let observed = observer(|_: Trigger<Hit>, mut runs: ResMut<Runs>| runs.0 += 1);
        world.observe(if swap {
            observed.run_if(run_once()).run_if(open)
        } else {
            observed.run_if(open).run_if(run_once())
        });
        world.trigger(Hit);
        assert_eq!(runs(&world), 0);
        world.insert_resource(Open(true));
        world.trigger(Hit);
        world.trigger(Hit);
        assert_eq!(runs(&world), 1);
    }
}
