//! Readers that do not return with the snapshot.

use std::collections::BTreeMap;

use ecs_core::prelude::*;
use ecs_core::toggle::TurnedOn;
use ecs_core::view::RemovedCursor;
use ecs_core::{Disabled, Tick};
use proptest::prelude::*;

use super::model::{All, CHOICES, all_of, see};
use super::steps::{Step, any_step, both, steps, world_of};
use super::{Asleep, Fast, Lamp, Place, Shield, Simulated, snapshotter, snapshotter_of};

/// The changes since the last call, of components in tables and sets, with toggles and without.
#[system]
fn changed(
    places: Query<Entity, Changed<Place>>,
    fast: Query<Entity, Changed<Fast>>,
    shields: Query<Entity, (Changed<Shield>, TurnedOn<Shield>)>,
    lamps: Query<Entity, (Changed<Lamp>, TurnedOn<Lamp>)>,
) -> [Vec<Entity>; 4] {
    [
        places.iter().collect(),
        fast.iter().collect(),
        shields.iter().collect(),
        lamps.iter().collect(),
    ]
}

const NAMES: [&str; 4] = ["place", "fast", "shield", "lamp"];
const TOGGLES: [&str; 4] = ["", "", "shield.toggle", "lamp.toggle"];

/// A reader, and its history.
struct Reader {
    /// The tick of its last run.
    last: Tick,
    /// The tick of the last run that did not leave an entity out, for each component.
    shown: [BTreeMap<Entity, Tick>; 4],
}

impl Reader {
    /// Runs it, and returns the entities that it saw and the entities that it had to see.
    fn run(&mut self, world: &World, all: &All) -> [[Vec<Entity>; 4]; 2] {
        let is_shown = |n: usize, entity: &Entity| {
            let seen = &all[entity];
            let is_off = seen
                .values
                .get(TOGGLES[n])
                .is_some_and(|toggle| toggle.0 == "Off");
            seen.is_enabled && !is_off
        };
        let has_changed = |n: usize, entity: &Entity| {
            let changed = all[entity].values.get(NAMES[n]).and_then(|value| value.2);
            changed.is_some_and(|changed| changed > self.last)
        };
        let expected = [0, 1, 2, 3].map(|n| {
            let those = all
                .keys()
                .filter(|entity| is_shown(n, entity) && has_changed(n, entity));
            those.copied().collect::<Vec<_>>()
        });
        let mut seen = changed(world);
        seen.iter_mut().for_each(|seen| seen.sort());
        self.last = world.tick();
        for (n, shown) in self.shown.iter_mut().enumerate() {
            let entities = all.keys().filter(|entity| is_shown(n, entity));
            shown.extend(entities.map(|&entity| (entity, self.last)));
        }
        [seen, expected]
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(100),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn readers_see_changes_by_the_ticks_of_what_returned_and_of_what_stayed(
        choice in proptest::sample::select(&CHOICES[..]),
        first in steps(60),
        late in steps(20),
        rounds in proptest::collection::vec(proptest::collection::vec((any_step(), 0..8_u8), 0..30), 1..4),
    ) {
        let mut world = world_of(false);
        world.reserve_local_ids(200);
        // A loop that turns toggles off does not note the missed changes for any reader.
        let is_noted = |next: &&Step| next.0 != 32;
        let mut reader = Reader { last: world.tick(), shown: Default::default() };
        first.iter().filter(is_noted).for_each(|&next| both(&mut world, choice, next));
        let [seen, expected] = reader.run(&world, &see(&world, choice));
        prop_assert_eq!(seen, expected);
        late.iter().filter(is_noted).for_each(|&next| both(&mut world, choice, next));
        let snapshotter = snapshotter_of(choice);
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        for steps in &rounds {
            for (next, run) in steps.iter().filter(|step| is_noted(&&step.0)) {
                both(&mut world, choice, *next);
                if *run == 0 {
                    let [seen, expected] = reader.run(&world, &see(&world, choice));
                    prop_assert_eq!(seen, expected);
                }
            }
            let last = reader.last;
            snapshotter.restore(&mut world, &mut snapshot).unwrap();
            let [seen, expected] = reader.run(&world, &see(&world, choice));
            prop_assert_eq!(seen, expected, "since {:?}", last);
        }
        // An entity shown again shows everything that it has not shown yet.
        let all = see(&world, choice);
        let shown = reader.shown.clone();
        for entity in all_of(&world) {
            world.remove::<(Disabled, Asleep)>(entity).unwrap();
            world.turn_on::<Shield>(entity);
            world.turn_on::<Lamp>(entity);
        }
        let [seen, _] = reader.run(&world, &see(&world, choice));
        for n in 0..4 {
            for (entity, values) in &all {
                let changed = values.values.get(NAMES[n]).and_then(|value| value.2);
                let is_unseen = changed.is_some_and(|changed| {
                    shown[n].get(entity).is_none_or(|&shown| changed > shown)
                });
                prop_assert!(!is_unseen || seen[n].contains(entity), "{} of {}", NAMES[n], entity);
            }
        }
    }
}

#[test]
fn readers_see_no_change_of_what_stays_and_none_of_the_return() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Place(1), Fast(1))));
    let spark = world.spawn((Place(2), Fast(2)));
    #[system]
    fn changed_of_two(
        places: Query<Entity, Changed<Place>>,
        fast: Query<Entity, Changed<Fast>>,
    ) -> [usize; 2] {
        [places.iter().count(), fast.iter().count()]
    }
    assert_eq!(changed_of_two(&world), [2, 2]);
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.get_mut::<Place>(player).unwrap().0 = 7;
    world.get_mut::<Fast>(player).unwrap().0 = 7;
    world.get_mut::<Fast>(spark).unwrap().0 = 7;
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert_eq!(
        changed_of_two(&world),
        [0, 1],
        "the change of what stays is still to be seen"
    );
    let mut cursor = RemovedCursor::<Fast>::default();
    _ = world.removed(&mut cursor).read().count();
    world.remove::<Fast>(spark).unwrap();
    assert_eq!(world.removed(&mut cursor).read().count(), 1);
    world.check_invariants();
}
