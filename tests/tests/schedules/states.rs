//! States, and the systems that run at their transitions.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::{in_state, resource_changed, state_changed};
use ecs_core::schedule::{
    Configs, DespawnOnExit, NextState, PlanError, ScheduleError, State, StateError, Transitions,
};
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
        error.contains("there is no state of the type `schedules::states::Screen`, which is used at tests/tests/schedules/states.rs:"),
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Pause {
    Running,
    Paused,
}

/// The music is on or off in every level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Music(bool);

/// A system that logs a word and all states.
fn note_all(word: &'static str) -> Configs {
    let note = move |world: &mut World| {
        let mut line = word.to_owned();
        if let Some(screen) = world.get_resource::<State<Screen>>() {
            line += &format!(" {:?}", screen.get());
        }
        if let Some(pause) = world.get_resource::<State<Pause>>() {
            line += &format!(" {:?}", pause.get());
        }
        if let Some(music) = world.get_resource::<State<Music>>() {
            line += &format!(" {:?}", music.get());
        }
        world.resource_mut::<Trace>().0.push(line);
    };
    from_fn(note).into_configs()
}

/// Transitions of a screen, with a sub state and a computed one, that log each event.
fn tree() -> Transitions {
    let mut states = Transitions::new();
    states
        .on_enter(Music(true), note_all("music on"))
        .on_exit(Music(true), note_all("music off"))
        .on_enter(Pause::Running, note_all("go"))
        .on_exit(Pause::Running, note_all("halt"))
        .on_transition(Pause::Running, Pause::Paused, note_all("freeze"))
        .on_transition(Pause::Paused, Pause::Running, note_all("thaw"))
        .on_exit(Pause::Paused, note_all("unpause"))
        .on_enter(FIRST, note_all("load"))
        .on_exit(FIRST, note_all("save"))
        .on_transition(FIRST, Score, note_all("fade"))
        .on_transition(FIRST, FIRST, note_all("blink"));
    states
        .add_computed_state(|screen: &Screen| match screen {
            Menu => None,
            Game { .. } => Some(Music(true)),
            Score => Some(Music(false)),
        })
        .add_sub_state(Pause::Running, FIRST)
        .add_state(Menu);
    states
}

/// A schedule of the tree, and a world that has the state after its first run.
fn tree_at(screen: Screen) -> (Schedule, World) {
    let mut frame = Schedule::new();
    frame.add(tree());
    let mut world = World::new();
    world.insert_resource(Trace::default());
    run(&mut frame, &mut world);
    go(&world, screen);
    run(&mut frame, &mut world);
    (frame, world)
}

#[test]
fn a_state_is_entered_outside_in_and_left_inside_out_with_all_old_values() {
    let (mut frame, mut world) = tree_at(Menu);
    assert!(!world.contains_resource::<NextState<Pause>>());
    go(&world, FIRST);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "load Game { level: 1 } Running Music(true)",
            "music on Game { level: 1 } Running Music(true)",
            "go Game { level: 1 } Running Music(true)",
        ]
    );
    go(&world, Score);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "halt Game { level: 1 } Running Music(true)",
            "music off Game { level: 1 } Running Music(true)",
            "save Game { level: 1 } Running Music(true)",
            "fade Score Music(false)",
        ]
    );
    assert!(!world.contains_resource::<State<Pause>>());
    assert!(!world.contains_resource::<NextState<Pause>>());
    assert!(!world.contains_resource::<NextState<Music>>());
}

#[test]
fn a_sub_state_changes_by_itself_and_begins_anew_with_its_parent() {
    let (mut frame, mut world) = tree_at(FIRST);
    world.resource_mut::<NextState<Pause>>().set(Pause::Paused);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "halt Game { level: 1 } Running Music(true)",
            "freeze Game { level: 1 } Paused Music(true)"
        ]
    );
    // Requests for the state that ends are forgotten.
    world
        .resource_mut::<NextState<Pause>>()
        .enter_again(Pause::Paused);
    world.resource_mut::<NextState<Screen>>().enter_again(FIRST);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "unpause Game { level: 1 } Paused Music(true)",
            "save Game { level: 1 } Paused Music(true)",
            "blink Game { level: 1 } Running Music(true)",
            "load Game { level: 1 } Running Music(true)",
            "go Game { level: 1 } Running Music(true)",
        ]
    );
    assert!(run(&mut frame, &mut world).is_empty());
}

