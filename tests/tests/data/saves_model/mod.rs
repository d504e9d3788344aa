//! Random worlds survive saving and loading, and damaged saves are errors that change nothing.

mod copies;
mod formats;
mod hostile;
mod ids;
mod key_order;
mod limits;
mod moved;
mod outside;
mod panics;
mod parts;
#[macro_use]
mod shapes;
mod names;
mod versions;

use ecs_core::data::WorldData;
use ecs_core::prelude::*;
use parts::{Key, Step, all, build, describe, loader, save};
use proptest::prelude::*;

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(any::<Step>(), 0..60)
}

/// Loads a world from each form.
fn from_each_form(world: &World, mut check: impl FnMut(World, &str)) {
    let bytes = save(world).to_vec().unwrap();
    check(loader().load(&bytes[..]).unwrap(), "columns");

    let text = serde_json::to_string(&save(world)).unwrap();
    let mut new = World::new();
    let mut json = serde_json::Deserializer::from_str(&text);
    loader().deserialize(&mut new, &mut json).unwrap();
    check(new, "json");

    let text = ron::to_string(&save(world)).unwrap();
    let mut new = World::new();
    let mut ron = ron::Deserializer::from_str(&text).unwrap();
    loader().deserialize(&mut new, &mut ron).unwrap();
    check(new, "ron");

    let bytes = rmp_serde::to_vec(&save(world)).unwrap();
    let mut new = World::new();
    let mut pack = rmp_serde::Deserializer::from_read_ref(&bytes);
    loader().deserialize(&mut new, &mut pack).unwrap();
    check(new, "message pack");

    let bytes = postcard::to_allocvec(&save(world)).unwrap();
    let mut new = World::new();
    let mut postcard = postcard::Deserializer::from_bytes(&bytes);
    loader().deserialize(&mut new, &mut postcard).unwrap();
    check(new, "postcard");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(300))
    })]

    #[test]
    fn a_random_world_comes_back_from_each_form(steps in steps()) {
        let world = build(&steps, 0);
        let expected = describe(&world, &all(&world));
        from_each_form(&world, |new, form| {
            new.check_invariants();
            assert_eq!(describe(&new, &all(&new)), expected, "{form}");
        });
    }

    #[test]
    fn a_random_world_comes_back_beside_another_one(steps in steps(), others in steps()) {
        let world = build(&steps, 0);
        let expected = describe(&world, &all(&world));
        let bytes = save(&world).without_resources().to_vec().unwrap();
        let text = serde_json::to_string(&save(&world).without_resources()).unwrap();
        for form in 0..2 {
            let mut living = build(&others, 1_000_000);
            let before = all(&living);
            let expected_before = describe(&living, &before);
            let loaded = if form == 0 {
                loader().load_into(&mut living, &bytes[..]).unwrap()
            } else {
                let mut json = serde_json::Deserializer::from_str(&text);
                loader().deserialize(&mut living, &mut json).unwrap()
            };
            living.check_invariants();
            assert_eq!(describe(&living, &before), expected_before);
            let mut new = describe(&living, &loaded.entities);
            let mut expected = expected.clone();
            new.remove(&u32::MAX);
            expected.remove(&u32::MAX);
            assert_eq!(new, expected);
        }
    }

    #[test]
    fn a_part_of_a_random_world_comes_back(steps in steps(), bits in any::<u64>()) {
        let world = build(&steps, 0);
        let mut part = all(&world);
        part.retain(|entity| bits >> (world.get::<Key>(*entity).unwrap().0 % 64) & 1 == 1);
        let expected = describe(&world, &part);
        let bytes = save(&world).only(part.clone()).to_vec().unwrap();
        let new = loader().load(&bytes[..]).unwrap();
        new.check_invariants();
        assert_eq!(describe(&new, &all(&new)), expected);
        let text = serde_json::to_string(&save(&world).only(part)).unwrap();
        let mut new = World::new();
        let mut json = serde_json::Deserializer::from_str(&text);
        loader().deserialize(&mut new, &mut json).unwrap();
        assert_eq!(describe(&new, &all(&new)), expected);
    }

    #[test]
    fn the_same_ids_come_back(steps in steps()) {
        let world = build(&steps, 0);
        let bytes = save(&world).with_ids().to_vec().unwrap();
        let mut new = World::new();
        loader().same_ids().load_into(&mut new, &bytes[..]).unwrap();
        new.check_invariants();
        let (mut old, mut ids) = (all(&world), all(&new));
        old.sort_unstable();
        ids.sort_unstable();
        assert_eq!(ids, old);
        let mut world = world;
        let next = |world: &mut World| world.next_ids(40).unwrap();
        assert_eq!(next(&mut new), next(&mut world));
        for entity in old {
            assert_eq!(new.get::<Key>(entity).unwrap().0, world.get::<Key>(entity).unwrap().0);
        }
    }

    #[test]
    fn what_was_loaded_is_saved_as_the_same_bytes(steps in steps()) {
        let world = build(&steps, 0);
        let bytes = save(&world).to_vec().unwrap();
        let loaded = loader().load(&bytes[..]).unwrap();
        let again = save(&loaded).to_vec().unwrap();
        let third = loader().load(&again[..]).unwrap();
        assert_eq!(save(&third).to_vec().unwrap(), again);
    }
}

#[test]
fn many_entities_without_values_come_back() {
    for n in [0, 1, 1000, 100_000] {
        let mut world = World::new();
        world.spawn_batch((0..n).map(|_| parts::Tag));
        let bytes = world.save().to_vec().unwrap();
        assert!(bytes.len() < 200 + n / 60);
        assert_eq!(loader().load(&bytes[..]).unwrap().len(), n);
    }
}
