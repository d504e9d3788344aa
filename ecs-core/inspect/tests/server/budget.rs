//! What the answers to clients may take of a frame.

use std::cell::Cell;
use std::time::Instant;

use super::*;

thread_local! {
    /// The values that this thread has serialized.
    static WRITTEN: Cell<u32> = const { Cell::new(0) };
}

/// A component that counts how often its value is read.
#[derive(Component, Clone, Debug, Deserialize)]
#[component(data = "game.counted")]
struct Counted(u32);

impl Serialize for Counted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WRITTEN.set(WRITTEN.get() + 1);
        serializer.serialize_u32(self.0)
    }
}

#[system]
fn idle(health: Comp<Health>) {
    let _ = health;
}

/// An app with many tables, entities, systems and types, whose inspector does one piece in each frame.
fn game() -> (App, String) {
    let mut app = App::new();
    app.add_systems(
        Update,
        (idle, idle, idle, idle, idle, idle, idle, idle, idle),
    );
    let world = app.world_mut();
    let health = || Health { now: 1, max: 2 };
    world.spawn_batch((0..5_000).map(|number| (health(), Name(format!("rat {number}")))));
    world.spawn((health(), Secret(1)));
    world.spawn((Secret(1), Name("x".to_owned())));
    world.spawn(Secret(2));
    world.spawn_batch((0..300).map(Counted));
    let url = inspected(&mut app, Inspect::new(0).budget(Duration::ZERO));
    (app, url)
}

#[test]
fn long_calls_answer_as_if_they_were_not_cut() {
    for (method, params) in [
        (
            "entities.find",
            json!({"query": "game.health.now > 0", "count": true, "limit": 50}),
        ),
        (
            "world.query",
            json!({"data": {"components": ["game.health"]}}),
        ),
        ("registry.schema", json!({})),
        ("tables.memory", json!({})),
        ("schedule.plan", json!({})),
    ] {
        let (mut app, url) = game();
        app.pause();
        let whole = Inspect::new(0).attach(&mut app);
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let answer = whole.answer(&mut app, &call.to_string());
        let mut expected = serde_json::from_str::<Value>(&answer).unwrap()["result"].take();
        let (mut result, _) = frames_while(&mut app, move || {
            let mut client = Client::connect(&url).unwrap();
            client.call(method, params).unwrap()
        });
        // The names of places in walks are counted.
        for part in [&mut result, &mut expected] {
            if let Some(part) = part.as_object_mut() {
                part.remove("next");
            }
        }
        assert_eq!(result, expected, "{method}");
    }
}

#[test]
fn no_frame_reads_more_than_one_row_beyond_the_budget_however_many_clients_ask() {
    let (mut app, url) = game();
    let clients: Vec<_> = (0..8)
        .map(|number| {
            let url = match number {
                0 => url.clone(),
                _ => url.split('#').next().unwrap().to_owned(),
            };
            thread::spawn(move || {
                let mut client = Client::connect(&url).unwrap();
                let find = json!({"query": "game.counted", "limit": 200});
                let query = json!({"data": {"components": ["game.counted"]}});
                for (method, params) in [("entities.find", find), ("world.query", query)] {
                    client.call(method, params).unwrap();
                }
            })
        })
        .collect();
    WRITTEN.set(0);
    while clients.iter().any(|client| !client.is_finished()) {
        let before = WRITTEN.get();
        app.update();
        let read = WRITTEN.get() - before;
        assert!(read <= 1, "{read} rows in a frame");
    }
    for client in clients {
        client.join().unwrap();
    }
    assert_eq!(WRITTEN.get(), 8 * 500);
}

/// Run alone: `cargo test --release -p ecs-inspect --test server -- --ignored --nocapture watched`. On a busy machine, other programs'
/// turns count too, so the least of several rounds is the figure.
#[test]
#[ignore = "takes half a minute, and measures time"]
fn a_page_that_watches_a_million_entities_takes_a_part_of_a_frame() {
    const ROWS: u32 = 1_000_000;
    let mut app = App::new();
    let health = |now: u32| Health {
        now: now as i32,
        max: 100,
    };
    let world = app.world_mut();
    world.spawn_batch((0..ROWS).map(|now| (health(now), Counted(now), Secret(now))));
    let url = inspected(&mut app, Inspect::new(0));
    let (send, ended) = mpsc::channel::<()>();
    let client = thread::spawn(move || {
        let mut client = Client::connect(&url).unwrap();
        let find = json!({"query": "game.health, game.secret, game.counted", "from": 500_000, "limit": 40});
        let set = json!({"set": [
            {"method": "app.status"},
            {"method": "entity.get", "params": {"entity": "7v1"}},
            {"method": "entities.find", "params": find},
        ]});
        let mut answers = 0;
        while ended.try_recv() == Err(mpsc::TryRecvError::Empty) {
            client.call("watch", set.clone()).unwrap();
            answers += 1;
            thread::sleep(Duration::from_millis(100));
        }
        answers
    });
    let mut rounds = Vec::new();
    for _ in 0..10 {
        let mut times = Vec::new();
        for _ in 0..120 {
            let start = Instant::now();
            app.update_by(Duration::from_millis(16));
            times.push(start.elapsed());
            thread::sleep(Duration::from_millis(16).saturating_sub(start.elapsed()));
        }
        times.sort();
        rounds.push([times[60], times[118], times[119]]);
    }
    drop(send);
    let answers = client.join().unwrap();
    let least = |at: usize| rounds.iter().map(|round| round[at]).min().unwrap();
    println!(
        "{answers} answers; a frame: median {:?}, p99 {:?}, longest {:?}",
        least(0),
        least(1),
        least(2)
    );
    assert!(answers > 50, "{answers}");
}
