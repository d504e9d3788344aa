//! Snapshots of some entities: these return, and all others stay.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::data::{Rollback, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::snapshot::{RestoreError, Ring, Snapshotter};
use ecs_core::view::RemovedCursor;
use ecs_core::world::Layout;
use ecs_core::world::hooks::OnDespawn;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

thread_local! {
    /// The values of `Text` that exist.
    static TEXTS: Cell<isize> = const { Cell::new(0) };
    /// The number of clones of `Text` before one panics.
    static CLONES_LEFT: Cell<Option<u32>> = const { Cell::new(None) };
    /// True if the next drop of a `Text` panics.
    static DROP_PANICS: Cell<bool> = const { Cell::new(false) };
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "simulated")]
struct Simulated;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "place", track)]
struct Place(i64);

#[derive(Component, Debug, PartialEq)]
struct Text(String);

impl Text {
    fn new(text: impl ToString) -> Self {
        TEXTS.set(TEXTS.get() + 1);
        Self(text.to_string())
    }
}

impl Clone for Text {
    fn clone(&self) -> Self {
        if let Some(left) = CLONES_LEFT.get() {
            assert!(left > 0, "this clone panics");
            CLONES_LEFT.set(Some(left - 1));
        }
        Self::new(&self.0)
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        TEXTS.set(TEXTS.get() - 1);
        if DROP_PANICS.replace(false) {
            panic!("this drop panics");
        }
    }
}

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "fast", storage = "sparse", track)]
struct Fast(u32);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "notes", storage = "sparse")]
struct Notes(Vec<u32>);

/// Cannot be copied.
#[derive(Component, Debug, PartialEq)]
struct Spark(String);

/// Cannot be copied.
#[derive(Component, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Glow(String);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "kind")]
struct Kind(u32);

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "part", tree, sources = "despawn")]
struct PartOf(u8);

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "owner")]
struct Owner;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "likes", many)]
struct Likes(String);

fn snapshotter() -> Snapshotter {
    Snapshotter::new()
        .entities::<With<Simulated>>()
        .component::<Text>()
}

/// All that a program can see of an entity.
#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    is_simulated: bool,
    values: Vec<String>,
    part_of: Option<(Entity, u8)>,
    owner: Option<Entity>,
    likes: Vec<(Entity, String)>,
}

type All = BTreeMap<Entity, Seen>;

fn see(world: &World) -> All {
    world.check_invariants();
    let mut all = All::new();
    for entity in &world.query::<Entity>() {
        let mut seen = Seen {
            is_simulated: world.has::<Simulated>(entity),
            ..Seen::default()
        };
        let values = &mut seen.values;
        values.extend(world.get::<Place>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Text>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Fast>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Notes>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Spark>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Glow>(entity).map(|value| format!("{value:?}")));
        values.extend(world.get::<Kind>(entity).map(|value| format!("{value:?}")));
        let target = world.get::<Target<PartOf>>(entity);
        seen.part_of = target.map(|target| (target.entity(), target.value().0));
        let target = world.get::<Target<Owner>>(entity);
        seen.owner = target.map(|target| target.entity());
        if let Some(targets) = world.get::<Targets<Likes>>(entity) {
            let edges = targets
                .iter()
                .map(|(target, value)| (target, value.0.clone()));
            seen.likes = edges.collect();
        }
        all.insert(entity, seen);
    }
    all
}

/// The sources of each entity, by the three relations, in their order.
fn sources(world: &World) -> BTreeMap<Entity, [Vec<Entity>; 3]> {
    let of = |entity| {
        [
            world
                .get::<Sources<PartOf>>(entity)
                .map_or(Vec::new(), |s| s.as_slice().to_vec()),
            world
                .get::<Sources<Owner>>(entity)
                .map_or(Vec::new(), |s| s.as_slice().to_vec()),
            world
                .get::<Sources<Likes>>(entity)
                .map_or(Vec::new(), |s| s.as_slice().to_vec()),
        ]
    };
    world
        .query::<Entity>()
        .iter()
        .map(|entity| (entity, of(entity)))
        .collect()
}

