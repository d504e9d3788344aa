//! Rows of files that are copies of prefabs have the same entities as rows that are written out.

use ecs_core::data::{Loader, Prefab};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "health")]
struct Health(u32);

/// Sparse, with ids inside.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "target", storage = "sparse")]
struct Target(Option<Entity>, Vec<Entity>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "name", version = 2, migrate(1 = OldName))]
struct Name(String);
#[derive(Deserialize)]
struct OldName(u32);
impl From<OldName> for Name {
    fn from(old: OldName) -> Self {
        Self(old.0.to_string())
    }
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
struct Likes(u8);

#[derive(Component, Clone, Debug)]
#[component(data = "texture", no_serde)]
struct Texture(#[expect(dead_code, reason = "it only has to be there")] u8);

fn loader() -> Loader {
    Loader::new()
        .with::<Health>()
        .with::<Target>()
        .with::<Name>()
        .with::<Sources<ChildOf>>()
        .with::<Targets<Likes>>()
}

fn load(loader: &Loader, json: &str) -> Result<World, String> {
    let mut world = World::new();
    let mut json = serde_json::Deserializer::from_str(json);
    let loaded = loader.deserialize(&mut world, &mut json);
    loaded.map_err(|error| error.to_string())?;
    world.check_invariants();
    Ok(world)
}

fn prefab(loader: &Loader, json: &str) -> Prefab {
    let mut json = serde_json::Deserializer::from_str(json);
    Prefab::deserialize(loader, &mut json).unwrap()
}

/// A goblin with a spear and a bag that refer to each other.
const GOBLIN: &str = r#"{ "versions": { "name": 2 }, "entities": [
    { "health": 7, "name": "goblin", "target": [1, [2, 1]], "likes": [{ "to": 2, "value": 5 }, { "to": 1, "value": 6 }] },
    { "name": "spear", "child_of": 0, "likes": { "to": 2, "value": 1 } },
    { "health": 1, "target": [0, []], "child_of": 0 }
] }"#;

/// Checks that both files give the same world, by their hashes.
#[track_caller]
fn same(nested: &str, flat: &str) {
    let loader = loader();
    let loader = loader
        .clone()
        .prefab("goblin", &prefab(&loader, GOBLIN))
        .unwrap();
    let [nested, flat] = [nested, flat].map(|json| load(&loader, json).unwrap());
    let print = |world: &World| {
        let all = world.query::<Entity>();
        let mut all: Vec<Entity> = all.iter().collect();
        all.sort_unstable();
        let all = all.iter().map(|&entity| {
            let sources = world.get::<Sources<ChildOf>>(entity);
            let sources = sources.map(|sources| sources.to_vec());
            let values = world.entity_to_value(entity).unwrap();
            let mut names: Vec<_> = values.as_map().unwrap().to_vec();
            names.sort_by_key(|(name, _)| name.to_string());
            format!("{entity} {names:?} {sources:?}")
        });
        all.collect::<Vec<_>>()
    };
    assert_eq!(print(&nested), print(&flat));
    assert_eq!(nested.hash().unwrap(), flat.hash().unwrap());
}

#[test]
fn a_row_is_the_root_of_a_copy_and_the_others_come_after_all_rows() {
    same(
        r#"{ "entities": [{ "health": 3 }, { "prefab": "goblin" }, { "health": 4, "child_of": 1 }] }"#,
        r#"{ "versions": { "name": 2 }, "entities": [
            { "health": 3 },
            { "health": 7, "name": "goblin", "target": [3, [4, 3]], "likes": [{ "to": 4, "value": 5 }, { "to": 3, "value": 6 }] },
            { "health": 4, "child_of": 1 },
            { "name": "spear", "child_of": 1, "likes": { "to": 4, "value": 1 } },
            { "health": 1, "target": [1, []], "child_of": 1 }
        ], "orders": { "child_of": [[1, [2, 3, 4]]], "likes": [[4, [1, 3]], [3, [1]]] } }"#,
    );
}

