//! The inspector with its server, as a plugin of an app.

mod attacks;
mod budget;
mod streams;

use std::net::Ipv4Addr;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ecs_core::inspect::{Client, ClientError, Inspect};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
    max: i32,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.name", storage = "sparse")]
struct Name(String);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.secret")]
struct Secret(u32);

/// Adds the inspector to an app, and returns its address.
fn inspected(app: &mut App, inspect: Inspect) -> String {
    let (send, address) = mpsc::channel();
    app.add_plugin(inspect.announce(move |address| send.send(address.to_owned()).unwrap()));
    address.recv().unwrap()
}

/// Runs frames until a function on another thread returns, and returns its result and the number of frames.
fn frames_while<R: Send + 'static>(
    app: &mut App,
    run: impl FnOnce() -> R + Send + 'static,
) -> (R, u64) {
    let thread = thread::spawn(run);
    let mut frames = 0;
    while !thread.is_finished() {
        app.update();
        frames += 1;
    }
    match thread.join() {
        Ok(result) => (result, frames),
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

#[test]
fn the_server_answers_between_frames_and_cuts_long_calls() {
    let mut app = App::new();
    let name = |entity: u32| Name(format!("rat {entity}"));
    app.world_mut()
        .spawn_batch((0..20_000).map(|entity| (Health { now: 1, max: 2 }, name(entity))));
    let url = inspected(&mut app, Inspect::new(0).budget(Duration::ZERO));
    let ((found, error), frames) = frames_while(&mut app, move || {
        let mut client = Client::connect(&url).unwrap();
        client.call("app.pause", json!({})).unwrap();
        let all = json!({"query": "game.name, game.health.now > 0", "count": true});
        let found = client.call("entities.find", all).unwrap();
        let error = client.call("no.method", json!({})).unwrap_err();
        (found, error.to_string())
    });
    assert_eq!(found["count"], json!({"exact": true, "at_least": 20_000}));
    assert_eq!(found["rows"].as_array().unwrap().len(), 100);
    assert!(error.contains("there is no method `no.method`"), "{error}");
    // Each row of the page, and each piece of the count, took a frame.
    assert!(frames > 100, "{frames}");
    assert!(app.is_paused());
}

#[test]
fn an_address_for_other_machines_needs_the_token_for_everything() {
    let mut app = App::new();
    let url = inspected(&mut app, Inspect::new(0).address(Ipv4Addr::UNSPECIFIED));
    let (printed, token) = url.split_once("#t=").unwrap();
    assert!(
        printed.starts_with("http://0.0.0.0:") && printed.contains("/?pass="),
        "{url}"
    );
    let port = printed[15..].split('/').next().unwrap();
    let here = format!("http://127.0.0.1:{port}/");
    let (with, without) = (format!("{here}#t={token}"), here);
    let ((status, error), _) = frames_while(&mut app, move || {
        let call = |url: &str| Client::connect(url)?.call("app.status", json!({}));
        (call(&with), call(&without))
    });
    assert!(status.is_ok(), "{status:?}");
    let Err(ClientError::Refused { status, message }) = error else {
        panic!("{error:?}")
    };
    assert!(
        status == 401 && message.contains("this address needs its token"),
        "{message}"
    );
}

#[test]
fn the_address_with_the_token_allows_writes_and_without_it_only_reads() {
    let mut app = App::new();
    let url = inspected(&mut app, Inspect::new(0));
    let bare = url.split('#').next().unwrap().to_owned();
    let host = bare.trim_matches('/').replace("http://", "");
    let (codes, _) = frames_while(&mut app, move || {
        [&*url, &*bare, &*host, &format!("{host}/#t=0")].map(|address| {
            let mut client = Client::connect(address).unwrap();
            match client.call("app.pause", json!({})) {
                Ok(_) => 0,
                Err(ClientError::Method { code, .. }) => code,
                Err(error) => panic!("{error}"),
            }
        })
    });
    assert_eq!(codes, [0, -23602, -23602, -23602]);
    for wrong in ["", "http://", "https://127.0.0.1:1/", "127.0.0.1", "x y:1"] {
        let error = Client::connect(wrong).unwrap_err();
        assert!(matches!(error, ClientError::Io(_)), "{error:?}");
    }
}
