//! Saving and loading: the loaded world equals the saved one.

use ecs_core::data::{Dangling, LoadError, Loader, Unknown, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Targets};
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.position")]
struct Position(f32, f32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.target", track)]
struct Target {
    at: Option<Entity>,
    path: Vec<(Entity, u8)>,
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "game.mood", storage = "sparse")]
enum Mood {
    Calm,
    Angry { at: Entity, level: u8 },
}

#[derive(Component)]
struct Texture;

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "game.chosen")]
struct Chosen(Vec<Entity>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "game.child_of", tree, sources = "despawn")]
struct ChildOf;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "game.likes", many)]
struct Likes(u32);

fn world() -> (World, [Entity; 4]) {
    let mut world = World::new();
    let gone = world.spawn(Texture);
    let a = world.spawn((Position(1.0, f32::NEG_INFINITY), Texture));
    let b = world.spawn((
        Position(3.0, 4.0),
        Target {
            at: Some(a),
            path: vec![(a, 1)],
        },
    ));
    world.despawn(gone).unwrap();
    let c = world.spawn((Mood::Angry { at: b, level: 3 }, ChildOf.to(a)));
    let d = world.spawn((Mood::Calm, ChildOf.to(a)));
    world
        .sources_mut::<ChildOf>(a)
        .unwrap()
        .sort_by(|x, y| y.id().cmp(&x.id()));
    world.relate(a, Likes(1), d).unwrap();
    world.relate(a, Likes(2), b).unwrap();
    world.relate(c, Likes(3), b).unwrap();
    world.insert_resource(Chosen(vec![d, a]));
    world.check_invariants();
    (world, [a, b, c, d])
}

fn loader() -> Loader {
    Loader::new()
        .with::<Position>()
        .with::<Target>()
        .with::<Mood>()
        .with::<Sources<ChildOf>>()
        .with::<Targets<Likes>>()
        .with_resource::<Chosen>()
}

/// Checks that a world equals the one that `world` made.
fn check(mut world: World) {
    world.check_invariants();
    let chosen = world.resource::<Chosen>().0.clone();
    let [d, a] = chosen[..] else {
        panic!("{chosen:?}")
    };
    let sources = world.get::<Sources<ChildOf>>(a).unwrap().to_vec();
    assert_eq!(sources[0], d);
    let c = sources[1];
    assert_eq!(*world.get::<Mood>(d).unwrap(), Mood::Calm);
    let Mood::Angry { at: b, level: 3 } = *world.get::<Mood>(c).unwrap() else {
        panic!()
    };
    assert_eq!(*world.get::<Position>(b).unwrap(), Position(3.0, 4.0));
    assert_eq!(
        *world.get::<Position>(a).unwrap(),
        Position(1.0, f32::NEG_INFINITY)
    );
    let target = Target {
        at: Some(a),
        path: vec![(a, 1)],
    };
    assert_eq!(*world.get::<Target>(b).unwrap(), target);
    let likes = world.get::<Targets<Likes>>(a).unwrap();
    assert!(likes.iter().eq([(d, &Likes(1)), (b, &Likes(2))]));
    drop(likes);
    let liked_by = world.get::<Sources<Likes>>(b).unwrap().to_vec();
    assert_eq!(liked_by, [a, c]);
    assert!(!world.has::<Texture>(a));
    world.despawn(a).unwrap();
    assert!(!world.contains(c) && !world.contains(d));
    world.check_invariants();
}

fn known(world: &World) -> ecs_core::data::Save<'_> {
    world.save().resource::<Chosen>()
}

#[test]
fn a_world_comes_back_from_columns() {
    let (world, _) = world();
    let bytes = known(&world).to_vec().unwrap();
    check(loader().load(&bytes[..]).unwrap());
}

#[test]
fn a_world_comes_back_from_json() {
    let (world, _) = world();
    let text = serde_json::to_string_pretty(&known(&world)).unwrap();
    println!("{text}");
    let mut new = World::new();
    let mut json = serde_json::Deserializer::from_str(&text);
    loader().deserialize(&mut new, &mut json).unwrap();
    check(new);
}

#[test]
fn a_world_comes_back_from_ron() {
    let (world, _) = world();
    let text = ron::to_string(&known(&world)).unwrap();
    let mut new = World::new();
    let mut ron = ron::Deserializer::from_str(&text).unwrap();
    loader().deserialize(&mut new, &mut ron).unwrap();
    check(new);
}

