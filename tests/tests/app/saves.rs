//! Saves of apps: the app's own types are data.

use std::time::Duration;

use ecs_core::app::{RealTime, Stopwatch, Timer};
use ecs_core::data::{CatalogKind, Loader, Value};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::in_state;
use ecs_core::schedule::{DespawnOnExit, FixedTime, NextState, State};
use serde::{Deserialize, Serialize};

use crate::{Log, log, note};

const FRAME: Duration = Duration::from_millis(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Screen {
    Menu,
    Game,
}

/// Exists in the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Play {
    Running,
    Paused,
}

/// Computed, and no data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct InGame;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "test.mark")]
struct Mark(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "test.cooldown")]
struct Cooldown {
    timer: Timer,
    since: Stopwatch,
}

#[system(for_each)]
fn cool_down(cooldown: &mut Cooldown, time: Res<Time>) {
    cooldown.timer.tick(time.delta());
    cooldown.since.tick(time.delta());
}

/// An app whose handlers note what they do.
fn game() -> App {
    let mut app = crate::app();
    app.add_state(Screen::Menu)
        .add_sub_state(Play::Running, Screen::Game)
        .add_computed_state(|screen: &Screen| (*screen == Screen::Game).then_some(InGame))
        .on_enter(Screen::Menu, note!("enter-menu"))
        .on_exit(Screen::Menu, note!("exit-menu"))
        .on_enter(Screen::Game, note!("enter-game"))
        .on_exit(Screen::Game, note!("exit-game"))
        .on_enter(Play::Running, note!("enter-running"))
        .on_enter(Play::Paused, note!("enter-paused"))
        .on_exit(Play::Paused, note!("exit-paused"))
        .on_enter(InGame, note!("enter-in-game"))
        .on_exit(InGame, note!("exit-in-game"))
        .fixed_step(Duration::from_millis(20))
        .add_systems(FixedUpdate, note!("step"))
        .add_systems(Update, cool_down)
        .add_systems(Update, note!("play").run_if(in_state(InGame)));
    let world = app.world_mut();
    world.register::<Mark>();
    world.register_data_state::<Screen>("test.screen");
    world.register_data_state::<Play>("test.play");
    app
}

fn go(app: &mut App, screen: Screen) {
    app.world_mut()
        .resource_mut::<NextState<Screen>>()
        .set(screen);
    app.update_by(Duration::ZERO);
}

fn saved(app: &App) -> Vec<u8> {
    app.world().save().to_vec().unwrap()
}

/// A save of a paused game with an entity of each state.
fn paused() -> Vec<u8> {
    let mut app = game();
    app.update_by(FRAME);
    go(&mut app, Screen::Game);
    let world = app.world_mut();
    world.spawn((Mark(1), DespawnOnExit(Screen::Game)));
    world.spawn((Mark(2), DespawnOnExit(Screen::Menu)));
    world.resource_mut::<NextState<Play>>().set(Play::Paused);
    app.update_by(Duration::ZERO);
    app.world_mut()
        .spawn((Mark(3), DespawnOnExit(Play::Paused)));
    saved(&app)
}

fn marks(app: &App) -> Vec<u32> {
    let mut marks: Vec<u32> = app
        .world()
        .view::<Mark>()
        .iter()
        .map(|mark| mark.0)
        .collect();
    marks.sort_unstable();
    marks
}

#[test]
fn a_load_sets_states_without_their_handlers() {
    let save = paused();
    for has_run in [false, true] {
        let mut app = game();
        if has_run {
            app.update_by(FRAME);
            log(&mut app);
        }
        Loader::new().load_bytes(app.world_mut(), &save).unwrap();
        assert_eq!(*app.world().resource::<State<Screen>>(), Screen::Game);
        assert_eq!(*app.world().resource::<State<Play>>(), Play::Paused);
        app.update_by(Duration::ZERO);
        assert_eq!(log(&mut app), "play", "the computed state has followed");
        assert_eq!(marks(&app), [1, 2, 3]);
        // The entities belong to their states as before.
        app.world_mut()
            .resource_mut::<NextState<Play>>()
            .set(Play::Running);
        app.update_by(Duration::ZERO);
        assert_eq!(marks(&app), [1, 2]);
        assert_eq!(log(&mut app), "exit-paused enter-running play");
        go(&mut app, Screen::Menu);
        assert_eq!(marks(&app), [2]);
        assert_eq!(log(&mut app), "exit-in-game exit-game enter-menu");
        assert!(!app.world().contains_resource::<State<Play>>());
    }
}

