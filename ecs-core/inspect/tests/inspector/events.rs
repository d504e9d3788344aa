//! Events as they pass.

use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;

use super::{Hit, call, game};

/// Sends an event before and after the reader, so that the first ones are dropped in the frame that sent them.
#[system]
fn early(mut hits: EventWriter<Hit>, time: Res<Time>) {
    hits.send(hit(time.frame() as i32));
}

#[system]
fn read(mut hits: EventReader<Hit>) {
    hits.clear();
}

#[system]
fn late(mut hits: EventWriter<Hit>, time: Res<Time>) {
    hits.send(hit(-(time.frame() as i32)));
}

fn hit(damage: i32) -> Hit {
    let on = "0v1".parse().unwrap();
    Hit { on, damage }
}

#[test]
fn no_event_that_passes_is_missed_although_its_readers_let_it_go() {
    let (mut app, inspector) = game(Inspect::new(0));
    app.add_systems(Update, (early, read, late).chain());
    app.update();
    let mut next = 0;
    let mut seen = Vec::new();
    for _ in 0..4 {
        let params = format!(r#"{{"event":"game.hit","since":{next}}}"#);
        let answer = call(&mut app, &inspector, "events.tail", &params);
        let answer: serde_json::Value = serde_json::from_str(&format!("{{{answer}}}")).unwrap();
        for event in answer["result"]["events"].as_array().unwrap() {
            seen.push(event["value"]["damage"].as_i64().unwrap());
        }
        next = answer["result"]["next"].as_u64().unwrap();
        app.update();
        app.update();
    }
    // The first look came after the first frame, which had let its first event go.
    assert_eq!(seen, [-1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6, 7, -7]);
}

#[test]
fn a_tail_of_events_changes_no_frame() {
    let hashes = |is_watched: bool| {
        let (mut app, inspector) = game(Inspect::new(0));
        let world = app.world_mut();
        let goblin = world.entities_with("game.texture").unwrap()[0];
        world.despawn(goblin).unwrap();
        app.add_systems(Update, (early, read, late).chain());
        let frames = (0..6).map(|_| {
            app.update_by(App::DEFAULT_FIXED_STEP);
            if is_watched {
                _ = call(
                    &mut app,
                    &inspector,
                    "events.tail",
                    r#"{"event":"game.hit"}"#,
                );
            }
            app.world().hash().unwrap()
        });
        Vec::from_iter(frames)
    };
    assert_eq!(hashes(true), hashes(false));
}
