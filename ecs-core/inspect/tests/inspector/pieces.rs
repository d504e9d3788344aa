//! Calls that are cut: a frame whose budget is spent does one piece.

use std::cell::Cell;
use std::fmt::Write as _;

use ecs_core::inspect::{Inspect, Inspector};
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
        ("schedule.access", r#"{"component":"game.health"}"#, 8),
        (
            "world.get_components",
            r#"{"entity":"0v1","components":["game.health","game.name","none"]}"#,
            3,
        ),
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
        let mut pieces = 0;
        let cut = inspector.answer_in_pieces(&mut app, &request, true, &mut || pieces += 1);
        assert!(pieces >= least, "{method} has {pieces} pieces");
        let whole = inspector.answer(&mut app, &request);
        // Pages have names of their own.
        let same = |answer: &str| answer.replace("p1\"", "p2\"");
        assert_eq!(same(&cut), same(&whole), "{method}");
    }
}

#[test]
fn a_value_too_large_for_a_frame_is_an_error_unless_the_owner_asks_for_the_whole_of_it() {
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
        let values = format!(r#""entity":"{entity}","components":["game.heap","game.name"]"#);
        let read = call(
            &mut app,
            &inspector,
            "world.get_components",
            &format!("{{{values}}}"),
        );
        assert!(
            read.contains(error) && read.contains(r#""code":-23605"#),
            "{read:.1000}"
        );
        let params = format!(r#"{{{values},"whole":true}}"#);
        let whole = call(&mut app, &inspector, "world.get_components", &params);
        assert!(whole.len() > 200_000, "{whole:.1000}");
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"world.get_components","params":{params}}}"#
        );
        let refused = inspector.answer_reading(&mut app, &request);
        assert!(refused.contains(r#""code":-23602"#), "{refused:.1000}");
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
    assert!(
        read.contains("more than 16384 bytes") && read.contains("-23605"),
        "{read:.1000}"
    );
}

thread_local! {
    /// The elements that this thread has written.
    static ELEMENTS: Cell<usize> = const { Cell::new(0) };
}

/// An element that counts how often it is written.
#[derive(Clone, Debug, serde::Deserialize)]
struct Element(u32);

impl serde::Serialize for Element {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        ELEMENTS.set(ELEMENTS.get() + 1);
        serializer.serialize_u32(self.0)
    }
}

macro_rules! tapes {
    ($($name:ident $text:literal)*) => {$(
        #[derive(Component, Clone, Debug, serde::Serialize, serde::Deserialize)]
        #[component(data = $text)]
        struct $name(Vec<Element>);
    )*};
}
tapes! { TapeA "game.tape_a" TapeB "game.tape_b" TapeC "game.tape_c" TapeD "game.tape_d" }

#[derive(Event, Clone, Debug, serde::Serialize, serde::Deserialize)]
#[event(data = "game.rolled")]
struct Rolled(Vec<Element>);

#[derive(Resource, Clone, Debug, serde::Serialize, serde::Deserialize)]
#[resource(data = "game.reel")]
struct Reel(Vec<Element>);

/// The elements that a piece of a call may write, whatever there is: of all values together, and one more of each that is refused.
const MOST_ELEMENTS: usize = 4_000 + 200;

/// Calls a method, and returns the answer and the greatest number of elements that a piece has written.
fn longest(app: &mut App, inspector: &Inspector, method: &str, params: &str) -> (String, usize) {
    let request = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    let mut most = 0;
    ELEMENTS.set(0);
    let answer = inspector.answer_in_pieces(app, &request, false, &mut || {
        most = most.max(ELEMENTS.replace(0));
    });
    (answer, most)
}

#[test]
fn no_piece_of_any_call_reads_more_than_its_part_of_values_however_large_they_are() {
    for length in [10, 600, 1_900, 3_900, 50_000] {
        let mut app = App::new();
        let tape = || (0..length).map(Element).collect::<Vec<_>>();
        app.insert_resource(Reel(tape()));
        let world = app.world_mut();
        world.register_data_resource::<Reel>();
        world.register_data_event::<Rolled>();
        for _ in 0..40 {
            world.spawn((
                TapeA(tape()),
                TapeB(tape()),
                TapeC(tape()),
                TapeD(tape()),
                Name("reel".to_owned()),
            ));
        }
        let inspector = Inspect::new(0).attach(&mut app);
        let _ = call(
            &mut app,
            &inspector,
            "events.tail",
            r#"{"event":"game.rolled"}"#,
        );
        for _ in 0..100 {
            app.world_mut().send_event(Rolled(tape()));
        }
        ELEMENTS.set(0);
        app.update();
        assert!(ELEMENTS.get() <= MOST_ELEMENTS, "{}", ELEMENTS.get());
        let mut columns = String::new();
        for _ in 0..15 {
            let _ = write!(
                columns,
                r#""game.tape_a","game.tape_b","game.tape_c","game.tape_d","#
            );
        }
        let columns = columns.trim_end_matches(',');
        let entity = r#""entity":"0v1""#;
        let calls = [
            ("entity.get", format!("{{{entity}}}")),
            (
                "entities.find",
                format!(r#"{{"limit":200,"columns":[{columns}]}}"#),
            ),
            (
                "entities.find",
                format!(
                    r#"{{"query":"?game.tape_a, ?game.tape_b","sort":"game.tape_b","columns":[{columns}]}}"#
                ),
            ),
            (
                "entities.find",
                r#"{"query":"game.tape_d","ancestors":["game.tape_a"]}"#.to_owned(),
            ),
            (
                "world.query",
                r#"{"data":{"components":["game.tape_a"],"option":"all"}}"#.to_owned(),
            ),
            (
                "world.get_components",
                format!(r#"{{{entity},"components":[{columns}]}}"#),
            ),
            (
                "world.get_components+watch",
                format!(r#"{{{entity},"components":[{columns}]}}"#),
            ),
            (
                "world.get_resources",
                r#"{"resource":"game.reel"}"#.to_owned(),
            ),
            ("events.tail", r#"{"event":"game.rolled"}"#.to_owned()),
            (
                "watch",
                format!(
                    r#"{{"set":[{{"method":"entity.get","params":{{{entity}}}}},{{"method":"entity.get","params":{{{entity}}}}}]}}"#
                ),
            ),
        ];
        for (method, params) in calls {
            let (answer, most) = longest(&mut app, &inspector, method, &params);
            assert!(most <= MOST_ELEMENTS, "{method} at {length}: {most}");
            assert!(
                answer.contains(r#""result""#) || answer.contains(r#""code":-23605"#),
                "{method} at {length}: {answer:.500}"
            );
            let is_shown = answer.contains("1,2,3,4,5,6,7,8,9");
            assert!(
                is_shown || length > 600 || params.contains("ancestors"),
                "{method} at {length}: {answer:.500}"
            );
        }
    }
}

#[test]
fn lists_and_texts_of_a_request_have_bounds() {
    let mut app = game();
    let inspector = Inspect::new(0).attach(&mut app);
    let many = |text: &str, count: usize| vec![text; count].join(",");
    let mut check = |method: &str, params: &str, error: &str| {
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
        let answer = inspector.answer_reading(&mut app, &request);
        assert!(answer.contains(error), "{method}: {answer:.300}");
    };
    let too_large = r#""code":-23605"#;
    let names = many(r#""game.health""#, 65);
    check(
        "entities.find",
        &format!(r#"{{"columns":[{names}]}}"#),
        too_large,
    );
    check(
        "entities.find",
        &format!(r#"{{"ancestors":[{names}]}}"#),
        too_large,
    );
    check(
        "world.query",
        &format!(r#"{{"data":{{"option":[{names}]}}}}"#),
        too_large,
    );
    check(
        "entities.find",
        &format!(r#"{{"query":"{}"}}"#, many("game.health", 400)),
        too_large,
    );
    check(
        "entities.copy",
        &format!(r#"{{"entities":[{}]}}"#, many(r#""0v1""#, 51)),
        too_large,
    );
    let names = many("[]", 3_000);
    check(
        "registry.schema",
        &format!(r#"{{"names":[{names}]}}"#),
        "which needs the token",
    );
    let text = "x".repeat((1 << 20) + 1);
    let paste = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"entities.paste","params":{{"text":"{text}"}}}}"#
    );
    let answer = inspector.answer(&mut app, &paste);
    assert!(answer.contains(too_large), "{answer:.300}");
}

/// Returns the number of pieces of a search in a world of so many rows.
fn pieces_of(rows: u32, params: &str) -> u32 {
    let mut app = App::new();
    let health = |now: u32| Health {
        now: now as i32,
        max: 9,
    };
    app.world_mut().spawn_batch((0..rows).map(health));
    let inspector = Inspect::new(0).attach(&mut app);
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"entities.find","params":{params}}}"#);
    let mut pieces = 0;
    let answer = inspector.answer_in_pieces(&mut app, &request, false, &mut || pieces += 1);
    assert!(answer.contains(r#""result""#), "{answer:.300}");
    pieces
}

#[test]
fn the_first_rows_take_as_much_of_a_million_as_of_a_thousand_and_a_piece_has_few_rows() {
    for params in [
        r#"{"limit":30}"#.to_owned(),
        r#"{"query":"game.health","limit":30,"columns":["game.health.now"]}"#.to_owned(),
        r#"{"query":"game.health.now >= 0","limit":30}"#.to_owned(),
    ] {
        let [few, many] = [1_000, 1_000_000].map(|rows| pieces_of(rows, &params));
        assert_eq!(few, many, "{params}");
    }
    // Rows that are not tested are passed over by tables.
    let from = |from: u32| format!(r#"{{"query":"game.health","limit":30,"from":{from}}}"#);
    assert_eq!(
        pieces_of(1_000, &from(900)),
        pieces_of(1_000_000, &from(900_000))
    );
    // A count looks at all rows, at most 1,024 in each piece.
    let count = r#"{"query":"game.health.now < 0","count":true}"#;
    let pieces = pieces_of(1_000_000, count);
    assert!(pieces >= 1_000_000 / 1024, "{pieces}");
}
