//! The order of schedules, and the systems added to them.

use std::time::Duration;

use ecs_core::app::{First, Last, StateTransition, fixed_update};
use ecs_core::prelude::*;
use ecs_core::schedule::{PlanError, ScheduleError};

use crate::{app, log, note};

const STEP: Duration = App::DEFAULT_FIXED_STEP;

#[derive(Debug, PartialEq, Eq, Hash)]
enum Mine {
    Combat,
    Looting,
    Turn,
}

#[test]
fn schedules_run_in_the_order_of_the_frame_not_of_adding() {
    let mut app = app();
    app.add_systems(Last, note!("last"))
        .add_systems(PostUpdate, note!("post"))
        .add_systems(Update, (note!("update 1"), note!("update 2")))
        .add_systems(FixedUpdate, note!("fixed"))
        .add_systems(PreUpdate, note!("pre"))
        .add_systems(First, note!("first"))
        .add_systems(StateTransition, note!("states"))
        .add_systems(Startup, note!("startup"));
    app.update_by(STEP * 2);
    assert_eq!(
        log(&mut app),
        "startup states first pre fixed fixed update 1 update 2 post last"
    );
    app.update_by(Duration::ZERO);
    assert_eq!(
        log(&mut app),
        "states first pre update 1 update 2 post last"
    );
}

#[test]
fn systems_of_one_schedule_run_in_the_order_of_adding() {
    let mut app = app();
    app.add_systems(Update, note!("a"));
    app.add_systems(PreUpdate, note!("x"));
    app.add_systems(Update, (note!("b"), note!("c")));
    app.update();
    assert_eq!(log(&mut app), "x a b c");
}

#[test]
fn schedules_are_inserted_relative_to_others_in_any_order_of_calls() {
    let mut app = app();
    app.add_systems(Mine::Looting, note!("loot"));
    app.insert_schedule_after(Mine::Combat, Mine::Looting);
    app.insert_schedule_before(PostUpdate, Mine::Combat);
    app.add_systems(Mine::Combat, note!("fight"));
    app.add_systems(Update, note!("update"));
    app.add_systems(PostUpdate, note!("post"));
    app.update();
    assert_eq!(log(&mut app), "update fight loot post");
}

#[system]
fn moves(world: &mut World) {
    world.resource_mut::<crate::Log>().0.push("move");
}

#[system]
fn follows(mut log: ResMut<crate::Log>) {
    log.0.push("follow");
}

#[test]
fn constraints_within_a_schedule_and_against_earlier_ones_hold() {
    let mut app = app();
    app.add_systems(Update, follows.after(moves));
    app.add_systems(Update, moves);
    app.add_systems(Update, note!("late").after(PreUpdate).after("nothing"));
    app.add_systems(PostUpdate, note!("post").after(follows));
    app.update();
    assert_eq!(log(&mut app), "move follow late post");
}

#[test]
fn a_constraint_against_the_order_of_schedules_is_refused_by_name() {
    let mut app = app();
    app.add_systems(PreUpdate, follows.after(Update));
    app.add_systems(Update, moves);
    let refused = app.build().unwrap_err();
    let error = refused.to_string();
    assert!(
        error.contains("schedules::moves` in `Update` must run before"),
        "{error}"
    );
    assert!(
        error.contains("schedules::follows` in `PreUpdate`, but `PreUpdate` runs before `Update`"),
        "{error}"
    );
    let [ecs_core::app::Problem::Schedule { error, .. }] = refused.problems() else {
        panic!("one problem");
    };
    assert!(matches!(
        error,
        ScheduleError::Plan(PlanError::AgainstParts { .. })
    ));
}

#[test]
fn sets_are_shared_by_the_schedules_of_a_frame() {
    let mut app = app();
    app.insert_resource(false);
    app.configure(Update, "visible", |set| {
        set.run_if(|shown: Res<bool>| *shown)
    });
    app.add_systems(Update, note!("move").in_set("visible"));
    app.add_systems(PostUpdate, note!("draw").in_set("visible"));
    app.update();
    assert_eq!(log(&mut app), "");
    app.insert_resource(true);
    app.update();
    assert_eq!(log(&mut app), "move draw");
}

#[test]
fn a_contradiction_of_two_plugins_is_refused_with_both_places() {
    let first = line!() + 2;
    fn effects(app: &mut App) {
        app.configure(Update, "effects", |set| set.after("ui"));
        app.add_systems(Update, note!("effects").in_set("effects"));
    }
    fn ui(app: &mut App) {
        app.configure(Update, "ui", |set| set.after("effects"));
        app.add_systems(Update, note!("ui").in_set("ui"));
    }
    let mut app = app();
    app.add_plugin(effects).add_plugin(ui);
    let error = app.build().unwrap_err().to_string();
    for line in [first, first + 4] {
        let place = format!("({}:{line}:13)", file!());
        assert!(error.contains(&place), "no {place} in {error}");
    }
}

