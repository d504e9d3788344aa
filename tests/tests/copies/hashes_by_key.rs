//! Hashes by a component instead of ids do not depend on ids, rows or tables.

use std::collections::HashMap;

use ecs_core::data::{HashCache, HashError, WorldHasher};
use ecs_core::prelude::*;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data_steps::{ChildOf, Fast, Likes, Marked, Place, Shape, Text, run, step};

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(data = "hashes.gid", track)]
struct Gid(u64);

/// Names entities inside of maps, whose order depends on their ids.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "hashes.known")]
struct Known(HashMap<Entity, u8>);

#[derive(Resource, Serialize, Deserialize, Clone, Debug)]
#[resource(data = "hashes.leader")]
struct Leader(Option<Entity>);

/// Copies a world entity by entity, in another order, with other ids.
fn shuffled(from: &World, first: usize) -> World {
    let mut world = World::new();
    for _ in 0..first {
        let gone = world.spawn(());
        world.despawn(gone).unwrap();
        world.spawn(());
    }
    let padding = Vec::from_iter(&world.query::<Entity>());
    let mut all = Vec::from_iter(&from.query::<Entity>());
    all.sort_unstable();
    let len = all.len().max(1);
    all.rotate_left(first % len);
    all.reverse();
    let new: HashMap<Entity, Entity> = all.iter().map(|&e| (e, world.spawn(()))).collect();
    // The old id of an entity that is gone may be the id of another one here.
    let gone = world.spawn(());
    world.despawn(gone).unwrap();
    let dead = |e: Entity| new.get(&e).copied().unwrap_or(gone);
    for &old in &all {
        let (entity, handle) = (new[&old], from.entity(old).unwrap());
        if let Some(fast) = handle.get::<Fast>() {
            world.insert(entity, *fast).unwrap();
        }
        if let Some(text) = handle.get::<Text>() {
            let text = Text(text.0.clone(), text.1.map(dead));
            world.insert(entity, text).unwrap();
        }
        if let Some(place) = handle.get::<Place>() {
            world.insert(entity, *place).unwrap();
        }
        if let Some(shape) = handle.get::<Shape>() {
            world.insert(entity, shape.clone()).unwrap();
        }
        if handle.has::<Marked>() {
            world.insert(entity, Marked).unwrap();
        }
        if let Some(gid) = handle.get::<Gid>() {
            world.insert(entity, *gid).unwrap();
        }
        for edge in from.edges_from(old) {
            let target = new[&edge.target()];
            if edge.is::<ChildOf>() {
                world.relate(entity, ChildOf, target).unwrap();
            } else {
                let all = handle.get::<ecs_core::relation::Targets<Likes>>().unwrap();
                let likes = all.get(edge.target()).unwrap().clone();
                world.relate(entity, likes, target).unwrap();
            }
        }
    }
    world.despawn_batch(padding);
    world
}

