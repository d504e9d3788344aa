//! Hashes of worlds are equal if the worlds are equal, whatever happened to them.

use std::collections::{BTreeSet, HashMap, HashSet};

use ecs_core::data::{HashCache, HashError, Loader, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::snapshot::Snapshotter;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

use crate::data_steps::{
    Bag, ChildOf, Fast, Likes, Marked, Place, Shape, Sprite, Text, apply, model, run, step,
};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(300)))]

    #[test]
    fn hashes_are_equal_if_and_only_if_the_worlds_are(
        steps in prop::collection::vec(step(), 0..12),
        other in prop::collection::vec(step(), 0..4),
    ) {
        let mut one = run(&steps);
        let mut two = run(&steps);
        let mut hasher = WorldHasher::new();
        prop_assert_eq!(hasher.world(&one).unwrap(), two.hash().unwrap());
        // Another history may lead to the same state.
        for step in &other {
            apply(&mut two, step);
            let is_equal = model(&one) == model(&two);
            prop_assert_eq!(hasher.world(&one).unwrap() == hasher.world(&two).unwrap(), is_equal);
        }
        // All rows are moved, and tables start again.
        let before = hasher.world(&one).unwrap();
        let copy = one.try_clone().unwrap();
        prop_assert_eq!(hasher.world(&copy).unwrap(), before);
        let entities = Vec::from_iter(&one.query::<Entity>());
        for &entity in entities.iter().rev() {
            one.insert(entity, Sprite).unwrap();
        }
        prop_assert!(entities.is_empty() || hasher.world(&one).is_err());
        prop_assert_eq!(WorldHasher::new().without::<Sprite>().world(&one).unwrap(), before);
        prop_assert_eq!(WorldHasher::new().only_data().world(&one).unwrap(), before);
    }

    #[test]
    fn a_hash_is_the_same_after_a_load_and_after_a_return(
        steps in prop::collection::vec(step(), 0..16),
        other in prop::collection::vec(step(), 0..8),
    ) {
        let mut world = run(&steps);
        let before = world.hash().unwrap();
        let loader = Loader::new()
            .types_of(&world)
            .same_ids();
        // A text that names a missing entity cannot be saved.
        let mut bytes = Vec::new();
        if world.save().with_ids().to_writer(&mut bytes).is_ok() {
            prop_assert_eq!(loader.load(&bytes[..]).unwrap().hash().unwrap(), before);
        }
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let mut hasher = WorldHasher::new();
        let exact = hasher.exact(&mut world).unwrap();
        prop_assert_eq!(hasher.exact(&mut run(&steps)).unwrap(), exact);
        for step in &other {
            apply(&mut world, step);
        }
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        prop_assert_eq!(world.hash().unwrap(), before);
        prop_assert_eq!(hasher.exact(&mut world).unwrap(), exact);
    }

    /// `Text` is tracked, the others are not. Number 0 returns to the snapshot, 1 hashes another world, 2 takes a snapshot.
    #[test]
    fn a_cache_has_the_hash_of_the_world(
        first in prop::collection::vec(step(), 0..10),
        steps in prop::collection::vec((0_u8..8, step()), 0..30),
    ) {
        let mut world = run(&first);
        let other = run(&first[..first.len() / 2]);
        let mut cache = HashCache::new();
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        for (what, step) in &steps {
            match what {
                0 => snapshotter.restore(&mut world, &mut snapshot).unwrap(),
                1 => prop_assert_eq!(cache.world(&other).unwrap(), other.hash().unwrap()),
                2 => snapshotter.take_into(&mut world, &mut snapshot).unwrap(),
                // Written without an insertion.
                3 => for (mut text, n) in (&mut world.view_mut::<Text>()).iter().zip(0_u8..) {
                    if n % 2 == 0 {
                        text.0.push('y');
                    }
                },
                _ => apply(&mut world, step),
            }
            if *what < 7 {
                prop_assert_eq!(cache.world(&world).unwrap(), world.hash().unwrap());
            }
        }
        prop_assert_eq!(cache.world(&world).unwrap(), world.hash().unwrap());
    }

    #[test]
    fn the_order_of_a_map_does_not_matter(
        entries in prop::collection::hash_map(any::<u16>(), prop::collection::hash_map("[a-c]{0,3}", any::<u8>(), 0..5), 0..12),
        holes in prop::collection::hash_map(any::<u8>(), any::<u8>(), 0..6),
    ) {
        let world = |is_reversed: bool| {
            let mut world = World::new();
            let mut list = Vec::from_iter(entries.clone());
            let mut around = Vec::from_iter(holes.clone());
            if is_reversed {
                list.reverse();
                around.reverse();
            }
            // Each map has random keys of its own.
            world.spawn((
                Bag(list.into_iter().map(|(key, map)| (key, map.into_iter().collect())).collect()),
                Shape::Round { radius: 1, holes: around.into_iter().collect() },
            ));
            world.hash().unwrap()
        };
        prop_assert_eq!(world(false), world(true));
    }
}

