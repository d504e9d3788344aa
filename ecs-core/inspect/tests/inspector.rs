//! The inspector without its server: requests and answers.

#[path = "inspector/answers.rs"]
mod answers;
#[path = "inspector/copies.rs"]
mod copies;
#[path = "inspector/events.rs"]
mod events;
#[path = "inspector/pieces.rs"]
mod pieces;
#[path = "inspector/search.rs"]
mod search;
#[path = "inspector/step_back.rs"]
mod step_back;
#[path = "inspector/undo.rs"]
mod undo;
#[path = "inspector/walks.rs"]
mod walks;

use ecs_core::data::{Prefab, Value};
use ecs_core::inspect::{Inspect, Inspector, Params, RpcError};
use ecs_core::prelude::*;
use ecs_core::world::hooks::{OnAdd, Trigger};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
    max: i32,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.target")]
struct Target {
    entity: Entity,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.name", storage = "sparse")]
struct Name(String);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.secret")]
struct Secret(u32);

#[derive(Component, Clone)]
#[component(name = "game.texture")]
struct Texture;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(tree, data = "game.child_of")]
struct ChildOf;

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "game.score")]
struct Score {
    points: u32,
}

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "game.hit")]
struct Hit {
    on: Entity,
    damage: i32,
}

/// A component whose `Serialize` panics.
#[derive(Component, Clone, Debug)]
#[component(data = "game.bomb")]
struct Bomb;

impl Serialize for Bomb {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("boom")
    }
}

impl<'de> Deserialize<'de> for Bomb {
    fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("cannot read a bomb")
    }
}

#[system]
fn heal(mut health: CompMut<Health>) {
    for health in (&mut health).iter() {
        health.now += 1;
    }
}

#[system]
fn count(mut score: ResMut<Score>) {
    score.points += 1;
}

/// The damage of events that are triggered.
#[system]
fn on_hit(hit: Trigger<Hit>, mut health: CompMut<Health>, mut score: ResMut<Score>) {
    match hit.target() {
        Some(target) => {
            if let Some(health) = health.get_mut(target) {
                health.now -= hit.damage;
            }
        }
        None => score.points += 1,
    }
}

#[system]
fn on_named(_: OnAdd<Name>) {}

fn give(world: &mut World, params: Params) -> Result<Value, RpcError> {
    let gold = params.number_or("gold", 1)? as u32;
    let mut score = world.resource_mut::<Score>();
    score.points += gold;
    Ok(score.points.into())
}

/// The app and its inspector: 0v1 a hero, 1v1 its child and target.
fn game(inspect: Inspect) -> (App, Inspector) {
    let mut app = App::new();
    app.insert_resource(Score { points: 5 });
    app.add_systems(Update, (heal, count));
    let world = app.world_mut();
    let hero = world.spawn((Health { now: 7, max: 24 }, Name("Hero".to_owned())));
    let goblin = world.spawn((Health { now: 3, max: 9 }, ChildOf.to(hero), Texture));
    world.insert(hero, Target { entity: goblin }).unwrap();
    world.register::<Secret>();
    world.register_data_resource::<Score>();
    world.register_data_event::<Hit>();
    world.observe(on_hit);
    world.observe(on_named);
    let inspector = inspect.prefab("rat", rat()).attach(&mut app);
    (app, inspector)
}

/// A rat with a flea.
fn rat() -> Prefab {
    let mut workshop = World::new();
    let rat = workshop.spawn(Health { now: 1, max: 1 });
    workshop.spawn((Name("Flea".to_owned()), ChildOf.to(rat)));
    Prefab::from_tree::<ChildOf>(&workshop, rat).unwrap()
}

/// Calls a method, and returns its result or error as text.
fn call(app: &mut App, inspector: &Inspector, method: &str, params: &str) -> String {
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let answer = inspector.answer(app, &request);
    let start = r#"{"jsonrpc":"2.0","id":1,"#;
    answer
        .strip_prefix(start)
        .unwrap()
        .strip_suffix('}')
        .unwrap()
        .to_owned()
}