fn with_keys(mut world: World) -> World {
    let mut all = Vec::from_iter(&world.query::<Entity>());
    all.sort_unstable();
    for (n, entity) in (1..).zip(all) {
        world.insert(entity, Gid(n * 1000)).unwrap();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    #[test]
    fn equal_entities_have_equal_hashes_whatever_their_ids(
        steps in prop::collection::vec(step(), 0..16),
        first in 0_usize..4,
        key in 1_u64..5,
    ) {
        let world = with_keys(run(&steps));
        let mut other = shuffled(&world, first);
        let mut hasher = WorldHasher::new().by::<Gid>();
        let hash = hasher.world(&world).unwrap();
        prop_assert_eq!(hasher.world(&other).unwrap(), hash);
        let mut cache = HashCache::of(WorldHasher::new().by::<Gid>());
        prop_assert_eq!(cache.world(&other).unwrap(), hash);
        // One more value, or another one, is another hash.
        let keyed = other.query::<(Entity, &Gid)>();
        let found = keyed.iter().find(|(_, gid)| gid.0 == key * 1000);
        let found = found.map(|(entity, _)| entity);
        drop(keyed);
        if let Some(entity) = found {
            other.insert(entity, Place(99.0, 3)).unwrap();
            prop_assert_ne!(hasher.world(&other).unwrap(), hash);
            prop_assert_ne!(cache.world(&other).unwrap(), hash);
        }
    }
}

#[test]
fn entities_in_maps_and_resources_count_by_their_keys() {
    let make = |order: [u64; 3]| {
        let mut world = World::new();
        let mut by_key = HashMap::new();
        for key in order {
            by_key.insert(key, world.spawn(Gid(key)));
        }
        let known = [2, 3].map(|key| (by_key[&key], key as u8)).into_iter();
        world.insert(by_key[&1], Known(known.collect())).unwrap();
        world.register_data_resource::<Leader>();
        world.insert_resource(Leader(Some(by_key[&2])));
        world
    };
    let mut hasher = WorldHasher::new().by::<Gid>();
    let hash = hasher.world(&make([1, 2, 3])).unwrap();
    for order in [[3, 2, 1], [2, 1, 3]] {
        assert_eq!(hasher.world(&make(order)).unwrap(), hash);
    }
    let mut other = make([1, 2, 3]);
    other.insert_resource(Leader(None));
    assert_ne!(hasher.world(&other).unwrap(), hash);
}

#[test]
fn hashes_of_parts_add_up() {
    let mut one = World::new();
    let all = [1, 2, 3].map(|key| one.spawn((Gid(key), Fast(key as u16))));
    one.insert(all[0], Text("x".into(), Some(all[2]))).unwrap();
    let mut hasher = WorldHasher::new().by::<Gid>();
    let whole = hasher.world(&one).unwrap();

    // The named entity is only a shadow here, and hashed elsewhere.
    let mut here = World::new();
    let shadow = here.spawn((Gid(3), Marked));
    here.spawn((Gid(1), Fast(1), Text("x".into(), Some(shadow))));
    let mut there = World::new();
    there.spawn((Gid(3), Fast(3)));
    there.spawn((Gid(2), Fast(2)));
    let mut own = WorldHasher::new().entities::<Without<Marked>>().by::<Gid>();
    let parts = [&here, &there].map(|world| own.world(world).unwrap());
    assert_eq!(parts[0].wrapping_add(parts[1]), whole);
}

#[test]
fn edges_to_entities_that_are_not_selected_count_by_the_keys_of_these() {
    let mut world = World::new();
    let [child, parent] = [1, 2].map(|key| world.spawn(Gid(key)));
    world.insert(parent, Marked).unwrap();
    let selected = || WorldHasher::new().entities::<Without<Marked>>();
    let (mut keyed, mut only) = (selected().by::<Gid>(), selected().only_by::<Gid>());
    let before = keyed.world(&world).unwrap();
    let by_ids = selected().world(&world).unwrap();
    world.relate(child, ChildOf, parent).unwrap();
    let related = keyed.world(&world).unwrap();
    assert_ne!(related, before);
    assert_eq!(only.world(&world).unwrap(), related);
    assert_eq!(selected().world(&world).unwrap(), by_ids);

    world.insert(parent, Gid(3)).unwrap();
    assert_ne!(keyed.world(&world).unwrap(), related);
    world.remove::<Gid>(parent).unwrap();
    let error = keyed.world(&world).unwrap_err();
    assert!(
        matches!(error, HashError::NoKey { entity, named_by: Some(_), .. } if entity == parent),
        "{error}"
    );
    assert_eq!(only.world(&world).unwrap(), before);
}

#[test]
fn an_entity_that_cannot_be_identified_is_named() {
    let mut world = World::new();
    let a = world.spawn(Gid(1));
    let b = world.spawn(Fast(1));
    let mut hasher = WorldHasher::new().by::<Gid>();
    let error = hasher.world(&world).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the entity {b} has no `hashes.gid`, which is to identify it; help: insert one, or leave out such entities by `WorldHasher::only_by`"
        )
    );
    let mut only = WorldHasher::new().only_by::<Gid>();
    let mut keyed = WorldHasher::new().by::<Gid>().entities::<With<Gid>>();
    let hash = only.world(&world).unwrap();
    assert_eq!(keyed.world(&world).unwrap(), hash);

    world.insert(a, Text(String::new(), Some(b))).unwrap();
    let error = keyed.world(&world).unwrap_err();
    assert!(
        matches!(error, HashError::NoKey { entity, named_by: Some("text"), .. } if entity == b),
        "{error}"
    );
    let named = only.world(&world).unwrap();
    world.despawn(b).unwrap();
    assert_eq!(
        only.world(&world).unwrap(),
        named,
        "one that is left out counts as missing"
    );
    assert_eq!(keyed.world(&world).unwrap(), named);
    assert_eq!(
        keyed.entity(&world, a).unwrap(),
        only.entity(&world, a).unwrap()
    );

    let c = world.spawn(Gid(1));
    let error = hasher.world(&world).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("the entities {a} and {c} have the same `hashes.gid`")
    );
    assert!(matches!(
        hasher.exact(&mut world),
        Err(HashError::ExactByKey)
    ));
}
