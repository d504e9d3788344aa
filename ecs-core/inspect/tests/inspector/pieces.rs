//! Calls that are cut: a frame whose budget is spent does one piece.

use ecs_core::inspect::Inspect;
use ecs_core::prelude::*;

use super::{
    ChildOf, Health, Hit, Name, Score, Secret, Target, call, count, heal, on_hit, on_named,
};

/// A value whose size is up to a test.
#[derive(Component, Clone, Debug, serde::Serialize, serde::Deserialize)]
#[component(data = "game.heap")]
struct Heap(Vec<u32>);

/// 0v1 has a component of each kind and 60 children, each with one of its own.
fn game() -> App {
    let mut app = App::new();
    app.insert_resource(Score { points: 5 });
    app.add_systems(Update, (heal, count, heal, count, heal, count));
    app.add_systems(PostUpdate, (count, heal));
    let world = app.world_mut();
    let health = Health { now: 7, max: 24 };
    let hero = world.spawn((health.clone(), Name("Hero".to_owned()), Secret(1)));
    world.insert(hero, Target { entity: hero }).unwrap();
    world.insert(hero, Heap(vec![7; 1000])).unwrap();
    for number in 0..60 {
        let child = world.spawn((health.clone(), ChildOf.to(hero)));
        world.spawn((Name(format!("rat {number}")), ChildOf.to(child)));
    }
    world.register_data_resource::<Score>();
    world.register_data_event::<Hit>();
    world.observe(on_hit);
    world.observe(on_named);
    app
}

#[test]
fn each_long_call_has_many_pieces_and_the_same_answer() {
    for (method, params, least) in [
        ("entities.find", r#"{"query":"game.health","limit":50}"#, 50),
        (
            "entities.find",
            r#"{"query":"game.health.now > 0","sort":"-game.health.now","limit":50}"#,
            2,
        ),
        ("entity.get", r#"{"entity":"0v1","access":true}"#, 5 + 8),
        ("entities.children", r#"{"of":"0v1"}"#, 2),
        (
            "world.query",
            r#"{"data":{"components":["game.health"]}}"#,
            50,
        ),
        ("world.list_components", "{}", 7),
        ("world.list_components", r#"{"entity":"0v1"}"#, 4),
        ("world.list_resources", "{}", 2),
        ("events.list", "{}", 1),
        ("observers.list", "{}", 2),
        ("registry.schema", "{}", 7),
        ("tables.memory", "{}", 5),
        ("schedule.list", "{}", 4),
        ("schedule.plan", "{}", 6),
        ("schedule.access", r#"{"component":"game.health"}"#, 8),
        ("schedule.why", r#"{"a":"heal","b":"none"}"#, 4),
        (
            "entities.copy",
            r#"{"entities":["0v1"],"relation":"game.child_of"}"#,
            2 * 121,
        ),
        (
            "watch",
            r#"{"set":[{"method":"entity.get","params":{"entity":"0v1"}},{"method":"tables.memory"}]}"#,
            10,
        ),
    ] {
        let mut app = game();
        let inspector = Inspect::new(0).attach(&mut app);
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let (cut, pieces) = inspector.answer_in_pieces(&mut app, &request);
        assert!(pieces >= least, "{method} has {pieces} pieces");
        let whole = inspector.answer(&mut app, &request);
        // Pages have names of their own.
        let same = |answer: &str| answer.replace("p1\"", "p2\"");
        assert_eq!(same(&cut), same(&whole), "{method}");
    }
}

#[test]
fn a_value_too_large_for_a_frame_is_an_error_beside_others_and_shown_to_the_owner_alone() {
    let mut app = game();
    let world = app.world_mut();
    let large = world.spawn((Heap(vec![7; 200_000]), Secret(1)));
    let long = world.spawn((Name("x".repeat(200_000)), Secret(2)));
    let inspector = Inspect::new(0).attach(&mut app);
    let error = "the value has too many parts, or too long texts, to be shown as a tree";
    for entity in [large, long] {
        for (method, params) in [
            ("entity.get", format!(r#"{{"entity":"{entity}"}}"#)),
            (
                "entities.find",
                r#"{"query":"game.secret > 0, ?game.heap, ?game.name"}"#.to_owned(),
            ),
            (
                "world.query",
                r#"{"data":{"components":["game.secret"],"option":"all"}}"#.to_owned(),
            ),
            (
                "world.get_components+watch",
                format!(r#"{{"entity":"{entity}","components":["game.heap","game.name"]}}"#),
            ),
        ] {
            let answer = call(&mut app, &inspector, method, &params);
            assert!(answer.contains(error), "{method}: {answer:.1000}");
            assert!(answer.len() < 60_000, "{method}: {}", answer.len());
        }
        let params = format!(r#"{{"entity":"{entity}","components":["game.heap","game.name"]}}"#);
        let whole = call(&mut app, &inspector, "world.get_components", &params);
        assert!(whole.len() > 200_000, "{whole:.1000}");
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"world.get_components","params":{params}}}"#
        );
        let read = inspector.answer_reading(&mut app, &request);
        assert!(read.contains(error) && read.len() < 10_000, "{read:.1000}");
    }
    // An edit keeps the whole value.
    let params =
        format!(r#"{{"entity":"{large}","component":"game.heap","path":"[1]","value":8}}"#);
    call(&mut app, &inspector, "world.mutate_components", &params);
    assert_eq!(app.world().get::<Heap>(large).unwrap().0[..3], [7, 8, 7]);
    call(&mut app, &inspector, "edit.undo", "{}");
    assert!(app.world().get::<Heap>(large).unwrap().0 == vec![7; 200_000]);
    // Copies have a bound, too.
    let params = format!(r#"{{"entities":["{long}"]}}"#);
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"entities.copy","params":{params}}}"#);
    assert!(inspector.answer(&mut app, &request).len() > 200_000);
    let read = inspector.answer_reading(&mut app, &request);
    assert!(read.contains("more than 65536 bytes"), "{read:.1000}");
}