#[test]
fn a_world_comes_back_from_message_pack_and_postcard() {
    let (world, _) = world();
    let bytes = rmp_serde::to_vec(&known(&world)).unwrap();
    let mut new = World::new();
    let mut pack = rmp_serde::Deserializer::from_read_ref(&bytes);
    loader().deserialize(&mut new, &mut pack).unwrap();
    check(new);
    let bytes = postcard::to_allocvec(&known(&world)).unwrap();
    let mut new = World::new();
    loader()
        .deserialize(&mut new, &mut postcard::Deserializer::from_bytes(&bytes))
        .unwrap();
    check(new);
}

#[test]
fn a_save_is_loaded_beside_what_is_there() {
    let (first, _) = world();
    let bytes = known(&first).to_vec().unwrap();
    let (mut other, [a, ..]) = world();
    let loaded = loader().load_into(&mut other, &bytes[..]).unwrap();
    assert_eq!(loaded.entities.len(), 4);
    assert!(!loaded.entities.contains(&a));
    assert_eq!(other.len(), 8);
    check(other);
}

#[test]
fn the_same_ids_come_back_if_they_are_saved() {
    let (world, [a, b, c, d]) = world();
    let bytes = known(&world).with_ids().to_vec().unwrap();
    let mut new = World::new();
    let loaded = loader().same_ids().load_into(&mut new, &bytes[..]).unwrap();
    for entity in [a, b, c, d] {
        assert!(loaded.entities.contains(&entity) && new.contains(entity));
    }
    assert!(matches!(
        loader().same_ids().load_into(&mut new, &bytes[..]),
        Err(LoadError::Stage(_))
    ));
    assert_eq!(new.len(), 4);
    check(new);
}

#[test]
fn what_was_loaded_is_saved_as_the_same_bytes() {
    let (world, _) = world();
    let bytes = known(&world).to_vec().unwrap();
    let loaded = loader().load(&bytes[..]).unwrap();
    let again = known(&loaded).to_vec().unwrap();
    let third = loader().load(&again[..]).unwrap();
    assert_eq!(known(&third).to_vec().unwrap(), again);
}

#[test]
fn only_parts_are_saved() {
    let (world, [a, b, c, d]) = world();
    let save = world
        .save()
        .tree::<ChildOf>(a)
        .without::<Mood>()
        .without_resources();
    let error = save.to_vec().unwrap_err().to_string();
    let leaves = format!(
        "entity {c}, `game.likes`: it leads to the entity {b}, which is not saved; help: save that too"
    );
    assert!(error.starts_with(&leaves), "{error}");
    let bytes = save.dangling(Dangling::Dead).to_vec().unwrap();
    let new = loader().load(&bytes[..]).unwrap();
    assert_eq!(new.len(), 3);
    assert_eq!(new.query::<&Mood>().iter().count(), 0);
    let alone = world.save().only([c]).without::<Sources<ChildOf>>();
    let error = alone.without::<Targets<Likes>>().to_vec().unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("entity {c}, `game.mood`: the entity {b} is not saved")
    );
    let bytes = world
        .save()
        .only([c])
        .dangling(Dangling::Dead)
        .to_vec()
        .unwrap();
    let new = loader().load(&bytes[..]).unwrap();
    let moods = new.query::<&Mood>();
    let Some(Mood::Angry { at, .. }) = moods.iter().next() else {
        panic!()
    };
    assert!(!new.contains(*at) && !new.contains(d));
}

#[test]
fn unknown_names_are_refused_or_skipped() {
    let (world, _) = world();
    let bytes = known(&world).to_vec().unwrap();
    let few = Loader::new().with::<Position>();
    let mut new = World::new();
    let error = few.load_into(&mut new, &bytes[..]).unwrap_err();
    assert!(error.to_string().contains("`game.target`"), "{error}");
    assert!(new.is_empty());
    let loaded = few
        .clone()
        .unknown(Unknown::Skip)
        .load_into(&mut new, &bytes[..])
        .unwrap();
    assert_eq!(
        loaded.skipped,
        [
            "game.target",
            "game.mood",
            "game.child_of",
            "game.likes",
            "game.chosen"
        ]
    );
    assert_eq!(new.query::<&Position>().iter().count(), 2);
}

#[test]
fn every_damaged_byte_and_every_end_is_an_error() {
    let (world, _) = world();
    let bytes = known(&world).to_vec().unwrap();
    let loader = loader();
    for len in 0..bytes.len() {
        let mut new = World::new();
        loader.load_into(&mut new, &bytes[..len]).unwrap_err();
        assert!(new.is_empty());
    }
    for i in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[i] ^= 0x41;
        let mut new = World::new();
        let error = loader.load_into(&mut new, &damaged[..]).unwrap_err();
        assert!(new.is_empty());
        // The error may concern any of its numbers, which now contradict each other.
        let LoadError::File(error) = error else {
            panic!("byte {i}: {error}")
        };
        let error = error.to_string();
        assert!(
            ["is damaged", "the first bytes differ", "it ends after"]
                .iter()
                .any(|problem| error.contains(problem)),
            "byte {i}: {error}"
        );
    }
}

