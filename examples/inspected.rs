//! A small simulation that a browser sees into and changes: `cargo run --release -p ecs-examples --example inspected` prints the
//! address. `-- --entities 100000` sets the number of rats. `-- --check` calls the methods itself, prints what it sees, and ends.

use std::error::Error;
use std::sync::mpsc;
use std::thread;

use ecs_core::inspect::{Client, Inspect};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.place")]
struct Place {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.speed")]
struct Speed {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
    max: i32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.name")]
struct Name(String);

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "game.weather")]
struct Weather {
    rain: f32,
}

#[system]
fn walk(mut place: CompMut<Place>, speed: Comp<Speed>) {
    for (place, speed) in (&mut place, &speed).iter() {
        place.x = (place.x + speed.x).rem_euclid(1000.0);
        place.y = (place.y + speed.y).rem_euclid(1000.0);
    }
}

#[system]
fn heal(mut health: CompMut<Health>) {
    for health in (&mut health).iter() {
        health.now = (health.now + 1).min(health.max);
    }
}

#[system]
fn change_weather(mut weather: ResMut<Weather>) {
    weather.rain = (weather.rain + 0.01).fract();
}

fn game(app: &mut App, rats: u32) {
    app.init_resource::<Weather>();
    app.add_systems(Update, (walk, heal, change_weather));
    let rat = |number: u32| {
        let angle = number as f32;
        (
            Place {
                x: number as f32 % 1000.0,
                y: number as f32 / 1000.0,
            },
            Speed {
                x: angle.sin(),
                y: angle.cos(),
            },
            Health {
                now: (number % 90) as i32,
                max: 100,
            },
            Name(format!("Rat {number}")),
        )
    };
    app.world_mut().spawn_batch((0..rats).map(rat));
}

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
    call("app.pause", json!({}))?;
    let found = call(
        "entities.find",
        json!({"query": "game.health, game.name", "limit": 3}),
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
    let before = call("world.get_components", health.clone())?;
    assert_eq!(before["game.health"]["now"], 7);
    call("app.step", json!({"frames": 3}))?;
    assert_ne!(call("world.get_components", health.clone())?, before);
    call("app.step_back", json!({"frames": 3}))?;
    assert_eq!(call("world.get_components", health)?, before);
    call("app.resume", json!({}))?;
    println!("all as it should be");
    Ok(())
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let after = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)
    };
    let rats = after("--entities").map_or(Ok(10_000), |number| number.parse())?;
    let mut app = App::new();
    game(&mut app, rats);
    if !has("--check") {
        app.add_plugin(Inspect::new(7747).history(100)).rate(60.0);
        return match app.run().is_success() {
            true => Ok(()),
            false => Err("the app ended with an error".into()),
        };
    }
    let (send, address) = mpsc::channel();
    app.add_plugin(Inspect::new(0).history(10).announce(move |url| {
        let _ = send.send(url.to_owned());
    }));
    let url = address.recv()?;
    let client = thread::spawn(move || check(&url));
    while !client.is_finished() {
        app.update();
    }
    client.join().map_err(|_| "the check panicked")?
}
