//! The games that the tests look into.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ecs_core::data::Prefab;
use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{OnAdd, Trigger};
use serde::{Deserialize, Serialize};

use crate::chromium::Browser;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.place")]
struct Place {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.name", storage = "sparse")]
struct Name(String);

/// Ties its entity to others.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.rope")]
struct Rope {
    ends: Vec<Entity>,
    last: Option<Entity>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.mood")]
enum Mood {
    Calm,
    Afraid,
}

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.rang")]
struct Rang {
    hour: u64,
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.weather")]
struct Weather {
    rain: bool,
    millimetres: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Sky {
    Day,
    Night,
}

#[system]
fn walk(mut places: CompMut<Place>) {
    (&mut places).for_each(|place| place.x += 1.0);
}

#[system]
fn dry(_places: Comp<Place>, mut weather: ResMut<Weather>) {
    weather.rain = false;
}

#[system]
fn ring(time: Res<Time>, mut rang: EventWriter<Rang>) {
    rang.send(Rang { hour: time.frame() });
}

#[system]
fn wake(mut rang: EventReader<Rang>) {
    rang.clear();
}

/// Sleeps in one frame of two hundred.
#[system]
fn stall(time: Res<Time>) {
    if time.frame() % 200 == 100 {
        thread::sleep(Duration::from_millis(40));
    }
}

pub(crate) fn meadow(app: &mut App, entities: usize, name: &'static str) {
    app.add_systems(Update, ((walk, dry).chain(), (ring, wake).chain(), stall))
        .insert_resource(Weather {
            rain: true,
            millimetres: 0,
        })
        .add_state(Sky::Day);
    let world = app.world_mut();
    world.register_data_event::<Rang>();
    world.register_data_state::<Sky>("game.sky");
    world.observe(|_: OnAdd<Mood>, mut weather: ResMut<Weather>| weather.rain = true);
    world.observe(|_: Trigger<Rang>, mut weather: ResMut<Weather>| weather.millimetres = 99);
    let hero = world.spawn((
        Place { x: 0.0, y: 7.0 },
        Health { now: 5 },
        Mood::Calm,
        Name(name.into()),
    ));
    let next = |n: usize| Place {
        x: 0.0,
        y: n as f32,
    };
    world.spawn_batch((1..entities).map(next));
    if entities == CHILDREN {
        let child = world.spawn((Health { now: 2 }, Name("Shield".into()), ChildOf.to(hero)));
        world.spawn((Health { now: 1 }, Name("Boss".into()), ChildOf.to(child)));
    }
}

/// Adds a knot to the meadow, whose rope leads to its hero, to the hero's shield, and to an entity that is no longer there.
pub(crate) fn knot(app: &mut App) {
    let world = app.world_mut();
    let named = |world: &mut World, name: &str| {
        let mut names = world.query::<(Entity, &Name)>();
        let found = (&mut names).into_iter().find(|(_, one)| one.0 == name);
        found.map(|(entity, _)| entity).expect("it is spawned")
    };
    let (hero, shield) = (named(world, "Hero"), named(world, "Shield"));
    let gone = world.spawn(());
    let ends = vec![hero, gone];
    let last = Some(shield);
    world.spawn((Name("Knot".into()), Rope { ends, last }));
    world.despawn(gone).expect("it was there");
}

fn guard() -> Prefab {
    let mut workshop = World::new();
    let guard = workshop.spawn((Health { now: 44 }, Name("Guard".into())));
    workshop.spawn((Health { now: 3 }, Name("Shield".into()), ChildOf.to(guard)));
    Prefab::from_tree::<ChildOf>(&workshop, guard).expect("all parts are data")
}

/// A game of this size has a hero with a shield, which has a boss.
pub(crate) const CHILDREN: usize = 4;

#[system]
fn turn<const A: usize, const B: usize>(mut places: CompMut<Place>) {
    _ = &mut places;
}

/// A thousand systems, each of which waits for the one before it. Ten have the same name.
fn machine(app: &mut App) {
    macro_rules! add {
        ($($a:literal)*) => { $(add!(@ $a, 0 1 2 3 4 5 6 7 8 9);)* };
        (@ $a:literal, $($b:literal)*) => { $(app.add_systems(Update, turn::<$a, $b>);)* };
    }
    for _ in 0..10 {
        add!(0 1 2 3 4 5 6 7 8 9);
    }
}

/// Runs a game until the sender is dropped, at a port, and returns the address of its inspector.
pub(crate) fn run(
    build: impl FnOnce(&mut App, Inspect) -> Inspect + Send + 'static,
    port: u16,
) -> (String, mpsc::Sender<()>) {
    let (send, received) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    thread::spawn(move || {
        let mut app = App::new();
        let announce = move |address: &str| send.send(address.to_owned()).expect("the test waits");
        let inspect = Inspect::new(port).prefab("guard", guard());
        let inspect = inspect.history(50).announce(announce);
        let inspect = build(&mut app, inspect);
        app.add_plugin(inspect);
        while ended.try_recv() != Err(mpsc::TryRecvError::Disconnected) {
            app.update_by(Duration::from_millis(16));
            thread::sleep(Duration::from_millis(4));
        }
    });
    (received.recv().expect("the inspector starts"), end)
}

/// Runs a game with some entities until the sender is dropped.
pub(crate) fn run_meadow(
    entities: usize,
    name: &'static str,
    port: u16,
) -> (String, mpsc::Sender<()>) {
    let build = move |app: &mut App, inspect| {
        meadow(app, entities, name);
        inspect
    };
    run(build, port)
}

/// Opens the page of a game, which runs as long as the page is open.
pub(crate) fn page_of(
    test: &str,
    build: impl FnOnce(&mut App, Inspect) -> Inspect + Send + 'static,
) -> Option<Browser> {
    let mut browser = Browser::start(test)?;
    let (address, end) = run(build, 0);
    browser.keep(end);
    browser.open(&address);
    browser.wait_for("$('#live').textContent === 'live'");
    Some(browser)
}

/// Opens the page of a game with some entities.
pub(crate) fn page(test: &str, entities: usize, name: &'static str) -> Option<Browser> {
    page_of(test, move |app, inspect| {
        meadow(app, entities, name);
        inspect
    })
}

/// Opens the page of a game of a thousand systems.
pub(crate) fn machine_page(test: &str) -> Option<Browser> {
    page_of(test, |app, inspect| {
        machine(app);
        inspect
    })
}
