//! Calls of the inspector from strangers: none that reads or fails changes the world, and none shows what is hidden.

use ecs_core::data::{Prefab, Value};
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// Lines of calls: a method, a blank, and its parameters.
pub type Input = super::StrangeBytes;

/// The calls of an input that are made.
const MOST_CALLS: usize = 32;
const SECRET: u64 = 918_273_645;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.health")]
struct Health {
    now: i32,
    share: f32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Mood {
    Calm,
    Angry { at: Entity, rounds: u8 },
    Lost(Option<char>, Vec<u16>),
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.moods", storage = "sparse")]
struct Moods {
    all: Vec<Mood>,
    by_name: std::collections::BTreeMap<String, Mood>,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "fuzz.hidden")]
struct Hidden(u64);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(tree, data = "fuzz.child_of")]
struct ChildOf;

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "fuzz.score")]
struct Score(Vec<u32>);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "fuzz.hit")]
struct Hit {
    on: Entity,
    damage: i32,
}

#[system]
fn heal(mut health: CompMut<Health>, _hits: EventReader<Hit>) {
    for health in (&mut health).iter() {
        health.now = health.now.wrapping_add(1);
    }
}

fn game() -> (App, Inspector) {
    let mut app = App::new();
    app.insert_resource(Score(vec![1, 2]))
        .add_systems(Update, heal);
    let world = app.world_mut();
    world.register_data_resource::<Score>();
    world.register_data_event::<Hit>();
    let health = Health { now: 7, share: 0.5 };
    let root = world.spawn((health.clone(), Hidden(SECRET)));
    let child = world.spawn((health, ChildOf.to(root)));
    let angry = Mood::Angry {
        at: root,
        rounds: 3,
    };
    let lost = Mood::Lost(Some('x'), vec![1, 2]);
    let moods = Moods {
        all: vec![Mood::Calm, lost],
        by_name: [("a".to_owned(), angry)].into(),
    };
    world.insert(child, moods).expect("it is alive");
    let prefab = Prefab::from_tree::<ChildOf>(world, root).map_err(|error| error.to_string());
    let prefab = prefab.expect("everything is data");
    let inspect = Inspect::new(0).history(2).hide::<Hidden>();
    let inspector = inspect.prefab("root", prefab).attach(&mut app);
    app.update();
    (app, inspector)
}

/// Makes the calls one after the other.
///
/// # Panics
/// If an answer is malformed, a call changes the world that may not, the world is not consistent, or a hidden value is shown.
pub fn run(input: Input) {
    let text = String::from_utf8_lossy(&input.0);
    let (mut app, inspector) = game();
    let discover = r#"{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}"#;
    let methods = read(&inspector.answer(&mut app, discover));
    let methods = methods.get("result.methods").and_then(Value::as_list);
    let methods = methods.expect("a list of methods");
    let may_write = |name: &str| {
        let named = |method: &&Value| method.get("name").and_then(Value::as_str) == Some(name);
        let found = methods.iter().find(named);
        found.and_then(|method| method.get("writes")?.as_bool()) == Some(true)
    };
    for line in text.lines().take(MOST_CALLS) {
        let (method, params) = line.split_once(' ').unwrap_or((line, "{}"));
        // Frames change the world, and take their time.
        let runs = [
            "app.step",
            "app.step_system",
            "app.step_back",
            "app.run_until",
        ];
        if runs.contains(&method) || method.contains(['"', '\\']) {
            continue;
        }
        let before = app.world().hash().expect("everything is data");
        let request =
            format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{params}}}"#);
        let answer = inspector.answer(&mut app, &request);
        assert!(
            text.contains("918273645") || !answer.contains("918273645"),
            "{answer}"
        );
        let answer = read(&answer);
        let (result, error) = (answer.get("result"), answer.get("error"));
        assert!(result.is_some() != error.is_some(), "{answer}");
        app.world().check_invariants();
        if error.is_some() || !may_write(method) {
            let after = app.world().hash().expect("everything is data");
            assert_eq!(before, after, "{line}");
        }
    }
}

fn read(answer: &str) -> Value {
    serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {answer}"))
}
