//! Copies of prefabs inside of files, against files with the same contents without prefabs.

use std::collections::BTreeMap;

use ecs_core::data::{Loaded, Loader, Prefab, PrefabError, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "p.health", alias = "p.life")]
struct Health(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "p.armour", version = 2, migrate(1 = ArmourV1))]
struct Armour(u32);

#[derive(Deserialize)]
struct ArmourV1(u32);

impl From<ArmourV1> for Armour {
    fn from(old: ArmourV1) -> Self {
        Self(old.0 * 100)
    }
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "p.aims")]
struct Aims(Vec<Entity>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "p.mark", storage = "sparse")]
struct Mark(Option<Entity>);

#[derive(Component, Clone, Debug)]
#[component(data = "p.handle", no_serde)]
struct Handle;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "p.child_of", tree, sources = "despawn")]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "p.likes", many)]
struct Likes(Option<Entity>);

fn loader() -> Loader {
    let loader = Loader::new().with::<Health>().with::<Aims>();
    let loader = loader.with::<Mark>().with::<Sources<ChildOf>>();
    loader.with::<Sources<Likes>>()
}

fn prefab(loader: &Loader, file: &Json) -> Prefab {
    Prefab::deserialize(loader, file).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn error(loader: &Loader, rows: Json) -> String {
    let file = json!({ "entities": rows });
    let mut world = World::new();
    world.spawn(Mark(None));
    let error = loader.deserialize(&mut world, &file).unwrap_err();
    assert_eq!(world.len(), 1);
    world.check_invariants();
    error.to_string()
}

/// Describes the entities of a load, including targets.
fn seen(world: &World, loaded: &Loaded) -> Vec<String> {
    let entities = loaded.entities.iter();
    let each = entities.map(|&entity| {
        let value = world.entity_to_value(entity).unwrap();
        // They are in the order of tables.
        let names = value.as_map().unwrap().iter();
        let names = names.map(|(name, value)| (name.to_string(), value.to_string()));
        let values: BTreeMap<String, String> = names.collect();
        let children = world.get::<Sources<ChildOf>>(entity);
        let children = children.map(|list| list.to_vec());
        let likes = world.get::<Targets<Likes>>(entity);
        let likes = likes.map(|list| list.iter().map(|it| it.0).collect::<Vec<_>>());
        let liked = world
            .get::<Sources<Likes>>(entity)
            .map(|list| list.to_vec());
        format!("{values:?} {children:?} {likes:?} {liked:?}")
    });
    each.collect()
}

fn loaded(loader: &Loader, file: &Json) -> (World, Vec<String>) {
    let mut world = World::new();
    let loaded = loader.deserialize(&mut world, file);
    let loaded = loaded.unwrap_or_else(|error| panic!("{file:#}: {error}"));
    world.check_invariants();
    assert_eq!(world.len(), loaded.entities.len());
    let seen = seen(&world, &loaded);
    (world, seen)
}

/// A row of a file by name.
type Row = BTreeMap<String, Json>;

/// Returns the value of a component with other numbers of entities.
fn renumbered(name: &str, value: &Json, map: &dyn Fn(u64) -> u64) -> Json {
    let number = |value: &Json| value.as_u64().map_or(Json::Null, |n| json!(map(n)));
    match name {
        "p.aims" => value.as_array().unwrap().iter().map(number).collect(),
        "p.mark" | "p.child_of" => number(value),
        "p.likes" => {
            let edges = value.as_array().unwrap().iter();
            let edges = edges
                .map(|edge| json!({ "to": number(&edge["to"]), "value": number(&edge["value"]) }));
            edges.collect()
        }
        _ => value.clone(),
    }
}

/// Returns the rows without prefabs. The prefabs are given as rows, and entity 0 is the root.
fn flat(rows: &[Row], prefabs: &BTreeMap<String, Vec<Row>>) -> Vec<Row> {
    let mut all = rows.to_vec();
    for at in 0..rows.len() {
        let Some(name) = all[at].remove("prefab") else {
            continue;
        };
        let parts = all[at].remove("parts").unwrap_or_default();
        let prefab = &prefabs[name.as_str().unwrap()];
        let first = all.len() as u64;
        let map = |n: u64| if n == 0 { at as u64 } else { first + n - 1 };
        for (part, row) in prefab.iter().enumerate() {
            let mut given = if part == 0 {
                std::mem::take(&mut all[at])
            } else {
                serde_json::from_value(parts[part.to_string()].clone()).unwrap_or_default()
            };
            let without = given.remove("without").unwrap_or_default();
            for (name, value) in row {
                let left_out = without.as_array();
                if !left_out.is_some_and(|names| names.contains(&json!(name))) {
                    let value = || renumbered(name, value, &map);
                    given.entry(name.clone()).or_insert_with(value);
                }
            }
            if part == 0 {
                all[at] = given;
            } else {
                all.push(given);
            }
        }
    }
    all
}

/// An entity of a random file: bits of components, numbers of entities that it names, and the prefab.
#[derive(Clone, Debug)]
struct Plan {
    has: u8,
    names: [usize; 3],
    prefab: Option<usize>,
    part: usize,
    part_has: u8,
    without: u8,
}

fn plan() -> impl Strategy<Value = Plan> {
    let prefab = prop::option::of(any::<usize>());
    let parts = (
        any::<u8>(),
        any::<[usize; 3]>(),
        prefab,
        any::<usize>(),
        any::<u8>(),
        any::<u8>(),
    );
    parts.prop_map(|(has, names, prefab, part, part_has, without)| Plan {
        has,
        names,
        prefab,
        part,
        part_has,
        without,
    })
}

fn values(bits: u8, names: [usize; 3], entities: usize, this: usize) -> Row {
    let named = |n: usize| names[n] % entities;
    let mut row = Row::new();
    if bits & 1 != 0 {
        row.insert("p.health".into(), json!(names[0] % 50));
    }
    if bits & 2 != 0 {
        row.insert("p.aims".into(), json!([named(0), named(1)]));
    }
    if bits & 4 != 0 {
        row.insert("p.mark".into(), json!(named(2)));
    }
    if bits & 8 != 0 {
        row.insert("p.mark".into(), Json::Null);
    }
    if bits & 16 != 0 && named(1) != this {
        let edge = json!({ "to": named(1), "value": named(0) });
        row.insert("p.likes".into(), json!([edge]));
    }
    row
}

/// Returns the components to leave out.
fn left_out(bits: u8, of: &Row, given: &Row) -> Option<Json> {
    let names = of.keys().enumerate().filter(|(at, name)| {
        // An edge to a part would close a cycle, or become a root, somewhere else.
        bits >> at & 1 != 0 && !given.contains_key(*name) && *name != "p.child_of"
    });
    let names: Vec<&String> = names.map(|(_, name)| name).collect();
    (!names.is_empty()).then(|| json!(names))
}

fn rows(plans: &[Plan], prefabs: &BTreeMap<String, Vec<Row>>) -> Vec<Row> {
    let mut rows = Vec::new();
    for (at, plan) in plans.iter().enumerate() {
        let mut row = values(plan.has, plan.names, plans.len(), at);
        if at > 0 {
            row.insert("p.child_of".into(), json!(plan.names[2] % at));
        }
        if let Some(n) = plan.prefab
            && !prefabs.is_empty()
        {
            let (name, prefab) = prefabs.iter().nth(n % prefabs.len()).unwrap();
            if let Some(names) = left_out(plan.without, &prefab[0], &row) {
                row.insert("without".into(), names);
            }
            row.insert("prefab".into(), json!(name));
            let part = plan.part % prefab.len();
            if part > 0 {
                let mut given = values(plan.part_has, plan.names, plans.len(), usize::MAX);
                if let Some(names) = left_out(plan.without >> 3, &prefab[part], &given) {
                    given.insert("without".into(), names);
                }
                row.insert("parts".into(), json!({ part.to_string(): given }));
            }
        }
        rows.push(row);
    }
    rows
}

fn file(rows: &[Row]) -> Json {
    json!({ "entities": rows })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    /// A file with copies of prefabs that contain copies of prefabs equals the file that lists all entities.
    #[test]
    fn nested_files_are_flat_ones(files in prop::collection::vec(prop::collection::vec(plan(), 1..7), 1..5)) {
        let mut loader = loader();
        let mut prefabs = BTreeMap::new();
        for (n, plans) in files.iter().enumerate() {
            let rows = rows(plans, &prefabs);
            let flat = flat(&rows, &prefabs);
            let (world, nested) = loaded(&loader, &file(&rows));
            let (same, expected) = loaded(&loader, &file(&flat));
            prop_assert_eq!(nested, expected);
            prop_assert_eq!(world.hash().unwrap(), same.hash().unwrap());
            let made = prefab(&loader, &file(&rows));
            prop_assert_eq!(made.len(), flat.len());
            let name = format!("file {n}");
            loader = loader.prefab(name.clone(), &made).unwrap();
            prefabs.insert(name, flat);
        }
    }
}

/// A goblin with a spear and a shield.
fn goblin() -> Json {
    json!({ "entities": [
        { "p.health": 7, "p.aims": [1, 2] },
        { "p.child_of": 0, "p.mark": 2 },
        { "p.child_of": 0, "p.health": 3 },
    ] })
}

fn with_goblin() -> Loader {
    let goblin = prefab(&loader(), &goblin());
    loader().prefab("goblin", &goblin).unwrap()
}

#[test]
fn ron_has_numbers_as_keys() {
    let text = r#"{ "entities": [
        { "prefab": "goblin", "p.health": 9, "parts": { 1: { "p.health": 1 }, 2: { "without": ["p.health"] } } },
    ] }"#;
    let mut world = World::new();
    let mut ron = ron::Deserializer::from_str(text).unwrap();
    let loaded = with_goblin().deserialize(&mut world, &mut ron).unwrap();
    let health = |at: usize| world.get::<Health>(loaded.entities[at]).map(|h| h.0);
    assert_eq!([health(0), health(1), health(2)], [Some(9), Some(1), None]);
}