#[test]
fn a_hash_never_changes() {
    let mut world = World::new();
    let hero = world.spawn((Place(1.5, -2), Text("hero".into(), None)));
    let child = world.spawn((Fast(7), ChildOf.to(hero), Likes(3).to(hero)));
    world
        .insert(hero, Text("hero".into(), Some(child)))
        .unwrap();
    world.spawn((Shape::Flat(9), Bag(HashMap::from([(3, HashMap::new())]))));
    let mut hasher = WorldHasher::new();
    let hashes = [
        hasher.world(&World::new()).unwrap(),
        hasher.world(&world).unwrap(),
        hasher.component::<Place>(&world).unwrap(),
        hasher.entity(&world, child).unwrap(),
    ];
    let vectors = [
        0,
        113_498_103_872_624_725,
        10_060_011_327_805_805_433,
        1_190_267_490_068_887_943,
    ];
    assert_eq!(hashes, vectors);
}

#[test]
fn each_bit_of_a_value_matters() {
    let mut world = World::new();
    let entity = world.spawn((Place(0.0, 0), Fast(0)));
    let mut seen = vec![world.hash().unwrap()];
    for bit in 0..32 {
        world
            .insert(entity, Place(f32::from_bits(1 << bit), 0))
            .unwrap();
        seen.push(world.hash().unwrap());
    }
    for bit in 0..16 {
        world
            .insert(entity, (Place(0.0, 0), Fast(1 << bit)))
            .unwrap();
        seen.push(world.hash().unwrap());
    }
    let nan = f32::from_bits(0x7fc0_0001);
    world.insert(entity, (Place(nan, 0), Fast(0))).unwrap();
    seen.push(world.hash().unwrap());
    assert_eq!(
        world.hash().unwrap(),
        *seen.last().unwrap(),
        "a number that is not equal to itself"
    );
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), count);
}

#[test]
fn resources_that_are_data_and_known_are_part_of_it() {
    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "score")]
    struct Score(u32);
    let mut world = World::new();
    let empty = world.hash().unwrap();
    world.insert_resource(Score(1));
    assert_eq!(
        world.hash().unwrap(),
        empty,
        "the world does not know that it is data"
    );
    world.register_data_resource::<Score>();
    let one = world.hash().unwrap();
    assert_ne!(one, empty);
    world.resource_mut::<Score>().0 = 2;
    assert_ne!(world.hash().unwrap(), one);
    let score = world.resource_mut::<Score>();
    let error = world.hash().unwrap_err();
    assert!(matches!(error, HashError::Resource(_)), "{error}");
    drop(score);
}