#[test]
fn a_computed_state_is_left_only_when_its_value_changes() {
    let (mut frame, mut world) = tree_at(FIRST);
    go(&world, Game { level: 2 });
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "halt Game { level: 1 } Running Music(true)",
            "save Game { level: 1 } Running Music(true)"
        ]
    );
    go(&world, Menu);
    assert_eq!(
        run(&mut frame, &mut world),
        ["music off Game { level: 2 } Music(true)"]
    );
}

#[test]
fn a_state_that_is_added_anew_begins_anew_with_its_children() {
    for asks in [false, true] {
        let (mut frame, mut world) = tree_at(FIRST);
        if asks {
            // For the state that ends.
            world.resource_mut::<NextState<Pause>>().set(Pause::Paused);
        }
        world.remove_resource::<State<Screen>>();
        world.remove_resource::<NextState<Screen>>();
        world.add_state(FIRST);
        assert_eq!(
            run(&mut frame, &mut world),
            ["halt", "load", "go"]
                .map(|word| format!("{word} Game {{ level: 1 }} Running Music(true)"))
        );
        assert!(run(&mut frame, &mut world).is_empty());
    }
}

#[test]
fn only_a_state_that_exists_is_a_condition_and_takes_requests() {
    let mut frame = Schedule::new();
    let pause = from_fn(|next: Option<ResMut<NextState<Pause>>>| {
        if let Some(mut next) = next {
            next.set(Pause::Paused);
        }
    });
    frame.add((tree(), pause));
    frame.add((
        note_all("playing").run_if(in_state(Pause::Running)),
        note_all("paused").run_if(in_state(Pause::Paused)),
        note_all("changed").run_if(state_changed::<Pause>()),
        note_all("music").run_if(in_state(Music(true))),
    ));
    let mut world = World::new();
    world.insert_resource(Trace::default());
    assert!(run(&mut frame, &mut world).is_empty());
    let last = |mut lines: Vec<String>, n: usize| -> Vec<String> {
        let lines = lines.split_off(lines.len() - n);
        let words = lines.iter().map(|line| line.split(' ').next().unwrap());
        words.map(str::to_owned).collect()
    };
    go(&world, FIRST);
    let lines = run(&mut frame, &mut world);
    assert_eq!(last(lines, 4), ["go", "playing", "changed", "music"]);
    let lines = run(&mut frame, &mut world);
    assert_eq!(last(lines, 4), ["freeze", "paused", "changed", "music"]);
    let lines = run(&mut frame, &mut world);
    assert_eq!(last(lines, 2), ["paused", "music"]);
    go(&world, Score);
    let lines = run(&mut frame, &mut world);
    assert_eq!(last(lines, 2), ["fade", "changed"]);
    assert!(run(&mut frame, &mut world).is_empty());
}

#[test]
fn the_first_value_is_in_the_world_before_any_system_runs_and_that_of_the_world_stays() {
    for (of_world, expected) in [(None, "early Menu"), (Some(Score), "early Score")] {
        let mut states = Transitions::new();
        states.add_state(Menu);
        let mut inner = Schedule::new();
        inner.add(states);
        let mut frame = Schedule::new();
        frame.add((note("early"), inner));
        let mut world = World::new();
        world.insert_resource(Trace::default());
        if let Some(first) = of_world {
            world.add_state(first);
        }
        assert_eq!(run(&mut frame, &mut world), [expected]);
    }
}

#[test]
fn adding_a_state_again_in_the_same_way_does_nothing() {
    fn music(pause: &Pause) -> Option<Music> {
        Some(Music(*pause == Pause::Running))
    }
    let mut states = Transitions::new();
    for _ in 0..2 {
        states.add_state(Menu);
        states.add_sub_state(Pause::Running, FIRST);
        states.add_computed_state(music);
    }
    assert_eq!(states.errors(&World::new()), []);
}