#[test]
fn values_of_a_prefab_are_of_the_version_of_the_program() {
    let loader = loader().with::<Armour>();
    let knight = json!({ "entities": [{ "p.armour": 1 }, { "p.child_of": 0 }] });
    let knight = prefab(&loader, &knight);
    let loader = loader.prefab("knight", &knight).unwrap();
    // The file is of the first version.
    let rows = json!({ "entities": [
        { "prefab": "knight", "parts": { "1": { "p.armour": 2, "p.life": 3 } } },
        { "p.armour": 4 },
    ] });
    let (world, _) = loaded(&loader, &rows);
    let mut armour: Vec<u32> = world.query::<&Armour>().iter().map(|it| it.0).collect();
    armour.sort_unstable();
    assert_eq!(armour, [100, 200, 400]);
    assert_eq!(world.query::<&Health>().iter().count(), 1);
}

#[test]
fn sources_of_a_copy_keep_their_order() {
    let text = r#"{ "entities": [{}, { "p.health": 1, "p.child_of": 0 }, { "p.health": 2, "p.child_of": 0 }],
        "orders": { "p.child_of": [[0, [2, 1]]] } }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    let two = Prefab::deserialize(&loader(), &mut json).unwrap();
    let loader = loader().prefab("two", &two).unwrap();
    let rows = json!({ "entities": [{}, { "prefab": "two" }, { "p.child_of": 1 }] });
    let mut world = World::new();
    let loaded = loader.deserialize(&mut world, &rows).unwrap();
    let root = loaded.entities[1];
    let children = world.get::<Sources<ChildOf>>(root).unwrap().to_vec();
    let health = children
        .iter()
        .map(|&it| world.get::<Health>(it).map(|h| h.0));
    assert_eq!(health.collect::<Vec<_>>(), [Some(2), Some(1), None]);
}

