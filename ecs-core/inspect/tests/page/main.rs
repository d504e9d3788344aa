//! The inspector's page in a real browser.

#![cfg(unix)]

mod chromium;

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::json;

use chromium::Browser;

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

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.weather")]
struct Weather {
    rain: bool,
}

#[system]
fn walk(mut places: CompMut<Place>) {
    (&mut places).for_each(|place| place.x += 1.0);
}

#[system]
fn dry(_places: Comp<Place>, mut weather: ResMut<Weather>) {
    weather.rain = false;
}

/// Runs a game with some entities until the sender is dropped, at a port, and returns the address of its inspector.
fn run(entities: usize, name: &'static str, port: u16) -> (String, mpsc::Sender<()>) {
    let (send, received) = mpsc::channel();
    let (end, ended) = mpsc::channel::<()>();
    thread::spawn(move || {
        let mut app = App::new();
        let announce = move |address: &str| send.send(address.to_owned()).expect("the test waits");
        app.add_plugin(Inspect::new(port).history(50).announce(announce))
            .add_systems(Update, (walk, dry).chain())
            .insert_resource(Weather { rain: true });
        let world = app.world_mut();
        world.spawn((
            Place { x: 0.0, y: 7.0 },
            Health { now: 5 },
            Name(name.into()),
        ));
        world.spawn_batch((1..entities).map(|n| Place {
            x: 0.0,
            y: n as f32,
        }));
        while ended.try_recv() != Err(mpsc::TryRecvError::Disconnected) {
            app.update_by(Duration::from_millis(16));
            thread::sleep(Duration::from_millis(4));
        }
    });
    (received.recv().expect("the inspector starts"), end)
}

/// Runs a game until the tests end.
fn game(entities: usize, name: &'static str) -> String {
    let (address, end) = run(entities, name, 0);
    std::mem::forget(end);
    address
}

/// Opens the page of a game.
fn page(test: &str, entities: usize, name: &'static str) -> Option<Browser> {
    let mut browser = Browser::start(test)?;
    browser.open(&game(entities, name));
    browser.wait_for("document.querySelector('#live').textContent === 'live'");
    Some(browser)
}

const FIRST_ROW: &str = "document.querySelector('#list .row')";

/// Returns an expression for the text of a field's input.
fn field(id: &str) -> String {
    format!("document.getElementById({id:?}).value")
}

#[test]
fn entities_are_listed_found_and_edited() {
    let Some(mut browser) = page("edits", 1000, "Hero") else {
        return;
    };
    browser.wait_for("document.querySelector('#count').textContent === '1,000 entities'");
    browser.fill("#query", "game.health.now < 10");
    browser.key("Enter");
    browser.wait_for("document.querySelector('#count').textContent === '1 entity'");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('Hero')"));
    browser.click("#list .row");
    browser.wait_for("document.querySelector('#detail h2').innerText.includes('Hero')");

    let health = "field-game.health-now";
    browser.wait_for(&format!("{} === '5'", field(health)));
    browser.eval(&format!(
        "document.getElementById({health:?}).id = 'health'"
    ));
    browser.fill("#health", "many");
    browser.key("Enter");
    browser.wait_for("document.querySelector('#health ~ .error').innerText.includes('i32')");
    browser.key("Escape");
    browser.fill("#health", "9");
    browser.key("Enter");
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('9')"));
    browser.click("#undo");
    browser.wait_for("document.querySelector('#health').value === '5'");

    browser.fill("#query", "game.helth.now < 10");
    browser.key("Enter");
    browser.wait_for("document.querySelector('#query-error').innerText.includes('game.health')");
    let address = browser.eval("location.search");
    assert!(
        address
            .as_str()
            .is_some_and(|text| text.contains("helth") && text.contains("entity=0v1"))
    );
}

#[test]
fn time_is_paused_stepped_and_taken_back() {
    let Some(mut browser) = page("time", 3, "Hero") else {
        return;
    };
    browser.click("#list .row");
    browser.click("#pause");
    browser.wait_for("document.querySelector('#live').textContent === 'paused'");
    let x = field("field-game.place-x");
    browser.wait_for(&format!("Number({x}) > 0"));
    let wait_settled = "new Promise((done) => setTimeout(done, 500))";
    browser.eval(wait_settled);
    let before = browser.eval(&format!("Number({x})"));
    let before = before.as_f64().expect("a number");
    browser.click("#step");
    browser.wait_for(&format!("Number({x}) === {before} + 1"));
    browser.click("#back");
    browser.wait_for(&format!("Number({x}) === {before}"));
    browser.click("#step-system");
    browser.wait_for("document.querySelector('#live').textContent === 'paused in a frame'");
    browser.click("#step");
    browser.wait_for("document.querySelector('#live').textContent === 'paused'");
    browser.click("#pause");
    browser.wait_for("document.querySelector('#live').textContent === 'live'");
}