#[test]
fn an_error_in_json_names_line_entity_component_and_field() {
    let text = r#"{
        "entities": [
            { "game.position": [1.0, 2.0] },
            { "game.mood": { "Angry": { "at": 0, "level": 300 } } }
        ]
    }"#;
    let mut new = World::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let error = loader().deserialize(&mut new, &mut json).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entity 1, `game.mood`: 300 is out of range for a u8, at `Angry.level` at line 4 column 67"
    );
    let text = r#"{ "entities": [{ "game.mood": { "Angry": { "at": 7, "level": 3 } } }] }"#;
    let mut json = serde_json::Deserializer::from_str(text);
    let error = loader().deserialize(&mut new, &mut json).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("entity 0, `game.mood`: there is no entity 7"),
        "{error}"
    );
    assert!(new.is_empty());
}

#[test]
fn ids_of_entities_that_come_later_are_read() {
    let text =
        r#"{ "entities": [{ "game.target": { "at": 1, "path": [] }, "game.child_of": 1 }, {}] }"#;
    let mut new = World::new();
    let mut json = serde_json::Deserializer::from_str(text);
    let loaded = loader().deserialize(&mut new, &mut json).unwrap();
    let [first, second] = loaded.entities[..] else {
        panic!()
    };
    assert_eq!(new.get::<Target>(first).unwrap().at, Some(second));
    assert_eq!(**new.get::<Sources<ChildOf>>(second).unwrap(), [first]);
}

mod older {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "game.health")]
    struct HealthV1(f32);

    #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    #[component(data = "game.life", alias = "game.health", version = 2, migrate(1 = HealthV1))]
    struct Health {
        now: f32,
        max: f32,
    }

    impl From<HealthV1> for Health {
        fn from(old: HealthV1) -> Self {
            Self {
                now: old.0,
                max: 100.0,
            }
        }
    }

    #[test]
    fn an_older_version_under_an_older_name_is_migrated() {
        let mut old = World::new();
        old.spawn_batch([HealthV1(1.0), HealthV1(2.0)]);
        let bytes = old.save().to_vec().unwrap();
        let text = serde_json::to_string(&old.save()).unwrap();
        let loader = Loader::new().with::<Health>();
        let new = loader.load(&bytes[..]).unwrap();
        let mut json = World::new();
        loader
            .deserialize(&mut json, &mut serde_json::Deserializer::from_str(&text))
            .unwrap();
        for world in [new, json] {
            let healths: Vec<Health> = world.query::<&Health>().iter().cloned().collect();
            let health = |now| Health { now, max: 100.0 };
            assert_eq!(healths, [health(1.0), health(2.0)]);
        }
        let newer = {
            let mut world = World::new();
            world.spawn(Health { now: 1.0, max: 2.0 });
            world
        };
        let bytes = newer.save().to_vec().unwrap();
        let error = Loader::new()
            .with::<HealthV1>()
            .load(&bytes[..])
            .unwrap_err();
        assert!(matches!(error, LoadError::UnknownName { .. }), "{error}");
    }
}

