//! Names that a program does not know, kept for a program that knows them: load, save, load again, in each form of a
//! save.

use ecs_core::data::{Dangling, LoadError, Loader, Prefab, Unknown, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

/// A component that the older program knows.
#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.number")]
struct Number(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "mod.aim", version = 2)]
struct Aim {
    at: Option<Entity>,
    path: Vec<(Entity, f32)>,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "mod.mood", storage = "sparse")]
#[serde(untagged)]
enum Mood {
    Angry { at: Entity },
    Calm(String),
}

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "mod.chosen")]
struct Chosen(Vec<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "mod.child_of", tree)]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "mod.likes", many)]
struct Likes(u32);

fn older() -> Loader {
    Loader::new().with::<Number>().unknown(Unknown::Keep)
}

fn newer() -> Loader {
    Loader::new()
        .with::<Number>()
        .with::<Aim>()
        .with::<Mood>()
        .with::<Sources<ChildOf>>()
        .with::<Targets<Likes>>()
        .with_resource::<Chosen>()
}

#[derive(Clone, Copy, Debug)]
enum Format {
    Columns,
    Json,
    Ron,
    MessagePack,
}

const FORMATS: [Format; 4] = [
    Format::Columns,
    Format::Json,
    Format::Ron,
    Format::MessagePack,
];

impl Format {
    fn write(self, save: &ecs_core::data::Save<'_>) -> Vec<u8> {
        match self {
            Self::Columns => save.to_vec().unwrap(),
            Self::Json => serde_json::to_vec(save).unwrap(),
            Self::Ron => ron::to_string(save).unwrap().into_bytes(),
            Self::MessagePack => rmp_serde::to_vec(save).unwrap(),
        }
    }

    fn read(self, loader: &Loader, world: &mut World, bytes: &[u8]) -> ecs_core::data::Loaded {
        match self {
            Self::Columns => loader.load_bytes(world, bytes).unwrap(),
            Self::Json => loader
                .deserialize(world, &mut serde_json::Deserializer::from_slice(bytes))
                .unwrap(),
            Self::Ron => loader
                .deserialize(world, &mut ron::Deserializer::from_bytes(bytes).unwrap())
                .unwrap(),
            Self::MessagePack => loader
                .deserialize(world, &mut rmp_serde::Deserializer::new(bytes))
                .unwrap(),
        }
    }
}

/// Five entities by number; 0 and 4 name others and are related to them.
fn world() -> World {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..5).map(|number| world.spawn(Number(number))).collect();
    let aim = Aim {
        at: Some(ids[3]),
        path: vec![(ids[1], 0.5), (ids[0], f32::INFINITY)],
    };
    world.insert(ids[0], aim).unwrap();
    world.insert(ids[4], Mood::Angry { at: ids[2] }).unwrap();
    world.insert(ids[2], Mood::Calm("very".to_owned())).unwrap();
    for child in [4, 3, 1] {
        world.insert(ids[child], ChildOf.to(ids[2])).unwrap();
    }
    world.relate(ids[4], Likes(7), ids[1]).unwrap();
    world.relate(ids[4], Likes(9), ids[0]).unwrap();
    world.insert_resource(Chosen(vec![ids[4], ids[2]]));
    world
}

/// Returns the entity whose number component is `number`.
fn of(world: &World, number: u32) -> Entity {
    let query = world.query::<(Entity, &Number)>();
    let found = query.iter().find(|(_, other)| other.0 == number);
    found.unwrap().0
}

/// Checks that a world equals the one that `world` made.
fn check(world: &mut World) {
    world.check_invariants();
    let ids: Vec<Entity> = (0..5).map(|number| of(world, number)).collect();
    let aim = Aim {
        at: Some(ids[3]),
        path: vec![(ids[1], 0.5), (ids[0], f32::INFINITY)],
    };
    assert_eq!(*world.get::<Aim>(ids[0]).unwrap(), aim);
    assert_eq!(
        *world.get::<Mood>(ids[4]).unwrap(),
        Mood::Angry { at: ids[2] }
    );
    let calm = Mood::Calm("very".to_owned());
    assert_eq!(*world.get::<Mood>(ids[2]).unwrap(), calm);
    let children = world.get::<Sources<ChildOf>>(ids[2]).unwrap().to_vec();
    assert_eq!(children, [ids[4], ids[3], ids[1]]);
    let likes = world.get::<Targets<Likes>>(ids[4]).unwrap();
    assert!(likes.iter().eq([(ids[1], &Likes(7)), (ids[0], &Likes(9))]));
    assert_eq!(world.resource::<Chosen>().0, [ids[4], ids[2]]);
    assert_eq!(world.query::<&Aim>().iter().count(), 1);
}