/// The simulated entities in the order of tables, and of two sparse sets.
fn order(world: &World) -> [Vec<Entity>; 3] {
    let simulated = |all: Vec<Entity>| {
        let all = all.into_iter();
        all.filter(|&e| world.has::<Simulated>(e)).collect()
    };
    let fast = world.query::<(Entity, &Fast)>();
    let notes = world.query::<(Entity, &Notes)>();
    [
        simulated(world.query::<Entity>().iter().collect()),
        simulated(fast.iter().map(|(entity, _)| entity).collect()),
        simulated(notes.iter().map(|(entity, _)| entity).collect()),
    ]
}

/// Returns the world to which the return from `after` to `before` has to lead.
fn expected(before: &All, after: &All) -> All {
    let mut all: All = before.clone();
    all.retain(|_, seen| seen.is_simulated);
    let others = after.iter().filter(|(entity, seen)| {
        !seen.is_simulated && !before.get(entity).is_some_and(|seen| seen.is_simulated)
    });
    let mut others: All = others
        .map(|(entity, seen)| (*entity, seen.clone()))
        .collect();
    // Sources go with their targets.
    loop {
        let is_gone = |seen: &Seen| {
            let target = seen.part_of.map(|(target, _)| target);
            target.is_some_and(|target| !all.contains_key(&target) && !others.contains_key(&target))
        };
        let gone: BTreeSet<Entity> = others
            .iter()
            .filter(|(_, seen)| is_gone(seen))
            .map(|(entity, _)| *entity)
            .collect();
        if gone.is_empty() {
            break;
        }
        others.retain(|entity, _| !gone.contains(entity));
    }
    let alive: BTreeSet<Entity> = all.keys().chain(others.keys()).copied().collect();
    for seen in others.values_mut() {
        seen.owner = seen.owner.filter(|owner| alive.contains(owner));
        seen.likes.retain(|(target, _)| alive.contains(target));
    }
    all.append(&mut others);
    all
}

/// The kind of a step, an entity, another one, a number.
type Step = (u8, usize, usize, u32);

fn steps(len: usize) -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((0..26_u8, 0..40_usize, 0..40_usize, 0..1000_u32), 0..len)
}