#[test]
fn an_unknown_name_is_an_error_with_its_entity_and_the_name_that_was_meant() {
    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "game.armour")]
    struct Armour(u32);
    let error = |text: &str| {
        let mut json = serde_json::Deserializer::from_str(text);
        let loader = Loader::new().with::<Armour>();
        let loaded = loader.deserialize(&mut World::new(), &mut json);
        loaded.unwrap_err().to_string()
    };
    let known = r#"{ "game.armour": 1 }"#;
    let found = error(&format!(
        r#"{{ "entities": [{known}, {{ "game.amour": 2 }}] }}"#
    ));
    let start = "entity 1: the save has `game.amour`, which the loader does not know; help: there is `game.armour`";
    assert!(found.starts_with(start), "{found}");
    let found = error(&format!(r#"{{ "entities": [{known}, {{ "sword": 2 }}] }}"#));
    assert!(
        found.starts_with("entity 1: the save has `sword`") && found.contains("Loader::with"),
        "{found}"
    );
    let found = error(r#"{ "entities": [], "resources": { "game.armor": 1 } }"#);
    let start =
        "the save has `game.armor`, which the loader does not know; help: there is `game.armour`";
    assert!(found.starts_with(start), "{found}");
}

#[test]
fn as_many_entities_as_allowed_are_read_from_text_and_not_one_more() {
    let row = r#"{"game.position":[1.0,2.0]}"#;
    let text = format!(r#"{{"entities":[{row},{row},{row}]}}"#);
    let load = |most| {
        let mut input = serde_json::Deserializer::from_str(&text);
        let loader = Loader::new().with::<Position>().max_entities(most);
        loader.deserialize(&mut World::new(), &mut input).is_ok()
    };
    assert_eq!([load(2), load(3)], [false, true]);
}

/// Each value is read into the memory of the one before.
#[test]
fn readable_rows_of_any_shape_and_order_have_nothing_of_the_rows_before() {
    let text = r#"{ "entities": [
        { "game.position": [1, 2], "game.target": { "at": 0, "path": [[0, 1], [0, 2], [0, 3]] } },
        { "game.target": { "path": [[5, 4]], "at": null }, "game.position": [3.5, 4] },
        {},
        { "game.mood": { "Angry": { "at": 0, "level": 7 } } },
        { "game.mood": "Calm", "game.target": { "at": 5, "path": [] }, "game.position": [5, 6] },
        { "game.position": [7, 8], "game.mood": { "Angry": { "level": 9, "at": 4 } }, "game.target": { "at": 1, "path": [[1, 8]] } }
    ] }"#;
    let mut world = World::new();
    let loader = Loader::new()
        .with::<Position>()
        .with::<Target>()
        .with::<Mood>();
    let loaded = loader
        .deserialize(&mut world, &mut serde_json::Deserializer::from_str(text))
        .unwrap();
    let ids = loaded.entities;
    let positions = ids
        .iter()
        .map(|&id| world.get::<Position>(id).map(|position| *position));
    assert_eq!(
        positions.collect::<Vec<_>>(),
        [
            Some(Position(1.0, 2.0)),
            Some(Position(3.5, 4.0)),
            None,
            None,
            Some(Position(5.0, 6.0)),
            Some(Position(7.0, 8.0)),
        ]
    );
    let target = |at: Option<usize>, path: &[(usize, u8)]| {
        let path = path.iter().map(|&(at, step)| (ids[at], step)).collect();
        let at = at.map(|at| ids[at]);
        Some(Target { at, path })
    };
    let targets = ids
        .iter()
        .map(|&id| world.get::<Target>(id).map(|target| target.clone()));
    assert_eq!(
        targets.collect::<Vec<_>>(),
        [
            target(Some(0), &[(0, 1), (0, 2), (0, 3)]),
            target(None, &[(5, 4)]),
            None,
            None,
            target(Some(5), &[]),
            target(Some(1), &[(1, 8)]),
        ]
    );
    let moods = ids
        .iter()
        .map(|&id| world.get::<Mood>(id).map(|mood| mood.clone()));
    let angry = |at: usize, level| Some(Mood::Angry { at: ids[at], level });
    assert_eq!(
        moods.collect::<Vec<_>>(),
        [None, None, None, angry(0, 7), Some(Mood::Calm), angry(4, 9)]
    );
}

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "saves.mark")]
struct Mark(u32);

#[test]
fn worlds_with_local_ids_are_cloned_and_saved() {
    let mut world = World::new();
    world.spawn(Mark(0));
    world.reserve_local_ids(4);
    let local = world.spawn(Mark(1));
    let gone = world.spawn(Mark(2));
    let shared = world.with_simulated_ids(|world| world.spawn(Mark(3)));
    world.despawn(gone).unwrap();
    // A clone gives the same ids of both kinds.
    let mut copy = world.try_clone().unwrap();
    let next = |world: &mut World| {
        let local = world.spawn(Mark(4));
        (
            local,
            world.with_simulated_ids(|world| world.spawn(Mark(5))),
        )
    };
    assert_eq!(next(&mut copy), next(&mut world));
    assert_eq!(copy.hash().unwrap(), world.hash().unwrap());
    world.check_invariants();
    copy.check_invariants();
    // A load has the entities at their ids, in a new world and in one with the same range.
    let bytes = world.save().with_ids().to_vec().unwrap();
    let loader = Loader::new().with::<Mark>().same_ids();
    for with_range in [false, true] {
        let mut loaded = World::new();
        if with_range {
            loaded.with_simulated_ids(|world| world.reserve_local_ids(8));
        }
        loader.load_into(&mut loaded, &bytes[..]).unwrap();
        loaded.check_invariants();
        assert_eq!(*loaded.get::<Mark>(local).unwrap(), Mark(1));
        assert_eq!(*loaded.get::<Mark>(shared).unwrap(), Mark(3));
        assert_eq!(loaded.hash().unwrap(), world.hash().unwrap());
        let new = loaded.spawn(Mark(6));
        assert!(!world.contains(new));
    }
}
