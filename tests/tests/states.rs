//! States, and the systems that run at their transitions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{in_state, resource_changed};
use ecs_core::schedule::{Configs, NextState, State, Transitions};
use proptest::prelude::*;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
    Game { level: u8 },
    Score,
}
use Screen::{Game, Menu, Score};

const FIRST: Screen = Game { level: 1 };

/// A log of the events.
#[derive(Resource, Default)]
struct Trace(Vec<String>);

/// A system that logs a word and the current state.
fn note(word: &'static str) -> Configs {
    let note = move |mut trace: ResMut<Trace>, state: Res<State<Screen>>| {
        trace.0.push(format!("{word} {:?}", state.get()));
    };
    from_fn(note).into_configs()
}

/// A system that requests a state.
fn ask(next: Screen) -> Configs {
    from_fn(move |mut state: ResMut<NextState<Screen>>| state.set(next.clone())).into_configs()
}

/// Transitions that log each event.
fn noted() -> Transitions {
    let mut screens = Transitions::new();
    for state in [Menu, FIRST, Score] {
        screens.on_enter(state.clone(), note("enter"));
        screens.on_exit(state, note("exit"));
    }
    screens.on_transition(Menu, FIRST, note("menu to game"));
    screens
}

fn world(first: Screen) -> World {
    let mut world = World::new();
    world.insert_resource(Trace::default());
    world.add_state(first);
    world
}

fn go(world: &World, state: Screen) {
    world.resource_mut::<NextState<Screen>>().set(state);
}

fn run(schedule: &mut Schedule, world: &mut World) -> Vec<String> {
    schedule.run(world).unwrap();
    std::mem::take(&mut world.resource_mut::<Trace>().0)
}

#[test]
fn the_first_run_enters_the_first_state() {
    let mut frame = Schedule::new();
    frame.add((noted(), note("frame")));
    let mut world = world(Menu);
    assert_eq!(run(&mut frame, &mut world), ["enter Menu", "frame Menu"]);
    assert_eq!(run(&mut frame, &mut world), ["frame Menu"]);
}

#[test]
fn a_transition_leaves_changes_passes_and_enters() {
    let mut frame = Schedule::new();
    frame.add((note("before"), noted(), note("after")));
    let mut world = world(Menu);
    run(&mut frame, &mut world);
    go(&world, FIRST);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "before Menu",
            "exit Menu",
            "menu to game Game { level: 1 }",
            "enter Game { level: 1 }",
            "after Game { level: 1 }",
        ]
    );
    assert_eq!(world.resource::<NextState<Screen>>().get(), None);
    assert_eq!(
        run(&mut frame, &mut world),
        ["before Game { level: 1 }", "after Game { level: 1 }"]
    );
}

#[test]
fn a_request_before_the_first_run_follows_the_first_state() {
    let mut frame = Schedule::new();
    frame.add(noted());
    let mut world = world(Menu);
    go(&world, Score);
    assert_eq!(
        run(&mut frame, &mut world),
        ["enter Menu", "exit Menu", "enter Score"]
    );
}

#[test]
fn requesting_the_current_state_does_nothing_and_the_last_request_counts() {
    let mut frame = Schedule::new();
    frame.add(noted());
    let mut world = world(Menu);
    run(&mut frame, &mut world);
    go(&world, Menu);
    assert!(run(&mut frame, &mut world).is_empty());
    go(&world, Score);
    go(&world, Menu);
    assert!(run(&mut frame, &mut world).is_empty());
    go(&world, FIRST);
    go(&world, Score);
    assert_eq!(run(&mut frame, &mut world), ["exit Menu", "enter Score"]);
}

#[test]
fn values_inside_of_variants_are_different_states() {
    let mut screens = noted();
    screens.on_enter(Game { level: 2 }, note("second level"));
    let mut frame = Schedule::new();
    frame.add((screens, note("!").run_if(in_state(Game { level: 2 }))));
    let mut world = world(FIRST);
    run(&mut frame, &mut world);
    go(&world, Game { level: 2 });
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "exit Game { level: 1 }",
            "second level Game { level: 2 }",
            "! Game { level: 2 }"
        ]
    );
}

#[test]
fn a_request_while_entering_is_done_in_the_next_run() {
    let mut screens = noted();
    screens
        .on_enter(Menu, ask(FIRST))
        .on_enter(FIRST, ask(Menu));
    let mut frame = Schedule::new();
    frame.add(screens);
    let mut world = world(Menu);
    assert_eq!(run(&mut frame, &mut world), ["enter Menu"]);
    let there = [
        "exit Menu",
        "menu to game Game { level: 1 }",
        "enter Game { level: 1 }",
    ];
    let back = ["exit Game { level: 1 }", "enter Menu"];
    assert_eq!(run(&mut frame, &mut world), there);
    assert_eq!(run(&mut frame, &mut world), back);
    assert_eq!(run(&mut frame, &mut world), there);
}