#[test]
fn a_load_enters_states_with_their_handlers_on_request() {
    let save = paused();
    let mut app = game();
    app.update_by(FRAME);
    log(&mut app);
    let loader = Loader::new().enter_states();
    loader.load_bytes(app.world_mut(), &save).unwrap();
    app.update_by(Duration::ZERO);
    assert_eq!(log(&mut app), "enter-game enter-paused enter-in-game play");
    assert_eq!(marks(&app), [1, 2, 3]);
    app.update_by(Duration::ZERO);
    assert_eq!(log(&mut app), "play", "once");
}

#[test]
fn states_that_the_load_ends_go_with_their_entities() {
    let menu = {
        let mut app = game();
        app.update_by(FRAME);
        app.world_mut()
            .spawn((Mark(7), DespawnOnExit(Screen::Menu)));
        saved(&app)
    };
    let mut app = game();
    Loader::new()
        .load_bytes(app.world_mut(), &paused())
        .unwrap();
    app.update_by(Duration::ZERO);
    log(&mut app);
    // From a paused game back into the menu.
    Loader::new().load_bytes(app.world_mut(), &menu).unwrap();
    app.update_by(Duration::ZERO);
    assert_eq!(log(&mut app), "", "nothing is left or entered");
    assert_eq!(marks(&app), [2, 7], "of the menu alone");
    assert!(!app.world().contains_resource::<State<Play>>());
    assert!(!app.world().contains_resource::<State<InGame>>());
    // And within one state, all entities stay.
    Loader::new().load_bytes(app.world_mut(), &menu).unwrap();
    app.update_by(Duration::ZERO);
    assert_eq!(marks(&app), [2, 7, 7]);
}

#[test]
fn a_request_is_part_of_a_save() {
    let mut app = game();
    app.update_by(FRAME);
    app.world_mut()
        .resource_mut::<NextState<Screen>>()
        .set(Screen::Game);
    let save = saved(&app);
    let mut new = game();
    new.update_by(FRAME);
    log(&mut new);
    Loader::new().load_bytes(new.world_mut(), &save).unwrap();
    new.update_by(Duration::ZERO);
    assert_eq!(
        log(&mut new),
        "exit-menu enter-game enter-running enter-in-game play"
    );
}

#[test]
fn a_save_before_the_first_frame_enters_the_first_state() {
    let mut app = game();
    app.build().unwrap();
    let save = saved(&app);
    let mut new = game();
    new.update_by(FRAME);
    go(&mut new, Screen::Game);
    log(&mut new);
    Loader::new().load_bytes(new.world_mut(), &save).unwrap();
    new.update_by(Duration::ZERO);
    assert_eq!(log(&mut new), "enter-menu");
    assert!(!new.world().contains_resource::<State<Play>>());
}

#[test]
fn times_go_on_after_a_load_and_real_time_stays() {
    let mut app = game();
    for _ in 0..5 {
        app.update_by(FRAME);
    }
    app.world_mut().resource_mut::<Time>().set_scale(0.5);
    let timer = Timer::repeating(Duration::from_millis(70));
    let since = Stopwatch::new();
    app.world_mut().spawn(Cooldown { timer, since });
    app.update_by(FRAME);
    let save = saved(&app);
    let mut new = game();
    new.update_by(FRAME);
    Loader::new().load_bytes(new.world_mut(), &save).unwrap();
    assert_eq!(
        *new.world().resource::<Time>(),
        *app.world().resource::<Time>()
    );
    assert_eq!(new.world().resource::<RealTime>().elapsed(), FRAME);
    log(&mut app);
    log(&mut new);
    for frame in 0..9 {
        app.update_by(FRAME);
        new.update_by(FRAME);
        assert_eq!(log(&mut new), log(&mut app), "the steps of frame {frame}");
        assert_eq!(
            *new.world().resource::<Time>(),
            *app.world().resource::<Time>()
        );
        let fixed = [&app, &new].map(|app| *app.world().resource::<FixedTime>());
        assert_eq!(fixed[0], fixed[1]);
        let cooldown = |app: &App| {
            app.world()
                .view::<Cooldown>()
                .iter()
                .next()
                .unwrap()
                .clone()
        };
        assert_eq!(cooldown(&new), cooldown(&app));
    }
    assert_eq!(new.world().resource::<RealTime>().elapsed(), FRAME * 10);
}