#[test]
fn events_that_wait_are_listed() {
    use ecs_core::command::Delay;
    let (mut app, inspector) = game(Inspect::new(0));
    let on = app.world().query::<Entity>().iter().next().unwrap();
    for damage in 0..3 {
        let delay = Delay::Runs(u64::from(damage == 0));
        app.world_mut().delay_event(delay, Hit { on, damage });
    }
    for (kept, delayed) in [(0, 3), (3, 0)] {
        let list = call(&mut app, &inspector, "events.list", "{}");
        let numbers = format!(r#""kept":{kept},"delayed":{delayed},"#);
        assert!(list.contains(&numbers), "{list}");
        app.update();
    }
}

#[test]
fn a_watch_returns_what_has_changed() {
    let (mut app, inspector) = game(Inspect::new(0));
    let set = r#"[{"method":"world.get_components","params":{"entity":"0v1","components":["game.name"]}},
        {"method":"entities.find","params":{"query":"game.health","limit":1}},
        {"method":"entities.find","params":{"query":"game.target"}}]"#;
    let look = |app: &mut App, since: &Value| {
        let params = format!(r#"{{"set":{set},"since":{since}}}"#);
        let answer = call(app, &inspector, "watch", &params);
        let answer: Value = serde_json::from_str(&format!("{{{answer}}}")).unwrap();
        let results = answer.get("result.results").unwrap().as_list().unwrap();
        let changed: Vec<bool> = results.iter().map(|result| !result.is_null()).collect();
        (changed, answer.get("result.since").unwrap().clone())
    };
    let (changed, since) = look(&mut app, &Value::Null);
    assert_eq!(changed, [true; 3]);
    assert_eq!(look(&mut app, &since), (vec![false; 3], since.clone()));
    // The health of both, and the number of the frame.
    app.update();
    let (changed, new) = look(&mut app, &since);
    assert_eq!(changed, [false, true, false]);
    let hero = "0v1".parse().unwrap();
    app.world_mut().get_mut::<Name>(hero).unwrap().0.push('!');
    assert_eq!(look(&mut app, &new).0, [true, false, false]);
    assert_eq!(look(&mut app, &since).0, [true, true, false]);
}

/// The app of [`game`], of values that can be copied alone.
fn plain(inspect: Inspect) -> (App, Inspector) {
    let (mut app, inspector) = game(inspect);
    let world = app.world_mut();
    let goblin = world.entities_with("game.texture").unwrap()[0];
    world.remove::<Texture>(goblin).unwrap();
    (app, inspector)
}

#[test]
fn time_goes_forward_and_back() {
    let (mut app, inspector) = plain(Inspect::new(0).history(5));
    let mut call = |method, params| call(&mut app, &inspector, method, params);
    assert_eq!(call("app.pause", "{}"), r#""result":null"#);
    assert_eq!(
        call("app.step", r#"{"frames":2}"#),
        r#""result":{"frame":2,"frames":2,"ended":false}"#
    );
    let value = r#"{"entity":"0v1","components":["game.health"]}"#;
    let at_two = call("world.get_components", value);
    assert_eq!(
        call("app.step", r#"{"frames":3}"#),
        r#""result":{"frame":5,"frames":3,"ended":false}"#
    );
    assert_ne!(call("world.get_components", value), at_two);
    assert_eq!(
        call("app.step_back", r#"{"frames":3}"#),
        r#""result":{"frame":2,"frames":3,"ended":false}"#
    );
    assert_eq!(call("world.get_components", value), at_two);
    assert_eq!(
        call("app.step_back", r#"{"frames":3}"#),
        r#""error":{"code":-23604,"message":"the app cannot step back: only the last 2 frames are kept"}"#
    );
    assert_eq!(
        call("app.step_system", "{}"),
        r#""result":{"system":"inspector::heal","frame":3}"#
    );
    assert_eq!(
        call("schedule.list", "{}"),
        r#""error":{"code":-23604,"message":"the app is in the middle of a frame; help: end it by `app.step`"}"#
    );
    assert_eq!(
        call("app.step", "{}"),
        r#""result":{"frame":3,"frames":1,"ended":false}"#
    );
    assert_eq!(
        call(
            "app.run_until",
            r#"{"query":"game.health.now > 20","frames":50}"#
        ),
        r#""result":{"reached":{"frame":14,"frames":11,"ended":false},"found":"0v1","system":null,"before":null,"after":null}"#
    );
    assert_eq!(
        call(
            "app.run_until",
            r#"{"query":"game.health.now > 900","frames":3}"#
        ),
        r#""result":{"reached":{"frame":17,"frames":3,"ended":false},"found":null,"system":null,"before":null,"after":null}"#
    );
}

#[test]
fn an_app_with_observers_of_entities_steps_back() {
    let (mut app, inspector) = plain(Inspect::new(0).history(5));
    let hero = "0v1".parse().unwrap();
    app.world_mut().observe_on(hero, on_hit).unwrap();
    app.update();
    let despawn = r#"{"entity":"0v1"}"#;
    let despawned = call(&mut app, &inspector, "world.despawn_entity", despawn);
    assert_eq!(despawned, r#""result":null"#);
    app.update();
    let back = call(&mut app, &inspector, "app.step_back", r#"{"frames":2}"#);
    assert!(back.contains(r#""frame":0"#), "{back}");
    // The observer of the world, and its own.
    app.world_mut()
        .trigger_on(
            hero,
            Hit {
                on: hero,
                damage: 2,
            },
        )
        .unwrap();
    assert_eq!(app.world().get::<Health>(hero).unwrap().now, 7 - 2 * 2);
}

#[test]
fn an_app_that_cannot_step_back_says_why() {
    let why = |inspect| {
        let (mut app, inspector) = game(inspect);
        app.update();
        call(&mut app, &inspector, "app.step_back", "{}")
    };
    assert!(why(Inspect::new(0)).contains("earlier frames are not kept"));
    assert!(
        why(Inspect::new(0).history(3)).contains("the component `game.texture` cannot be copied")
    );
}

#[test]
fn requests_that_are_no_calls_have_the_numbers_of_json_rpc() {
    let (mut app, inspector) = game(Inspect::new(0));
    let deep = format!("{}{}", "[".repeat(65), "]".repeat(65));
    let many = format!("[{}1]", "1,".repeat(32));
    for (request, code) in [
        ("{", "-32700"),
        ("", "-32700"),
        ("{} {}", "-32700"),
        (&deep, "-32700"),
        ("[]", "-32600"),
        (&many, "-32600"),
        ("1", "-32600"),
        ("{}", "-32600"),
        (r#"{"jsonrpc":"2.0","id":1}"#, "-32600"),
        (
            r#"{"jsonrpc":"1.0","id":1,"method":"app.status"}"#,
            "-32600",
        ),
        (
            r#"{"jsonrpc":"2.0","id":[],"method":"app.status"}"#,
            "-32600",
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"app.stat"}"#, "-32601"),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"app.status","params":[1]}"#,
            "-32602",
        ),
    ] {
        let answer = inspector.answer(&mut app, request);
        let expected = format!(r#""error":{{"code":{code},"#);
        assert!(answer.contains(&expected), "{request}: {answer}");
    }
}

#[test]
fn a_batch_is_answered_in_its_order_and_notifications_are_not() {
    let (mut app, inspector) = game(Inspect::new(0));
    let batch = r#"[{"jsonrpc":"2.0","id":"a","method":"app.pause"},
        {"jsonrpc":"2.0","method":"app.resume"}, 7, {"jsonrpc":"2.0","id":2,"method":"no"}]"#;
    assert_eq!(
        inspector.answer(&mut app, batch),
        r#"[{"jsonrpc":"2.0","id":"a","result":null},{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"a call is an object"}},{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"there is no method `no`; help: choose one that `rpc.discover` lists"}}]"#
    );
    assert!(!app.is_paused());
    let notification = r#"{"jsonrpc":"2.0","method":"app.pause"}"#;
    assert_eq!(inspector.answer(&mut app, notification), "");
    assert!(app.is_paused());
}

#[test]
fn without_the_right_to_write_nothing_changes() {
    let (mut app, inspector) = plain(Inspect::new(0).method("game.give", give));
    let methods = inspector.answer(
        &mut app,
        r#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#,
    );
    let methods: Value = serde_json::from_str(&methods).unwrap();
    let mut refused = 0;
    for method in methods.get("result.methods").unwrap().as_list().unwrap() {
        if method.get("writes").unwrap().as_bool() == Some(true) {
            let name = method.get("name").unwrap().as_str().unwrap();
            let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{name}"}}"#);
            let answer = inspector.answer_reading(&mut app, &request);
            assert!(answer.contains(r#""code":-23602"#), "{name}: {answer}");
            refused += 1;
        }
    }
    assert!(refused >= 19, "{refused}");
    let (mut app, inspector) = plain(Inspect::new(0).read_only());
    assert!(call(&mut app, &inspector, "app.pause", "{}").contains("only reads"));
}

/// A component whose `Serialize` fails with the words of another error.
#[derive(Component, Clone, Debug, Deserialize)]
#[component(data = "game.liar")]
struct Liar;

impl Serialize for Liar {
    fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        Err(serde::ser::Error::custom(
            "the value has too many parts, or too long texts, to be shown as a tree",
        ))
    }
}

#[test]
fn only_a_value_that_is_too_large_has_the_code_for_it() {
    let (mut app, inspector) = plain(Inspect::new(0));
    let world = app.world_mut();
    let liar = world.spawn((Liar, Name("x".repeat(100_000))));
    for (name, code) in [("game.liar", -23402), ("game.name", -23605)] {
        let params = format!(r#"{{"entity":"{liar}","components":["{name}"]}}"#);
        let answer = call(&mut app, &inspector, "world.get_components", &params);
        assert!(answer.contains(&format!(r#""code":{code}"#)), "{answer}");
        let params = format!(r#"{{"query":"{name}"}}"#);
        let answer = call(&mut app, &inspector, "entities.find", &params);
        assert_eq!(
            answer.contains("world.get_resources"),
            code == -23605,
            "{answer}"
        );
    }
}

#[test]
fn reads_and_failed_writes_leave_the_world_as_it_was() {
    let (mut app, inspector) = plain(Inspect::new(0).history(3));
    app.world_mut().spawn(Health { now: 2, max: 2 });
    app.update();
    let before = app.world().hash().unwrap();
    for (method, params) in [
        (
            "entities.find",
            r#"{"query":"game.health","count":true,"columns":["game.name","no"]}"#,
        ),
        ("entity.get", r#"{"entity":"0v1"}"#),
        ("world.query", r#"{"data":{"option":"all"}}"#),
        ("registry.schema", "{}"),
        ("schedule.plan", "{}"),
        ("schedule.timings", "{}"),
        ("tables.memory", "{}"),
        ("app.status", "{}"),
        (
            "world.insert_components",
            r#"{"entity":"0v1","components":{"game.health":{"now":1,"max":2},"no":1}}"#,
        ),
        (
            "world.insert_components",
            r#"{"entity":"0v1","components":{"game.health":{"now":1,"max":2},"game.child_of":"0v1"}}"#,
        ),
        (
            "world.insert_components",
            r#"{"entity":"0v1","components":{"game.health":{"now":1,"max":2},"game.child_of":"1v1"}}"#,
        ),
        (
            "world.spawn_entity",
            r#"{"components":{"game.health":{"now":1,"max":2},"game.secret":-1}}"#,
        ),
        (
            "world.mutate_components",
            r#"{"entity":"0v1","component":"game.health","path":"now","value":1e9}"#,
        ),
        (
            "world.mutate_components",
            r#"{"entity":"0v1","component":"game.health","path":"[","value":1}"#,
        ),
        (
            "world.remove_components",
            r#"{"entity":"0v1","components":["game.health","no"]}"#,
        ),
        (
            "world.remove_components",
            r#"{"entity":"9v1","components":["game.health"]}"#,
        ),
        (
            "world.reparent_entities",
            r#"{"entities":["1v1","7v7"],"parent":"0v1"}"#,
        ),
        // The first one may move there, and the second one is above it.
        (
            "world.reparent_entities",
            r#"{"entities":["2v1","0v1"],"parent":"1v1"}"#,
        ),
        (
            "world.insert_resources",
            r#"{"resource":"game.score","value":{"points":"x"}}"#,
        ),
        ("app.step_back", r#"{"frames":9}"#),
        ("edit.undo", "{}"),
        (
            "entities.find",
            r#"{"query":"game.health","sort":"-game.health","ancestors":true,"disabled":true}"#,
        ),
        (
            "entities.copy",
            r#"{"entities":["0v1"],"relation":"game.child_of"}"#,
        ),
        (
            "entities.paste",
            r#"{"text":"{\"entities\":[{\"game.health\":{\"now\":1,\"max\":2}},{\"game.health\":{}}]}"}"#,
        ),
        (
            "entities.paste",
            r#"{"text":"{\"entities\":[{\"game.child_of\":1},{\"game.child_of\":0}]}"}"#,
        ),
        ("entity.clone", r#"{"entity":"9v9"}"#),
        ("prefabs.spawn", r#"{"prefab":"cat"}"#),
        ("events.tail", r#"{"event":"game.hit"}"#),
        (
            "world.trigger_event",
            r#"{"event":"game.hit","value":{"on":"0v1","damage":1},"entity":"9v9"}"#,
        ),
        (
            "world.write_message",
            r#"{"message":"game.hit","value":{"on":"0v1"}}"#,
        ),
        ("observers.list", "{}"),
        ("schedule.access", r#"{"component":"game.health"}"#),
        ("schedule.traces", "{}"),
        (
            "watch",
            r#"{"set":[{"method":"entity.get","params":{"entity":"0v1"}}]}"#,
        ),
    ] {
        call(&mut app, &inspector, method, params);
        assert_eq!(app.world().hash().unwrap(), before, "{method} {params}");
    }
}

#[test]
fn a_panic_of_the_user_is_an_error_of_one_value_or_request() {
    let panics = |_: &mut World, _: Params| panic!("no gold");
    let (mut app, inspector) = game(Inspect::new(0).method("game.panics", panics));
    let entity = app.world_mut().spawn((Bomb, Health { now: 1, max: 1 }));
    let answer = call(
        &mut app,
        &inspector,
        "entity.get",
        &format!(r#"{{"entity":"{entity}"}}"#),
    );
    assert!(
        answer.contains("panicked: boom") && answer.contains(r#""now":1"#),
        "{answer}"
    );
    let answer = call(
        &mut app,
        &inspector,
        "entities.find",
        r#"{"query":"game.bomb, game.health"}"#,
    );
    assert!(
        answer.contains("panicked: boom") && answer.contains(r#""now":1"#),
        "{answer}"
    );
    let bomb = format!(r#"{{"entity":"{entity}","components":{{"game.bomb":1}}}}"#);
    let answer = call(&mut app, &inspector, "world.insert_components", &bomb);
    assert!(answer.contains("cannot read a bomb"), "{answer}");
    let answer = call(&mut app, &inspector, "game.panics", "{}");
    assert_eq!(
        answer,
        r#""error":{"code":-32603,"message":"the method panicked: no gold"}"#
    );
}

#[test]
fn hidden_types_are_neither_shown_nor_found_nor_changed() {
    let by_type = Inspect::new(0).hide::<Secret>().hide::<Score>();
    check_hidden(by_type.hide::<Hit>());
    let by_name = Inspect::new(0).hide_named("game.secret");
    check_hidden(by_name.hide_named("game.score").hide_named("game.hit"));
}

fn check_hidden(inspect: Inspect) {
    let (mut app, inspector) = game(inspect);
    let on = "0v1".parse().unwrap();
    app.world_mut().send_event(Hit { on, damage: 4711 });
    let hero = app.world().entities_with("game.name").unwrap()[0];
    app.world_mut().insert(hero, Secret(4711)).unwrap();
    for (method, params) in [
        ("entity.get", r#"{"entity":"0v1"}"#),
        ("entities.find", r#"{"query":"secret"}"#),
        ("entities.find", r#"{"query":"game.health, !game.secret"}"#),
        (
            "entities.find",
            r#"{"query":"game.health, game.secret > 3"}"#,
        ),
        (
            "entities.find",
            r#"{"query":"game.health","columns":["game.secret"]}"#,
        ),
        ("world.query", r#"{"data":{"option":"all"}}"#),
        ("world.query", r#"{"data":{"components":["game.secret"]}}"#),
        (
            "world.get_components",
            r#"{"entity":"0v1","components":["game.secret"]}"#,
        ),
        ("world.list_components", "{}"),
        (
            "world.insert_components",
            r#"{"entity":"0v1","components":{"game.secret":1}}"#,
        ),
        (
            "world.remove_components",
            r#"{"entity":"0v1","components":["game.secret"]}"#,
        ),
        ("world.get_resources", r#"{"resource":"game.score"}"#),
        (
            "world.insert_resources",
            r#"{"resource":"game.score","value":{"points":1}}"#,
        ),
        ("world.list_resources", "{}"),
        ("registry.schema", "{}"),
        ("tables.memory", "{}"),
        ("app.run_until", r#"{"query":"game.secret > 3"}"#),
        (
            "app.run_until",
            r#"{"entity":"0v1","component":"game.secret","frames":1}"#,
        ),
        (
            "entities.find",
            r#"{"query":"","columns":["game.name"],"sort":"game.secret"}"#,
        ),
        (
            "entities.find",
            r#"{"query":"game.child_of","ancestors":["game.secret"]}"#,
        ),
        (
            "entities.find",
            r#"{"query":"(game.child_of *)","ancestors":["game.secret"]}"#,
        ),
        ("entities.copy", r#"{"entities":["0v1"]}"#),
        (
            "entities.paste",
            r#"{"text":"{\"entities\":[{\"game.secret\":1}]}"}"#,
        ),
        ("entity.get", r#"{"entity":"0v1","access":true}"#),
        ("schedule.access", r#"{"component":"game.secret"}"#),
        ("schedule.access", r#"{"resource":"game.score"}"#),
        ("observers.list", "{}"),
        ("events.list", "{}"),
        ("events.tail", r#"{"event":"game.hit"}"#),
        (
            "world.write_message",
            r#"{"message":"game.hit","value":{"on":"0v1","damage":4711}}"#,
        ),
        (
            "world.trigger_event",
            r#"{"event":"game.hit","value":{"on":"0v1","damage":4711}}"#,
        ),
        (
            "watch",
            r#"{"set":[{"method":"entity.get","params":{"entity":"0v1"}},{"method":"world.get_resources","params":{"resource":"game.score"}}]}"#,
        ),
    ] {
        let answer = call(&mut app, &inspector, method, params);
        assert!(
            !answer.contains("4711") && !answer.contains(r#""points""#),
            "{method}: {answer}"
        );
        let names = ["game.secret", "game.score", "game.hit", "inspector::Hit"];
        let shown = names.iter().any(|name| answer.contains(name));
        assert!(!shown || answer.contains("is hidden"), "{method}: {answer}");
    }
    assert_eq!(app.world().get::<Secret>(hero).unwrap().0, 4711);
    assert_eq!(app.world().resource::<Score>().points, 5);
}