#[test]
fn mistakes_name_entity_and_prefab() {
    let loader = with_goblin();
    let cases = [
        (
            json!([{}, { "prefab": "gobln" }]),
            "entity 1: there is no prefab `gobln`; help: there is `goblin`",
        ),
        (
            json!([{ "prefab": "ogre" }]),
            "entity 0: there is no prefab `ogre`; help: correct the name; or, in the program, name the prefab with `Loader::prefab`",
        ),
        (
            json!([{ "prefab": 3 }]),
            "entity 0: expected the name of a prefab, found 3; help: write `\"prefab\": \"name\"`",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "3": {} } }]),
            "entity 0: the prefab `goblin` has no part 3; help: its parts are 1 to 2; write components of the root beside `prefab`",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "0": {} } }]),
            "entity 0: the prefab `goblin` has no part 0; help: its parts are 1 to 2; write components of the root beside `prefab`",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "1": {}, "01": {} } }]),
            "entity 0: the part 1 occurs twice",
        ),
        (
            json!([{ "prefab": "goblin", "without": ["p.mark"] }]),
            "entity 0: the root of the prefab `goblin` has no `p.mark` to be without; help: remove the name",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "2": { "without": ["p.helth"] } } }]),
            "entity 0: part 2 of the prefab `goblin` has no `p.helth` to be without; help: it has `p.health`",
        ),
        (
            json!([{ "prefab": "goblin", "p.health": 1, "without": ["p.health"] }]),
            "entity 0: the entity has a `p.health`, and is without it; help: remove one of them",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "2": { "without": ["p.life"], "p.health": 1 } } }]),
            "entity 0: the entity has a `p.health`, and is without it; help: remove one of them",
        ),
        (
            json!([{ "parts": {} }]),
            "entity 0: the entity has `parts` or `without`, and is not a copy of a prefab; help: add `\"prefab\": \"name\"`",
        ),
        (
            json!([{ "prefab": "goblin", "parts": { "1": { "prefab": "goblin" } } }]),
            "entity 0: the part 1 has a key `prefab`; help: relate another entity that is a copy of a prefab; a part cannot become one",
        ),
        (
            json!([{}, { "prefab": "goblin", "parts": { "2": { "p.health": "x" } } }]),
            "entity 1, `p.health`: part 2 of the prefab `goblin`: ",
        ),
        (
            json!([{}, { "prefab": "goblin", "parts": { "2": { "p.aims": [99] } } }]),
            "entity 1, `p.aims`: part 2 of the prefab `goblin`: ",
        ),
        (
            json!([{}, { "prefab": "goblin", "parts": { "2": { "p.child_of": 99 } } }]),
            "entity 1, `p.child_of`: part 2 of the prefab `goblin`: expected the number of an entity, found 99",
        ),
        (
            json!([{}, { "prefab": "goblin", "parts": { "2": { "p.helth": 1 } } }]),
            "entity 1: the save has `p.helth`, which the loader does not know; help: there is `p.health`",
        ),
    ];
    for (rows, expected) in cases {
        let found = error(&loader, rows.clone());
        assert!(found.starts_with(expected), "{rows}: {found}");
    }
    // A text, because maps of this format cannot have a key twice.
    let text = r#"{ "entities": [{ "prefab": "goblin", "prefab": "goblin" }] }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    let twice = loader
        .deserialize(&mut World::new(), &mut json)
        .unwrap_err();
    assert!(
        twice
            .to_string()
            .starts_with("entity 0: the entity has the key `prefab` twice"),
        "{twice}"
    );
}