#[test]
fn a_save_in_a_fixed_step_has_the_time_of_the_frame() {
    #[derive(Resource, Default)]
    struct Saves(Vec<Vec<u8>>);
    #[system]
    fn save(world: &mut World) {
        let save = world.save().to_vec().unwrap();
        world.resource_mut::<Saves>().0.push(save);
    }
    let mut app = game();
    app.init_resource::<Saves>().add_systems(FixedUpdate, save);
    app.update_times(3, FRAME);
    let saves = app.world().resource::<Saves>();
    let mut new = game();
    Loader::new()
        .load_bytes(new.world_mut(), saves.0.last().unwrap())
        .unwrap();
    assert_eq!(
        *new.world().resource::<Time>(),
        *app.world().resource::<Time>()
    );
}

#[test]
fn delays_wait_as_long_after_a_load_that_sets_the_time() {
    use ecs_core::command::Delay;
    let mut old = game();
    old.update_times(100, FRAME);
    let save = saved(&old);
    let mut app = game();
    app.update_by(FRAME);
    app.world_mut().delay(Delay::Time(FRAME * 3), |world| {
        world.resource_mut::<Log>().0.push("delayed");
    });
    Loader::new().load_bytes(app.world_mut(), &save).unwrap();
    for is_due in [false, false, true] {
        log(&mut app);
        app.update_by(FRAME);
        assert_eq!(log(&mut app).contains("delayed"), is_due);
    }
}

#[test]
fn saves_of_an_app_are_readable() {
    let mut app = game();
    app.update_by(FRAME);
    app.world_mut().spawn((
        DespawnOnExit(Screen::Menu),
        Cooldown {
            timer: Timer::once(FRAME),
            since: Stopwatch::new(),
        },
    ));
    let text = serde_json::to_string(&app.world().save()).unwrap();
    for part in [
        r#""test.screen":"Menu""#,
        r#""test.screen.next":[null,true]"#,
        r#""test.screen.despawn_on_exit":"Menu""#,
        r#""ecs.time":{"elapsed":{"secs":0,"nanos":30000000}"#,
        r#""ecs.fixed_time":{"step":{"secs":0,"nanos":20000000},"steps":1"#,
        r#""timer":{"duration":{"secs":0,"nanos":30000000}"#,
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let mut new = game();
    let mut json = serde_json::Deserializer::from_str(&text);
    Loader::new()
        .deserialize(new.world_mut(), &mut json)
        .unwrap();
    assert_eq!(new.world().view::<Cooldown>().len(), 1);
    let by_name = new.world().resource_by_name("test.screen").unwrap();
    assert_eq!(by_name, Some(Value::from("Menu")));
}

#[test]
fn states_are_in_the_catalog_with_their_values() {
    let mut app = game();
    app.update_by(FRAME);
    go(&mut app, Screen::Game);
    let types = app.world().data_catalog();
    for (name, schema, value) in [
        ("test.screen", "<Menu,Game>", "Game"),
        ("test.play", "<Running,Paused>", "Running"),
    ] {
        let mut named = types.iter().filter(|known| known.name() == name);
        let known = named.next().unwrap();
        assert_eq!(named.count(), 0, "{name} is listed once");
        assert_eq!(known.kind(), CatalogKind::Resource);
        // The resource that requests another value is there too.
        let next = known.next_state().unwrap();
        assert_eq!(next, format!("{name}.next"));
        let mut requests = types.iter().filter(|other| other.name() == next);
        let request = requests.next().unwrap();
        assert!(requests.next().is_none() && request.next_state().is_none());
        assert_eq!(request.kind(), CatalogKind::Resource);
        let of_request = request.schema().unwrap();
        let waiting = app.world().resource_by_name(next).unwrap().unwrap();
        assert!(of_request.fits(&waiting), "{of_request} and {waiting}");
        let current = app.world().resource_by_name(name).unwrap().unwrap();
        let found = known.schema().unwrap();
        assert!(found.fits(&current), "{found} and {current}");
        assert_eq!(
            (found.to_string(), current),
            (schema.to_owned(), value.into())
        );
    }
}

#[test]
fn a_state_that_is_set_by_name_takes_its_computed_states_along() {
    let mut app = game();
    app.update_by(FRAME);
    log(&mut app);
    let world = app.world_mut();
    world
        .insert_resource_by_name("test.screen", &Value::from("Game"))
        .unwrap();
    app.update_by(Duration::ZERO);
    assert_eq!(log(&mut app), "play");
    assert_eq!(*app.world().resource::<State<Play>>(), Play::Running);
}

#[test]
fn wrong_values_of_the_apps_types_are_errors() {
    let refused = |name: &str, value: &str, message: &str| {
        let mut app = game();
        app.update_by(FRAME);
        let value: Value = serde_json::from_str(value).unwrap();
        let error = app
            .world_mut()
            .insert_resource_by_name(name, &value)
            .unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    };
    let zero = r#"{"secs":0,"nanos":0}"#;
    let second = r#"{"secs":1,"nanos":0}"#;
    let time = |scale: &str, max: &str| {
        format!(
            r#"{{"elapsed":{zero},"delta":{zero},"frame":1,"scale":{scale},"remainder":0,"paused":false,"max_delta":{max}}}"#
        )
    };
    refused("ecs.time", &time("-1.0", second), "the scale of the time");
    refused("ecs.time", &time("1.0", zero), "the longest frame");
    let fixed = |step: &str, over: &str| {
        format!(r#"{{"step":{step},"steps":1,"overstep":{over},"lost":{zero}}}"#)
    };
    refused("ecs.fixed_time", &fixed(zero, zero), "less than a step");
    refused("ecs.fixed_time", &fixed(second, second), "less than a step");
    let timer = format!(
        r#"{{"duration":{zero},"elapsed":{zero},"times_finished":0,"repeating":true,"paused":false,"done":false}}"#
    );
    let error = serde_json::from_str::<Timer>(&timer).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("the period of a repeating timer is zero")
    );
}

#[test]
#[should_panic(expected = "Screen` has the name `test.screen` already; help")]
fn a_state_has_one_name() {
    game();
    World::new().register_data_state::<Screen>("other.screen");
}

#[test]
fn entities_of_a_state_are_cloned() {
    let mut app = game();
    app.update_by(FRAME);
    let world = app.world_mut();
    let entity = world.spawn((Mark(1), DespawnOnExit(Screen::Menu)));
    let copy = world.clone_entity(entity).unwrap();
    assert!(world.get::<DespawnOnExit<Screen>>(copy).is_some());
}

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "test.ping")]
struct Ping(u32);