/// One step of a program, in which simulated entities get simulated ids. If it is `tame`, no entity changes sides, and simulated ones
/// are related to each other alone.
fn step(world: &mut World, (kind, which, other, number): Step, tame: bool) {
    let list = |is_simulated: bool| -> Vec<Entity> {
        let all: Vec<Entity> = world.query::<Entity>().iter().collect();
        all.into_iter()
            .filter(|&e| world.has::<Simulated>(e) == is_simulated)
            .collect()
    };
    let (simulated, others) = (list(true), list(false));
    let all: Vec<Entity> = simulated.iter().chain(&others).copied().collect();
    let pick = |list: &[Entity], n: usize| (!list.is_empty()).then(|| list[n % list.len()]);
    match kind {
        0 | 1 => {
            world.with_simulated_ids(|world| {
                let entity = world.spawn((Simulated, Place(i64::from(number))));
                match number % 4 {
                    0 => world.insert(entity, Text::new(number)).unwrap(),
                    1 => world
                        .insert(entity, (Fast(number), Notes(vec![1])))
                        .unwrap(),
                    2 => world.insert(entity, Kind(number)).unwrap(),
                    _ => {}
                }
            });
        }
        2 | 3 => {
            match number % 4 {
                0 => world.spawn(Spark(number.to_string())),
                1 => world.spawn((Glow(number.to_string()), Text::new(number))),
                2 => world.spawn((Fast(number), Notes(vec![number]), Place(3))),
                _ => world.spawn((Kind(number), Fast(number))),
            };
        }
        4 | 5 => {
            if let Some(entity) = pick(&simulated, which) {
                // Not in the way in which sources of others go with it, which another test is about.
                world.despawn(entity).unwrap();
            }
        }
        6 => {
            if let Some(entity) = pick(&others, which) {
                world.despawn(entity).unwrap();
            }
        }
        7..=16 => {
            let Some(entity) = pick(&all, which) else {
                return;
            };
            match kind {
                7 => world.insert(entity, Place(i64::from(number))).unwrap(),
                8 => world.insert(entity, Text::new(number)).unwrap(),
                9 => world.insert(entity, Fast(number)).unwrap(),
                10 => world.insert(entity, Notes(vec![number; 2])).unwrap(),
                11 => world.insert(entity, Kind(number)).unwrap(),
                12 => world.remove::<Text>(entity).unwrap(),
                13 => world.remove::<Fast>(entity).unwrap(),
                14 => world.remove::<(Notes, Kind)>(entity).unwrap(),
                15 => world.remove::<Place>(entity).unwrap(),
                _ => {
                    if let Some(mut fast) = world.get_mut::<Fast>(entity) {
                        fast.0 += 1;
                    }
                }
            }
        }
        17..=22 => {
            let Some(source) = pick(&all, which) else {
                return;
            };
            let targets = if tame && world.has::<Simulated>(source) {
                &simulated
            } else {
                &all
            };
            let Some(target) = pick(targets, other) else {
                return;
            };
            if source == target {
                return;
            }
            match kind {
                17 | 18 => drop(world.relate(source, PartOf(number as u8), target)),
                19 | 20 => drop(world.relate(source, Owner, target)),
                _ => drop(world.relate(source, Likes(number.to_string()), target)),
            }
        }
        23 => {
            if let (Some(source), Some(target)) = (pick(&all, which), pick(&all, other)) {
                _ = world.unrelate::<Likes>(source, target);
            }
        }
        24 if !tame => {
            if let Some(entity) = pick(&simulated, which) {
                world.remove::<Simulated>(entity).unwrap();
            }
        }
        _ => {}
    }
}

