//! Ids of missing entities in loads of each format: in the order of the originals, the same in each format, and different in
//! each load.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::data::{Cloner, Dangling, Loader, Save, WorldData};
use ecs_core::prelude::*;
use ecs_core::relation::Targets;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "buried.ranks")]
struct Ranks(BTreeMap<Entity, u32>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "buried.seen", storage = "sparse")]
struct Seen(BTreeSet<Entity>, Option<Entity>);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "buried.key")]
struct Key(u32);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "buried.knows", many)]
struct Knows(Vec<Entity>);

#[derive(Resource, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "buried.chosen")]
struct Chosen(BTreeMap<Entity, Entity>);

fn loader() -> Loader {
    Loader::new()
        .with::<Ranks>()
        .with::<Seen>()
        .with::<Key>()
        .with::<Targets<Knows>>()
        .with_resource::<Chosen>()
}

/// A world of a few entities whose values name living and missing entities, depending on the numbers.
fn build(numbers: &[(u8, u8, u8)]) -> World {
    let mut world = World::new();
    world.register_data_resource::<Chosen>();
    let mut all: Vec<Entity> = Vec::new();
    // Indices are used several times, in no order.
    for round in 0..3 {
        all.extend((0..6).map(|_| world.spawn(())));
        for &(a, b, _) in numbers {
            if (usize::from(a) + round) % 2 == 0 {
                _ = world.despawn(all[usize::from(b) % all.len()]);
            }
        }
    }
    let holders: Vec<Entity> = (0..4).map(|key| world.spawn(Key(key))).collect();
    all.extend(&holders);
    let of = |number: u8| all[usize::from(number) % all.len()];
    let mut chosen = BTreeMap::new();
    for (n, &(a, b, c)) in (0..).zip(numbers) {
        let holder = holders[usize::from(a) % 4];
        match c % 4 {
            0 => {
                let mut ranks = world
                    .get::<Ranks>(holder)
                    .map_or_else(BTreeMap::new, |it| it.0.clone());
                ranks.insert(of(b), n);
                ranks.insert(of(c / 4), n + 100);
                world.insert(holder, Ranks(ranks)).unwrap();
            }
            1 => {
                let seen = [of(b), of(c / 4), of(a)].into();
                world.insert(holder, Seen(seen, Some(of(b)))).unwrap();
            }
            2 => {
                let target = holders[usize::from(b) % 4];
                if target != holder {
                    world
                        .insert(holder, Knows(vec![of(c), of(b)]).to(target))
                        .unwrap();
                }
            }
            _ => _ = chosen.insert(of(b), of(c / 4)),
        }
    }
    world.insert_resource(Chosen(chosen));
    world
}

/// Loads a save from each format, each time into a new world from the function.
fn loads(save: &Save<'_>, loader: &Loader, new: impl Fn() -> World) -> Vec<World> {
    let mut worlds: Vec<World> = (0..5).map(|_| new()).collect();
    let [columns, json, sorted, text, packed] = &mut worlds[..] else {
        unreachable!()
    };
    loader
        .load_into(columns, &save.to_vec().unwrap()[..])
        .unwrap();
    let written = serde_json::to_string(save).unwrap();
    let mut reader = serde_json::Deserializer::from_str(&written);
    loader.deserialize(json, &mut reader).unwrap();
    let value = serde_json::to_value(save).unwrap();
    loader.deserialize(sorted, &value).unwrap();
    let written = ron::to_string(save).unwrap();
    let mut reader = ron::Deserializer::from_str(&written).unwrap();
    loader.deserialize(text, &mut reader).unwrap();
    let mut written = Vec::new();
    let mut to = rmp_serde::Serializer::new(&mut written).with_human_readable();
    save.serialize(&mut to).unwrap();
    let mut reader = rmp_serde::Deserializer::from_read_ref(&written).with_human_readable();
    loader.deserialize(packed, &mut reader).unwrap();
    worlds
}

