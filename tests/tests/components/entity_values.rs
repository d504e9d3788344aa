//! Entities inside of trees, which differ from texts that look like ids.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::BuildHasher;

use ecs_core::data::{TextQuery, Value};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Link(Entity);

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Aim {
    At(Entity),
    Between { one: Entity, other: Link },
    Words(String),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
enum Either {
    Number(u8),
    Flat { who: Entity },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind")]
enum Tagged {
    Follow { whom: Entity, note: String },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Inner {
    inner: Entity,
    inner_text: String,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "ids.all")]
struct All {
    one: Entity,
    says: String,
    maybe: Option<Option<Entity>>,
    list: Vec<(Entity, String)>,
    by_id: BTreeMap<Entity, u8>,
    link: Link,
    aims: Vec<Aim>,
    either: Either,
    tagged: Tagged,
    any: Value,
    #[serde(flatten)]
    flat: Inner,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "ids.few", storage = "sparse")]
struct Few {
    at: Entity,
    says: String,
    bits: u64,
    by_id: HashMap<Entity, u8>,
}

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "ids.chosen")]
struct Chosen(Vec<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "ids.likes", many)]
struct Likes(String);

fn all(id: Entity) -> All {
    let text = id.to_string();
    All {
        one: id,
        says: text.clone(),
        maybe: Some(Some(id)),
        list: vec![(id, text.clone())],
        by_id: BTreeMap::from([(id, 1)]),
        link: Link(id),
        aims: vec![
            Aim::At(id),
            Aim::Between {
                one: id,
                other: Link(id),
            },
            Aim::Words(text.clone()),
        ],
        either: Either::Flat { who: id },
        tagged: Tagged::Follow {
            whom: id,
            note: text.clone(),
        },
        any: Value::from_iter([
            (Value::Entity(id), Value::from(text.as_str())),
            ("a".into(), id.into()),
        ]),
        flat: Inner {
            inner: id,
            inner_text: text,
        },
    }
}

