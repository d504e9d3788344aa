//! The same ids, in every format.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::data::{LoadError, Loader, Save, WorldData};
use ecs_core::prelude::*;
use proptest::prelude::*;

use super::parts::{Key, Step, all, build, describe, loader, save};

/// Loads a save from each format, into worlds that a function makes.
pub(super) fn load_each(
    save: &Save<'_>,
    loader: &Loader,
    new: impl Fn() -> World,
    mut check: impl FnMut(&str, World, Result<Vec<Entity>, String>),
) {
    let columns = save.to_vec().unwrap();
    let json = serde_json::to_string(save).unwrap();
    let value = serde_json::to_value(save).unwrap();
    let ron = ron::to_string(save).unwrap();
    let tree: ecs_core::data::Value = serde_json::from_str(&json).unwrap();
    let pack = rmp_serde::to_vec(save).unwrap();
    let rows = {
        // MessagePack with rows instead of bytes.
        let mut bytes = Vec::new();
        let mut to = rmp_serde::Serializer::new(&mut bytes).with_human_readable();
        serde::Serialize::serialize(save, &mut to).unwrap();
        bytes
    };
    let post = postcard::to_allocvec(save).unwrap();
    for format in [
        "columns",
        "json",
        "sorted json",
        "ron",
        "tree",
        "message pack",
        "rows of message pack",
        "postcard",
    ] {
        let mut world = new();
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let loaded = match format {
            "columns" => loader
                .load_into(&mut world, &columns[..])
                .map_err(|error| text(&error)),
            "json" => {
                let mut json = serde_json::Deserializer::from_str(&json);
                loader
                    .deserialize(&mut world, &mut json)
                    .map_err(|error| text(&error))
            }
            "sorted json" => loader
                .deserialize(&mut world, &value)
                .map_err(|error| text(&error)),
            "ron" => {
                let mut ron = ron::Deserializer::from_str(&ron).unwrap();
                loader
                    .deserialize(&mut world, &mut ron)
                    .map_err(|error| text(&error))
            }
            "tree" => {
                let json = serde_json::to_value(&tree).unwrap();
                loader
                    .deserialize(&mut world, json)
                    .map_err(|error| text(&error))
            }
            "message pack" => {
                let mut pack = rmp_serde::Deserializer::from_read_ref(&pack);
                loader
                    .deserialize(&mut world, &mut pack)
                    .map_err(|error| text(&error))
            }
            "rows of message pack" => {
                let mut rows = rmp_serde::Deserializer::from_read_ref(&rows).with_human_readable();
                loader
                    .deserialize(&mut world, &mut rows)
                    .map_err(|error| text(&error))
            }
            _ => {
                let mut post = postcard::Deserializer::from_bytes(&post);
                loader
                    .deserialize(&mut world, &mut post)
                    .map_err(|error| text(&error))
            }
        };
        world.check_invariants();
        // Formats without texts have no room for our errors.
        let loaded = loaded.map(|loaded| loaded.entities);
        check(format, world, loaded);
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(60))
    })]

    #[test]
    fn the_same_ids_come_back_from_each_format(steps in prop::collection::vec(any::<Step>(), 0..60), bits in any::<u64>()) {
        let mut world = build(&steps, 0);
        let whole = all(&world);
        let mut part = whole.clone();
        part.retain(|entity| bits >> (world.get::<Key>(*entity).unwrap().0 % 64) & 1 == 1);
        let next = world.next_ids(40).unwrap();
        for is_whole in [true, false] {
            let list = if is_whole { &whole } else { &part };
            let expected = describe(&world, list);
            let save = save(&world).with_ids();
            let save = if is_whole { save } else { save.only(part.iter().copied()) };
            load_each(&save, &loader().same_ids(), World::new, |format, mut new, loaded| {
                let mut loaded = loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
                for &entity in list {
                    assert_eq!(new.get::<Key>(entity).unwrap().0, world.get::<Key>(entity).unwrap().0, "{format}");
                }
                assert_eq!(describe(&new, &all(&new)), expected, "{format}");
                loaded.sort_unstable();
                let mut list = list.clone();
                list.sort_unstable();
                assert_eq!(loaded, list, "{format}");
                if is_whole {
                    assert_eq!(new.next_ids(40).unwrap(), next, "{format}");
                }
            });
        }
    }
}