fn world_of(grouped: bool) -> World {
    let mut world = World::new();
    if grouped {
        world
            .set_layout(&Layout::new().group::<(Fast, Notes)>())
            .unwrap();
    }
    world
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(150),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_is_simulated_returns_and_all_else_stays(
        first in steps(60),
        second in steps(60),
        third in steps(40),
        local in any::<bool>(),
        grouped in any::<bool>(),
    ) {
        let texts = TEXTS.get();
        {
            let mut world = world_of(grouped);
            if local {
                world.reserve_local_ids(200);
            }
            first.iter().for_each(|&next| step(&mut world, next, true));
            let snapshotter = snapshotter();
            let mut snapshot = snapshotter.take(&mut world).unwrap();
            let (before, order_before, sources_before) = (see(&world), order(&world), sources(&world));
            let next_ids = world.with_simulated_ids(|world| world.next_ids(3).unwrap());
            for steps in [&second, &third] {
                // With local ids, none that lose the marker: they have ids of the simulation.
                steps.iter().for_each(|&next| step(&mut world, next, local));
                let (after, order_after, sources_after) = (see(&world), order(&world), sources(&world));
                match snapshotter.restore(&mut world, &mut snapshot) {
                    Ok(()) => {}
                    Err(error) => {
                        prop_assert!(!local, "{error}");
                        let RestoreError::IdTaken { entity, by } = error else {
                            panic!("{error}");
                        };
                        prop_assert!(before[&entity].is_simulated && after.contains_key(&by));
                        prop_assert_eq!(entity.index(), by.index());
                        prop_assert_eq!(&see(&world), &after);
                        prop_assert_eq!(&order(&world), &order_after);
                        prop_assert_eq!(&sources(&world), &sources_after);
                        continue;
                    }
                }
                let expected = expected(&before, &after);
                prop_assert_eq!(&see(&world), &expected);
                prop_assert_eq!(&order(&world)[0], &order_before[0]);
                if !grouped {
                    prop_assert_eq!(&order(&world), &order_before);
                }
                let now = sources(&world);
                for (entity, now) in &now {
                    let empty = Default::default();
                    let before = sources_before.get(entity).unwrap_or(&empty);
                    let after = sources_after.get(entity).unwrap_or(&empty);
                    for relation in 0..3 {
                        let is_simulated = |entity: &&Entity| expected[entity].is_simulated;
                        let (simulated, others): (Vec<Entity>, Vec<Entity>) =
                            now[relation].iter().partition(|entity| is_simulated(entity));
                        let all = simulated.iter().chain(&others).copied().collect::<Vec<_>>();
                        prop_assert_eq!(&all, &now[relation], "those of the copy come first");
                        if expected[entity].is_simulated {
                            let then = before[relation].iter().filter(is_sim_in(&expected));
                            prop_assert_eq!(simulated, then.copied().collect::<Vec<_>>());
                        }
                        let present = after[relation].iter().filter(|entity| others.contains(entity));
                        prop_assert_eq!(&others, &present.copied().collect::<Vec<_>>());
                    }
                }
                if local {
                    let ids = world.with_simulated_ids(|world| world.next_ids(3).unwrap());
                    prop_assert_eq!(&ids, &next_ids);
                }
            }
        }
        prop_assert_eq!(TEXTS.get(), texts, "each value is dropped once");
    }

    #[test]
    fn a_clone_that_panics_changes_nothing(first in steps(40), second in steps(40), left in 0..12_u32) {
        let mut world = world_of(false);
        world.reserve_local_ids(200);
        first.iter().for_each(|&next| step(&mut world, next, true));
        let snapshotter = snapshotter();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let before = see(&world);
        second.iter().for_each(|&next| step(&mut world, next, true));
        let (after, order_after, sources_after) = (see(&world), order(&world), sources(&world));
        CLONES_LEFT.set(Some(left));
        let restored = catch_unwind(AssertUnwindSafe(|| snapshotter.restore(&mut world, &mut snapshot)));
        CLONES_LEFT.set(None);
        if let Ok(restored) = restored {
            restored.unwrap();
        } else {
            prop_assert_eq!(&see(&world), &after);
            prop_assert_eq!(&order(&world), &order_after);
            prop_assert_eq!(&sources(&world), &sources_after);
            snapshotter.restore(&mut world, &mut snapshot).unwrap();
        }
        prop_assert_eq!(see(&world), expected(&before, &after));
    }
}

fn is_sim_in(all: &All) -> impl Fn(&&Entity) -> bool + '_ {
    |entity| all.get(entity).is_some_and(|seen| seen.is_simulated)
}

#[test]
fn entities_of_the_renderer_stay_in_a_ring() {
    let mut world = World::new();
    let player = world.spawn((Simulated, Place(10)));
    let mut ring = Ring::new(snapshotter(), 8);
    ring.take(0, &mut world).unwrap();
    let spark = world.spawn((Spark("hot".into()), Glow("red".into())));
    world.relate(spark, PartOf(1), player).unwrap();
    world.get_mut::<Place>(player).unwrap().0 = 3;
    ring.restore(0, &mut world).unwrap();
    assert_eq!(world.get::<Place>(player).unwrap().0, 10);
    assert_eq!(world.get::<Spark>(spark).unwrap().0, "hot");
    assert_eq!(world.get::<Target<PartOf>>(spark).unwrap().entity(), player);
    world.check_invariants();
}

