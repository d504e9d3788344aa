//! A copy for a save is written like the save itself.

use ecs_core::data::{Dangling, Save, SaveCopy};
use ecs_core::prelude::*;
use proptest::prelude::*;

use super::parts::{Key, Step, all, build, describe, loader, save};

/// Makes a save with some of the options, selected by the bits of a number.
fn one_of(world: &World, how: u64) -> Save<'_> {
    let mut save = save(world);
    if how & 1 == 1 {
        let part = all(world).into_iter();
        let is_chosen = |entity: &Entity| {
            let key = world.get::<Key>(*entity).map_or(0, |key| key.0);
            how >> (8 + key % 56) & 1 == 1
        };
        save = save.only(part.filter(is_chosen));
    }
    if how & 2 == 2 {
        save = save.with_ids();
    }
    if how & 4 == 4 {
        save = save.dangling(Dangling::Dead);
    }
    if how & 8 == 8 {
        save = save.without::<Key>();
    }
    if how & 16 == 16 {
        save = save.without_resources();
    }
    save
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(300))
    })]

    #[test]
    fn a_copy_is_written_as_the_save_was_although_the_world_has_changed(
        steps in prop::collection::vec(any::<Step>(), 0..60),
        how in any::<u64>(),
    ) {
        let mut world = build(&steps, 0);
        let bytes = |save: &Save<'_>| save.to_vec().map_err(|error| error.to_string());
        let json = |save: &Save<'_>| serde_json::to_string(save).map_err(|error| error.to_string());
        let expected = (bytes(&one_of(&world, how)), json(&one_of(&world, how)));
        let is_all = world.save().left_out().components.is_empty();
        let copy = SaveCopy::take(&mut world, |world| one_of(world, how)).unwrap();
        world.check_invariants();
        prop_assert_eq!(bytes(&one_of(&world, how)), expected.0.clone(), "the world is as it was");
        world.clear();
        let written = std::thread::spawn(move || copy.write(|save| (bytes(save), json(save))));
        let written = written.join().unwrap();
        if is_all {
            prop_assert_eq!(written, expected);
            return Ok(());
        }
        // Entities in tables of other components come in another order.
        prop_assert_eq!(written.1.is_ok(), expected.1.is_ok());
        let (Ok(written), Ok(expected)) = (written.0, expected.0) else {
            return Ok(());
        };
        let load = |bytes: &[u8]| {
            let loader = if how & 2 == 2 { loader().same_ids() } else { loader() };
            let mut world = World::new();
            loader.load_into(&mut world, bytes).unwrap();
            let mut ids = all(&world);
            ids.sort_unstable();
            let values = if how & 8 == 8 { Default::default() } else { describe(&world, &ids) };
            (values, (how & 2 == 2).then_some(ids))
        };
        prop_assert_eq!(load(&written), load(&expected));
    }
}
