//! Streams of changes.

use ecs_core::data::Value as Tree;
use ecs_core::inspect::{Params, RpcError};

use super::*;

/// The app, its address, and two entities: 0v1 a hero and 1v1 a goblin.
fn game(inspect: Inspect) -> (App, String) {
    let mut app = App::new();
    let world = app.world_mut();
    world.spawn((Health { now: 7, max: 24 }, Name("Hero".to_owned())));
    world.spawn(Health { now: 3, max: 9 });
    world.register::<Secret>();
    let url = inspected(&mut app, inspect);
    (app, url)
}

/// The first texts of a watch, each after an edit by the owner.
fn watched(url: &str, method: &str, params: Value, edits: &[(&str, Value)]) -> Vec<String> {
    let mut client = Client::connect(url).unwrap();
    let mut watch = client.watch(method, params).unwrap();
    let mut texts = Vec::new();
    let mut next = || match watch.next() {
        Some(Ok(value)) => texts.push(value.to_string()),
        Some(Err(error)) => texts.push(error.to_string()),
        None => texts.push("the end".to_owned()),
    };
    next();
    for (method, params) in edits {
        client.call(method, params.clone()).unwrap();
        next();
    }
    if edits.last().is_some_and(|edit| edit.0.contains("despawn")) {
        next();
    }
    texts
}

#[test]
fn a_watch_of_values_has_all_first_and_then_what_changes() {
    let (mut app, url) = game(Inspect::new(0));
    let edit = |now: i32| json!({"entity": "0v1", "component": "game.health", "path": "now", "value": now});
    let name = json!({"entity": "0v1", "components": ["game.name"]});
    let again = json!({"entity": "0v1", "components": {"game.name": "Again"}});
    let (texts, _) = frames_while(&mut app, move || {
        watched(
            &url,
            "world.get_components+watch",
            json!({"entity": "0v1", "components": ["game.health", "game.name", "game.secret"]}),
            &[
                ("world.mutate_components", edit(8)),
                ("world.remove_components", name),
                ("world.insert_components", again),
                ("world.despawn_entity", json!({"entity": "0v1"})),
            ],
        )
    });
    let expected = [
        r#"{"components":{"game.health":{"max":24,"now":7},"game.name":"Hero"},"errors":{"game.secret":{"code":-23403,"message":"entity 0v1 has no component `game.secret`"}},"removed":[]}"#,
        r#"{"components":{"game.health":{"max":24,"now":8}},"errors":{},"removed":[]}"#,
        r#"{"components":{},"errors":{},"removed":["game.name"]}"#,
        r#"{"components":{"game.name":"Again"},"errors":{},"removed":[]}"#,
        "no entity 0v1: it was despawned, or belongs to another world (-23401)",
        "the end",
    ];
    assert_eq!(texts, expected);
}

#[test]
fn a_watch_of_names_has_all_first_and_then_what_is_added_and_removed() {
    let (mut app, url) = game(Inspect::new(0).hide::<Name>());
    let add = json!({"entity": "0v1", "components": {"game.secret": 1}});
    let remove = json!({"entity": "0v1", "components": ["game.health"]});
    let (texts, _) = frames_while(&mut app, move || {
        watched(
            &url,
            "world.list_components+watch",
            json!({"entity": "0v1"}),
            &[
                ("world.insert_components", add),
                ("world.remove_components", remove),
            ],
        )
    });
    let expected = [
        r#"{"added":["game.health"],"removed":[]}"#,
        r#"{"added":["game.secret"],"removed":[]}"#,
        r#"{"added":[],"removed":["game.health"]}"#,
    ];
    assert_eq!(texts, expected);
}

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.hit")]
struct Hit(u32);

/// An event whose `Serialize` panics.
#[derive(Event, Clone, Debug, Deserialize)]
#[event(data = "game.bomb")]
struct Bomb;

impl Serialize for Bomb {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("boom")
    }
}

#[derive(Resource, Default)]
struct Hits(u32);

/// Triggers as many hits as were asked for.
#[system]
fn hit(mut hits: ResMut<Hits>, mut commands: Commands) {
    let count = std::mem::take(&mut hits.0);
    for number in 0..count {
        commands.push(move |world: &mut World| _ = world.trigger(Hit(number)));
    }
}

fn hits(world: &mut World, params: Params) -> Result<Tree, RpcError> {
    world.resource_mut::<Hits>().0 = params.number_or("count", 1)? as u32;
    Ok(Tree::Null)
}

