//! The types that a world knows, their schemas, and queues of events.

use std::collections::BTreeMap;

use ecs_core::data::{CatalogKind, CatalogType, SchemaKind, SchemaNode, SchemaPart, Value};
use ecs_core::dynamic::{DynamicComponent, FieldKind};
use ecs_core::event::{EventCursor, Events};
use ecs_core::meta::ParamAccess;
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "catalog.health", alias = "catalog.life")]
struct Health {
    now: u32,
    shield: Option<f32>,
    owner: Entity,
    tags: Vec<Tag>,
    stats: BTreeMap<String, (i8, bool)>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Tag(String);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "catalog.plan", storage = "sparse")]
enum Plan {
    Wait,
    Go(Entity),
    Then(Vec<Plan>),
    Turn { by: f64, left: bool },
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "catalog.options")]
#[serde(default)]
struct Options {
    volume: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { volume: 7 }
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "catalog.shape")]
#[serde(tag = "kind")]
enum Shape {
    Round { radius: f32 },
}

#[derive(Component)]
#[component(name = "catalog.texture")]
struct Texture;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "catalog.likes", many)]
struct Likes {
    since: u16,
}

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "catalog.score")]
struct Score(i64);

#[derive(Resource)]
struct Window;

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "catalog.hit")]
struct Hit {
    damage: u8,
}

struct Ping;

fn world() -> World {
    let mut world = World::new();
    world.register::<Health>();
    world.register::<Plan>();
    world.register::<Options>();
    world.register::<Shape>();
    world.register::<Texture>();
    let [a, b] = [world.spawn(()), world.spawn(())];
    world.insert(a, Likes { since: 3 }.to(b)).unwrap();
    world.register_data_resource::<Score>();
    world.register_data_event::<Hit>();
    world.insert_resource(Window);
    let oxygen = DynamicComponent::new("catalog.oxygen")
        .field("left", FieldKind::F32)
        .field("of", FieldKind::Entity)
        .field("name", FieldKind::String);
    world.register_erased(oxygen.register().unwrap());
    world
}

fn find(world: &World, name: &str) -> CatalogType {
    let mut found = world.data_catalog();
    found.retain(|known| known.name() == name);
    assert_eq!(found.len(), 1, "{name} is listed once");
    found[0]
}

#[test]
fn each_known_type_is_listed_once_with_its_schema() {
    let world = world();
    let cases = [
        (
            "catalog.health",
            CatalogKind::Component,
            Some("{now:u32,shield:?f32,owner:id,tags:[@Tag(str)],stats:{str=(i8,bool)}}"),
        ),
        (
            "catalog.plan",
            CatalogKind::Component,
            Some("<Wait,Go(id),Then([#0]),Turn{by:f64,left:bool}>"),
        ),
        (
            "catalog.options",
            CatalogKind::Component,
            Some("{volume:u8}"),
        ),
        ("catalog.shape", CatalogKind::Component, None),
        ("catalog.texture", CatalogKind::Component, None),
        (
            "catalog.oxygen",
            CatalogKind::Component,
            Some("{left:f32,of:?id,name:str}"),
        ),
        ("catalog.likes", CatalogKind::Relation, Some("{since:u16}")),
        ("catalog.score", CatalogKind::Resource, Some("@(i64)")),
        ("catalog.hit", CatalogKind::Events, Some("{damage:u8}")),
        ("components::catalog::Window", CatalogKind::Resource, None),
    ];
    for (name, kind, schema) in cases {
        let known = find(&world, name);
        assert_eq!(known.kind(), kind, "{name}");
        let text = known.schema().map(|schema| schema.to_string());
        assert_eq!(text.as_deref(), schema, "{name}");
    }
    assert_eq!(find(&world, "catalog.health").aliases(), ["catalog.life"]);
    assert!(find(&world, "catalog.shape").is_data());
    assert!(!find(&world, "catalog.texture").is_data());
    let likes = find(&world, "catalog.likes");
    assert_eq!((likes.is_many(), likes.is_tree()), (true, false));
    assert!(!find(&world, "catalog.health").is_many());
    // `Likes` ends with its target, and `ChildOf` despawns its sources.
    let mut tree = World::new();
    let root = tree.spawn(());
    tree.spawn(ecs_core::tree::ChildOf.to(root));
    let child_of = find(&tree, "ecs.child_of");
    let policies = [&likes, &child_of].map(|known| (known.is_tree(), known.despawns_sources()));
    assert_eq!(policies, [(false, false), (true, true)]);
    assert!(!find(&world, "catalog.health").despawns_sources());
    let sources = find(&world, "catalog.likes").component().unwrap();
    assert_eq!(sources.relation_of_sources(), Some("catalog.likes"));
    let names = world.data_catalog().len();
    let ends = world.registered_components().len() - 1;
    assert_eq!(
        names,
        ends + 3,
        "one end of the relation, and three that are not components"
    );
}