#[test]
fn errors_name_the_component_and_the_entity() {
    #[derive(Component, Clone, Debug, Deserialize)]
    #[component(data = "sealed")]
    struct Sealed;
    impl Serialize for Sealed {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("it is sealed"))
        }
    }
    let mut world = World::new();
    let entity = world.spawn(Sealed);
    assert_eq!(
        world.hash().unwrap_err().to_string(),
        "entity 0v1, `sealed`: it is sealed"
    );
    world.insert(entity, Sprite).unwrap();
    world.remove::<Sealed>(entity).unwrap();
    let error = world.hash().unwrap_err().to_string();
    assert!(error.contains("Sprite` is not data"), "{error}");
    world.despawn(entity).unwrap();
    let error = WorldHasher::new().entity(&world, entity).unwrap_err();
    assert_eq!(error.to_string(), "there is no entity 0v1");
    world.hash().unwrap();
}

#[test]
fn the_orders_of_sources_and_targets_matter() {
    let hash = |edges: &[(usize, usize)]| {
        let mut world = World::new();
        let all: Vec<Entity> = (0..4).map(|_| world.spawn(())).collect();
        for &(source, target) in edges {
            world.insert(all[source], Likes(0).to(all[target])).unwrap();
        }
        world.hash().unwrap()
    };
    assert_eq!(hash(&[(0, 1), (2, 3)]), hash(&[(2, 3), (0, 1)]));
    assert_ne!(
        hash(&[(0, 3), (1, 3)]),
        hash(&[(1, 3), (0, 3)]),
        "sources of a target"
    );
    assert_ne!(
        hash(&[(0, 1), (0, 2)]),
        hash(&[(0, 2), (0, 1)]),
        "targets of a source"
    );
    assert_ne!(hash(&[(0, 1)]), hash(&[(1, 0)]));
}

#[test]
fn the_hash_of_many_rows_is_the_sum_of_those_of_the_entities() {
    let mut world = World::new();
    let mut all = Vec::new();
    for n in 0..1_000_u16 {
        let entity = world.spawn((Text("x".repeat((n % 40).into()), None), Fast(n)));
        let bag = HashMap::from([
            (n, HashMap::from([(n.to_string(), 1)])),
            (n + 1, HashMap::new()),
        ]);
        world.insert(entity, Bag(bag)).unwrap();
        if n % 3 == 0 {
            let holes = HashMap::from([(1, 2), (n as u8, 3)]);
            world
                .insert(entity, Shape::Round { radius: 1, holes })
                .unwrap();
        }
        all.push(entity);
    }
    let mut hasher = WorldHasher::new();
    let sum_of_entities = |world: &World, hasher: &mut WorldHasher| {
        let hashes = all
            .iter()
            .map(|&entity| hasher.entity(world, entity).unwrap());
        hashes.fold(0, u64::wrapping_add)
    };
    let hash = hasher.world(&world).unwrap();
    assert_eq!(sum_of_entities(&world, &mut hasher), hash);
    for &entity in all.iter().rev().step_by(2) {
        world.insert(entity, Marked).unwrap();
    }
    for &entity in &all {
        world.remove::<Marked>(entity).unwrap();
    }
    assert_eq!(hasher.world(&world).unwrap(), hash, "rows in another order");
    world.insert(all[700], Text("y".into(), None)).unwrap();
    assert_ne!(hasher.world(&world).unwrap(), hash);
    assert_eq!(
        sum_of_entities(&world, &mut hasher),
        hasher.world(&world).unwrap()
    );
}