#[test]
fn the_entities_of_copies_count() {
    let rows = json!([{ "prefab": "goblin" }, {}, { "prefab": "goblin" }]);
    let file = json!({ "entities": rows });
    let loader = with_goblin();
    let exact = loader.clone().max_entities(7);
    assert_eq!(
        exact
            .deserialize(&mut World::new(), &file)
            .unwrap()
            .entities
            .len(),
        7
    );
    let found = error(&loader.max_entities(6), rows);
    assert!(found.contains('7') && found.contains('6'), "{found}");

    // Each prefab has ten copies of the one before: a billion entities in some hundred bytes.
    let mut loader = with_goblin().max_entities(20_000);
    let ten = |name: &str| json!({ "entities": vec![json!({ "prefab": name }); 10] });
    let mut name = "goblin".to_owned();
    for n in 0..3 {
        let made = prefab(&loader, &ten(&name));
        name = format!("{n}");
        loader = loader.prefab(name.clone(), &made).unwrap();
    }
    let mut world = World::new();
    let too_many = loader.deserialize(&mut world, &ten(&name)).unwrap_err();
    assert!(too_many.to_string().contains("20000"), "{too_many}");
    assert!(world.is_empty());
}

#[test]
fn what_is_not_saved_is_not_nested() {
    let mut world = World::new();
    let root = world.spawn(Handle);
    let made = Prefab::from_tree::<ChildOf>(&world, root).unwrap();
    let error = Loader::new().prefab("handle", &made).unwrap_err();
    assert!(
        matches!(error, PrefabError::NotSaved { name: "p.handle" }),
        "{error}"
    );
}