#[test]
fn empty_sets_may_be_named_and_schedules_are_no_notes() {
    let mut app = app();
    app.add_systems(
        Update,
        note!("a").after("phisics").after(First).before(Last),
    );
    let plan = app.build().unwrap();
    assert_eq!(
        Vec::from_iter(plan.notes()),
        ["no system is in the set `\"phisics\"`, which is only named by constraints"]
    );
}

#[test]
fn notes_look_inside_of_steps_where_labels_of_outer_schedules_are_empty_sets() {
    let mut app = app();
    app.add_state(true);
    app.on_enter(true, note!("a").after("phisics"));
    app.add_systems(FixedUpdate, note!("b").before(First));
    app.add_systems(Update, note!("c").after("fysics"));
    let notes = |app: &mut App| Vec::from_iter(app.build().unwrap().notes().map(String::from));
    let of = |path: &str, set: &str| {
        format!("{path}no system is in the set `{set}`, which is only named by constraints")
    };
    let expected = [
        of("", "\"fysics\""),
        of("in `Transitions > on_enter(bool::true)`: ", "\"phisics\""),
        of("in `FixedUpdate`: ", "First"),
    ];
    assert_eq!(notes(&mut app), expected);
    // The plan is made anew, but the plans of inner schedules are reused.
    app.add_systems(Update, note!("d"));
    assert_eq!(notes(&mut app), expected);
}

#[test]
fn what_no_schedule_runs_is_an_error_that_names_the_place_and_a_similar_label() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Updates;

    let mut app = app();
    app.add_systems(Updates, note!("a"));
    app.insert_schedule_after("nowhere", Mine::Combat);
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    let error = error.to_string();
    assert!(
        error.contains("no schedule `Updates`, which is named at "),
        "{error}"
    );
    assert!(error.contains("schedules.rs"), "{error}");
    assert!(error.contains("help: there is `Update`"), "{error}");
    assert!(error.contains("no schedule `\"nowhere\"`"), "{error}");
}

#[test]
fn a_schedule_that_is_added_twice_is_an_error() {
    let mut app = app();
    app.add_schedule(Mine::Turn).add_schedule(Mine::Turn);
    app.insert_schedule_after(First, Update);
    let error = app.build().unwrap_err();
    assert_eq!(error.problems().len(), 2, "{error}");
    assert!(
        error.to_string().contains("`Turn` is added again"),
        "{error}"
    );
    assert!(
        error.to_string().contains("`Update` is added again"),
        "{error}"
    );
}

#[test]
fn a_schedule_of_the_world_is_not_replaced_by_one_of_the_app() {
    let mut app = app();
    app.world_mut().insert_schedule(Mine::Turn, Schedule::new());
    app.add_systems(Mine::Turn, note!("turn"));
    app.add_schedule(Mine::Turn);
    let error = app.build().unwrap_err().to_string();
    assert!(error.contains("`Turn` is added again at "), "{error}");
    let mut app = self::app();
    app.add_schedule(Mine::Turn);
    app.build().unwrap();
}

#[system]
fn two_turns(world: &mut World) -> Result<(), ScheduleError> {
    world.run_schedule(Mine::Turn)?;
    world.run_schedule(Mine::Turn)
}

#[system]
fn turn_in_turn(world: &mut World) {
    let error = world.run_schedule(Mine::Turn).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the schedule `Turn` is running, and cannot run inside itself; help: repeat it after it has ended"
    );
    assert!(world.remove_schedule(Mine::Turn).is_none());
}

#[test]
fn a_schedule_by_hand_runs_when_it_is_called_and_sees_all_events() {
    let mut app = app();
    app.add_event::<u32>();
    app.add_schedule(Mine::Turn);
    app.add_systems(Startup, |mut sent: EventWriter<u32>| sent.send(7));
    app.add_systems(
        Mine::Turn,
        |mut read: EventReader<u32>, mut log: ResMut<crate::Log>| {
            let words = read.read().map(|_| "event");
            log.0.extend(words);
            log.0.push("turn");
        },
    );
    app.add_systems(Mine::Turn, turn_in_turn);
    app.add_systems(Update, two_turns);
    assert_eq!(app.update(), None);
    assert_eq!(log(&mut app), "event turn turn");
    let error = app.world_mut().run_schedule("other").unwrap_err();
    assert_eq!(
        error.to_string(),
        "the world has no schedule `\"other\"`; help: add it with `world.insert_schedule`"
    );
}

