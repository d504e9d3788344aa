//! Random worlds against the naive model.

use std::collections::{BTreeMap, BTreeSet};

use ecs_core::data::WorldHasher;
use ecs_core::prelude::*;
use proptest::prelude::*;

use super::model::{All, CHOICES, expected, order, refused, see, sources};
use super::steps::{Of, both, spawn_member, step, steps, tidy, world_of};
use super::{TEXTS, Text, snapshotter_of};

/// Checks the sources after a return: the copy's sources come first, then the others in their old order.
fn check_sources(expected: &All, [before, after, now]: [&BTreeMap<Entity, [Vec<Entity>; 4]>; 3]) {
    let empty = Default::default();
    for (entity, now) in now {
        let before = before.get(entity).unwrap_or(&empty);
        let after = after.get(entity).unwrap_or(&empty);
        for relation in 0..4 {
            let is_member =
                |entity: &&Entity| expected.get(entity).is_some_and(|seen| seen.is_member);
            let (members, others): (Vec<Entity>, Vec<Entity>) =
                now[relation].iter().partition(|entity| is_member(entity));
            let all: Vec<Entity> = members.iter().chain(&others).copied().collect();
            assert_eq!(all, now[relation], "members come first");
            if expected[entity].is_member {
                let then = before[relation].iter().filter(is_member);
                assert_eq!(members, then.copied().collect::<Vec<_>>());
            }
            let present: BTreeSet<Entity> = others.iter().copied().collect();
            let present = after[relation]
                .iter()
                .filter(|entity| present.contains(entity));
            assert_eq!(others, present.copied().collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(300),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_simulated_returns_and_all_else_stays(
        choice in proptest::sample::select(&CHOICES[..]),
        first in steps(90),
        rounds in proptest::collection::vec(steps(60), 1..4),
        // A program is refused more often if its entities change sides.
        are_all_mixed in any::<bool>(),
        local in any::<bool>(),
        grouped in any::<bool>(),
    ) {
        let texts = TEXTS.get();
        {
            let mut world = world_of(grouped);
            (0..2).for_each(|number| spawn_member(&mut world, number));
            if local {
                world.reserve_local_ids(200);
            }
            let is_local = |entity: Entity| (2..202).contains(&entity.index());
            let is_local: Option<&dyn Fn(Entity) -> bool> = if local { Some(&is_local) } else { None };
            first.iter().for_each(|&next| step(&mut world, choice, Of::All, next));
            tidy(&mut world, choice);
            let snapshotter = snapshotter_of(choice);
            let mut snapshot = snapshotter.take(&mut world).unwrap();
            let mut hasher = (choice.hasher)(WorldHasher::new().without::<Text>());
            let hash = hasher.exact(&mut world).unwrap();
            let (before, order_before, sources_before) =
                (see(&world, choice), order(&world, choice), sources(&world));
            for steps in &rounds {
                for &next in steps {
                    match are_all_mixed {
                        true => step(&mut world, choice, Of::All, next),
                        false => both(&mut world, choice, next),
                    }
                }
                let (after, order_after, sources_after) =
                    (see(&world, choice), order(&world, choice), sources(&world));
                let refused = refused(&before, &after, is_local);
                let restored = snapshotter.restore(&mut world, &mut snapshot);
                prop_assert_eq!(restored.as_ref().err(), refused.as_ref());
                let now = see(&world, choice);
                if refused.is_some() {
                    prop_assert_eq!(&now, &after);
                    prop_assert_eq!(&order(&world, choice), &order_after);
                    prop_assert_eq!(&sources(&world), &sources_after);
                    continue;
                }
                let expected = expected(&before, &after);
                prop_assert_eq!(&now, &expected);
                let order_now = order(&world, choice);
                prop_assert_eq!(&order_now[""], &order_before[""], "rows in tables");
                if !grouped {
                    prop_assert_eq!(&order_now, &order_before);
                }
                check_sources(&expected, [&sources_before, &sources_after, &sources(&world)]);
                let mut others = before.iter().filter(|(_, seen)| !seen.is_member);
                let are_local = is_local.is_some_and(|is_local| others.all(|(&e, _)| is_local(e)));
                if are_local && !grouped {
                    prop_assert_eq!(hasher.exact(&mut world).unwrap(), hash);
                }
            }
        }
        prop_assert_eq!(TEXTS.get(), texts, "each value is dropped once");
    }
}
