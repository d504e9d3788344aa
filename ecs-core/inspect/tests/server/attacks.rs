//! Attacks on a running app: requests that browsers of others, programs without token and garbage send.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

use ecs_core::data::{Prefab, Value as Tree};
use ecs_core::inspect::{Params, RpcError};
use serde_json::json;

use super::*;

/// The value that no answer may show, in a component, a resource and an event.
const SECRET: u32 = 918_273_645;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.password")]
struct Password(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.whisper")]
struct Whisper(u32);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(tree, data = "game.spies_on")]
struct SpiesOn;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "game.gold")]
struct Gold(u32);

#[system]
fn whisper(mut whispers: EventWriter<Whisper>, password: Res<Password>, secrets: Comp<Secret>) {
    let _ = secrets;
    whispers.send(Whisper(password.0));
}

/// Waits for `whisper`, because of a hidden type.
#[system]
fn pry(secrets: CompMut<Secret>) {
    let _ = secrets;
}

fn give(world: &mut World, _: Params) -> Result<Tree, RpcError> {
    world.resource_mut::<Gold>().0 += 1;
    Ok(world.resource::<Gold>().0.into())
}

fn peek(world: &World, _: Params) -> Result<Tree, RpcError> {
    Ok(world.resource::<Gold>().0.into())
}

/// 0v1 has a secret, and 1v1 spies on it.
fn game() -> (App, String) {
    let mut app = App::new();
    app.add_systems(Update, (whisper, pry));
    app.insert_resource(Password(SECRET))
        .insert_resource(Gold(7));
    let world = app.world_mut();
    let health = Health { now: 7, max: 24 };
    let hero = world.spawn((health.clone(), Secret(SECRET), Name("Hero".to_owned())));
    world.spawn((health, SpiesOn.to(hero)));
    world.register_data_resource::<Password>();
    world.register_data_resource::<Gold>();
    world.register_data_event::<Whisper>();
    let mut workshop = World::new();
    let spy = workshop.spawn((Secret(SECRET), Name("Spy".to_owned())));
    let spy = Prefab::from_tree::<SpiesOn>(&workshop, spy).unwrap();
    let inspect = Inspect::new(0)
        .history(20)
        .hide::<Secret>()
        .hide::<Password>()
        .hide::<Whisper>()
        .hide::<SpiesOn>()
        .prefab("spy", spy)
        .method("game.give", give)
        .read_method("game.peek", peek);
    let url = inspected(&mut app, inspect);
    (app, url)
}

/// The address and the token of a URL.
fn parts(url: &str) -> (String, String) {
    let (address, token) = url.split_once("/#t=").unwrap();
    (address.replace("http://", ""), token.to_owned())
}

/// Sends bytes on a connection of their own, and returns all that comes back.
fn raw(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(20)))
        .unwrap();
    // The server may answer, and close, before it has read all.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let mut answer = Vec::new();
    let mut piece = [0; 4096];
    loop {
        match stream.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => answer.extend_from_slice(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error} after {}", String::from_utf8_lossy(&answer)),
        }
    }
    String::from_utf8_lossy(&answer).into_owned()
}

/// `{here}` is the address, `{t}` the token, and `|` ends a line. The body has its length.
fn request(url: &str, head: &str, body: &str) -> String {
    let (address, token) = parts(url);
    let head = head.replace('|', "\r\n").replace("{here}", &address);
    let head = head
        .replace("{t}", &token)
        .replace("{len}", &body.len().to_string());
    format!("{head}\r\n\r\n{body}")
}

const JSON: &str = "Content-Type: application/json|Content-Length: {len}";
const PAUSE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"app.pause"}"#;
const GIVE: &str = r#"{"jsonrpc":"2.0","id":1,"method":"game.give"}"#;

