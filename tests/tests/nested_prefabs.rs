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

/// A goblin with a spear and a bag, which know of each other.
const GOBLIN: &str = r#"{ "versions": { "name": 2 }, "entities": [
    { "health": 7, "name": "goblin", "target": [1, [2, 1]], "likes": [{ "to": 2, "value": 5 }, { "to": 1, "value": 6 }] },
    { "name": "spear", "child_of": 0, "likes": { "to": 2, "value": 1 } },
    { "health": 1, "target": [0, []], "child_of": 0 }
] }"#;

/// Checks that both files give the same world, by their hashes.
#[track_caller]
fn same(nested: &str, flat: &str) {
    let loader = loader();
    let loader = loader.clone().prefab("goblin", &prefab(&loader, GOBLIN));
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
        ], "orders": { "child_of": [[1, [3, 4, 2]]], "likes": [[4, [1, 3]], [3, [1]]] } }"#,
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
    let mut loader = loader.clone().prefab("level 0", &prefab(&loader, GOBLIN));
    for level in 0..4 {
        let file = format!(
            r#"{{ "entities": [{{ "health": {level} }},
                {{ "prefab": "level {level}", "child_of": 0 }},
                {{ "prefab": "level {level}", "child_of": 1, "target": [0, []] }}] }}"#
        );
        let next = prefab(&loader, &file);
        loader = loader.prefab(&format!("level {}", level + 1), &next);
    }
    let world = load(&loader, r#"{ "entities": [{ "prefab": "level 4" }] }"#).unwrap();
    let count = |level: u32| (0..level).fold(3, |count, _| 1 + 2 * count);
    assert_eq!(world.len(), count(4));
    let roots = world.query_filtered::<Entity, Without<Targets<Likes>>>();
    let roots = roots
        .iter()
        .filter(|&entity| world.ancestors::<ChildOf>(entity).next().is_none());
    assert_eq!(roots.count(), 1);
    // Ids inside of each copy are of that copy.
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

#[track_caller]
fn refused(json: &str, expected: &str) {
    let loader = loader();
    let loader = loader.clone().prefab("goblin", &prefab(&loader, GOBLIN));
    let mut world = World::new();
    world.spawn(Health(1));
    let before = world.hash().unwrap();
    let mut from = serde_json::Deserializer::from_str(json);
    let error = loader
        .deserialize(&mut world, &mut from)
        .unwrap_err()
        .to_string();
    assert!(error.contains(expected), "{error}");
    assert_eq!(world.hash().unwrap(), before);
    world.check_invariants();
}

#[test]
fn files_that_cannot_be_are_refused_with_the_entity() {
    let row = |row: &str| format!(r#"{{ "entities": [{{}}, {{ {row} }}] }}"#);
    for (keys, expected) in [
        (
            r#""prefab": "gobling""#,
            "entity 1: there is no prefab `gobling`\nhelp: there is `goblin`",
        ),
        (
            r#""prefab": "ogre""#,
            "help: correct the name; or, in the program, add it by `Loader::prefab`",
        ),
        (r#""prefab": 7"#, "`prefab` is the name of one prefab"),
        (
            r#""prefab": "goblin", "prefab": "goblin""#,
            "`prefab` is the name of one prefab",
        ),
        (
            r#""parts": {}"#,
            "entity 1: `parts` and `without` are about a `prefab`, which the entity lacks",
        ),
        (r#""without": ["health"]"#, "which the entity lacks"),
        (r#""prefab": "goblin", "parts": []"#, "`parts` is a map"),
        (
            r#""prefab": "goblin", "parts": { "3": {} }"#,
            "the prefab `goblin` has no entity 3\nhelp: its last one is 2",
        ),
        (
            r#""prefab": "goblin", "parts": { "0": {} }"#,
            "entity 0 is the root, whose components are beside `parts`",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": {}, "01": {} }"#,
            "`parts` has entity 1 twice",
        ),
        (
            r#""prefab": "goblin", "parts": { "-1": {} }"#,
            "`parts` is a map",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": 3 }"#,
            "`parts` is a map",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": { "helth": 3 } }"#,
            "`helth`",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": { "health": "x" } }"#,
            "`health`",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": { "health": 1, "health": 2 } }"#,
            "twice",
        ),
        (
            r#""prefab": "goblin", "without": "health""#,
            "`without` is a list of names",
        ),
        (
            r#""prefab": "goblin", "without": ["x"]"#,
            "entity 0 of the prefab `goblin` is without `x` anyway",
        ),
        (
            r#""prefab": "goblin", "parts": { "1": { "without": ["health"] } }"#,
            "entity 1 of the prefab `goblin` is without `health` anyway",
        ),
        (r#""prefab": "goblin", "health": 1, "health": 2"#, "twice"),
        (r#""prefab": "goblin", "child_of": 1"#, "`child_of`"),
        (
            r#""prefab": "goblin", "child_of": 2"#,
            "would be its own ancestor",
        ),
        (
            r#""prefab": "goblin", "name": 3"#,
            "in version 1, so it cannot have a prefab with version 2",
        ),
    ] {
        refused(&row(keys), expected);
    }
    // The second relation of the loader is `name` in version 2, which the prefab has, and no row.
    let loader = loader();
    let loader = loader.clone().prefab("goblin", &prefab(&loader, GOBLIN));
    load(&loader, &row(r#""prefab": "goblin""#)).unwrap();
}

#[test]
fn copies_count_as_entities_before_they_take_memory() {
    let loader = loader();
    let loader = loader.clone().prefab("goblin", &prefab(&loader, GOBLIN));
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
    let add = std::panic::AssertUnwindSafe(|| Loader::new().prefab("painted", &painted));
    let panic = std::panic::catch_unwind(add).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("the prefab `painted` cannot be part of files")
            && message.contains("`texture` cannot be saved"),
        "{message}"
    );
}

#[test]
fn a_component_may_have_the_name_of_a_key() {
    #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[component(data = "prefab")]
    struct Origin(String);
    let loader = Loader::new().with::<Origin>();
    let world = load(&loader, r#"{ "entities": [{ "prefab": "goblin" }] }"#).unwrap();
    let origins = world.query::<&Origin>();
    assert_eq!(origins.iter().next().unwrap().0, "goblin");
}

#[test]
fn other_readable_formats_have_nested_prefabs_too() {
    let loader = loader();
    let loader = loader.clone().prefab("goblin", &prefab(&loader, GOBLIN));
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