#[test]
fn systems_are_added_between_frames_at_their_place() {
    let mut app = app();
    app.add_schedule(Mine::Turn);
    app.add_systems(Update, note!("update"));
    app.add_systems(Last, two_turns);
    app.update_by(STEP);
    log(&mut app);
    app.add_systems(PreUpdate, note!("pre"));
    app.add_systems(FixedUpdate, note!("fixed 1"));
    app.add_systems(Mine::Turn, note!("turn"));
    app.update_by(STEP);
    assert_eq!(log(&mut app), "pre fixed 1 update turn turn");
    app.add_systems(Update, note!("update 2"));
    app.add_systems(FixedUpdate, note!("fixed 2"));
    app.update_by(STEP);
    assert_eq!(
        log(&mut app),
        "pre fixed 1 fixed 2 update update 2 turn turn"
    );
}

#[test]
fn states_of_systems_survive_what_is_added() {
    let mut app = app();
    app.insert_resource(0_u32);
    app.add_systems(Update, |mut local: Local<u32>, mut seen: ResMut<u32>| {
        *local += 1;
        *seen = *local;
    });
    app.update();
    app.add_systems(First, note!("new"));
    app.update();
    assert_eq!(*app.world().resource::<u32>(), 2);
}

#[test]
fn systems_for_a_startup_that_has_run_are_an_error() {
    let mut app = app();
    app.update();
    app.add_systems(Startup, note!("late"));
    let error = app.build().unwrap_err().to_string();
    assert!(
        error.contains("something was added to `Startup` at"),
        "{error}"
    );
    assert!(app.update().is_some_and(|exit| !exit.is_success()));
}

#[system]
fn counts(mut local: Local<u8>, mut log: ResMut<crate::Log>) {
    *local += 1;
    log.0.push(["", "one", "two", "three"][usize::from(*local)]);
}

#[test]
fn systems_are_removed_from_one_schedule_and_the_others_keep_their_state() {
    let mut app = app();
    app.add_schedule(Mine::Turn);
    app.add_systems(PreUpdate, follows)
        .add_systems(Update, (follows, counts));
    app.add_systems(FixedUpdate, (follows, counts, note!("fixed")));
    app.add_systems(Mine::Turn, (follows, note!("turn")));
    app.add_systems(
        Last,
        two_turns.on_error(ecs_core::schedule::ErrorPolicy::Panic),
    );
    app.remove_systems(PreUpdate, follows);
    app.update_by(STEP);
    assert_eq!(
        log(&mut app),
        "follow one fixed follow one follow turn follow turn"
    );
    app.record_timings(true);
    assert_eq!(app.remove_systems(Mine::Turn, follows), 1);
    app.update_by(STEP);
    assert_eq!(log(&mut app), "follow two fixed follow two turn turn");
    assert_eq!(app.remove_systems(FixedUpdate, follows), 1);
    assert_eq!(app.remove_systems(FixedUpdate, follows), 0);
    assert_eq!(app.remove_systems(Update, follows), 1);
    app.update_by(STEP);
    assert_eq!(log(&mut app), "three fixed three turn turn");
    let of_counts = app
        .timings()
        .into_iter()
        .filter(|t| t.system().ends_with("counts"));
    assert_eq!(
        Vec::from_iter(of_counts.map(|timing| timing.count())),
        [2, 2]
    );
}

#[test]
fn a_schedule_beside_one_that_does_not_run_each_frame_is_refused() {
    let mut app = app();
    app.insert_schedule_before(Startup, Mine::Combat);
    app.add_schedule(Mine::Turn);
    app.insert_schedule_after(Mine::Turn, Mine::Looting);
    let error = app.build().unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    for (line, label) in lines.iter().zip(["Startup", "Turn"]) {
        assert!(
            line.starts_with(&format!("no schedule can be placed beside `{label}` at")),
            "{error}"
        );
    }
}

#[test]
fn schedules_without_a_place_are_one_error() {
    // Side by side.
    let mut app = app();
    app.insert_schedule_after(Mine::Combat, Mine::Looting);
    app.insert_schedule_after(Mine::Looting, Mine::Combat);
    let error = app.build().unwrap_err().to_string();
    assert!(
        error.starts_with("no schedule can be placed beside `Combat`"),
        "{error}"
    );
    assert_eq!(error.lines().count(), 1, "{error}");
    // The second one would have a place if the first one had.
    let mut app = self::app();
    app.insert_schedule_after("Updat", Mine::Combat);
    app.insert_schedule_after(Mine::Combat, Mine::Looting);
    app.insert_schedule_after("nowhere", Mine::Turn);
    let error = app.build().unwrap_err().to_string();
    assert_eq!(error.lines().count(), 2, "{error}");
    assert!(
        error.contains("the app has no schedule `\"Updat\"`"),
        "{error}"
    );
}