#[test]
fn a_state_that_is_added_in_two_ways_is_an_error_with_both_places() {
    let line = line!();
    let mut states = Transitions::new();
    states.add_state(Menu);
    states.add_state(Score);
    states.add_sub_state(Pause::Running, FIRST);
    states.add_sub_state(Pause::Running, Score);
    states.add_computed_state(|_: &Screen| Some(Music(true)));
    states.add_computed_state(|_: &Screen| Some(Music(false)));
    states.add_state(Music(true));
    let errors = states.errors(&World::new());
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let at = |n: u32| format!("at tests/tests/schedules/states.rs:{}:12", line + n);
    let help = "help: remove one of them";
    let first = format!(
        "the state `schedules::states::Screen` is added as `Menu` {}, and as `Score` {}; {help}",
        at(2),
        at(3)
    );
    assert_eq!(
        texts,
        [
            first.clone(),
            format!(
                "the state `schedules::states::Pause` is added as `Running` while in `Game {{ level: 1 }}` {}, and as `Running` while in `Score` {}; {help}",
                at(4),
                at(5)
            ),
            format!(
                "the state `schedules::states::Music` is added as computed from `schedules::states::Screen` {}, and as computed from `schedules::states::Screen` {}; {help}",
                at(6),
                at(7)
            ),
            format!(
                "the state `schedules::states::Music` is added as computed from `schedules::states::Screen` {}, and as `Music(true)` {}; {help}",
                at(6),
                at(8)
            ),
        ]
    );
    let mut frame = Schedule::new();
    frame.add(states);
    let error = frame.plan().unwrap_err();
    assert_eq!(error, PlanError::State(errors[0].clone()));
    assert_eq!(error.to_string(), first);
}