#[test]
fn unknown_components_of_parts_are_kept() {
    let loader = with_goblin().unknown(ecs_core::data::Unknown::Keep);
    let file = json!({ "entities": [{ "prefab": "goblin", "parts": { "2": { "p.new": 5 } } }] });
    let mut world = World::new();
    let loaded = loader.deserialize(&mut world, &file).unwrap();
    assert_eq!(
        (loaded.kept, loaded.entities.len()),
        (vec!["p.new".to_owned()], 3)
    );
    let saved = serde_json::to_string(&world.save()).unwrap();
    assert!(saved.contains("p.new"), "{saved}");
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "p.guards", tree)]
struct Guards;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "p.follows", tree)]
struct Follows;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(100))
    })]

    /// A root may have targets in its own tree, in all relations except the tree's, and any tables.
    #[test]
    fn the_root_of_a_prefab_comes_back_whatever_else_relates_it(
        parents in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        edges in prop::collection::vec((0..3_u8, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..10),
        without in any::<u16>(),
        shift in 0..9_usize,
    ) {
        let mut world = World::new();
        let count = parents.len() + 1;
        // Tables are made in a different order than the tree.
        let mut all: Vec<Entity> = (0..count).map(|_| world.spawn(())).collect();
        all.rotate_left(shift % count);
        for (number, &entity) in all.iter().enumerate().rev() {
            if without >> number & 1 == 0 {
                world.insert(entity, Health(number as u32)).unwrap();
            }
            world.insert(entity, Mark(None)).unwrap();
            if without >> number & 2 == 0 {
                world.insert(entity, Aims(vec![entity])).unwrap();
            }
        }
        for (number, parent) in parents.iter().enumerate() {
            world.relate(all[number + 1], ChildOf, all[parent.index(number + 1)]).unwrap();
        }
        for (relation, from, to) in edges {
            let (from, to) = (all[from.index(count)], all[to.index(count)]);
            // Cycles in trees are refused.
            _ = match relation {
                0 => world.relate(from, Guards, to).map(drop),
                1 => world.relate(from, Follows, to).map(drop),
                _ => world.relate(from, Likes(Some(to)), to).map(drop),
            };
        }
        let prefab = Prefab::from_tree::<ChildOf>(&world, all[0]).unwrap();
        let loader = loader().with::<Sources<Guards>>().with::<Sources<Follows>>();
        let saved = prefab.to_world().unwrap();
        let text = serde_json::to_string(&saved.save()).unwrap();
        let bytes = saved.save().to_vec().unwrap();
        let mut json = serde_json::Deserializer::from_str(&text);
        let from_text = Prefab::deserialize(&loader, &mut json).unwrap();
        let from_value = Prefab::deserialize(&loader, serde_json::to_value(saved.save()).unwrap()).unwrap();
        let from_bytes = Prefab::load(&loader, &bytes[..]).unwrap();
        // The descendants of the root in the first tree, with their components.
        let described = |prefab: &Prefab| {
            let mut world = World::new();
            let root = prefab.spawn(&mut world).unwrap();
            assert_eq!(world.len(), count);
            let below: Vec<Entity> = world.descendants::<ChildOf>(root).collect();
            assert_eq!(below.len() + 1, count, "all are below the root: {text}");
            let each = core::iter::once(root).chain(below).map(|entity| {
                let place = |to: Entity| world.get::<Health>(to).map(|health| health.0);
                let guards = world.get::<ecs_core::relation::Target<Guards>>(entity).map(|to| place(to.entity()));
                let follows = world.get::<ecs_core::relation::Target<Follows>>(entity).map(|to| place(to.entity()));
                (place(entity), guards, follows, world.has::<Aims>(entity))
            });
            each.collect::<Vec<_>>()
        };
        let expected = described(&prefab);
        for read in [from_text, from_value, from_bytes] {
            prop_assert_eq!(described(&read), expected.clone());
        }
    }
}

#[test]
fn the_root_of_a_file_by_hand_is_the_first_that_is_above_the_others() {
    let loader = loader().with::<Sources<Guards>>();
    let root = |rows: Json| {
        let prefab = Prefab::deserialize(&loader, json!({ "entities": rows })).unwrap();
        let mut world = World::new();
        let root = prefab.spawn(&mut world).unwrap();
        let health = world.get::<Health>(root).unwrap();
        health.0
    };
    // The king guards the page of his knight.
    let king = json!({ "p.health": 1, "p.guards": 2 });
    let knight = json!({ "p.health": 2, "p.child_of": 0 });
    assert_eq!(
        root(json!([king, knight, { "p.health": 3, "p.child_of": 1 }])),
        1
    );
    // Only his knight, who is then above him in that tree.
    assert_eq!(
        root(json!([{ "p.health": 1, "p.guards": 1 }, { "p.health": 2, "p.child_of": 0 }])),
        1
    );
    // The first of the entities without a parent.
    assert_eq!(
        root(json!([{ "p.health": 1, "p.guards": 1 }, { "p.health": 2 }, { "p.health": 3 }])),
        2
    );
    let file = json!({ "entities": [{ "p.health": 1 }, { "p.health": 2 }], "root": 1 });
    let prefab = Prefab::deserialize(&loader, file).unwrap();
    let mut world = World::new();
    let root = prefab.spawn(&mut world).unwrap();
    assert_eq!(world.get::<Health>(root).unwrap().0, 2);
    let file = json!({ "entities": [{}], "root": 1 });
    let error = Prefab::deserialize(&loader, file).unwrap_err().to_string();
    assert!(
        error.contains("the root of the prefab is not an entity of the save"),
        "{error}"
    );
    let error = Prefab::deserialize(&loader, json!({ "entities": [] }))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("the prefab has no entity"), "{error}");
}