#[test]
fn the_end_of_a_long_list_is_reached_by_the_keyboard() {
    let Some(mut browser) = page("long", 1_000_000, "Hero") else {
        return;
    };
    browser.wait_for("document.querySelector('#count').textContent === '1,000,000 entities'");
    browser.eval("document.querySelector('#list').focus()");
    browser.key("End");
    browser.wait_for(
        "document.querySelector('#list [aria-selected=true]').innerText.startsWith('999999v1')",
    );
    browser.wait_for("document.querySelector('#list').getAttribute('aria-rowcount') === '1000000'");
    let elements = browser.eval("document.querySelectorAll('#list .row').length");
    assert!(
        elements.as_u64().is_some_and(|rows| rows < 100),
        "{elements}"
    );
}

#[test]
fn a_hostile_name_is_a_text() {
    let name = "<img src=x onerror=\"document.title='taken'\">";
    let Some(mut browser) = page("hostile", 3, name) else {
        return;
    };
    browser.wait_for(&format!("{FIRST_ROW}.innerText.includes('<img')"));
    browser.click("#list .row");
    browser.wait_for("document.querySelector('#detail h2').innerText.includes('<img')");
    assert_eq!(browser.eval("document.images.length"), json!(0));
    assert_ne!(browser.eval("document.title"), json!("taken"));
}

#[test]
fn every_view_shows_its_part() {
    let Some(mut browser) = page("views", 100, "Hero") else {
        return;
    };
    browser.key("2");
    browser.wait_for("document.querySelector('#resource-list').innerText.includes('game.weather')");
    browser.key("3");
    browser.wait_for("document.querySelector('#event-list table')");
    browser.key("4");
    browser.wait_for("[...document.querySelectorAll('#systems tr')].some((row) => row.innerText.includes('dry') && row.querySelector('button.link'))");
    browser.click("#systems button.link");
    browser.wait_for("document.querySelector('#why').innerText.includes('walk')");
    browser.click("#trace");
    browser.wait_for("document.querySelector('#lanes').height > 0 && document.querySelector('#trace-note').innerText.includes('runs')");
    browser.key("5");
    browser.wait_for("document.querySelector('#tables').innerText.includes('game.place')");
    let dark = json!({"features": [{"name": "prefers-color-scheme", "value": "dark"}]});
    browser.send("Emulation.setEmulatedMedia", dark);
    browser.screenshot("dark");
}

#[test]
fn a_game_that_starts_anew_is_noticed() {
    let Some(mut browser) = Browser::start("anew") else {
        return;
    };
    let (address, end) = run(3, "Hero", 0);
    browser.open(&address);
    browser.wait_for("document.querySelector('#mode').textContent === 'edits on'");
    browser.click("#list .row");
    browser.wait_for("document.querySelector('#numbers').textContent.includes('frame 1')");
    drop(end);
    browser.wait_for("document.querySelector('#live').className === 'lost'");
    let port = address
        .split([':', '/'])
        .nth(4)
        .and_then(|port| port.parse().ok());
    let (_, _end) = run(9, "Hero", port.expect("a port"));
    browser.wait_for("document.querySelector('#live').textContent === 'live'");
    browser.wait_for("document.querySelector('#notice').textContent.includes('anew')");
    browser.wait_for("document.querySelector('#count').textContent === '9 entities'");
    // It has another token.
    browser.wait_for("document.querySelector('#mode').textContent === 'read-only'");
    browser.wait_for("document.querySelector('#pause').disabled");
}

#[test]
fn seven_pages_are_answered() {
    let Some(mut browser) = Browser::start("seven") else {
        return;
    };
    let address = game(50, "Hero");
    for _ in 0..6 {
        browser.send("Target.createTarget", json!({"url": address}));
    }
    browser.open(&address);
    browser.wait_for("document.querySelector('#count').textContent === '50 entities'");
    browser.click("#list .row");
    browser.wait_for("document.querySelector('#detail h2').innerText.includes('Hero')");
}

#[test]
fn an_entity_is_disabled_and_spawned() {
    let Some(mut browser) = page("disabled", 3, "Hero") else {
        return;
    };
    browser.wait_for("document.querySelector('#count').textContent === '3 entities'");
    browser.click("#list .row");
    let press = |text: &str| {
        format!(
            "[...document.querySelectorAll('#detail .actions button')].find((one) => one.textContent === {text:?})"
        )
    };
    browser.wait_for(&press("Disable"));
    browser.eval(&format!("{}.click()", press("Disable")));
    browser.wait_for("document.querySelector('#count').textContent === '2 entities'");
    browser.wait_for(&press("Enable"));
    browser.click("#disabled");
    browser.wait_for("document.querySelector('#count').textContent === '3 entities'");
    browser.wait_for("document.querySelectorAll('#list .row.off').length === 1");
    browser.eval(&format!("{}.click()", press("Enable")));
    browser.wait_for("document.querySelectorAll('#list .row.off').length === 0");

    browser.click("#spawn");
    browser.fill("#dialog textarea", "{\"game.helth\": {\"now\": 1}}");
    browser.click("#dialog form button");
    browser.wait_for("document.querySelector('#dialog .error').innerText.includes('game.health')");
    browser.fill("#dialog textarea", "{\"game.health\": {\"now\": 1}}");
    browser.click("#dialog form button");
    browser.wait_for("!document.querySelector('#dialog').open");
    browser.wait_for("document.querySelector('#count').textContent === '4 entities'");
    browser.wait_for("document.querySelector('#detail h2').innerText.includes('v1')");
}