/// Moves the entities with these numbers to other rows, so that a save numbers all of them anew.
fn shuffle(world: &mut World) {
    for number in [0, 2] {
        let first = of(world, number);
        let other = world.spawn(());
        world.remove::<Number>(first).unwrap();
        world.insert(first, Number(number)).unwrap();
        world.despawn(other).unwrap();
    }
    world.spawn(Number(100));
}

#[test]
fn what_is_unknown_comes_back_in_each_form_after_any_other() {
    let original = world();
    for first in FORMATS {
        let bytes = first.write(&original.save().resource::<Chosen>());
        for second in FORMATS {
            let mut between = World::new();
            // It is loaded into a world with other entities, so that it also gets other ids.
            between.spawn_batch((0..3).map(|i| Number(200 + i)));
            let mut loaded = first.read(&older(), &mut between, &bytes);
            loaded.kept.sort();
            let names = [
                "mod.aim",
                "mod.child_of",
                "mod.chosen",
                "mod.likes",
                "mod.mood",
            ];
            assert_eq!(loaded.kept, names, "{first:?}");
            assert!(loaded.skipped.is_empty());
            shuffle(&mut between);
            let bytes = second.write(&between.save());
            let mut last = World::new();
            let loaded = second.read(&newer(), &mut last, &bytes);
            assert!(loaded.kept.is_empty() && loaded.skipped.is_empty());
            check(&mut last);
        }
    }
}

#[test]
fn it_stays_through_several_saves_of_programs_that_do_not_know_it() {
    let original = world();
    let mut bytes = Format::Columns.write(&original.save().resource::<Chosen>());
    let mut before = Format::Columns;
    for format in FORMATS.into_iter().chain(FORMATS) {
        let mut between = World::new();
        between.spawn(Number(300));
        let loaded = before.read(&older(), &mut between, &bytes);
        assert_eq!(loaded.kept.len(), 5, "{format:?}");
        shuffle(&mut between);
        let copy = between.try_clone().unwrap();
        bytes = format.write(&copy.save());
        before = format;
    }
    let mut last = World::new();
    before.read(&newer(), &mut last, &bytes);
    check(&mut last);
}

/// Loads a world in a form by an older program.
fn kept_in(format: Format) -> World {
    let mut between = World::new();
    let bytes = format.write(&world().save().resource::<Chosen>());
    format.read(&older(), &mut between, &bytes);
    between
}

#[test]
fn despawned_entities_lose_what_was_kept_for_them() {
    for format in FORMATS {
        let mut between = kept_in(format);
        let (shooter, lost) = (of(&between, 0), of(&between, 3));
        between.despawn(lost).unwrap();
        let bytes = format.write(&between.save());
        let mut last = World::new();
        format.read(&newer(), &mut last, &bytes);
        last.check_invariants();
        let aim = last.get::<Aim>(of(&last, 0)).unwrap().at.unwrap();
        assert!(!last.contains(aim), "an id of a despawned entity is dead");
        let children = last.get::<Sources<ChildOf>>(of(&last, 2)).unwrap().to_vec();
        assert_eq!(children, [of(&last, 4), of(&last, 1)]);

        between.despawn(shooter).unwrap();
        // A new entity at the same index is another entity.
        let next = [between.spawn(Number(0)), between.spawn(Number(3))];
        assert!(next.iter().any(|id| id.index() == shooter.index()));
        let bytes = format.write(&between.save());
        let mut last = World::new();
        format.read(&newer(), &mut last, &bytes);
        assert_eq!(last.query::<&Aim>().iter().count(), 0, "{format:?}");
        assert_eq!(last.query::<&Mood>().iter().count(), 2);
    }
}

#[test]
fn snapshots_and_clones_of_worlds_have_it() {
    let snapshotter = Snapshotter::new();
    for format in FORMATS {
        let mut between = World::new();
        let mut empty = snapshotter.take(&mut between).unwrap();
        let bytes = format.write(&world().save().resource::<Chosen>());
        format.read(&older(), &mut between, &bytes);
        let hash = between.hash().unwrap();
        let mut full = snapshotter.take(&mut between).unwrap();

        // The next load drops the values kept for the entity.
        let lost = of(&between, 0);
        between.despawn(lost).unwrap();
        format.read(&older(), &mut between, &bytes);
        snapshotter.restore(&mut between, &mut full).unwrap();
        assert_eq!(between.hash().unwrap(), hash);
        for kept in [&between, &between.try_clone().unwrap()] {
            let mut last = World::new();
            let bytes = format.write(&kept.save());
            format.read(&newer(), &mut last, &bytes);
            check(&mut last);
        }
        snapshotter.restore(&mut between, &mut empty).unwrap();
        let text = serde_json::to_string(&between.save()).unwrap();
        assert!(!text.contains("mod."), "{text}");
    }
}