#[test]
fn sources_of_an_entity_that_is_gone_go_with_it_or_are_unrelated() {
    let mut world = World::new();
    world.reserve_local_ids(10);
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    let bullet = world.with_simulated_ids(|world| world.spawn(Simulated));
    let [part, owned, part_of_part] = [(); 3].map(|()| world.spawn(Spark("x".into())));
    world.relate(part, PartOf(1), bullet).unwrap();
    world.relate(part_of_part, PartOf(1), part).unwrap();
    world.relate(owned, Owner, bullet).unwrap();
    world.insert_resource(Vec::<Entity>::new());
    world.observe(|event: OnDespawn<Spark>, mut gone: ResMut<Vec<Entity>>| {
        gone.push(event.entity());
    });
    let snapshotter = snapshotter.without_resource::<Vec<Entity>>();
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert!(!world.contains(bullet) && !world.contains(part) && !world.contains(part_of_part));
    assert!(world.contains(owned) && !world.has::<Target<Owner>>(owned));
    let mut gone = world.resource::<Vec<Entity>>().clone();
    gone.sort();
    assert_eq!(gone, [part, part_of_part], "observers see it");
    world.check_invariants();
}

#[test]
fn an_edge_to_what_is_not_part_of_a_snapshot_is_refused_by_name() {
    let mut world = World::new();
    let (player, lamp) = (world.spawn(Simulated), world.spawn(Spark("x".into())));
    world.relate(player, Owner, lamp).unwrap();
    let error = snapshotter().take(&mut world).unwrap_err();
    let (name, source, target) = error.edges[0];
    assert_eq!((source, target), (player, lamp));
    assert!(name.contains("owner") || name.contains("Owner"), "{name}");
    assert!(error.to_string().contains("is related by"), "{error}");
}

#[test]
fn an_index_that_another_entity_has_is_refused_and_local_ids_avoid_it() {
    for local in [false, true] {
        let mut world = World::new();
        let player = world.spawn((Simulated, Place(1)));
        if local {
            world.reserve_local_ids(4);
        }
        let snapshotter = snapshotter();
        let mut before = snapshotter.take(&mut world).unwrap();
        world.despawn(player).unwrap();
        let spark = world.spawn(Spark("x".into()));
        let restored = snapshotter.restore(&mut world, &mut before);
        if local {
            restored.unwrap();
            assert!(world.contains(player) && world.contains(spark));
        } else {
            let error = RestoreError::IdTaken {
                entity: player,
                by: spark,
            };
            assert_eq!(restored, Err(error));
            assert!(!world.contains(player) && world.contains(spark));
        }
        world.check_invariants();
    }
}

#[test]
fn entities_that_change_sides_return_or_are_refused() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Text::new("hero"))));
    let spark = world.spawn(Spark("x".into()));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.remove::<Simulated>(player).unwrap();
    world.get_mut::<Text>(player).unwrap().0.clear();
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert!(world.has::<Simulated>(player));
    assert_eq!(world.get::<Text>(player).unwrap().0, "hero");

    world.insert(spark, Simulated).unwrap();
    let restored = snapshotter.restore(&mut world, &mut before);
    assert_eq!(restored, Err(RestoreError::Joined { entity: spark }));
    assert!(world.has::<Simulated>(spark));
    world.remove::<Simulated>(spark).unwrap();
    snapshotter.restore(&mut world, &mut before).unwrap();

    let other = world.with_simulated_ids(|world| world.spawn(Spark("y".into())));
    let restored = snapshotter.restore(&mut world, &mut before);
    assert_eq!(restored, Err(RestoreError::NotLocal { entity: other }));
    world.check_invariants();
}

