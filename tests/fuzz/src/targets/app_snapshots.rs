//! Snapshots of apps from strangers, with a checksum that is right: each is an error, or an app that goes on after a return to it.

use std::time::Duration;

use ecs_core::app::{ReadAppSnapshotError, Timer, on_timer};
use ecs_core::command::Delay;
use ecs_core::data::__private::seal_snapshot;
use ecs_core::data::Loader;
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::every;
use ecs_core::schedule::{DespawnOnExit, NextState};
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(30);

/// A snapshot, and the app that reads it: one that has run if the number is odd.
pub type Input = super::ReaderBytes;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Screen {
    Menu,
    Game,
}

/// Exists in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Pace {
    Slow,
    Fast,
}

/// Computed, and no data.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Playing;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.cooldown", track)]
struct Cooldown(Timer);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "fuzz.count")]
struct Count(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "fuzz.later")]
struct Later {
    of: Option<Entity>,
    number: u32,
}

#[system]
fn count(
    mut count: ResMut<Count>,
    mut runs: Local<u32>,
    changed: Query<&Cooldown, Changed<Cooldown>>,
) {
    *runs = runs.wrapping_add(changed.iter().count() as u32 + 1);
    count.0 = count.0.wrapping_add(*runs);
}

#[system]
fn cool(mut cooldowns: Query<&mut Cooldown>, time: Res<Time>, mut timer: Local<Option<Timer>>) {
    timer
        .get_or_insert(Timer::repeating(FRAME))
        .tick(time.delta());
    cooldowns.for_each(|mut cooldown| _ = cooldown.0.tick(time.delta()));
}

#[system]
fn enter(mut commands: Commands) {
    commands.spawn((Cooldown(Timer::once(FRAME)), DespawnOnExit(Screen::Game)));
}

/// Fails in the first transition to a menu.
#[system]
fn leave(mut count: ResMut<Count>) {
    count.0 |= 1 << 31;
    assert!(count.0 & 1 << 30 == 0, "a planned panic");
}

fn app() -> App {
    let mut app = App::new();
    app.init_resource::<Count>()
        .add_state(Screen::Menu)
        .add_sub_state(Pace::Slow, Screen::Game)
        .add_computed_state(|screen: &Screen| (*screen == Screen::Game).then_some(Playing))
        .on_enter(Playing, enter)
        .on_exit(Screen::Game, leave)
        .on_enter(Pace::Fast, count)
        .fixed_step(Duration::from_millis(20))
        .add_systems(FixedUpdate, cool)
        .add_systems(Update, count.run_if(every(2)))
        .add_systems(Update, count.run_if(on_timer(FRAME)))
        .single_threaded(true)
        .set_snapshotter(Snapshotter::new().local_data::<Option<Timer>>());
    let world = app.world_mut();
    world.register::<Cooldown>();
    world.register_data_event::<Later>();
    world.register_data_state::<Screen>("fuzz.screen");
    world.register_data_state::<Pace>("fuzz.pace");
    app
}

fn request(app: &mut App, screen: Screen) {
    app.world_mut()
        .resource_mut::<NextState<Screen>>()
        .set(screen);
}

/// An app in the game, with events that wait.
fn played() -> App {
    let mut app = app();
    app.update_by(FRAME);
    app.world_mut()
        .delay(Delay::Runs(1), |world| _ = world.spawn(()));
    request(&mut app, Screen::Game);
    app.update_times(3, FRAME);
    let world = app.world_mut();
    let of = world.query::<Entity>().iter().next();
    for number in 0..3 {
        world.delay_event(Delay::Runs(number.into()), Later { of, number });
        let time = FRAME * number / 2;
        world.delay_event(Delay::Time(time), Later { of: None, number });
    }
    app
}

fn bytes_of(app: &mut App) -> Vec<u8> {
    let snapshot = app.snapshot().expect("everything can be copied");
    snapshot.to_bytes().expect("everything is data")
}

/// Returns inputs to start from, with their names. They have names of types of this package.
#[must_use]
pub fn seeds() -> Vec<(&'static str, Vec<u8>)> {
    let mut new = app();
    let mut game = played();
    let mut asked = played();
    request(&mut asked, Screen::Menu);
    let mut loaded = app();
    loaded.update_by(FRAME);
    let save = game.world().save().to_vec().expect("everything is data");
    let load = Loader::new().load_bytes(loaded.world_mut(), &save);
    load.expect("a save of this app");
    let apps = [
        ("new", &mut new),
        ("game", &mut game),
        ("asked", &mut asked),
        ("loaded", &mut loaded),
    ];
    let inputs = apps.map(|(name, app)| (name, [&[1], &bytes_of(app)[..]].concat()));
    inputs.into()
}

/// Reads an input as it is.
///
/// # Errors
/// If it is not read.
pub fn read(input: &[u8]) -> Result<(), ReadAppSnapshotError> {
    app().read_snapshot(&input[1..]).map(drop)
}

/// Reads a snapshot, and returns to it.
///
/// # Panics
/// If the app is not consistent afterwards.
pub fn run(input: Input) {
    let Input { how, mut bytes } = input;
    seal_snapshot(&mut bytes);
    let mut app = if how % 2 == 1 { played() } else { app() };
    app.update_by(Duration::ZERO);
    let before = app.world().hash().expect("everything is data");
    let read = app.read_snapshot(&bytes);
    let restored = read.map(|mut snapshot| app.restore(&mut snapshot));
    let Ok(Ok(())) = restored else {
        assert_eq!(app.world().hash().expect("everything is data"), before);
        return;
    };
    app.world().check_invariants();
    if let Some(mut count) = app.world().get_resource_mut::<Count>() {
        count.0 &= u32::MAX >> 2;
    }
    // Resources that systems need may be missing.
    let went_on =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| app.update_times(3, FRAME)));
    app.world().check_invariants();
    drop(went_on);
}