#[test]
fn a_condition_checks_the_state_and_is_named_after_it() {
    let mut frame = Schedule::new();
    let in_menu = in_state(Menu).or(in_state(Score));
    frame.add((
        noted(),
        note("menu").run_if(in_menu),
        note("game").run_if(in_state(FIRST)),
    ));
    let mut world = world(Menu);
    assert_eq!(run(&mut frame, &mut world), ["enter Menu", "menu Menu"]);
    go(&world, FIRST);
    assert_eq!(
        run(&mut frame, &mut world).last().unwrap(),
        "game Game { level: 1 }"
    );
    let plan = frame.plan().unwrap();
    let names: Vec<_> = plan
        .steps()
        .flat_map(|s| s.conditions())
        .map(|c| &*c.name)
        .collect();
    assert_eq!(
        names,
        [
            "in_state(Menu) or in_state(Score)",
            "in_state(Game { level: 1 })"
        ]
    );
}

#[test]
fn without_a_state_no_condition_holds_and_the_step_says_what_is_missing() {
    let mut frame = Schedule::new();
    let never = from_fn(|trace: Res<Trace>| assert!(trace.0.len() > 99));
    frame.add((never.run_if(in_state(Menu)), noted()));
    let mut world = World::new();
    world.insert_resource(Trace::default());
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(
        error.contains("there is no state of the type `states::Screen`, which is used at tests/tests/states.rs:"),
        "{error}"
    );
}

#[test]
fn adding_a_state_twice_keeps_the_first_one() {
    let mut world = world(Menu);
    world.add_state(Score);
    assert_eq!(*world.resource::<State<Screen>>().get(), Menu);
}

#[test]
fn a_change_of_state_is_a_change_of_the_resource() {
    let mut frame = Schedule::new();
    frame.add((
        noted(),
        note("changed").run_if(resource_changed::<State<Screen>>()),
    ));
    let mut world = world(Menu);
    assert_eq!(run(&mut frame, &mut world), ["enter Menu", "changed Menu"]);
    assert!(run(&mut frame, &mut world).is_empty());
    go(&world, Score);
    assert_eq!(
        run(&mut frame, &mut world),
        ["exit Menu", "enter Score", "changed Score"]
    );
    assert!(run(&mut frame, &mut world).is_empty());
}

#[test]
fn errors_neither_stop_the_others_nor_the_change() {
    let fails = |what: &'static str| from_fn(move || Err::<(), _>(what));
    let mut screens = Transitions::new();
    screens.on_exit(Menu, (fails("exit"), note("exit")));
    screens.on_enter(Score, (fails("enter"), note("enter")));
    let mut frame = Schedule::new();
    frame.add(screens);
    let mut world = world(Menu);
    run(&mut frame, &mut world);
    go(&world, Score);
    let error = frame.run(&mut world).unwrap_err().to_string();
    assert!(
        error.contains("failed: exit") && error.contains("failed: enter"),
        "{error}"
    );
    assert_eq!(world.resource::<Trace>().0, ["exit Menu", "enter Score"]);
    assert_eq!(*world.resource::<State<Screen>>().get(), Score);
}

#[test]
fn a_panic_while_leaving_keeps_the_state_and_the_next_run_works() {
    let mut first = true;
    let mut screens = noted();
    screens.on_exit(
        Menu,
        from_fn(move || assert!(!std::mem::take(&mut first), "boom")),
    );
    let mut frame = Schedule::new();
    frame.add(screens);
    let mut world = world(Menu);
    run(&mut frame, &mut world);
    go(&world, Score);
    catch_unwind(AssertUnwindSafe(|| frame.run(&mut world))).unwrap_err();
    assert_eq!(*world.resource::<State<Screen>>().get(), Menu);
    go(&world, Score);
    assert_eq!(run(&mut frame, &mut world), ["exit Menu", "enter Score"]);
    assert!(run(&mut frame, &mut world).is_empty());
}

#[test]
fn states_of_several_types_are_independent() {
    let mut network = Transitions::new();
    network.on_enter(true, note("online"));
    let mut frame = Schedule::new();
    frame.add((noted(), network));
    let mut world = world(Menu);
    world.add_state(false);
    assert_eq!(run(&mut frame, &mut world), ["enter Menu"]);
    world.resource_mut::<NextState<bool>>().set(true);
    assert_eq!(run(&mut frame, &mut world), ["online Menu"]);
}

proptest! {
    /// Against the definition, for any requests before and between runs.
    #[test]
    fn any_requests_make_the_documented_transitions(requests in proptest::collection::vec(
        proptest::collection::vec(prop_oneof![Just(Menu), Just(FIRST), Just(Score)], 0..3),
        1..12,
    )) {
        let mut frame = Schedule::new();
        frame.add((noted(), note("frame")));
        let mut world = world(Menu);
        let mut current = Menu;
        for (n, requests) in requests.into_iter().enumerate() {
            let mut expected = Vec::new();
            if n == 0 {
                expected.push("enter Menu".to_owned());
            }
            if let Some(next) = requests.last().filter(|next| **next != current) {
                expected.push(format!("exit {current:?}"));
                if (&current, next) == (&Menu, &FIRST) {
                    expected.push(format!("menu to game {next:?}"));
                }
                expected.push(format!("enter {next:?}"));
                current = next.clone();
            }
            expected.push(format!("frame {current:?}"));
            for request in requests {
                go(&world, request);
            }
            prop_assert_eq!(run(&mut frame, &mut world), expected);
        }
    }
}