#[test]
fn local_ids_are_used_again_and_run_out() {
    let mut world = World::new();
    world.spawn(());
    world.reserve_local_ids(2);
    let [a, b] = [(); 2].map(|()| world.spawn(()));
    assert_eq!([a.index(), b.index()], [1, 2]);
    let full = catch_unwind(AssertUnwindSafe(|| world.spawn(()))).unwrap_err();
    let message = full.downcast_ref::<String>().unwrap();
    assert!(
        message.starts_with("all 2 local ids are in use"),
        "{message}"
    );
    let simulated =
        world.with_simulated_ids(|world| world.spawn_batch([Kind(1), Kind(2)]).to_vec());
    assert_eq!(
        simulated.iter().map(|e| e.index()).collect::<Vec<_>>(),
        [3, 4]
    );
    // An id goes back to where it came from, wherever the despawn is.
    world.despawn(simulated[0]).unwrap();
    world.with_simulated_ids(|world| world.despawn(a).unwrap());
    assert_eq!(world.spawn(()).index(), 1);
    assert_eq!(world.with_simulated_ids(|world| world.spawn(())).index(), 3);
    let inner = world.with_simulated_ids(|world| {
        world.with_local_ids(|world| world.despawn(b).unwrap());
        let outer = world.spawn(()).index();
        (outer, world.with_local_ids(|world| world.spawn(()).index()))
    });
    assert_eq!(inner, (5, 2));
    let caught = catch_unwind(AssertUnwindSafe(|| {
        world.with_simulated_ids(|_| panic!("inside"));
    }));
    assert!(caught.is_err());
    assert!(
        catch_unwind(AssertUnwindSafe(|| world.spawn(()))).is_err(),
        "local again"
    );
    world.check_invariants();
}

#[test]
fn readers_see_no_change_of_what_stays_and_none_of_the_return() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Place(1), Fast(1))));
    let spark = world.spawn((Place(2), Fast(2)));
    #[system]
    fn changed(
        places: Query<Entity, Changed<Place>>,
        fast: Query<Entity, Changed<Fast>>,
    ) -> [usize; 2] {
        [places.iter().count(), fast.iter().count()]
    }
    assert_eq!(changed(&world), [2, 2]);
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    world.get_mut::<Place>(player).unwrap().0 = 7;
    world.get_mut::<Fast>(player).unwrap().0 = 7;
    world.get_mut::<Fast>(spark).unwrap().0 = 7;
    snapshotter.restore(&mut world, &mut before).unwrap();
    assert_eq!(
        changed(&world),
        [0, 1],
        "the change of what stays is still to be seen"
    );
    let mut cursor = RemovedCursor::<Fast>::default();
    _ = world.removed(&mut cursor).read().count();
    world.remove::<Fast>(spark).unwrap();
    assert_eq!(world.removed(&mut cursor).read().count(), 1);
    world.check_invariants();
}