#[test]
fn components_and_edges_of_a_row_replace_those_of_the_prefab() {
    same(
        r#"{ "versions": { "name": 2 }, "entities": [
            { "name": "village" },
            { "name": "gob", "prefab": "goblin", "child_of": 0, "target": [4, []], "likes": { "to": 0, "value": 9 },
              "parts": { "2": { "health": 8, "target": [0, [1]], "name": "bag" }, "1": { "without": ["likes", "name"] } } },
            { "prefab": "goblin", "without": ["likes", "target"], "child_of": 0, "parts": { "1": { "child_of": 1 } } }
        ] }"#,
        r#"{ "versions": { "name": 2 }, "entities": [
            { "name": "village" },
            { "name": "gob", "health": 7, "child_of": 0, "target": [4, []], "likes": { "to": 0, "value": 9 } },
            { "name": "goblin", "health": 7, "child_of": 0 },
            { "child_of": 1 },
            { "health": 8, "target": [0, [1]], "name": "bag", "child_of": 1 },
            { "name": "spear", "child_of": 1, "likes": { "to": 6, "value": 1 } },
            { "health": 1, "target": [2, []], "child_of": 2 }
        ], "orders": { "child_of": [[1, [3, 4, 5]]] } }"#,
    );
}

#[test]
fn prefabs_nest_at_any_depth_and_in_prefab_files() {
    let loader = loader();
    let mut loader = loader
        .clone()
        .prefab("level 0", &prefab(&loader, GOBLIN))
        .unwrap();
    for level in 0..4 {
        let file = format!(
            r#"{{ "entities": [{{ "health": {level} }},
                {{ "prefab": "level {level}", "child_of": 0 }},
                {{ "prefab": "level {level}", "child_of": 1, "target": [0, []] }}] }}"#
        );
        let next = prefab(&loader, &file);
        loader = loader
            .prefab(format!("level {}", level + 1), &next)
            .unwrap();
    }
    let world = load(&loader, r#"{ "entities": [{ "prefab": "level 4" }] }"#).unwrap();
    let count = |level: u32| (0..level).fold(3, |count, _| 1 + 2 * count);
    assert_eq!(world.len(), count(4));
    let roots = world.query_filtered::<Entity, Without<Targets<Likes>>>();
    let roots = roots
        .iter()
        .filter(|&entity| world.ancestors::<ChildOf>(entity).next().is_none());
    assert_eq!(roots.count(), 1);
    // Ids inside of a copy refer to that copy.
    let mut bags = 0;
    for (entity, target) in &world.query::<(Entity, &Target)>() {
        if target.1.is_empty()
            && world.get::<Health>(entity).unwrap().0 == 1
            && world.get::<Name>(entity).is_none()
        {
            let parent = world.ancestors::<ChildOf>(entity).next();
            if world.descendants::<ChildOf>(entity).next().is_none() {
                assert_eq!(target.0, parent);
                bags += 1;
            }
        }
    }
    assert_eq!(bags, 16);
}

#[test]
fn copies_count_as_entities_before_they_take_memory() {
    let loader = loader();
    let loader = loader
        .clone()
        .prefab("goblin", &prefab(&loader, GOBLIN))
        .unwrap();
    let file = |copies: usize| {
        let rows = vec![r#"{ "prefab": "goblin" }"#; copies].join(",");
        format!(r#"{{ "entities": [{rows}] }}"#)
    };
    let limited = loader.max_entities(30);
    assert_eq!(load(&limited, &file(10)).unwrap().len(), 30);
    let error = load(&limited, &file(11)).map(|_| ()).unwrap_err();
    assert!(error.contains("30"), "{error}");
}

#[test]
fn prefabs_that_cannot_be_in_files_are_refused_when_they_are_added() {
    let mut world = World::new();
    let root = world.spawn((Texture(1), Health(1)));
    let painted = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    let error = Loader::new().prefab("painted", &painted).unwrap_err();
    assert!(error.to_string().contains("`texture`"), "{error}");
}

#[test]
fn other_readable_formats_have_nested_prefabs_too() {
    let loader = loader();
    let loader = loader
        .clone()
        .prefab("goblin", &prefab(&loader, GOBLIN))
        .unwrap();
    let text = r#"(entities: [{ "prefab": "goblin", "parts": { 1: { "health": 4 } } }])"#;
    let text = text
        .replace("(entities:", "{ \"entities\":")
        .replace(")", "}");
    let mut world = World::new();
    let mut ron = ron::Deserializer::from_str(&text).unwrap();
    loader.deserialize(&mut world, &mut ron).unwrap();
    let mut health: Vec<u32> = world
        .query::<&Health>()
        .iter()
        .map(|health| health.0)
        .collect();
    health.sort_unstable();
    assert_eq!(health, [1, 4, 7]);
}
