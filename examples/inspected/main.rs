//! A small simulation that a browser sees into and changes: `cargo run --release -p ecs-examples --example inspected` prints the
//! address. `-- --entities 100000` sets the number of rats. `-- --check` calls the methods itself, prints what it sees, and ends.
//! `-- --record FILE` records the run with all edits, and so does the page's button Record, in a temporary file that the page keeps.
//! `-- --replay FILE` runs a recording again.

mod game;

use std::error::Error;
use std::sync::mpsc;
use std::thread;

use ecs_core::data::WorldData;
use ecs_core::inspect::{Client, Inspect, Params, RpcError};
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_examples::{file_after, replay};
use serde_json::{Value, json};

/// Calls methods, and prints what they return.
fn check(url: &str) -> Result<(), Box<dyn Error + Send + Sync>> {
    let mut client = Client::connect(url)?;
    let mut call = |method: &str, params: Value| {
        let answer = client.call(method, params);
        if let Ok(answer) = &answer {
            let text: String = answer.to_string().chars().take(120).collect();
            println!("{method}: {text}");
        }
        answer
    };
    call("app.record", json!({"on": true}))?;
    call("app.pause", json!({}))?;
    let found = call(
        "entities.find",
        json!({"query": "game.health, game.speed, ?ecs.name", "limit": 3}),
    )?;
    let entity = found["rows"][0]["entity"].clone();
    let low = json!({"query": "game.health.now < 5", "count": true, "limit": 1});
    let low = call("entities.find", low)?;
    assert_eq!(low["count"]["exact"], true);
    let edit = |value: Value| json!({"entity": entity, "component": "game.health", "path": "now", "value": value});
    call("world.mutate_components", edit(json!(7)))?;
    let error = call("world.mutate_components", edit(json!("many"))).unwrap_err();
    println!("refused: {error}");
    let health =
        json!({"entity": entity, "components": ["game.health", "game.place"], "strict": true});
    let health = call("world.get_components", health)?;
    assert_eq!(health["game.health"]["now"], 7);
    let before = call("game.hash", json!({}))?;
    call("app.step", json!({"frames": 3}))?;
    assert_ne!(call("game.hash", json!({}))?, before);
    call("app.step_back", json!({"frames": 3}))?;
    assert_eq!(call("game.hash", json!({}))?, before);
    call("app.resume", json!({}))?;
    // The edit, the steps and the step back are in the recording.
    let mut state = call("app.record", json!({"on": false}))?;
    while state["on"] == true {
        state = call("app.record", json!({}))?;
    }
    assert_ne!(state["frames"], 0);
    println!("all as it should be");
    Ok(())
}

/// A method of the program's own: the hash of everything in the world.
fn hash(world: &World, _: Params) -> Result<ecs_core::data::Value, RpcError> {
    let hash = world.hash().map_err(|error| RpcError::new(1, error))?;
    Ok(format!("{hash:016x}").into())
}

#[test]
fn from_any_frame_the_meadow_is_the_same() {
    let meadow = || {
        let mut app = App::new();
        game::game(&mut app, 300);
        app
    };
    ecs_examples::assert_same_from_any_frame(meadow, 200, |_, _| {});
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let rats = after("--entities").map_or(Ok(10_000), |number| number.parse())?;
    let meadow = || {
        let mut app = App::new();
        game::game(&mut app, rats);
        app
    };
    if let Some(path) = file_after("--replay") {
        let replayed = replay(&path, meadow).map_err(|error| error.to_string())?;
        println!("{replayed}");
        return Ok(());
    }
    let mut app = meadow();
    let recorder = match file_after("--record") {
        Some(path) => Recorder::new(path),
        None => {
            let name = format!("inspected-{}.rec", std::process::id());
            Recorder::new(std::env::temp_dir().join(name)).stopped()
        }
    };
    let recording = recorder.control();
    app.add_plugin(recorder);
    if !has("--check") {
        // Each frame takes the time to copy the world, and there are fewer when they have more than 1 GiB.
        let inspect = Inspect::new(7747).history(100).prefab("nest", game::nest());
        app.add_plugin(recording.inspected(inspect)).rate(60.0);
        return match app.run().is_success() {
            true => Ok(()),
            false => Err("the app ended with an error".into()),
        };
    }
    let (send, address) = mpsc::channel();
    let inspect = Inspect::new(0).history(10).read_method("game.hash", hash);
    let inspect = recording.inspected(inspect);
    app.add_plugin(inspect.announce(move |url| _ = send.send(url.to_owned())));
    let url = address.recv()?;
    let client = thread::spawn(move || check(&url));
    while !client.is_finished() {
        app.update();
    }
    client.join().map_err(|_| "the check panicked")?
}