/// The pings that systems have read, and their numbers of runs.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "test.ping_log")]
struct PingLog(Vec<(u32, u32)>);

#[system]
fn read_pings(mut pings: EventReader<Ping>, mut runs: Local<u32>, mut pings_read: ResMut<PingLog>) {
    *runs += 1;
    pings_read
        .0
        .extend(pings.read().map(|ping| (ping.0, *runs)));
}

#[test]
fn a_save_has_unread_events_and_neither_locals_nor_readers_nor_delayed_commands_nor_the_end() {
    use ecs_core::app::Exit;
    use ecs_core::command::{Delay, Delayed};
    let build = || {
        let mut app = game();
        app.init_resource::<PingLog>()
            .add_event::<Ping>()
            .add_systems(Update, read_pings.run_if(in_state(Screen::Menu)));
        app
    };
    let mut old = build();
    old.update_times(4, FRAME);
    let world = old.world_mut();
    world.send_event(Ping(1));
    old.update_by(FRAME);
    let world = old.world_mut();
    world.send_event(Ping(2));
    world.delay(Delay::Runs(1), |world| _ = world.spawn(Mark(9)));
    world.resource_mut::<Exit>().error(3);
    let save = saved(&old);

    let mut app = build();
    app.update_by(FRAME);
    Loader::new().load_bytes(app.world_mut(), &save).unwrap();
    assert_eq!(app.update_by(FRAME), None, "the app has not ended");
    let world = app.world();
    // The unread event is read, in the second run of this app's system; the one before is not read again.
    assert_eq!(world.resource::<PingLog>().0, [(1, 5), (2, 2)]);
    assert!(!world.contains_resource::<Delayed>() && world.view::<Mark>().is_empty());
    assert_eq!(world.resource::<RealTime>().frame(), 2, "of this app");
    assert_eq!(world.resource::<Time>().frame(), 6, "of the game");
}