#[test]
fn an_exact_hash_depends_on_rows_tables_sets_and_the_ids_that_come_next() {
    let mut hasher = WorldHasher::new();
    let mut exact = |change: &dyn Fn(&mut World, &[Entity])| {
        let mut world = World::new();
        let all: Vec<Entity> = (0..3)
            .map(|n| world.spawn((Place(0.0, n), Fast(1))))
            .collect();
        let before = hasher.world(&world).unwrap();
        change(&mut world, &all);
        assert_eq!(hasher.world(&world).unwrap(), before);
        hasher.exact(&mut world).unwrap()
    };
    let hashes = [
        exact(&|_, _| {}),
        // An empty table, and rows in another order.
        exact(&|world, all| {
            world.insert(all[0], Marked).unwrap();
            world.remove::<Marked>(all[0]).unwrap();
        }),
        // A sparse set in another order.
        exact(&|world, all| {
            world.remove::<Fast>(all[0]).unwrap();
            world.insert(all[0], Fast(1)).unwrap();
        }),
        // Other ids that come next: one that was freed, and one more.
        exact(&|world, _| {
            let gone = world.spawn((Place(0.0, 9), Fast(1)));
            world.despawn(gone).unwrap();
        }),
        exact(&|world, _| {
            let gone = [(); 2].map(|()| world.spawn((Place(0.0, 9), Fast(1))));
            for gone in gone {
                world.despawn(gone).unwrap();
            }
        }),
    ];
    for (n, hash) in hashes.iter().enumerate() {
        assert!(!hashes[..n].contains(hash), "{n}");
    }
}

#[test]
fn an_exact_hash_of_some_entities_depends_on_no_others() {
    let mut hasher = WorldHasher::new().entities::<With<Marked>>();
    let mut exact = |with_others: bool| {
        let mut world = World::new();
        world.reserve_local_ids(4);
        if with_others {
            // The first ones of their types.
            world.spawn((Fast(1), Sprite));
        }
        let members: Vec<Entity> = world.with_simulated_ids(|world| {
            let members = (0..3).map(|n| world.spawn((Marked, Place(0.0, n))));
            members.collect()
        });
        world.relate(members[0], ChildOf, members[1]).unwrap();
        world.insert(members[1], Fast(1)).unwrap();
        if with_others {
            let others = [(); 2].map(|()| world.spawn(Sprite));
            world.relate(others[0], Likes(1), members[2]).unwrap();
            world.relate(others[1], ChildOf, members[2]).unwrap();
            world.relate(members[1], Likes(1), others[0]).unwrap();
        }
        hasher.exact(&mut world).unwrap()
    };
    assert_eq!(exact(true), exact(false));
}

#[test]
fn an_exact_hash_depends_on_no_sets_that_are_left_out() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..3)
        .map(|n| world.spawn((Place(0.0, n), Fast(1))))
        .collect();
    let mut hasher = WorldHasher::new()
        .without::<Fast>()
        .without::<Sources<Likes>>();
    let exact = hasher.exact(&mut world).unwrap();
    world.remove::<Fast>(all[0]).unwrap();
    world.relate(all[0], Likes(1), all[1]).unwrap();
    assert_eq!(hasher.exact(&mut world).unwrap(), exact);
    let mut hasher = WorldHasher::new().without::<Fast>();
    assert_ne!(hasher.exact(&mut world).unwrap(), exact);
}