#[test]
fn a_drop_that_panics_leaves_a_world_that_has_returned() {
    let mut world = World::new();
    world.reserve_local_ids(4);
    let spark = world.spawn((Text::new("spark"), Fast(1)));
    let player = world.with_simulated_ids(|world| world.spawn((Simulated, Text::new("hero"))));
    let snapshotter = snapshotter();
    let mut before = snapshotter.take(&mut world).unwrap();
    let seen = see(&world);
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
    if see(&world) != seen {
        snapshotter.restore(&mut world, &mut before).unwrap();
    }
    assert_eq!(see(&world), seen);
    assert!(world.contains(spark));
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "inputs")]
struct Inputs(Vec<u8>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bullet")]
struct Bullet {
    left: u8,
}

#[system]
fn steer(mut places: Query<&mut Place, (With<Simulated>, Without<Bullet>)>, inputs: Res<Inputs>) {
    for (n, mut place) in (&mut places).into_iter().enumerate() {
        let input = inputs.0[n % inputs.0.len()];
        place.0 = (place.0 * 31 + i64::from(input)) % 1_000_003;
    }
}

#[system]
fn shoot(
    places: Query<(Entity, &Place), (With<Simulated>, Without<Bullet>)>,
    inputs: Res<Inputs>,
    mut commands: Commands,
) {
    for (n, (entity, place)) in places.iter().enumerate() {
        let input = inputs.0[n % inputs.0.len()];
        if input.is_multiple_of(3) {
            let bullet = commands.spawn((Simulated, Bullet { left: input % 7 }, Place(place.0)));
            let bullet = bullet.id();
            commands.relate(bullet, Owner, entity);
        }
    }
}

#[system]
fn fly(mut bullets: Query<(Entity, &mut Bullet, &mut Place)>, mut commands: Commands) {
    for (entity, bullet, mut place) in &mut bullets {
        place.0 += 1;
        match bullet.left.checked_sub(1) {
            Some(left) => bullet.left = left,
            None => commands.despawn(entity),
        }
    }
}

struct Machine {
    world: World,
    sim: Schedule,
    rollback: Rollback<u8>,
    hashes: BTreeMap<u64, u64>,
}

impl Machine {
    fn new(local: u32) -> Self {
        let mut world = World::new();
        world.insert_resource(Inputs::default());
        for n in 0..3 {
            world.spawn((Simulated, Place(n)));
        }
        // All machines have the same number.
        world.reserve_local_ids(local);
        let mut sim = Schedule::new();
        sim.add((steer, shoot, fly).chain());
        let hasher = WorldHasher::new().entities::<With<Simulated>>();
        let rollback = Rollback::new(2, snapshotter()).hashes(1, hasher);
        Self {
            world,
            sim,
            rollback,
            hashes: BTreeMap::new(),
        }
    }

    fn advance(&mut self) {
        let apply = |world: &mut World, frame: &ecs_core::data::RollbackFrame<'_, u8>| {
            world.resource_mut::<Inputs>().0 = frame.inputs.to_vec();
        };
        self.rollback
            .advance(&mut self.world, &mut self.sim, apply)
            .unwrap();
        self.world.check_invariants();
        if let Some((frame, hash)) = self.rollback.last_confirmed_hash() {
            self.hashes.insert(frame, hash);
        }
    }

    /// Makes, changes and removes what is not simulated.
    fn render(&mut self, (kind, which, number): (u8, usize, u32)) {
        let world = &mut self.world;
        let simulated: Vec<Entity> = world
            .query_filtered::<Entity, With<Simulated>>()
            .iter()
            .collect();
        let others: Vec<Entity> = world
            .query_filtered::<Entity, Without<Simulated>>()
            .iter()
            .collect();
        let target = simulated[which % simulated.len()];
        let other = (!others.is_empty()).then(|| others[which % others.len()]);
        match (kind, other) {
            (0, _) => drop(world.spawn((Spark(number.to_string()), Place(1)))),
            (1, _) => {
                let sprite = world.spawn((Glow(number.to_string()), Kind(number)));
                world.relate(sprite, PartOf(2), target).unwrap();
            }
            (2, Some(other)) => drop(world.relate(other, Owner, target)),
            (3, Some(other)) => drop(world.relate(other, Likes(number.to_string()), target)),
            (4 | 5, Some(other)) => world.despawn(other).unwrap(),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(30),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_machine_with_sparks_that_goes_back_agrees_with_one_that_has_neither(
        inputs in proptest::collection::vec((0..20_u8, 0..20_u8, 0..5_usize), 40),
        draws in proptest::collection::vec((0..6_u8, 0..100_usize, 0..1000_u32), 120),
    ) {
        let (mut late, mut plain) = (Machine::new(200), Machine::new(200));
        let mut waiting = 0;
        let mut draws = draws.into_iter();
        for (frame, &(one, other, gap)) in (0_u64..).zip(&inputs) {
            plain.rollback.add_input(0, frame, one).unwrap();
            plain.rollback.add_input(1, frame, other).unwrap();
            plain.advance();
            late.rollback.add_input(0, frame, one).unwrap();
            waiting += 1;
            if waiting > gap {
                let first = late.rollback.next_input(1).unwrap();
                for frame in first..=frame {
                    late.rollback.add_input(1, frame, inputs[frame as usize].1).unwrap();
                }
                waiting = 0;
            }
            late.advance();
            draws.by_ref().take(3).for_each(|draw| late.render(draw));
        }
        prop_assert!(late.rollback.stats().rollbacks > 0 || inputs.iter().all(|input| input.2 == 0));
        prop_assert!(late.hashes.len() > 5);
        for (frame, hash) in &late.hashes {
            if let Some(other) = plain.hashes.get(frame) {
                prop_assert_eq!(hash, other, "frame {}", frame);
            }
        }
    }
}