#[test]
fn parts_of_a_world_have_what_is_kept_for_them() {
    for format in FORMATS {
        let mut between = kept_in(format);
        let only = [of(&between, 2), of(&between, 4)];
        let bytes = format.write(&between.save().only(only).without_resources());
        let mut last = World::new();
        format.read(&newer(), &mut last, &bytes);
        assert_eq!(last.len(), 2);
        let angry = last.get::<Mood>(of(&last, 4)).unwrap().clone();
        assert_eq!(angry, Mood::Angry { at: of(&last, 2) });
        assert!(last.get_resource::<Chosen>().is_none());

        let rest = [between.spawn(Number(50))];
        let bytes = format.write(&between.save().only(rest).without_resources());
        for absent in ["mod.", "kept"] {
            let mut found = bytes.windows(4);
            assert!(
                !found.any(|window| window == absent.as_bytes()),
                "a save that keeps nothing has no `{absent}`: {format:?}"
            );
        }
    }
}

#[test]
fn a_value_that_the_world_has_got_itself_counts() {
    for format in FORMATS {
        let mut between = kept_in(format);
        let ids: Vec<Entity> = (0..5).map(|number| of(&between, number)).collect();
        // A plugin that knows the names came later.
        let aim = Aim {
            at: None,
            path: Vec::new(),
        };
        between.insert(ids[0], aim.clone()).unwrap();
        between.insert(ids[3], ChildOf.to(ids[1])).unwrap();
        between.insert_resource(Chosen(vec![ids[1]]));
        let bytes = format.write(&between.save().resource::<Chosen>());
        let mut last = World::new();
        format.read(&newer(), &mut last, &bytes);
        last.check_invariants();
        assert_eq!(*last.get::<Aim>(of(&last, 0)).unwrap(), aim);
        let children = |number| {
            last.get::<Sources<ChildOf>>(of(&last, number))
                .unwrap()
                .to_vec()
        };
        assert_eq!(children(1), [of(&last, 3)], "{format:?}");
        assert_eq!(children(2), [of(&last, 4), of(&last, 1)]);
        assert_eq!(last.resource::<Chosen>().0, [of(&last, 1)]);
    }
}

#[test]
fn kept_names_are_refused_and_skipped_as_others_are() {
    for format in [Format::Columns, Format::Json] {
        let bytes = format.write(&kept_in(format).save());
        let few = Loader::new().with::<Number>();
        let mut last = World::new();
        let loaded = format.read(&few.clone().unknown(Unknown::Skip), &mut last, &bytes);
        assert_eq!(loaded.skipped.len(), 5);
        assert_eq!(last.len(), 5);
        let again = format.write(&last.save());
        format.read(&few, &mut World::new(), &again);
        if let Format::Columns = format {
            let mut new = World::new();
            let error = few.load_bytes(&mut new, &bytes).unwrap_err();
            assert!(matches!(error, LoadError::UnknownName { .. }), "{error}");
            assert!(new.is_empty());
        }
    }
}

#[test]
fn a_prefab_does_not_keep_what_it_could_not_give_to_its_copies() {
    let text = r#"{ "entities": [{ "mod.glow": 1 }] }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    let error = Prefab::deserialize(&older(), &mut json).unwrap_err();
    assert!(error.to_string().contains("`mod.glow`"), "{error}");
}