#[test]
fn sets_of_a_fixed_step_without_systems_are_configured_for_later_ones() {
    let mut app = app();
    app.configure(FixedUpdate, "off", |set| set.run_if(|| false));
    app.chain_sets(FixedUpdate, ["first", "second"]);
    app.update_by(STEP);
    app.add_systems(FixedUpdate, note!("off").in_set("off"));
    app.add_systems(FixedUpdate, note!("second").in_set("second"));
    app.add_systems(FixedUpdate, note!("first").in_set("first"));
    app.update_by(STEP);
    assert_eq!(log(&mut app), "first second");
}

#[system]
fn drawn(_: Comp<Turned>) {}

#[derive(Component)]
struct Turned;

#[test]
fn timings_stay_with_their_systems_when_others_are_added_to_a_fixed_step() {
    let mut app = app();
    app.add_systems(PreUpdate, moves)
        .add_systems(FixedUpdate, follows)
        .add_systems(Update, (counts, drawn));
    app.build().unwrap();
    app.record_timings(true);
    app.update_by(STEP);
    let mut physics = Schedule::named("physics");
    physics.add(follows);
    app.add_systems(FixedUpdate, (moves, physics));
    app.update_by(STEP);
    let timings = app.timings();
    let timings = timings.iter();
    let found = timings.map(|t| {
        let name = t.system().rsplit("::").next().unwrap();
        (t.path(), name, t.count())
    });
    let expected = [
        ("", "moves", 2),
        ("", "FixedUpdate", 2),
        ("FixedUpdate", "follows", 2),
        ("FixedUpdate", "moves", 1),
        ("FixedUpdate", "physics", 1),
        ("FixedUpdate > physics", "follows", 1),
        ("", "counts", 2),
        ("", "drawn", 2),
    ];
    assert_eq!(Vec::from_iter(found), expected);
}

#[test]
fn systems_of_the_fixed_step_do_not_get_into_another_step_in_its_set() {
    let mut app = app();
    let mut mine = Schedule::new();
    mine.add(note!("mine"));
    let mine = fixed_update(STEP / 2, mine).in_set(FixedUpdate);
    app.add_systems(PreUpdate, mine);
    app.build().unwrap();
    app.add_systems(FixedUpdate, follows);
    app.update_by(STEP);
    assert_eq!(log(&mut app), "mine mine follow");
    assert_eq!(app.remove_systems(FixedUpdate, follows), 1);
    app.update_by(STEP);
    assert_eq!(log(&mut app), "mine mine");
}

#[test]
fn sets_are_chained_and_the_order_of_systems_is_waived() {
    let mut app = app();
    app.chain_sets(Update, ["input", "rules", "draw"]);
    app.add_systems(Update, note!("draw").in_set("draw"));
    app.add_systems(PostUpdate, note!("camera").in_set("draw"));
    app.add_systems(Update, note!("rules").in_set("rules"));
    app.add_systems(Update, (moves, follows));
    app.unordered(Update, moves, follows);
    let plan = app.build().unwrap();
    assert_eq!(plan.frame().ambiguities().count(), 1);
    app.update();
    let words = log(&mut app);
    assert!(words.find("rules") < words.find("draw"), "{words}");
    assert!(words.ends_with("camera"), "{words}");

    let mut app = self::app();
    app.chain_sets(Update, ["draw", "rules"]);
    app.add_systems(PostUpdate, note!("camera").in_set("draw"));
    app.add_systems(Update, note!("rules").in_set("rules"));
    let error = app.build().unwrap_err().to_string();
    assert!(
        error.contains("but `Update` runs before `PostUpdate`"),
        "{error}"
    );
}

#[test]
fn systems_of_a_startup_that_has_run_can_be_removed() {
    let mut app = app();
    app.add_systems(Startup, (counts, follows.run_if(|| true), counts));
    app.add_systems(Update, counts);
    app.update();
    assert_eq!(log(&mut app), "one follow one one");
    assert_eq!(app.remove_systems(Startup, counts), 2);
    assert_eq!(app.remove_systems(Startup, follows), 1);
    app.update();
    assert_eq!(log(&mut app), "two");
}

#[test]
fn errors_of_a_schedule_by_hand_name_it() {
    let mut turn = Schedule::new();
    turn.add(|| -> Result<(), &str> { Err("no luck") });
    let mut world = World::new();
    world.insert_schedule(Mine::Turn, turn);
    let error = world.run_schedule(Mine::Turn).unwrap_err().to_string();
    assert!(error.starts_with("in `Turn`: system `"), "{error}");
    assert!(error.ends_with("failed: no luck"), "{error}");
}