mod sets {
    use super::*;

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "sets.plain")]
    struct Plain {
        _all: Vec<Option<HashSet<u8>>>,
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "sets.variant")]
    enum Variant {
        Nothing,
        Some(HashSet<u8>),
    }

    #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    #[component(data = "sets.sorted")]
    struct Sorted {
        #[serde(serialize_with = "sorted")]
        all: HashSet<u8>,
        #[serde(skip)]
        _cache: HashSet<u8>,
        other: BTreeSet<u8>,
    }

    #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    #[resource(data = "sets.resource")]
    struct Names(HashSet<String>);

    fn sorted<S: serde::Serializer>(set: &HashSet<u8>, to: S) -> Result<S::Ok, S::Error> {
        set.iter().collect::<BTreeSet<_>>().serialize(to)
    }

    fn refused(world: &World, name: &str) {
        let error = world.hash().unwrap_err();
        assert!(matches!(error, HashError::Unordered { .. }), "{error}");
        assert!(error.to_string().contains(name), "{error}");
        WorldHasher::new().only_data().world(world).unwrap();
    }

    #[test]
    fn sets_without_an_order_are_refused_by_name() {
        let mut world = World::new();
        let first = world.spawn(Plain { _all: Vec::new() });
        refused(&world, "sets.plain");
        let mut hasher = WorldHasher::new();
        hasher.entity(&world, first).unwrap_err();
        let mut hasher = WorldHasher::new().without::<Plain>();
        hasher.world(&world).unwrap();
        let mut world = World::new();
        world.spawn((Variant::Nothing, Place(0.0, 0)));
        world.spawn(Variant::Some(HashSet::new()));
        refused(&world, "sets.variant");
        let mut world = World::new();
        world.register_data_resource::<Names>();
        world.insert_resource(Names(HashSet::new()));
        refused(&world, "sets.resource");
    }

    #[test]
    fn sets_that_serde_writes_in_order_have_a_hash() {
        let hash = |all: &[u8]| {
            let mut world = World::new();
            let all: HashSet<u8> = all.iter().copied().collect();
            let other = all.iter().copied().collect();
            let _cache = HashSet::new();
            world.spawn(Sorted { all, _cache, other });
            world.hash().unwrap()
        };
        let all: Vec<u8> = (0..100).collect();
        let back: Vec<u8> = all.iter().rev().copied().collect();
        assert_eq!(hash(&all), hash(&back));
        assert_ne!(hash(&all), hash(&all[1..]));
    }
}

/// Counts how often values are written.
#[derive(Component, Clone, Debug)]
#[component(data = "hashes.counted", track)]
struct Counted(u8);

thread_local! {
    static WRITTEN: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl Serialize for Counted {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0 == u8::MAX {
            return Err(serde::ser::Error::custom("it is too much"));
        }
        WRITTEN.set(WRITTEN.get() + 1);
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u8::deserialize(deserializer).map(Self)
    }
}

#[test]
fn a_cache_hashes_only_tracked_values_that_have_changed() {
    let mut world = World::new();
    let entities = world.spawn_batch((0..100).map(Counted)).to_vec();
    let mut cache = HashCache::of(WorldHasher::new());
    let mut written = |world: &World| {
        WRITTEN.set(0);
        let hash = cache.world(world);
        let written = WRITTEN.get();
        if let Ok(hash) = hash {
            assert_eq!(hash, world.hash().unwrap());
        }
        written
    };
    assert!(written(&world) >= 100);
    assert_eq!(
        written(&world),
        0,
        "also of those that were written right before the first hash"
    );
    world.get_mut::<Counted>(entities[7]).unwrap().0 = 200;
    assert_eq!(written(&world), 1);
    assert_eq!(written(&world), 0);
    // Another row fills the gap.
    world.despawn(entities[3]).unwrap();
    assert_eq!(written(&world), 1);
    assert_eq!(written(&world), 0);
    // A new row behind a changed one.
    world.spawn(Counted(100));
    for row in [40, 98] {
        world.get_mut::<Counted>(entities[row]).unwrap().0 += 1;
    }
    assert_eq!(written(&world), 3);
    assert_eq!(written(&world), 0);
    // After an error nothing counts as known.
    world.get_mut::<Counted>(entities[50]).unwrap().0 = u8::MAX;
    written(&world);
    world.get_mut::<Counted>(entities[50]).unwrap().0 = 50;
    assert!(written(&world) >= 99);
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "hashes.watched", track)]
struct Watched(u32);

#[test]
fn a_cache_does_not_see_what_is_written_past_the_ticks() {
    let mut world = World::new();
    let entity = world.spawn(Watched(1));
    let mut cache = HashCache::new();
    let before = cache.world(&world).unwrap();
    world.get_mut::<Watched>(entity).unwrap().bypass().0 = 2;
    assert_eq!(cache.world(&world).unwrap(), before);
    assert_ne!(world.hash().unwrap(), before);
    world.get_mut::<Watched>(entity).unwrap().0 = 3;
    assert_eq!(cache.world(&world).unwrap(), world.hash().unwrap());
}