/// A world that has issued ids, and the last generation of each index.
fn others(steps: &[(bool, u8)]) -> (World, BTreeMap<u32, u32>) {
    let mut world = World::new();
    let (mut living, mut issued) = (Vec::new(), BTreeMap::new());
    for &(spawns, which) in steps {
        if spawns || living.is_empty() {
            let entity = world.spawn(Key(1_000_000 + u32::from(which)));
            issued.insert(entity.index(), entity.generation());
            living.push(entity);
        } else {
            let gone = living.swap_remove(usize::from(which) % living.len());
            world.despawn(gone).unwrap();
        }
    }
    (world, issued)
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(100))
    })]

    #[test]
    fn ids_come_back_beside_others_unless_they_were_issued(
        steps in prop::collection::vec(any::<Step>(), 0..60),
        turns in 0_u32..4,
        bits in any::<u64>(),
        before in prop::collection::vec(any::<(bool, u8)>(), 0..12),
    ) {
        let mut world = build(&steps, 0);
        // Later generations of some of the indices.
        for turn in 0..turns {
            let gone = all(&world).into_iter().skip(turn as usize).step_by(3);
            let gone: Vec<Entity> = gone.collect();
            for entity in gone {
                let Some(&key) = world.get::<Key>(entity).as_deref() else { continue };
                world.despawn(entity).unwrap();
                world.spawn(key);
            }
        }
        let mut part = all(&world);
        let mut keys = BTreeSet::new();
        part.retain(|&entity| {
            let key = world.get::<Key>(entity).unwrap().0;
            bits >> (key % 64) & 1 == 1 && keys.insert(key)
        });
        let expected = describe(&world, &part);
        let (other, issued) = others(&before);
        let is_free = |entity: &Entity| {
            issued.get(&entity.index()).is_none_or(|&last| last < entity.generation())
        };
        let living = |world: &World| -> BTreeMap<u32, u32> {
            let all = all(world).into_iter().filter(|entity| !part.contains(entity));
            all.map(|entity| (entity.index(), entity.generation())).collect()
        };
        let expected_living = living(&other);
        let is_possible = part.iter().all(|entity| is_free(entity) && !expected_living.contains_key(&entity.index()));
        let save = save(&world).without_resources().with_ids().only(part.iter().copied());
        load_each(&save, &loader().same_ids(), || others(&before).0, |format, mut new, loaded| {
            assert_eq!(loaded.is_ok(), is_possible, "{format}: {loaded:?}");
            assert_eq!(living(&new), expected_living, "{format}");
            if is_possible {
                let mut found = describe(&new, &part);
                let mut expected = expected.clone();
                found.remove(&u32::MAX);
                expected.remove(&u32::MAX);
                assert_eq!(found, expected, "{format}");
            } else {
                let mut other = others(&before).0;
                assert_eq!(new.next_ids(20).unwrap(), other.next_ids(20).unwrap(), "{format}");
            }
            for _ in 0..20 {
                let entity = new.spawn(());
                let is_new = issued.get(&entity.index()).is_none_or(|&last| last < entity.generation());
                assert!(is_new && (!is_possible || !part.contains(&entity)), "{format}: {entity}");
            }
        });
    }
}

/// A world with entities without components, and with ids that were used before.
fn world() -> (World, [Entity; 3]) {
    let mut world = World::new();
    let gone = [(); 3].map(|()| world.spawn(()));
    let first = world.spawn(Key(1));
    for entity in gone {
        world.despawn(entity).unwrap();
    }
    let [second, third] = [world.spawn(()), world.spawn(Key(3))];
    (world, [first, second, third])
}