#[test]
fn no_request_of_another_page_or_through_another_reader_has_an_effect() {
    let (mut app, url) = game();
    let (address, _) = parts(&url);
    let token = "Authorization: Bearer {t}";
    let mut cases: Vec<(u16, String)> = Vec::new();
    let port = address.rsplit(':').next().unwrap();
    // Names that lead here.
    for host in [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.nip.io",
        "127.1",
        "2130706433",
        "0x7f.0.0.1",
        "127.0.0.2",
        "0.0.0.0",
        "localhost.",
        "[::ffff:127.0.0.1]",
        "[::]",
        "evil@127.0.0.1",
        "127.0.0.1,evil.example",
        "",
    ] {
        let head = format!("POST /rpc HTTP/1.1|Host: {host}:{port}|{token}|{JSON}");
        cases.push((421, head));
    }
    for origin in [
        "null",
        "http://evil.example",
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "https://{here}",
        "file://",
        "http://{here}.evil.example",
        "http://evil.example/{here}",
        "http://{here}, http://evil.example",
        "",
    ] {
        let head = format!("POST /rpc HTTP/1.1|Host: {{here}}|Origin: {origin}|{token}|{JSON}");
        cases.push((403, head));
    }
    // The target names another place than the path.
    for target in [
        "http://{here}/rpc",
        "http://evil.example/rpc",
        "//rpc",
        "/rpc/",
        "/%72pc",
        "/./rpc",
        "/x/../rpc",
        "*",
        "{here}",
    ] {
        let head = format!("POST {target} HTTP/1.1|Host: {{here}}|{token}|{JSON}");
        cases.push((404, head));
    }
    // Lengths and lines that two readers read differently.
    let start = format!("POST /rpc HTTP/1.1|Host: {{here}}|{token}|Content-Type: application/json");
    for lines in [
        "Content-Length: {len}|Content-Length: 0",
        "Content-Length: 0|content-length: {len}",
        "Content-Length: {len}, {len}",
        "Content-Length: 0x10",
        "Content-Length: +{len}",
        "Content-Length: {len}|Transfer-Encoding: chunked",
        "Transfer-Encoding: chunked",
        "Transfer-Encoding: identity|Content-Length: {len}",
        "Transfer-Encoding: \u{b}chunked|Content-Length: {len}",
        "Transfer-Encoding : chunked|Content-Length: {len}",
        "Content-Length: {len}| folded",
        "Content-Length: {len}|Host: evil.example",
        "Content-Length: {len}|Authorization: Bearer x",
    ] {
        cases.push((400, format!("{start}|{lines}")));
    }
    // Forms, and programs that do not say what they send.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json-patch+json",
    ] {
        let head = format!(
            "POST /rpc HTTP/1.1|Host: {{here}}|{token}|Content-Type: {kind}|Content-Length: {{len}}"
        );
        cases.push((415, head));
    }
    cases.push((
        415,
        format!("POST /rpc HTTP/1.1|Host: {{here}}|{token}|Content-Length: {{len}}"),
    ));
    for method in ["PUT", "DELETE", "OPTIONS", "CONNECT", "PATCH"] {
        cases.push((
            405,
            format!("{method} /rpc HTTP/1.1|Host: {{here}}|{token}|{JSON}"),
        ));
    }
    let (seen, _) = frames_while(&mut app, move || {
        let mut seen = Vec::new();
        for (status, head) in cases {
            for body in [PAUSE, GIVE] {
                let answer = raw(&address, request(&url, &head, body).as_bytes());
                let is_right = answer.starts_with(&format!("HTTP/1.1 {status} "))
                    && answer.matches("HTTP/1.1 ").count() == 1
                    && !answer.contains("Access-Control");
                if !is_right {
                    seen.push((status, head.clone(), answer));
                }
            }
        }
        // The bodies would have had an effect.
        let good = format!("POST /rpc HTTP/1.1|Host: {{here}}|{token}|{JSON}");
        assert!(raw(&address, request(&url, &good, GIVE).as_bytes()).contains(r#""result":8"#));
        seen
    });
    assert!(seen.is_empty(), "{seen:#?}");
    assert!(!app.is_paused());
    assert_eq!(app.world().resource::<Gold>().0, 8);
}

#[test]
fn a_request_inside_of_a_body_is_not_a_request() {
    let (mut app, url) = game();
    let (answers, _) = frames_while(&mut app, move || {
        let (address, _) = parts(&url);
        let token = format!("POST /rpc HTTP/1.1|Host: {{here}}|Authorization: Bearer {{t}}|{JSON}");
        let inner = request(&url, &token, GIVE);
        let open = format!("POST /rpc HTTP/1.1|Host: {{here}}|{JSON}");
        let text =
            json!({"jsonrpc": "2.0", "id": 1, "method": "game.peek", "params": {"x": inner}});
        let hidden = raw(&address, request(&url, &open, &text.to_string()).as_bytes());
        // A file takes no body, so the rest is a request of its own, with its own token.
        let file = format!(
            "GET / HTTP/1.1|Host: {{here}}|Content-Length: {}",
            inner.len()
        );
        let file = raw(&address, (request(&url, &file, "") + &inner).as_bytes());
        // Two requests at once are two: the second does not get the token of the first.
        let both = request(&url, &token, GIVE) + &request(&url, &open, GIVE);
        let both = raw(&address, both.as_bytes());
        [hidden, file, both]
    });
    let [hidden, file, both] = answers;
    assert_eq!(hidden.matches("HTTP/1.1 200").count(), 1, "{hidden}");
    assert!(hidden.contains(r#""result":7"#), "{hidden}");
    assert!(!file.contains(r#""result""#), "{file}");
    assert!(
        both.contains(r#""result":8"#) && both.contains("-23602"),
        "{both}"
    );
    assert_eq!(app.world().resource::<Gold>().0, 8);
}

#[test]
fn without_the_token_nothing_is_written_however_it_is_asked_for() {
    let (mut app, url) = game();
    let (seen, _) = frames_while(&mut app, move || {
        let (address, token) = parts(&url);
        let mut seen = Vec::new();
        let lines = [
            "".to_owned(),
            "Authorization: Bearer|".to_owned(),
            format!("Authorization: Basic {token}|"),
            format!("Authorization: Bearer {}|", &token[1..]),
            format!("Authorization: Bearer {token}0|"),
            format!("Authorization: Bearer {token},{token}|"),
            format!("Authorization: Bearer \"{token}\"|"),
            format!("Authorization: {token}|"),
            format!("Proxy-Authorization: Bearer {token}|"),
            format!("Cookie: t={token}; pass={token}|"),
            format!("X-Authorization: Bearer {token}|"),
        ];
        let batch = format!("[{GIVE},{PAUSE},{}]", GIVE.replace(r#""id":1,"#, ""));
        let watch = json!({"jsonrpc": "2.0", "id": 1, "method": "watch", "params": {"set": [
            {"method": "game.give"}, {"method": "app.pause"}, {"method": "game.give+watch"}]}});
        for lines in &lines {
            let head = format!("POST /rpc?t={token} HTTP/1.1|Host: {{here}}|{lines}{JSON}");
            for body in [GIVE, PAUSE, &batch, &watch.to_string()] {
                let answer = raw(&address, request(&url, &head, body).as_bytes());
                let is_refused = answer.contains("-23602") || answer.contains("-32602");
                if !is_refused || answer.contains(r#""result":8"#) {
                    seen.push(answer);
                }
            }
        }
        // Many guesses in one connection are as fruitless.
        let head = format!("POST /rpc HTTP/1.1|Host: {{here}}|Authorization: Bearer 0|{JSON}");
        let many = request(&url, &head, GIVE).repeat(500);
        let answers = raw(&address, many.as_bytes());
        assert!(!answers.contains(r#""result""#));
        // All methods that write, by name.
        let mut reader = Client::connect(&address).unwrap();
        let all = reader.call("rpc.discover", json!({})).unwrap();
        for method in all["methods"].as_array().unwrap() {
            let name = method["name"].as_str().unwrap();
            if method["writes"] == true {
                let error = reader.call(name, json!({})).unwrap_err().to_string();
                assert!(error.contains("-23602"), "{name}: {error}");
            }
        }
        assert_eq!(reader.call("game.peek", json!({})).unwrap(), 7);
        seen
    });
    assert!(seen.is_empty(), "{seen:#?}");
    assert!(!app.is_paused());
    assert_eq!(app.world().resource::<Gold>().0, 7);
}

#[test]
fn odd_numbers_texts_and_depths_are_errors_of_one_request() {
    let (mut app, url) = game();
    let (_, _) = frames_while(&mut app, move || {
        let mut client = Client::connect(&url).unwrap();
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        let call = |params: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"entity.get","params":{params}}}"#)
        };
        for (body, code) in [
            (deep(65), -32700),
            (deep(200_000), -32700),
            (format!("[{}", "{\"a\":".repeat(100_000)), -32700),
            (call("NaN"), -32700),
            (call(r#"{"entity":NaN}"#), -32700),
            (call(r#"{"entity":1e400}"#), -32700),
            (call(r#"{"entity":-1}"#), -32602),
            (call(r#"{"entity":18446744073709551615}"#), -32602),
            (
                call(r#"{"entity":340282366920938463463374607431768211456}"#),
                -32602,
            ),
            (call(r#"{"entity":1.5}"#), -32602),
            (call(r#"{"entity":"4294967295v4294967295"}"#), -32602),
            (call(r#"{"entity":"99999999999999999999v1"}"#), -32602),
            (call(r#"{"entity":"0v0"}"#), -32602),
            (call(r#"{"entity":"-0v1"}"#), -32602),
            (call(r#"{"entity":{"entity":{"entity":"0v1"}}}"#), -32602),
            (call(r#"{"entity":"7v9"}"#), -23401),
            (call(r#"{"entity":"\ud800"}"#), -32700),
            ("\u{0}".to_owned(), -32700),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"app.pause\"}".to_owned(),
                -32600,
            ),
            (format!("[{}1]", "1,".repeat(1_000)), -32600),
        ] {
            let answer = client.send(&body).unwrap();
            let answer: Value = serde_json::from_str(&answer).unwrap();
            let found = answer["error"]["code"].as_i64();
            let is_close = found == Some(code) || (code == -32602 && found == Some(-23401));
            assert!(is_close, "{body:.100}: {answer}");
        }
        // An id of any size comes back as it was.
        let id = u64::MAX;
        let answer = client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"game.peek"}}"#
            ))
            .unwrap();
        assert!(answer.contains(&id.to_string()), "{answer}");
        // Numbers out of range.
        for params in [
            json!({"query": "", "from": u64::MAX, "limit": u64::MAX}),
            json!({"query": "game.health", "sort": "game.health", "from": u64::MAX}),
            json!({"query": "game.health.now > 0", "from": u64::MAX, "count": true}),
        ] {
            let found = client.call("entities.find", params).unwrap();
            assert_eq!(found["rows"], json!([]));
        }
        let params = json!({"of": "0v1", "after": u64::MAX, "limit": u64::MAX});
        client.call("entities.children", params).unwrap();
        let params = json!({"event": "game.whisper", "since": u64::MAX});
        client.call("events.tail", params).unwrap_err();
        client
            .call("app.status", json!({"since": u64::MAX}))
            .unwrap();
        client
            .call("schedule.traces", json!({"above_ms": f64::MAX}))
            .unwrap_err();
    });
}

/// Names that could mean a hidden type.
const NAMES: [&str; 8] = [
    "game.secret",
    "game.password",
    "game.whisper",
    "game.spies_on",
    "server::Secret",
    "server::attacks::Password",
    "server::attacks::Whisper",
    "server::attacks::SpiesOn",
];

#[test]
fn hidden_types_are_not_shown_by_any_method_even_to_the_owner() {
    let (mut app, url) = game();
    let (seen, _) = frames_while(&mut app, move || {
        let mut client = Client::connect(&url).unwrap();
        let mut seen = Vec::new();
        let mut look = |client: &mut Client, method: &str, params: Value| {
            let call = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let answer = client.send(&call.to_string()).unwrap();
            // A refusal repeats the name that was asked for.
            let asked = params.to_string();
            let mut others = NAMES.iter().filter(|name| !asked.contains(**name));
            if answer.contains(&SECRET.to_string()) || others.any(|name| answer.contains(name)) {
                seen.push(format!("{method} {params}: {answer}"));
            }
            answer
        };
        let all = client.call("rpc.discover", json!({})).unwrap();
        let methods = all["methods"].as_array().unwrap().clone();
        let others = [
            "game.health",
            "0v1",
            "game.secre",
            "game.passwor",
            "spies_on",
        ];
        for name in NAMES.into_iter().chain(others) {
            let query = format!("`{name}`");
            let params = json!({
                "query": query, "columns": [name], "sort": name, "ancestors": [name], "count": true,
                "entity": "0v1", "access": true, "of": "0v1", "relation": name, "entities": ["0v1", "1v1"],
                "components": [name], "component": name, "resource": name, "event": name, "message": name, "path": "",
                "data": {"components": [name], "option": [name], "has": [name]}, "filter": {"with": [name]},
                "names": [name], "value": 1, "a": "whisper", "b": "whisper", "frames": 1, "prefab": "spy", "parent": null,
            });
            for method in &methods {
                let method = method["name"].as_str().unwrap();
                let runs = ["app.resume", "world.despawn_entity"].contains(&method);
                if !runs && !method.ends_with("+watch") {
                    look(&mut client, method, params.clone());
                }
            }
        }
        // Without the name: everything that there is.
        for (method, params) in [
            (
                "entities.find",
                json!({"query": "", "columns": ["game.health"], "ancestors": true}),
            ),
            (
                "entities.find",
                json!({"query": "?game.health, ?game.name", "sort": "game.health"}),
            ),
            ("world.query", json!({"data": {"option": "all"}})),
            ("world.list_components", json!({"entity": "0v1"})),
            ("entities.children", json!({"of": "0v1"})),
            ("registry.schema", json!({})),
            ("entities.copy", json!({"entities": ["0v1", "1v1"]})),
            (
                "watch",
                json!({"set": [{"method": "entity.get", "params": {"entity": "0v1"}},
                {"method": "world.get_components", "params": {"entity": "0v1", "components": ["game.secret"]}}]}),
            ),
            (
                "app.run_until",
                json!({"query": "game.health.now > 900", "frames": 2}),
            ),
            (
                "app.run_until",
                json!({"query": "game.secret == 918273645", "frames": 2}),
            ),
            (
                "app.run_until",
                json!({"entity": "0v1", "component": "game.secret", "frames": 2}),
            ),
            ("app.step_back", json!({"frames": 1})),
            ("entity.get", json!({"entity": "0v1", "access": true})),
            ("world.despawn_entity", json!({"entity": "0v1"})),
            ("edit.undo", json!({})),
            ("world.query", json!({"data": {"option": "all"}})),
            ("schedule.plan", json!({})),
            ("schedule.why", json!({"a": "whisper", "b": "pry"})),
            ("schedule.graph", json!({})),
            ("schedule.graph", json!({"picture": "svg"})),
            ("schedule.graph", json!({"picture": "dot"})),
            ("schedule.graph", json!({"picture": "mermaid"})),
            ("table.get", json!({"table": 1})),
            ("table.get", json!({"table": 2})),
            ("table.get", json!({"table": 3})),
            ("schedule.trace_next", json!({})),
            ("app.step", json!({"frames": 2})),
            ("schedule.trace", json!({})),
            ("schedule.timings", json!({})),
        ] {
            look(&mut client, method, params);
        }
        // A copy does not smuggle one in.
        let text = json!({"entities": [{"game.secret": 1}]}).to_string();
        let pasted = look(&mut client, "entities.paste", json!({"text": text}));
        assert!(pasted.contains("error"), "{pasted}");
        for method in ["world.get_components+watch", "world.list_components+watch"] {
            let params = json!({"entity": "0v1", "components": ["game.secret"]});
            if let Ok(mut watch) = client.watch(method, params) {
                let text = format!("{:?}", watch.next());
                assert!(!text.contains("game.secret"), "{text}");
            }
        }
        seen
    });
    assert!(seen.is_empty(), "{seen:#?}");
}

#[test]
fn the_owner_is_answered_while_slow_clients_hold_all_other_places() {
    let (mut app, url) = game();
    let (_, _) = frames_while(&mut app, move || {
        let (address, token) = parts(&url);
        let head = request(
            &url,
            &format!("POST /rpc HTTP/1.1|Host: {{here}}|{JSON}"),
            GIVE,
        );
        // Heads and bodies that do not end. Some pretend to be the owner's.
        let wrong =
            format!("POST /rpc HTTP/1.1|Host: {{here}}|Authorization: Bearer {token}0|{JSON}");
        let wrong = request(&url, &wrong, GIVE);
        let mut slow = Vec::new();
        for number in 0..60_usize {
            let text = [&head, &wrong][number % 2];
            if let Ok(mut stream) = TcpStream::connect(&address) {
                let _ = stream.write_all(&text.as_bytes()[..text.len() - 1 - number]);
                slow.push(stream);
            }
        }
        let mut owner = Client::connect(&url).unwrap();
        for round in 0..10 {
            for stream in &mut slow {
                let _ = stream.write_all(b" ");
            }
            let start = std::time::Instant::now();
            while owner.call("game.give", json!({})).is_err() {
                assert!(start.elapsed() < Duration::from_secs(20), "round {round}");
                owner = Client::connect(&url).unwrap();
            }
        }
    });
    assert!(app.world().resource::<Gold>().0 >= 17);
}