/// All ids that the values of the holders and the resource name, in an order that does not depend on ids.
fn named(world: &World) -> Vec<(u32, Entity)> {
    let mut all = Vec::new();
    for (key, ranks) in world.query::<(&Key, Option<&Ranks>)>().iter() {
        let mut ranks: Vec<_> = ranks.iter().flat_map(|ranks| &ranks.0).collect();
        ranks.sort_by_key(|(_, rank)| **rank);
        all.extend(ranks.iter().map(|(id, rank)| (key.0 * 1000 + **rank, **id)));
    }
    for (key, seen) in world.query::<(&Key, Option<&Seen>)>().iter() {
        all.extend(seen.and_then(|seen| seen.1).map(|id| (5000 + key.0, id)));
    }
    all.sort_by_key(|&(place, _)| place);
    all
}

fn dead(world: &World) -> Vec<Entity> {
    let all = named(world).into_iter().map(|(_, id)| id);
    all.filter(|&id| !world.contains(id)).collect()
}

/// The ranks of values among themselves.
fn order<T: Ord>(values: &[T]) -> Vec<usize> {
    let mut sorted: Vec<&T> = values.iter().collect();
    sorted.sort();
    sorted.dedup();
    values
        .iter()
        .map(|value| sorted.binary_search(&value).unwrap())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(150)))]

    #[test]
    fn loads_of_each_format_agree(numbers in prop::collection::vec(any::<(u8, u8, u8)>(), 0..20), again in any::<u8>()) {
        let world = build(&numbers);
        let save = world.save().dangling(Dangling::Dead).with_ids();
        // With other ids: new ones in the order of the old ones, the same in each format.
        let fresh = loads(&save, &loader(), World::new);
        for loaded in &fresh {
            prop_assert_eq!(order(&dead(loaded)), order(&dead(&world)));
            prop_assert_eq!(loaded.hash().unwrap(), fresh[0].hash().unwrap());
        }
        // At the same ids everything is unchanged.
        for loaded in loads(&save, &loader().same_ids(), World::new) {
            prop_assert_eq!(named(&loaded), named(&world));
            prop_assert_eq!(loaded.hash().unwrap(), world.hash().unwrap());
            prop_assert!(world.diff(&loaded).unwrap().is_empty());
        }
        // Into a world that has others, from an earlier load or a copy: none of them is one of the new ones.
        let busy = || {
            let mut busy = World::new();
            (0..again % 4).for_each(|_| _ = busy.spawn(()));
            loader().load_into(&mut busy, &save.to_vec().unwrap()[..]).unwrap();
            if again > 100 {
                let cloner = Cloner::new().dangling(Dangling::Dead);
                let holders: Vec<Entity> = world.query_filtered::<Entity, With<Key>>().iter().collect();
                cloner.entities_into(&world, holders, &mut busy).unwrap();
            }
            busy
        };
        let before: BTreeSet<Entity> = dead(&busy()).into_iter().collect();
        let twice = loads(&save, &loader(), busy);
        for loaded in &twice {
            let after: BTreeSet<Entity> = dead(loaded).into_iter().collect();
            let new = dead(&world).into_iter().collect::<BTreeSet<_>>().len();
            prop_assert_eq!(after.len(), before.len() + new);
            prop_assert!(after.is_superset(&before));
            prop_assert_eq!(loaded.hash().unwrap(), twice[0].hash().unwrap());
        }
        // Returning entities are found to be the same.
        let save = world.save().dangling(Dangling::Dead);
        save.verify(&save.to_vec().unwrap()).unwrap();
        let json = serde_json::to_string(&save).unwrap();
        save.verify_by(|loader, world| {
            loader.deserialize(world, &mut serde_json::Deserializer::from_str(&json))
        }).unwrap();
        // Copies and the loads of loads also have them in the same order.
        prop_assert_eq!(named(&world.try_clone().unwrap()), named(&world));
        let later = loads(&fresh[0].save().dangling(Dangling::Dead), &loader(), World::new);
        for loaded in &later {
            prop_assert_eq!(order(&dead(loaded)), order(&dead(&world)));
        }
        let parts: Vec<Entity> = world.query_filtered::<Entity, With<Key>>().iter().collect();
        let part = world.save().only(parts.iter().copied()).dangling(Dangling::Dead).with_ids();
        let loaded = loads(&part, &loader().same_ids(), World::new);
        for new in &loaded {
            // Entities that are not saved are dead there, and no later entity gets their ids.
            prop_assert_eq!(new.hash().unwrap(), loaded[0].hash().unwrap());
            let left = named(&world).into_iter().map(|(_, id)| id).filter(|id| !parts.contains(id));
            prop_assert_eq!(order(&dead(new)), order(&Vec::from_iter(left)));
        }
        for mut new in loaded {
            let dead = dead(&new);
            (0..40).for_each(|_| _ = new.spawn(()));
            prop_assert!(dead.iter().all(|&id| !new.contains(id)));
        }
    }
}

