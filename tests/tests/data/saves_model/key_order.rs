//! Readable files whose keys come in another order, for example from programs that sort keys.

use ecs_core::data::{Diff, Loader, WorldData};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::parts::{Step, all, build, describe, loader, save};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "key_order.health", version = 2, migrate(1 = HealthV1))]
struct Health(u32);

#[derive(Deserialize)]
struct HealthV1(u32);

impl From<HealthV1> for Health {
    fn from(old: HealthV1) -> Self {
        Self(old.0 * 100)
    }
}

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "key_order.score", version = 2, migrate(1 = HealthV1))]
struct Score(u32);

impl From<HealthV1> for Score {
    fn from(old: HealthV1) -> Self {
        Self(old.0 * 100)
    }
}

/// Returns the text of a value with the keys of all maps in an order that depends on a number. JSON would sort the maps
/// otherwise.
fn text_of(value: &Json, order: u64) -> String {
    match value {
        Json::Object(map) => {
            let mut entries: Vec<(&String, &Json)> = map.iter().collect();
            let mix = |key: &str| {
                key.bytes().fold(order, |sum, byte| {
                    (sum ^ u64::from(byte))
                        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                        .rotate_left(23)
                })
            };
            if order > 0 {
                entries.sort_by_key(|(key, _)| mix(key));
            }
            let entries = entries.iter().map(|(key, value)| {
                format!("{}:{}", Json::from(key.as_str()), text_of(value, order))
            });
            format!("{{{}}}", entries.collect::<Vec<_>>().join(","))
        }
        Json::Array(list) => {
            let list = list.iter().map(|value| text_of(value, order));
            format!("[{}]", list.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

fn load(loader: &Loader, text: &str) -> Result<World, serde_json::Error> {
    let mut world = World::new();
    loader.deserialize(&mut world, &mut serde_json::Deserializer::from_str(text))?;
    Ok(world)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(100))
    })]

    #[test]
    fn a_random_world_comes_back_from_keys_in_any_order(steps in prop::collection::vec(any::<Step>(), 0..60), order in any::<u64>()) {
        let world = build(&steps, 0);
        let expected = describe(&world, &all(&world));
        let value = serde_json::to_value(save(&world).with_ids()).unwrap();
        // A value is read in the order of its keys.
        let mut new = World::new();
        loader().same_ids().deserialize(&mut new, &value).unwrap();
        prop_assert_eq!(describe(&new, &all(&new)), expected.clone());
        for order in [0, order] {
            let new = load(&loader().same_ids(), &text_of(&value, order)).unwrap();
            new.check_invariants();
            prop_assert_eq!(describe(&new, &all(&new)), expected.clone());
            for entity in all(&world) {
                prop_assert!(new.contains(entity));
            }
        }
    }
}

#[test]
fn versions_that_come_late_count() {
    let loader = Loader::new().with::<Health>().with_resource::<Score>();
    let health = |text: &str| {
        let world = load(&loader, text).unwrap();
        let found = world
            .query::<&Health>()
            .iter()
            .map(|health| health.0)
            .collect::<Vec<_>>();
        (found, world.resource::<Score>().0)
    };
    let rest = r#""entities": [{ "key_order.health": 3 }, { "key_order.health": 4 }], "resources": { "key_order.score": 5 }"#;
    let versions = r#""versions": { "key_order.health": 2, "key_order.score": 2 }"#;
    assert_eq!(
        health(&format!("{{ {versions}, {rest} }}")),
        (vec![3, 4], 5)
    );
    assert_eq!(
        health(&format!("{{ {rest}, {versions} }}")),
        (vec![3, 4], 5)
    );
    assert_eq!(health(&format!("{{ {rest} }}")), (vec![300, 400], 500));
    assert_eq!(
        health(&format!("{{ {rest}, \"versions\": {{}} }}")),
        (vec![300, 400], 500)
    );
    let error = |versions: &str| {
        load(&loader, &format!("{{ {rest}, {versions} }}"))
            .unwrap_err()
            .to_string()
    };
    assert!(
        error(r#""versions": { "key_order.health": 3 }"#)
            .starts_with("`key_order.health` has version 3")
    );
    let known = loader.clone().with::<Plain>();
    let text =
        r#"{ "entities": [{ "key_order.plain": 1 }], "versions": { "key_order.plain": 2 } }"#;
    let error = load(&known, text).unwrap_err().to_string();
    assert!(
        error.starts_with("`key_order.plain` has version 2 in the save, and version 1"),
        "{error}"
    );
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "key_order.plain")]
struct Plain(u8);

#[test]
fn an_error_still_names_its_line_where_no_versions_were_read() {
    let text = "{ \"entities\": [\n { \"key_order.plain\": 300 }\n] }";
    let error = load(&Loader::new().with::<Plain>(), text).unwrap_err();
    assert_eq!(error.line(), 2, "{error}");
}

#[test]
fn a_part_that_is_there_twice_is_an_error() {
    for part in [
        "\"entities\": []",
        "\"versions\": {}",
        "\"resources\": {}",
        "\"format\": 1",
    ] {
        let error = load(&Loader::new(), &format!("{{ {part}, {part} }}")).unwrap_err();
        assert!(error.to_string().contains("occurs twice"), "{error}");
    }
}

#[test]
fn differences_have_their_names_in_any_order() {
    let (one, mut other) = (World::new(), World::new());
    other.spawn((Health(1), Plain(2)));
    let diff = one.diff(&other).unwrap();
    let value = serde_json::to_value(&diff).unwrap();
    for order in 0..20 {
        let text = text_of(&value, order);
        assert_eq!(serde_json::from_str::<Diff>(&text).unwrap(), diff, "{text}");
    }
    let mut entity = value["entities"][0].clone();
    let values = std::mem::take(&mut entity["values"]);
    let Json::Object(values) = values else {
        panic!()
    };
    let [(first, value), ..] = &values.into_iter().collect::<Vec<_>>()[..] else {
        panic!()
    };
    let text = format!(
        r#"{{ "format": 1, "entities": [{{ "entity": "0v1", "spawned": true, "values": {{ "{first}": {value}, "a": {{"new": 1}}, "{first}": {value} }} }}] }}"#
    );
    let error = serde_json::from_str::<Diff>(&text).unwrap_err();
    assert!(error.to_string().contains("occurs twice"), "{error}");
}