/// Returns the same tree after it was written as JSON.
fn through_json(value: &Value) -> Value {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

#[test]
fn an_entity_in_a_value_is_no_text_and_a_text_no_entity() {
    let mut world = World::new();
    let id = world.spawn(());
    let hero = world.spawn(all(id));
    let tree = world.get_by_name(hero, "ids.all").unwrap().unwrap();
    let entities = [
        "one",
        "maybe",
        "list[0][0]",
        "link",
        "aims[0].At",
        "aims[1].Between.one",
        "aims[1].Between.other",
        "either.who",
        "tagged.whom",
        "any.a",
        "inner",
    ];
    for path in entities {
        assert_eq!(
            tree.get(path).and_then(Value::as_entity),
            Some(id),
            "{path} in {tree}"
        );
        assert_eq!(tree.get(path).and_then(Value::as_str), None, "{path}");
    }
    let texts = [
        "says",
        "list[0][1]",
        "aims[2].Words",
        "tagged.note",
        "any.0v1",
        "inner_text",
    ];
    for path in texts {
        assert_eq!(
            tree.get(path).and_then(Value::as_str),
            Some("0v1"),
            "{path} in {tree}"
        );
        assert_eq!(tree.get(path).and_then(Value::as_entity), None, "{path}");
    }
    let keys = tree.get("by_id").and_then(Value::as_map).unwrap();
    assert_eq!(keys[0].0.as_entity(), Some(id));
    assert_eq!(tree.get("by_id.0v1"), Some(&1.into()));
}

#[test]
fn values_with_entities_and_their_texts_are_read_back() {
    let mut world = World::new();
    let id = world.spawn(());
    let hero = world.spawn(all(id));
    let tree = world.get_by_name(hero, "ids.all").unwrap().unwrap();
    for form in [tree.clone(), through_json(&tree)] {
        assert_eq!(form, tree, "an entity equals its text");
        let other = world.spawn(());
        world.insert_by_name(other, "ids.all", &form).unwrap();
        assert_eq!(*world.get::<All>(other).unwrap(), all(id));
    }
    // The same in a text format that names newtypes.
    let text = ron::to_string(&tree).unwrap();
    assert_eq!(ron::from_str::<Value>(&text).unwrap(), tree, "{text}");
}

#[test]
fn resources_relations_and_dynamic_components_have_entities() {
    let mut world = World::new();
    let [a, b] = [world.spawn(()), world.spawn(())];
    world.register_data_resource::<Chosen>();
    world.insert_resource(Chosen(vec![a]));
    let chosen = world.resource_by_name("ids.chosen").unwrap().unwrap();
    assert_eq!(chosen.get("[0]").and_then(Value::as_entity), Some(a));
    world
        .insert_resource_by_name("ids.chosen", &through_json(&chosen))
        .unwrap();
    assert_eq!(world.resource::<Chosen>().0, [a]);

    world.relate(b, Likes("0v1".to_owned()), a).unwrap();
    let edges = world.get_by_name(b, "ids.likes").unwrap().unwrap();
    assert_eq!(edges.get("[0].to").and_then(Value::as_entity), Some(a));
    assert_eq!(edges.get("[0].value").and_then(Value::as_entity), None);
    for form in [edges.clone(), through_json(&edges)] {
        world.insert_by_name(b, "ids.likes", &form).unwrap();
        assert_eq!(
            world.get_by_name(b, "ids.likes").unwrap().as_ref(),
            Some(&edges)
        );
    }

    let blow = DynamicComponent::new("ids.blow")
        .field("from", FieldKind::Entity)
        .field("says", FieldKind::String);
    let blow = blow.register().unwrap();
    let value = DynamicValue::new(blow)
        .unwrap()
        .with("from", Some(a))
        .unwrap();
    let value = value.with("says", "0v1".to_owned()).unwrap();
    world.insert_dynamic(a, value).unwrap();
    let tree = world.get_by_name(a, "ids.blow").unwrap().unwrap();
    assert_eq!(tree.get("from").and_then(Value::as_entity), Some(a));
    assert_eq!(tree.get("says").and_then(Value::as_entity), None);
    world
        .insert_by_name(a, "ids.blow", &through_json(&tree))
        .unwrap();
    assert_eq!(world.get_by_name(a, "ids.blow").unwrap(), Some(tree));
}

#[test]
fn an_entity_where_another_type_is_expected_is_an_error() {
    let mut world = World::new();
    let id = world.spawn(());
    let mut tree = Value::from_iter([
        ("at", id.into()),
        ("says", Value::from("a")),
        ("bits", id.into()),
        ("by_id", Value::Map(Vec::new())),
    ]);
    let error = world.insert_by_name(id, "ids.few", &tree).unwrap_err();
    let message = "`ids.few`: invalid type: an entity, expected u64, at `bits`";
    assert_eq!(error.to_string(), message);
    *tree.get_mut("bits").unwrap() = 1.into();
    *tree.get_mut("at").unwrap() = "0v0".into();
    let error = world.insert_by_name(id, "ids.few", &tree).unwrap_err();
    assert!(
        error.to_string().contains("not an entity id, at `at`"),
        "{error}"
    );
}

#[test]
fn a_cell_of_a_query_is_an_entity_and_formats_write_its_text() {
    let mut world = World::new();
    let id = world.spawn(());
    world.spawn(Few {
        at: id,
        says: "0v1".to_owned(),
        bits: 7,
        by_id: HashMap::new(),
    });
    let query = TextQuery::new(&world, "ids.few.at != 7v1").unwrap();
    let matches = query.matches(&world).unwrap();
    let cell = matches.iter().next().unwrap().value(0).unwrap();
    assert_eq!(cell.to_value().unwrap().as_entity(), Some(id));
    assert_eq!(serde_json::to_string(&cell).unwrap(), r#""0v1""#);
}

#[test]
fn a_condition_compares_entities_with_entities() {
    let mut world = World::new();
    let id = world.spawn(());
    let few = |at: Entity| Few {
        at,
        says: "0v1".to_owned(),
        bits: id.to_bits(),
        by_id: HashMap::from([(at, 3)]),
    };
    let one = world.spawn(few(id));
    let other = world.spawn(few(one));
    let find = |text: &str| {
        TextQuery::new(&world, text)
            .unwrap()
            .entities(&world)
            .unwrap()
    };
    assert_eq!(find("ids.few.at == 0v1"), [one]);
    assert_eq!(find("ids.few.at == \"0v1\""), [one]);
    assert_eq!(find("ids.few.at != 0v1"), [other]);
    // A text is not an entity, a number is not one, and an entity is no number.
    let bits = format!("ids.few.at == {}", id.to_bits());
    for text in ["ids.few.says == 0v1", "ids.few.bits == 0v1", &bits] {
        let error = TextQuery::new(&world, text).unwrap_err();
        assert!(error.message().contains(" is of type "), "{error}");
    }
    assert_eq!(
        find("ids.few.by_id.0v1 == 3"),
        [one],
        "keys that are entities"
    );
}

proptest! {
    #[test]
    fn an_entity_equals_exactly_the_text_that_it_prints(bits in any::<u64>(), text in "[0-9+]{1,11}v[0-9]{1,10}") {
        let hash = |value: &Value| std::hash::BuildHasherDefault::<std::hash::DefaultHasher>::default().hash_one(value);
        if let Some(id) = Entity::from_bits(bits) {
            let (entity, printed) = (Value::from(id), Value::from(id.to_string()));
            prop_assert_eq!(&entity, &printed);
            prop_assert_eq!(hash(&entity), hash(&printed));
            prop_assert_eq!(HashSet::from([entity.clone()]).contains(&printed), true);
            prop_assert_ne!(&entity, &Value::from(format!("0{id}")));
        }
        if let Ok(id) = text.parse::<Entity>() {
            prop_assert_eq!(Value::from(id) == Value::from(text.as_str()), id.to_string() == text);
        }
    }
}