/// Loads JSON whose part `kept` is a text; returns the error.
fn wrong(kept: &str) -> String {
    let text = format!(r#"{{ "format": 2, "entities": [{{}}, {{}}], "kept": {kept} }}"#);
    let mut world = World::new();
    let mut json = serde_json::Deserializer::from_str(&text);
    let loaded = newer()
        .unknown(Unknown::Keep)
        .deserialize(&mut world, &mut json);
    assert!(world.is_empty(), "{kept}");
    loaded.unwrap_err().to_string()
}

#[test]
fn what_is_wrong_with_kept_values_is_said() {
    let column = |column: &str| {
        wrong(&format!(
            r#"[{{ "entities": [1, 0], "columns": [{column}] }}]"#
        ))
    };
    let cases = [
        (wrong("7"), "expected a list of parts, found another number"),
        (wrong("[{}]"), "`entities` is missing"),
        (
            wrong(r#"[{ "entities": [2], "columns": [] }]"#),
            "there is no entity 2",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "rows": [[2, 0]], "orders": [] }"#),
            "there is no entity 2",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "rows": [[1, 0], [1, 0]], "orders": [] }"#),
            "the entity 1 has it twice",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "form": 0, "bytes": "0x" }"#),
            "expected pairs of hexadecimal digits",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "of": [0, 0], "form": 0, "bytes": "" }"#),
            "the entity 0 has it twice",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "edges": [0, 1], "form": 0, "bytes": "" }"#),
            "an edge is not three numbers",
        ),
        (
            column(r#"{ "name": "a", "version": 1, "from": 1, "to": 3, "form": 0, "bytes": "" }"#),
            "there are no such entities",
        ),
        (
            column(
                r#"{ "name": "a", "version": 1, "from": 0, "to": 2, "form": 0, "bytes": "" },
                { "name": "a", "version": 1, "from": 0, "to": 1, "form": 0, "bytes": "" }"#,
            ),
            "an entity has `a` twice",
        ),
        // Names that are known.
        (
            column(r#"{ "name": "game.number", "version": 1, "rows": [[0, "x"]], "orders": [] }"#),
            "entity 1, `game.number`: invalid type: string",
        ),
        (
            column(r#"{ "name": "mod.child_of", "version": 1, "resource": 0 }"#),
            "`mod.child_of` is a resource in the save",
        ),
        (
            column(r#"{ "name": "game.number", "version": 1, "of": [0], "form": 5, "bytes": "" }"#),
            "there is no such form of values",
        ),
        (
            column(
                r#"{ "name": "game.number", "version": 1, "of": [0], "form": 0, "bytes": "07" }"#,
            ),
            "entity 1, `game.number`: ",
        ),
        (
            column(r#"{ "name": "mod.likes", "version": 1, "rows": [[0, [7]]], "orders": [] }"#),
            "entity 1, `mod.likes`: an edge has no number of an entity",
        ),
        (
            column(
                r#"{ "name": "mod.child_of", "version": 1, "rows": [[0, 1], [1, 0]], "orders": [] }"#,
            ),
            "which is a tree: 1 is a descendant of 0",
        ),
        (
            column(r#"{ "name": "mod.aim", "version": 7, "rows": [], "orders": [] }"#),
            "`mod.aim` has version 7",
        ),
    ];
    for (error, expected) in cases {
        assert!(
            error.contains(expected),
            "{error:?} does not say {expected:?}"
        );
    }
}

#[test]
fn a_value_that_is_too_deep_for_a_save_is_refused_by_name() {
    let nested = |levels: usize| format!("{}0{}", "[".repeat(levels), "]".repeat(levels));
    let load = |levels: usize| {
        let text = format!(
            r#"{{ "entities": [{{ "mod.deep": {} }}] }}"#,
            nested(levels)
        );
        let mut world = World::new();
        let mut json = serde_json::Deserializer::from_str(&text);
        older().deserialize(&mut world, &mut json).map(|_| world)
    };
    let error = load(113).unwrap_err().to_string();
    let expected = "entity 0, `mod.deep`: the value is nested too deep to be kept";
    assert!(error.starts_with(expected), "{error}");
    let world = load(112).unwrap();
    // RON itself reads half as many levels.
    for format in [Format::Columns, Format::Json, Format::MessagePack] {
        let bytes = format.write(&world.save());
        let loaded = format.read(&older(), &mut World::new(), &bytes);
        assert_eq!(loaded.kept, ["mod.deep"]);
    }
}

#[test]
fn damaged_kept_bytes_are_an_error_and_never_a_panic() {
    let bytes = Format::Columns.write(&kept_in(Format::Columns).save());
    for at in 0..bytes.len() - 8 {
        for bit in [0, 4, 7] {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            ecs_core::data::__private::seal(&mut damaged);
            for loader in [newer(), older()] {
                let mut world = World::new();
                if loader.load_bytes(&mut world, &damaged).is_ok() {
                    world.check_invariants();
                    world.save().dangling(Dangling::Dead).to_vec().unwrap();
                } else {
                    assert!(world.is_empty());
                }
            }
        }
    }
}

#[test]
fn a_resource_that_is_kept_replaces_the_one_before() {
    for format in FORMATS {
        let mut between = kept_in(format);
        let mut other = World::new();
        let chosen = other.spawn(Number(77));
        other.insert_resource(Chosen(vec![chosen]));
        let bytes = format.write(&other.save().resource::<Chosen>());
        format.read(&older(), &mut between, &bytes);
        let bytes = format.write(&between.save());
        let mut last = World::new();
        format.read(&newer(), &mut last, &bytes);
        assert_eq!(last.resource::<Chosen>().0, [of(&last, 77)], "{format:?}");
        assert!(last.get::<Aim>(of(&last, 0)).is_some());
    }
}
