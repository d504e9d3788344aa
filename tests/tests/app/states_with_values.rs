//! An app whose state has values inside, and whose components keep timers in variants: saved in each format, and as an exact snapshot.

use std::time::Duration;

use ecs_core::app::{RealTime, Stopwatch, Timer};
use ecs_core::data::{Loader, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::schedule::{DespawnOnExit, NextState, State};
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(25);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Level {
    Title,
    Playing { map: String, wave: u32 },
    Won(Vec<u8>),
}

/// Computed, and no data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Wave(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "levels.foe", storage = "sparse", track)]
enum Foe {
    Idle,
    Charging { timer: Timer, since: Stopwatch },
    Aiming(Option<Entity>, Timer),
}

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "levels.log")]
struct Log(Vec<String>);

#[system]
fn act(
    mut foes: Query<(Entity, &mut Foe)>,
    time: Res<Time>,
    mut log: ResMut<Log>,
    mut runs: Local<u64>,
    mut commands: Commands<Foe>,
) {
    *runs += 1;
    for (entity, mut foe) in &mut foes {
        match &mut *foe {
            Foe::Idle => {}
            Foe::Charging { timer, since } => {
                since.tick(time.delta());
                if timer.tick(time.delta()).just_finished() {
                    log.0.push(format!(
                        "{entity} {runs} {:?}",
                        since.elapsed(),
                        runs = *runs
                    ));
                    let aims = Timer::once(Duration::from_millis(60));
                    commands.spawn(Foe::Aiming(Some(entity), aims));
                }
            }
            Foe::Aiming(at, timer) => {
                if timer.tick(time.delta()).just_finished() {
                    log.0.push(format!("{entity} aims at {at:?}"));
                    commands.despawn(entity);
                }
            }
        }
    }
}

fn cave() -> Level {
    let map = "cave".to_owned();
    Level::Playing { map, wave: 2 }
}

/// Returns a system that notes a word.
macro_rules! note {
    ($word:literal) => {
        |mut log: ResMut<Log>| log.0.push($word.to_owned())
    };
}

fn game() -> App {
    let mut app = App::new();
    app.init_resource::<Log>()
        .add_state(Level::Title)
        .add_computed_state(|level: &Level| match level {
            Level::Playing { wave, .. } => Some(Wave(*wave)),
            _ => None,
        })
        .on_enter(Level::Title, note!("title"))
        .on_enter(cave(), note!("cave"))
        .on_exit(cave(), note!("-cave"))
        .on_enter(Wave(2), note!("wave"))
        .on_exit(Wave(2), note!("-wave"))
        .add_systems(FixedUpdate, act);
    let world = app.world_mut();
    world.register_data_state::<Level>("levels.level");
    world.register::<Foe>();
    app
}

fn request(app: &mut App, level: Level) {
    let mut next = app.world_mut().resource_mut::<NextState<Level>>();
    next.set(level);
}

fn played() -> App {
    let mut app = game();
    app.update_by(FRAME);
    request(&mut app, cave());
    app.update_by(FRAME);
    let world = app.world_mut();
    let charging = Foe::Charging {
        timer: Timer::repeating(Duration::from_millis(70)),
        since: Stopwatch::default(),
    };
    world.spawn((charging, DespawnOnExit(cave())));
    world.spawn((Foe::Idle, DespawnOnExit(Level::Won(vec![1]))));
    app.update_times(5, FRAME);
    app
}

/// Loads a save, in one of two formats, and looks at what belongs to the state.
fn is_loaded(old: &App, is_json: bool, enters: bool, has_run: bool) {
    let mut app = game();
    if has_run {
        app.update_times(3, FRAME);
    }
    let frames = |app: &App| app.world().resource::<RealTime>().frame();
    let before = frames(&app);
    let loader = match enters {
        true => Loader::new().enter_states(),
        false => Loader::new(),
    };
    let save = old.world().save();
    if is_json {
        let json = serde_json::to_vec(&save).unwrap();
        let mut json = serde_json::Deserializer::from_slice(&json);
        loader.deserialize(app.world_mut(), &mut json).unwrap();
    } else {
        let bytes = save.to_vec().unwrap();
        loader.load_bytes(app.world_mut(), &bytes).unwrap();
    }
    assert_eq!(frames(&app), before, "the real time is of this app");
    assert_eq!(*app.world().resource::<State<Level>>(), cave());
    let take_log = |app: &mut App| {
        app.update_by(Duration::ZERO);
        std::mem::take(&mut app.world_mut().resource_mut::<Log>().0).join(" ")
    };
    app.world_mut().resource_mut::<Log>().0.clear();
    assert_eq!(take_log(&mut app), if enters { "cave wave" } else { "" });
    assert_eq!(*app.world().resource::<State<Wave>>(), Wave(2));
    let foes = |app: &App| app.world().view::<Foe>().len();
    assert_eq!(foes(&app), foes(old));
    request(&mut app, Level::Won(vec![1]));
    assert_eq!(take_log(&mut app), "-wave -cave");
    assert_eq!(foes(&app), foes(old) - 1);
    request(&mut app, Level::Title);
    assert_eq!(take_log(&mut app), "title");
    assert_eq!(app.world().view::<DespawnOnExit<Level>>().len(), 0);
}

#[test]
fn a_load_sets_a_state_with_values_and_entities_belong_to_it() {
    let old = played();
    for is_json in [false, true] {
        for enters in [false, true] {
            is_loaded(&old, is_json, enters, false);
            is_loaded(&old, is_json, enters, true);
        }
    }
}

/// The log and the exact hash after some frames.
fn future(app: &mut App) -> (Log, u64) {
    app.update_times(6, FRAME);
    let log = app.world().resource::<Log>().clone();
    let mut hasher = WorldHasher::new().only_data();
    (log, hasher.exact(app.world_mut()).unwrap())
}

#[test]
fn exact_bytes_have_the_same_future_in_an_app_that_has_run_otherwise() {
    let mut app = played();
    for round in 0..8 {
        let mut snapshot = app.snapshot().unwrap();
        let bytes = snapshot.to_bytes().unwrap();
        let mut other = game();
        other.update_times(7 + round, FRAME * 3);
        for number in 0..100 {
            let world = other.world_mut();
            let foe = world.spawn((Foe::Idle, DespawnOnExit(Level::Title)));
            if number % 3 == 0 {
                world.despawn(foe).unwrap();
            }
        }
        let expected = future(&mut app);
        for other in [&mut game(), &mut other] {
            other.restore_bytes(&bytes).unwrap();
            assert_eq!(future(other), expected);
        }
        app.restore(&mut snapshot).unwrap();
        app.update_by(FRAME);
    }
    assert!(app.world().resource::<Log>().0.len() > 8);
}