#[test]
fn a_watch_of_an_event_has_those_that_are_triggered_and_leaves_no_observer_behind() {
    let inspect = Inspect::new(0).method("game.hits", hits);
    let (mut app, url) = game(inspect);
    app.insert_resource(Hits(0)).add_systems(Update, hit);
    app.world_mut().register_data_event::<Hit>();
    app.world_mut().register_data_event::<Bomb>();
    let trigger =
        |event: &str, entity: Value| json!({"event": event, "value": 7, "entity": entity});
    let bomb = json!({"event": "game.bomb", "value": null});
    let method = "world.observe+watch";
    let (texts, _) = frames_while(&mut app, move || {
        let reader = Client::connect(url.split('#').next().unwrap()).unwrap();
        let error = reader.watch(method, json!({"event": "game.hit"}));
        assert_eq!(code(error.unwrap_err()), -23602);
        let mut texts = watched(
            &url,
            method,
            json!({"event": "game.hit"}),
            &[
                ("world.trigger_event", trigger("game.hit", json!(null))),
                ("world.trigger_event", trigger("game.hit", json!("1v1"))),
                ("game.hits", json!({"count": 10_000})),
            ],
        );
        let many: Value = serde_json::from_str(&texts.pop().unwrap()).unwrap();
        assert_eq!(many["events"].as_array().unwrap().len(), 200);
        assert_eq!(many["missed"], 9_800);
        let one = json!({"event": "game.hit", "entity": "1v1"});
        texts.extend(watched(
            &url,
            method,
            one,
            &[("world.trigger_event", trigger("game.hit", json!("1v1")))],
        ));
        let bombs = json!({"event": "game.bomb"});
        texts.extend(watched(
            &url,
            method,
            bombs,
            &[("world.trigger_event", bomb)],
        ));
        texts
    });
    let texts: Vec<String> = texts
        .iter()
        .map(|text| text.split(",\"frame\"").next().unwrap().to_owned())
        .collect();
    let expected = [
        r#"{"events":[]"#,
        r#"{"events":[{"entity":null,"value":7}]"#,
        r#"{"events":[{"entity":"1v1","value":7}]"#,
        r#"{"events":[]"#,
        r#"{"events":[{"entity":"1v1","value":7}]"#,
        r#"{"events":[]"#,
        r#"{"events":[{"entity":null,"error":"its `Serialize` panicked: boom"}]"#,
    ];
    assert_eq!(texts, expected);
    let start = std::time::Instant::now();
    while !app.world().observer_list().is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "an observer stays"
        );
        app.update();
    }
}

fn code(error: ClientError) -> i64 {
    match error {
        ClientError::Method { code, .. } => code,
        other => panic!("{other}"),
    }
}

#[test]
fn there_are_four_watches_and_the_owner_takes_the_place_of_others() {
    let (mut app, url) = game(Inspect::new(0));
    let (_, _) = frames_while(&mut app, move || {
        let owner = Client::connect(&url).unwrap();
        let reader = Client::connect(url.split('#').next().unwrap()).unwrap();
        let open = |client: &Client| {
            let params = json!({"entity": "1v1", "components": ["game.health"]});
            let mut watch = client.watch("world.get_components+watch", params)?;
            watch.next().unwrap()?;
            Ok::<_, ClientError>(watch)
        };
        let mut others: Vec<_> = (0..4).map(|_| open(&reader).unwrap()).collect();
        assert_eq!(code(open(&reader).unwrap_err()), -23603);
        let owned: Vec<_> = (0..4).map(|_| open(&owner).unwrap()).collect();
        for other in &mut others {
            assert!(other.next().is_none());
        }
        assert_eq!(code(open(&owner).unwrap_err()), -23603);
        assert_eq!(code(open(&reader).unwrap_err()), -23603);
        drop(owned);
        let start = std::time::Instant::now();
        while let Err(error) = open(&reader) {
            assert_eq!(code(error), -23603);
            assert!(
                start.elapsed() < Duration::from_secs(30),
                "no place is free"
            );
            thread::sleep(Duration::from_millis(50));
        }
    });
}

#[test]
fn wrong_watches_are_refused_with_a_plain_answer() {
    let (mut app, url) = game(Inspect::new(0).hide::<Secret>());
    let (_, _) = frames_while(&mut app, move || {
        let mut client = Client::connect(&url).unwrap();
        let get = "world.get_components+watch";
        for (params, expected) in [
            (json!({"entity": "9v1", "components": []}), -23401),
            (
                json!({"entity": "0v1", "components": ["game.secret"]}),
                -23402,
            ),
            (
                json!({"entity": "1v1", "components": ["game.name"], "strict": true}),
                -23403,
            ),
            (
                json!({"entity": "0v1", "components": vec!["game.health"; 65]}),
                -32602,
            ),
        ] {
            assert_eq!(code(client.watch(get, params).unwrap_err()), expected);
        }
        assert_eq!(
            code(client.watch("no+watch", json!({})).unwrap_err()),
            -32601
        );
        let error = client.watch("app.status", json!({})).unwrap_err();
        assert!(matches!(error, ClientError::NoAnswer(_)), "{error}");
        let params = json!({"entity": "0v1", "components": []});
        let error = client.call(get, params.clone()).unwrap_err();
        assert!(matches!(error, ClientError::NoAnswer(_)), "{error}");
        let call = json!([{"jsonrpc": "2.0", "id": 1, "method": get, "params": params}]);
        let answer = client.send(&call.to_string()).unwrap();
        assert!(answer.contains("-32600"), "{answer}");
    });
}

#[test]
fn a_slow_reader_misses_values_but_not_the_newest_and_stalls_no_frame() {
    let (mut app, url) = game(Inspect::new(0));
    let hero = app.world().entities_with("game.name").unwrap()[0];
    let (values, _) = {
        let values = thread::spawn(move || {
            let client = Client::connect(&url).unwrap();
            let params = json!({"entity": "0v1", "components": ["game.health"]});
            let watch = client.watch("world.get_components+watch", params).unwrap();
            let mut values = Vec::new();
            for result in watch {
                let now = result.unwrap()["components"]["game.health"]["now"]
                    .as_i64()
                    .unwrap();
                values.push(now);
                thread::sleep(Duration::from_millis(20));
                if now == 3_000 {
                    break;
                }
            }
            values
        });
        let mut frames = 0;
        while !values.is_finished() {
            frames += 1;
            let health = app.world_mut().get_mut::<Health>(hero).unwrap();
            health.now = frames.min(3_000);
            app.update();
        }
        (values.join().unwrap(), frames)
    };
    assert!(values.is_sorted_by(|a, b| a < b), "{values:?}");
    assert_eq!(values.last(), Some(&3_000));
}