/// Makes a value of a schema: of the last variant that does not contain the type itself.
fn made(node: SchemaNode<'_>, entity: Entity) -> Value {
    let parts = |parts: &[SchemaPart<'_>]| {
        let parts = parts
            .iter()
            .map(|part| (part.name(), made(part.value(), entity)));
        parts.collect::<Value>()
    };
    match node.kind() {
        SchemaKind::Plain("str" | "char") => "x".into(),
        SchemaKind::Plain("bool") => true.into(),
        SchemaKind::Plain("f32" | "f64") => 0.5.into(),
        SchemaKind::Plain(_) => 3.into(),
        SchemaKind::Entity => entity.into(),
        SchemaKind::Option(value) => made(value, entity),
        SchemaKind::List(value) => Value::List(vec![made(value, entity)]),
        SchemaKind::Map(key, value) => Value::Map(vec![(made(key, entity), made(value, entity))]),
        SchemaKind::Tuple(values) => Value::List(
            values
                .into_iter()
                .map(|value| made(value, entity))
                .collect(),
        ),
        SchemaKind::Struct(fields) => parts(&fields),
        SchemaKind::Enum(variants) => {
            let last = variants.last().unwrap();
            match last.value().kind() {
                SchemaKind::Unit => last.name().into(),
                _ => parts(std::slice::from_ref(last)),
            }
        }
        _ => Value::Null,
    }
}

#[test]
fn a_value_that_is_made_by_its_schema_can_be_inserted() {
    let mut world = world();
    let entity = world.spawn(());
    let mut count = 0;
    for known in world.data_catalog() {
        let Some(schema) = known.schema() else {
            continue;
        };
        if known.kind() != CatalogKind::Component {
            continue;
        }
        let value = made(schema.root(), entity);
        world.insert_by_name(entity, known.name(), &value).unwrap();
        let read = world.get_by_name(entity, known.name()).unwrap();
        assert_eq!(read, Some(value), "{}", known.name());
        count += 1;
    }
    assert!(count >= 4, "{count} components");
}

#[test]
fn a_type_that_contains_itself_has_a_schema_without_end() {
    let world = world();
    let schema = find(&world, "catalog.plan").schema().unwrap();
    let mut node = schema.root();
    for _ in 0..100 {
        let SchemaKind::Enum(variants) = node.kind() else {
            panic!("{node:?} is an enum")
        };
        assert_eq!(variants[1].value().kind(), SchemaKind::Entity);
        let SchemaKind::List(plan) = variants[2].value().kind() else {
            panic!("a list of plans")
        };
        node = plan;
    }
}

#[test]
fn a_default_is_read_from_nothing() {
    let world = world();
    let default = |name| find(&world, name).default_value();
    let options = Value::of(&Options::default()).unwrap();
    assert_eq!(default("catalog.options"), Some(options));
    let oxygen = default("catalog.oxygen").unwrap();
    assert_eq!(
        oxygen.to_string(),
        r#"{"left": 0.0, "of": null, "name": ""}"#
    );
    for none in [
        "catalog.health",
        "catalog.plan",
        "catalog.score",
        "catalog.hit",
        "catalog.texture",
    ] {
        assert_eq!(default(none), None, "{none}");
    }
}

#[test]
fn queues_have_the_kept_events_and_the_lag_of_each_reader() {
    let mut world = World::new();
    assert_eq!(world.event_queues(), []);
    world.add_event::<Ping>();
    world.register_data_event::<Hit>();
    let [mut fast, mut slow] = [EventCursor::<Hit>::default(), EventCursor::default()];
    let hits = |world: &World, cursor: &mut EventCursor<Hit>| {
        cursor
            .on(&world.resource::<Events<Hit>>())
            .read()
            .take(2)
            .count()
    };
    assert_eq!([hits(&world, &mut slow), hits(&world, &mut fast)], [0, 0]);
    for damage in 0..5 {
        world.send_event(Hit { damage });
    }
    assert_eq!(hits(&world, &mut fast), 2);
    let queue = |world: &World, name: &str| {
        let mut queues = world.event_queues();
        queues.retain(|queue| queue.name == name);
        assert!(queues.len() < 2, "{name} is listed once");
        queues.pop()
    };
    let hits_of = queue(&world, "catalog.hit").unwrap();
    assert_eq!((hits_of.len, &*hits_of.unread), (5, &[5, 3][..]));
    let pings = queue(&world, "components::catalog::Ping").unwrap();
    assert_eq!((pings.len, &*pings.unread), (0, &[][..]));
    drop(slow);
    let unread = queue(&world, "catalog.hit").unwrap().unread;
    assert_eq!(unread, [3]);
    let writer = world.resource_mut::<Events<Hit>>();
    assert_eq!(queue(&world, "catalog.hit"), None, "it is borrowed");
    drop(writer);
    // A bound, beyond which readers miss events.
    world.insert_resource(Events::<Hit>::with_bound(2));
    assert_eq!(hits(&world, &mut fast), 0);
    for damage in 0..5 {
        world.send_event(Hit { damage });
    }
    let bounded = queue(&world, "catalog.hit").unwrap();
    assert_eq!((bounded.len, &*bounded.unread), (2, &[2][..]));
}

/// Returns the events that a parameter reads or sends.
fn event_of(access: &ParamAccess) -> Option<&'static str> {
    match access {
        ParamAccess::Leaf(access) => access.ident.event_name(),
        ParamAccess::All(parts) => parts.iter().find_map(|part| event_of(part)),
        _ => None,
    }
}

#[test]
fn metadata_names_the_events_of_a_parameter() {
    #[system]
    fn answer(_: EventReader<Ping>, _: EventWriter<Hit>, _: Res<Window>) {}
    let meta = ecs_core::meta(&answer);
    let names: Vec<_> = meta
        .params
        .iter()
        .map(|param| event_of(param.of.access))
        .collect();
    let [ping, hit] = ["components::catalog::Ping", "components::catalog::Hit"];
    assert_eq!(names, [Some(ping), Some(hit), None]);
    let sent: Vec<&str> = meta.sends().iter().map(|event| event.type_name()).collect();
    assert_eq!(sent, [hit]);
}