#[test]
fn the_new_ids_of_a_snapshot_are_given_again() {
    let mut world = World::new();
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    world.spawn((Key(0), Seen([gone].into(), None)));
    let bytes = world.save().dangling(Dangling::Dead).to_vec().unwrap();
    let mut other = World::new();
    let load = |world: &mut World| {
        let loaded = loader().load_into(world, &bytes[..]).unwrap();
        *world
            .get::<Seen>(loaded.entities[0])
            .unwrap()
            .0
            .first()
            .unwrap()
    };
    let first = load(&mut other);
    let snapshotter = ecs_core::snapshot::Snapshotter::new();
    let mut snapshot = snapshotter.take(&mut other).unwrap();
    let second = load(&mut other);
    assert!(second > first);
    let mut copy = other.try_clone().unwrap();
    assert!(load(&mut copy) > second);
    snapshotter.restore(&mut other, &mut snapshot).unwrap();
    assert_eq!(load(&mut other), second);
}

#[test]
fn wrong_lists_of_dead_ids_are_refused_in_each_form() {
    let load = |dead: &str| {
        let text = format!(r#"{{ "entities": [{{ "buried.seen": [[1], 2] }}], "dead": {dead} }}"#);
        let mut world = World::new();
        let loaded =
            loader().deserialize(&mut world, &mut serde_json::Deserializer::from_str(&text));
        loaded
            .map(|_| dead_of(&world))
            .map_err(|error| error.to_string())
    };
    fn dead_of(world: &World) -> Vec<Entity> {
        let query = world.query::<&Seen>();
        let seen = query.iter().next().unwrap();
        seen.0.iter().copied().chain(seen.1).collect()
    }
    let found = load(r#"[[1, "9v3"], [2, "4v1"]]"#).unwrap();
    assert!(found[0] > found[1]);
    let found = load(r#"[[2, "4v1"], [1, "4v1"]]"#).unwrap();
    assert_eq!(found[0], found[1]);
    for (dead, problem) in [
        (r#"[[1, "9v3"], [1, "4v1"]]"#, "the number 1 occurs twice"),
        (
            r#"[[0, "9v3"], [1, "4v1"]]"#,
            "the number 0 is not one that follows the others",
        ),
        (
            r#"[[1, "9v3"], [4000000000, "4v1"]]"#,
            "the number 4000000000 is not one that follows the others",
        ),
        (
            r#"[[2, "9v3"], [3, "4v1"], [4, "4v1"]]"#,
            "the number 4 is not one that follows the others",
        ),
        (
            r#"[[2, "9v3"], [3, "4v1"]]"#,
            "the number 3 is not one that follows the others",
        ),
        (
            r#"[[2, "9v3"]]"#,
            "the number 2 is not one that follows the others",
        ),
        (r#"[[1, "9v3"]]"#, "there is no entity 2"),
    ] {
        let error = load(dead).unwrap_err();
        assert!(error.contains(problem), "{dead}: {error}");
    }
}