#[test]
fn states_that_were_not_added_are_errors_before_a_run_and_of_each_run() {
    let line = line!();
    let mut states = Transitions::new();
    states.on_enter(Music(true), note_all("never"));
    states.add_sub_state(Pause::Running, FIRST);
    states.on_exit(FIRST, note_all("never"));
    let mut world = World::new();
    world.insert_resource(Trace::default());
    let errors = states.errors(&world);
    let missing: Vec<_> = errors
        .iter()
        .map(|error| match error {
            StateError::NotAdded { state, used_at } => (*state, used_at.line() - line),
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(
        missing,
        [
            ("schedules::states::Music", 2),
            ("schedules::states::Screen", 3)
        ]
    );

    let mut frame = Schedule::new();
    frame.add((states, note_all("others")));
    let ScheduleError::Systems(failed) = frame.run(&mut world).unwrap_err() else {
        panic!("the plan is fine");
    };
    assert_eq!(failed.len(), 1);
    assert!(errors.contains(failed[0].error.downcast_ref().unwrap()));
    assert_eq!(world.resource::<Trace>().0, ["others"]);
    // A request made in the meantime is not lost.
    world.add_state(Menu);
    go(&world, FIRST);
    frame.run(&mut world).unwrap_err();
    world.add_state(Music(false));
    world.resource_mut::<Trace>().0.clear();
    assert_eq!(
        run(&mut frame, &mut world),
        ["others Game { level: 1 } Running Music(false)"]
    );
}

#[test]
fn states_that_depend_on_each_other_are_an_error() {
    let mut states = Transitions::new();
    states.add_state(Menu);
    states.add_sub_state(Music(true), Pause::Running);
    states.add_sub_state(Pause::Running, 7_u8);
    states.add_sub_state(7_u8, Music(false));
    let text = "states depend on each other: `schedules::states::Pause` on `u8` on `schedules::states::Music` on `schedules::states::Pause`; help: remove one of these `add_sub_state` or `add_computed_state`";
    assert_eq!(states.errors(&World::new())[0].to_string(), text);
    let mut frame = Schedule::new();
    frame.add(states);
    let error = frame.run(&mut World::new()).unwrap_err();
    assert_eq!(error.to_string(), text);
}

#[derive(Component)]
struct Named(&'static str);

#[derive(Relation)]
#[relation(sources = "despawn")]
struct PartOf;

/// Returns the names of the entities.
fn names(world: &World) -> Vec<&'static str> {
    let mut names: Vec<_> = world.view::<Named>().iter().map(|named| named.0).collect();
    names.sort_unstable();
    names
}

#[test]
fn entities_go_with_the_state_that_they_name_after_its_systems_and_with_their_parts() {
    let look = |word: &'static str| {
        from_fn(move |world: &mut World| {
            let line = format!("{word}: {}", names(world).join(" "));
            world.resource_mut::<Trace>().0.push(line);
        })
    };
    let mut states = Transitions::new();
    states
        .add_state(FIRST)
        .add_sub_state(Pause::Running, FIRST)
        .on_exit(Pause::Running, look("halt"))
        .on_exit(FIRST, look("save"))
        .on_exit(
            FIRST,
            from_fn(|mut commands: Commands| {
                commands.spawn((Named("late"), DespawnOnExit(FIRST)));
            }),
        )
        .on_enter(Score, look("score"));
    let mut frame = Schedule::new();
    frame.add(states);
    let mut world = World::new();
    world.insert_resource(Trace::default());
    run(&mut frame, &mut world);

    world.spawn(Named("camera"));
    world.spawn((Named("banner"), DespawnOnExit(Score)));
    world.spawn((Named("hint"), DespawnOnExit(Pause::Running)));
    let ship = world.spawn((Named("ship"), DespawnOnExit(FIRST)));
    let wing = world.spawn((Named("wing"), PartOf.to(ship)));
    world.spawn((Named("flap"), PartOf.to(wing)));
    go(&world, Score);
    assert_eq!(
        run(&mut frame, &mut world),
        [
            "halt: banner camera flap hint ship wing",
            "save: banner camera flap ship wing",
            "score: banner camera",
        ]
    );
    go(&world, FIRST);
    run(&mut frame, &mut world);
    assert_eq!(names(&world), ["camera"]);
}

#[test]
fn entities_go_when_the_state_is_entered_again() {
    let mut states = Transitions::new();
    let spawn = from_fn(|mut commands: Commands| {
        commands.spawn((Named("level"), DespawnOnExit(FIRST)));
    });
    states.add_state(FIRST).on_enter(FIRST, spawn);
    let mut frame = Schedule::new();
    frame.add(states);
    let mut world = World::new();
    frame.run(&mut world).unwrap();
    let first: Vec<Entity> = world.entities().iter().collect();
    world.resource_mut::<NextState<Screen>>().enter_again(FIRST);
    frame.run(&mut world).unwrap();
    assert_eq!(names(&world), ["level"]);
    assert!(!world.contains(first[0]));
}

#[test]
fn a_panic_while_entering_leaves_the_rest_to_the_next_run() {
    let mut first = true;
    let mut states = tree();
    states.on_enter(
        FIRST,
        from_fn(move || assert!(!std::mem::take(&mut first), "boom")),
    );
    states.on_enter(FIRST, note_all("skipped once"));
    let mut frame = Schedule::new();
    frame.add(states);
    let mut world = World::new();
    world.insert_resource(Trace::default());
    run(&mut frame, &mut world);
    go(&world, FIRST);
    catch_unwind(AssertUnwindSafe(|| frame.run(&mut world))).unwrap_err();
    let there = "Game { level: 1 } Running Music(true)";
    let trace = std::mem::take(&mut world.resource_mut::<Trace>().0);
    assert_eq!(trace, [format!("load {there}")]);
    // A request in between comes after the rest.
    go(&world, Menu);
    assert_eq!(
        run(&mut frame, &mut world),
        ["music on", "go", "halt", "music off", "save"].map(|word| format!("{word} {there}"))
    );
}

#[test]
fn a_panic_of_a_computed_state_changes_nothing_and_forgets_the_requests() {
    let mut states = Transitions::new();
    states.add_state(Menu).on_exit(Menu, note("exit"));
    states.add_computed_state(|screen: &Screen| match screen {
        Score => panic!("boom"),
        _ => Some(Music(true)),
    });
    states.add_sub_state(Pause::Running, Menu);
    states.on_enter(Pause::Paused, note("pause"));
    let mut frame = Schedule::new();
    frame.add(states);
    let mut world = world(Menu);
    run(&mut frame, &mut world);
    world.resource_mut::<NextState<Pause>>().set(Pause::Paused);
    go(&world, Score);
    catch_unwind(AssertUnwindSafe(|| frame.run(&mut world))).unwrap_err();
    assert!(run(&mut frame, &mut world).is_empty());
    assert_eq!(*world.resource::<State<Screen>>().get(), Menu);
    assert_eq!(*world.resource::<State<Music>>().get(), Music(true));
    go(&world, FIRST);
    assert_eq!(run(&mut frame, &mut world), ["exit Menu"]);
}

#[test]
fn readers_in_handlers_see_what_was_sent_since_the_last_run_of_the_step() {
    struct Hit(u8);
    let read = from_fn(|mut hits: EventReader<Hit>, mut trace: ResMut<Trace>| {
        let hits = hits.read().map(|hit| hit.0.to_string());
        trace.0.push(hits.collect::<Vec<_>>().join(" "));
    });
    let mut states = Transitions::new();
    states.add_state(Menu).on_enter(Score, read);
    let mut frame = Schedule::new();
    let mut n = 0;
    let send = from_fn(move |mut hits: EventWriter<Hit>| {
        n += 1;
        hits.send(Hit(n));
    });
    frame.add((send, states));
    let mut world = World::new();
    world.insert_resource(Trace::default());
    world.add_event::<Hit>();
    run(&mut frame, &mut world);
    run(&mut frame, &mut world);
    go(&world, Score);
    assert_eq!(run(&mut frame, &mut world), ["3"]);
    world.resource_mut::<NextState<Screen>>().enter_again(Score);
    assert_eq!(run(&mut frame, &mut world), ["4"]);
}

#[test]
fn several_transitions_of_a_schedule_share_no_state_not_even_as_a_parent() {
    let mut pauses = Transitions::new();
    pauses.add_sub_state(Pause::Running, FIRST);
    let mut frame = Schedule::new();
    frame.add((noted(), pauses));
    let error = frame.plan().unwrap_err();
    assert_eq!(
        error,
        PlanError::TransitionsTwice {
            state: "schedules::states::Screen"
        }
    );
}

#[test]
fn schedules_inside_are_named_by_the_paths_of_values() {
    let mut states = Transitions::new();
    states
        .add_state(Menu)
        .on_enter(FIRST, note_all(""))
        .on_transition(Music(true), Music(false), note_all(""))
        .on_exit(3_u8, note_all(""));
    let mut frame = Schedule::new();
    frame.add(states);
    let plan = frame.plan().unwrap();
    let names: Vec<&str> = plan
        .steps()
        .flat_map(|step| step.inner())
        .map(|(name, _)| name)
        .collect();
    assert_eq!(
        names,
        [
            "on_enter(schedules::states::Screen::Game { level: 1 })",
            "on_transition(schedules::states::Music(true), schedules::states::Music(false))",
            "on_exit(u8::3)",
        ]
    );
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

#[test]
fn a_state_of_the_world_that_no_transitions_name_follows_requests() {
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Level(u8);
    let level = |world: &World| world.resource::<State<Level>>().get().0;
    let mut world = World::new();
    world.add_state(Level(1));
    let goes = world.spawn(DespawnOnExit(Level(1)));
    let mut frame = Schedule::new();
    frame.add(Transitions::new());
    frame.run(&mut world).unwrap();
    world.resource_mut::<NextState<Level>>().set(Level(1));
    frame.run(&mut world).unwrap();
    assert!(world.contains(goes));
    world.resource_mut::<NextState<Level>>().set(Level(2));
    frame.run(&mut world).unwrap();
    assert_eq!(level(&world), 2);
    assert!(!world.contains(goes));
    // Added later, and beside another one that has handlers.
    #[derive(Clone, Debug, PartialEq, Eq, Hash)]
    struct Other(u8);
    world.add_state(Other(1));
    let mut others = Transitions::new();
    others.on_enter(Other(2), |mut entered: ResMut<u32>| *entered += 1);
    let mut second = Schedule::new();
    second.add(others);
    world.insert_resource(0_u32);
    second.prepare(&mut world).unwrap();
    world.resource_mut::<NextState<Other>>().set(Other(2));
    world.resource_mut::<NextState<Level>>().set(Level(3));
    frame.run(&mut world).unwrap();
    assert_eq!(level(&world), 3);
    assert_eq!(
        *world.resource::<State<Other>>().get(),
        Other(1),
        "the other step does it"
    );
    second.run(&mut world).unwrap();
    assert_eq!(*world.resource::<u32>(), 1);
}

#[test]
fn an_app_changes_a_state_that_was_added_to_its_world_before_it_is_built_or_later() {
    let frame = |app: &mut App| assert_eq!(app.update_by(std::time::Duration::ZERO), None);
    let check = |app: &mut App| {
        frame(app);
        app.world_mut().resource_mut::<NextState<u8>>().set(2);
        frame(app);
        assert_eq!(*app.world().resource::<State<u8>>().get(), 2);
    };
    let mut app = App::new();
    app.world_mut().add_state(1_u8);
    check(&mut app);
    let mut app = App::new();
    app.add_systems(Startup, |mut commands: Commands| {
        commands.queue(|world| world.add_state(1_u8));
    });
    check(&mut app);
    let mut app = App::new();
    frame(&mut app);
    app.world_mut().add_state(1_u8);
    check(&mut app);
}
