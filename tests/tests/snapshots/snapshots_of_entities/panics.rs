//! Values whose `Clone` or `Drop` panics during a return.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use proptest::prelude::*;

use super::model::{CHOICES, expected, order, see, sources};
use super::steps::{both, steps, world_of};
use super::{CLONES_LEFT, DROP_PANICS, Fast, Kind, Simulated, Text, snapshotter};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(100),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_clone_that_panics_changes_nothing(first in steps(60), second in steps(60), left in 0..12_u32) {
        let choice = CHOICES[0];
        let mut world = world_of(false);
        world.reserve_local_ids(200);
        first.iter().for_each(|&next| both(&mut world, choice, next));
        let snapshotter = snapshotter();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let before = see(&world, choice);
        second.iter().for_each(|&next| both(&mut world, choice, next));
        let seen = |world: &World| (see(world, choice), order(world, choice), sources(world));
        let after = seen(&world);
        CLONES_LEFT.set(Some(left));
        let restored = catch_unwind(AssertUnwindSafe(|| snapshotter.restore(&mut world, &mut snapshot)));
        CLONES_LEFT.set(None);
        if let Ok(restored) = restored {
            restored.unwrap();
        } else {
            prop_assert_eq!(&seen(&world), &after);
            snapshotter.restore(&mut world, &mut snapshot).unwrap();
        }
        prop_assert_eq!(see(&world, choice), expected(&before, &after.0));
    }
}

#[test]
fn a_drop_that_panics_leaves_a_world_that_has_returned() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let spark = world.spawn((Text::new("spark"), Fast(1)));
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Text::new("hero"))));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    let seen = see(&world, CHOICES[0]);
    world.with_simulated_ids(|world| {
        world.spawn((Simulated, Text::new("bullet")));
        world.spawn((Simulated, Kind(2), Text::new("bomb")));
    });
    world.get_mut::<Text>(player).unwrap().0.clear();
    DROP_PANICS.set(true);
    let restored = catch_unwind(AssertUnwindSafe(|| {
        snapshotter.restore(&mut world, &mut before)
    }));
    assert!(DROP_PANICS.replace(false) || restored.is_err());
    if see(&world, CHOICES[0]) != seen {
        snapshotter.restore(&mut world, &mut before).unwrap();
    }
    assert_eq!(see(&world, CHOICES[0]), seen);
    assert!(world.contains(spark));
}