#[test]
fn ids_with_generations_of_entities_without_components_are_written_in_rows() {
    let (world, _) = world();
    let text = serde_json::to_string(&world.save().with_ids()).unwrap();
    assert_eq!(
        text,
        r#"{"format":5,"versions":{},"ids":["0v2","3v1","1v2"],"next_ids":["2v2"],"entities":[{},{"test.key":1},{"test.key":3}],"orders":{},"resources":{}}"#
    );
}

#[test]
fn a_save_without_ids_is_refused_if_the_same_are_wanted() {
    let (world, _) = world();
    load_each(
        &world.save(),
        &loader().same_ids(),
        World::new,
        |format, new, loaded| {
            assert!(new.is_empty());
            let error = loaded.unwrap_err();
            let is_said =
                error.contains("the save has no ids; help: write it with `Save::with_ids`");
            assert!(is_said || format == "postcard", "{format}: {error}");
        },
    );
    let error = loader()
        .same_ids()
        .load(&world.save().to_vec().unwrap()[..])
        .unwrap_err();
    assert!(matches!(error, LoadError::Ids { .. }));
}

#[test]
fn ids_that_are_taken_are_refused_by_their_name() {
    let (world, [_, second, _]) = world();
    let living = || {
        let mut world = World::new();
        world.spawn(());
        world.despawn(second).unwrap_err();
        let first = world.query_filtered::<Entity, ()>().iter().next().unwrap();
        world.despawn(first).unwrap();
        assert_eq!(world.spawn(()), second);
        world
    };
    load_each(
        &world.save().with_ids(),
        &loader().same_ids(),
        living,
        |format, new, loaded| {
            assert_eq!(new.len(), 1);
            let error = loaded.unwrap_err();
            assert!(
                error.contains(&second.to_string()) || format == "postcard",
                "{format}: {error}"
            );
        },
    );
    // Beside entities with other ids it is possible.
    let beside = || {
        let mut world = World::new();
        let all = [(); 9].map(|()| world.spawn(()));
        let mut fresh = World::new();
        fresh.spawn(());
        let other = Loader::new().same_ids();
        let bytes = world.save().only([all[8]]).with_ids().to_vec().unwrap();
        let mut new = World::new();
        other.load_into(&mut new, &bytes[..]).unwrap();
        new
    };
    load_each(
        &world.save().with_ids(),
        &loader().same_ids(),
        beside,
        |format, new, loaded| {
            loaded.unwrap_or_else(|error| panic!("{format}: {error}"));
            assert_eq!(new.len(), 4);
        },
    );
}

#[test]
fn ids_that_are_damaged_or_too_few_are_refused() {
    let error = |text: &str| {
        let mut json = serde_json::Deserializer::from_str(text);
        let mut world = World::new();
        let error = loader()
            .same_ids()
            .deserialize(&mut world, &mut json)
            .unwrap_err();
        assert!(world.is_empty());
        error.to_string()
    };
    let found = error(r#"{ "ids": ["0v1"], "entities": [{}, {}] }"#);
    assert!(
        found.starts_with("the save has 1 ids, and 2 entities"),
        "{found}"
    );
    let found = error(r#"{ "entities": [{}], "ids": ["0v1", "1v1"] }"#);
    assert!(
        found.starts_with("the save has 2 ids, and 1 entities"),
        "{found}"
    );
    let found = error(r#"{ "entities": [{}], "ids": ["0v0"] }"#);
    assert!(found.contains("not an entity id"), "{found}");
    let found = error(r#"{ "entities": [{}, {}], "ids": ["0v1", "0v2"] }"#);
    assert!(found.contains("0v"), "{found}");
    for part in [
        r#""ids": ["4000000000v1"]"#,
        r#""ids": ["0v1"], "next_ids": ["4000000000v1"]"#,
    ] {
        let found = error(&format!(r#"{{ "entities": [{{}}], {part} }}"#));
        assert!(
            found.starts_with("the save has an entity with the index 4000000000"),
            "{found}"
        );
    }
}
