//! Text queries that are walked in parts, while the world changes in between.

use std::collections::{BTreeSet, HashMap};

use ecs_core::Disabled;
use ecs_core::component::ComponentId;
use ecs_core::data::{TextPlace, TextQuery, TextWalk};
use ecs_core::dynamic::{DynamicComponent, DynamicValue, FieldKind};
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_core::toggle::Toggle;
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "walk.tag")]
struct Tag;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "walk.level")]
struct Level {
    now: i32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "walk.lit", storage = "sparse")]
struct Lit(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "walk.lamp", toggle)]
struct Lamp;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "walk.likes")]
struct Likes;

fn mana() -> ComponentId {
    let mana = DynamicComponent::new("walk.mana").field("now", FieldKind::I32);
    mana.register().unwrap()
}

/// A change of the world. Numbers of entities are positions among those that are alive.
#[derive(Clone, Debug)]
enum Change {
    Spawn(u8),
    Level(usize, i32),
    Lit(usize, Option<u8>),
    Flip(usize),
    // The following ones move rows.
    Despawn(usize),
    Tag(usize, bool),
    Unlevel(usize),
    Mana(usize, i32),
    Likes(usize, usize),
    Disable(usize, bool),
    Sort,
    Restore,
}

impl Change {
    fn apply(&self, world: &mut World, restore: &mut dyn FnMut(&mut World)) {
        let all: Vec<Entity> = world.entities().iter().collect();
        if all.is_empty() {
            let _: Entity = world.spawn(Level { now: 1 });
            return;
        }
        let at = |number: usize| all[number % all.len()];
        match *self {
            Self::Spawn(bits) if bits % 2 == 0 => drop(world.spawn(Tag)),
            Self::Spawn(bits) => drop(world.spawn((Level { now: bits.into() }, Lit(bits)))),
            Self::Level(entity, now) => {
                if let Some(level) = world.get_mut::<Level>(at(entity)) {
                    level.now = now;
                }
            }
            Self::Lit(entity, Some(lit)) => world.insert(at(entity), Lit(lit)).unwrap(),
            Self::Lit(entity, None) => world.remove::<Lit>(at(entity)).unwrap(),
            Self::Flip(entity) => {
                if let Some(lamp) = world.get_mut::<Toggle<Lamp>>(at(entity)) {
                    lamp.turn_off();
                }
            }
            Self::Despawn(entity) => world.despawn(at(entity)).unwrap(),
            Self::Tag(entity, true) => world.insert(at(entity), Tag).unwrap(),
            Self::Tag(entity, false) => world.remove::<Tag>(at(entity)).unwrap(),
            Self::Unlevel(entity) => world.remove::<Level>(at(entity)).unwrap(),
            Self::Mana(entity, now) => {
                let value = DynamicValue::new(mana()).unwrap();
                let value = value.with("now", now).unwrap();
                world.insert_dynamic(at(entity), value).unwrap();
            }
            Self::Likes(source, target) => {
                let _ = world.relate(at(source), Likes, at(target));
            }
            Self::Disable(entity, true) => world.insert(at(entity), Disabled).unwrap(),
            Self::Disable(entity, false) => world.remove::<Disabled>(at(entity)).unwrap(),
            Self::Sort => world.sort_rows_by_key::<&Level, _>(|level| -level.now),
            Self::Restore => restore(world),
        }
    }

    /// Returns true if it moves no row, and so is not to be noticed.
    fn is_still(&self) -> bool {
        matches!(
            self,
            Self::Spawn(_) | Self::Level(..) | Self::Lit(..) | Self::Flip(_)
        )
    }
}

fn spawn(world: &mut World, bits: u8) {
    let entity = world.spawn(Level { now: bits.into() });
    if bits & 1 != 0 {
        world.insert(entity, Tag).unwrap();
    }
    if bits & 2 != 0 {
        world.insert(entity, Lit(bits)).unwrap();
    }
    if bits & 4 != 0 {
        world.insert(entity, Lamp).unwrap();
    }
    if bits & 8 != 0 {
        let value = DynamicValue::new(mana()).unwrap();
        world.insert_dynamic(entity, value).unwrap();
    }
}

fn change() -> impl Strategy<Value = Change> {
    let at = || 0..40_usize;
    prop_oneof![
        any::<u8>().prop_map(Change::Spawn),
        (at(), -9..9).prop_map(|(entity, now)| Change::Level(entity, now)),
        (at(), any::<Option<u8>>()).prop_map(|(entity, lit)| Change::Lit(entity, lit)),
        at().prop_map(Change::Flip),
        at().prop_map(Change::Despawn),
        (at(), any::<bool>()).prop_map(|(entity, is_there)| Change::Tag(entity, is_there)),
        at().prop_map(Change::Unlevel),
        (at(), -9..9).prop_map(|(entity, now)| Change::Mana(entity, now)),
        (at(), at()).prop_map(|(source, target)| Change::Likes(source, target)),
        (at(), any::<bool>()).prop_map(|(entity, is_there)| Change::Disable(entity, is_there)),
        Just(Change::Sort),
        Just(Change::Restore),
    ]
}

const TEXTS: &[&str] = &[
    "",
    "walk.level",
    "walk.tag, !walk.mana",
    "walk.level.now > 0",
    "walk.lit",
    "walk.lit > 60, walk.level",
    "walk.lit < 60 || walk.lit > 200",
    "walk.lamp || walk.mana.now < 0",
    "walk.level && (walk.tag || walk.lit)",
    "(likes *)",
    "!(likes *), walk.level.now < 3",
    "?walk.tag, ecs.disabled",
];

fn world(spawned: &[u8]) -> World {
    let mut world = World::new();
    world.register::<Tag>();
    world.register::<Lit>();
    world.register::<Lamp>();
    world.register::<Disabled>();
    world.register_erased(mana());
    let target = world.spawn(());
    let source = world.spawn(Likes.to(target));
    world.despawn(source).unwrap();
    spawned.iter().for_each(|&bits| spawn(&mut world, bits));
    world
}

fn matching(world: &World, query: &TextQuery) -> BTreeSet<Entity> {
    query.entities(world).unwrap().into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    #[test]
    fn parts_of_a_walk_are_one_walk_unless_rows_have_moved(
        text in prop::sample::select(TEXTS),
        spawned in prop::collection::vec(any::<u8>(), 0..40),
        before in prop::collection::vec(change(), 0..20),
        parts in prop::collection::vec((0..12_usize, 0..6_usize, prop::option::weighted(0.3, change())), 1..30),
    ) {
        let mut world = world(&spawned);
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        let mut restore = |world: &mut World| snapshotter.restore(world, &mut snapshot).unwrap();
        before.iter().for_each(|change| change.apply(&mut world, &mut restore));
        let query = TextQuery::new(&world, text).unwrap();

        let mut always = matching(&world, &query);
        let (mut found, mut order) = (HashMap::<Entity, u32>::new(), Vec::new());
        let (mut has_moved, mut has_changed) = (false, false);
        let mut place = Some(TextPlace::START);
        let mut parts = parts.iter();
        let mut is_expected_to_move = false;
        while let Some(from) = place {
            let (limit, most, change) = parts.next().unwrap_or(&(7, 4, None));
            let matches = query.matches(&world).unwrap();
            let mut walk = matches.resume(&from, *limit);
            prop_assert!(is_expected_to_move || !walk.has_moved(), "nothing has moved");
            has_moved |= walk.has_moved();
            for item in walk.by_ref().take(*most) {
                prop_assert!(matches.contains(item.entity()));
                *found.entry(item.entity()).or_default() += 1;
                order.push(item.entity());
            }
            place = walk.place();
            drop(matches);
            is_expected_to_move = false;
            if let Some(change) = change {
                change.apply(&mut world, &mut restore);
                is_expected_to_move = !change.is_still();
                has_changed = true;
                always.retain(|entity| matching(&world, &query).contains(entity));
            }
        }
        if !has_moved {
            for entity in &always {
                prop_assert_eq!(found.get(entity), Some(&1), "{} matches all the time", entity);
            }
        }
        if !has_changed {
            prop_assert_eq!(found.len(), always.len());
            let matches = query.matches(&world).unwrap();
            let whole = matches.resume(&TextPlace::START, usize::MAX);
            prop_assert_eq!(order, whole.map(|item| item.entity()).collect::<Vec<_>>());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(ecs_tests::worlds(400)))]

    #[test]
    fn matches_that_are_passed_over_are_those_that_a_walk_returns(
        text in prop::sample::select(TEXTS),
        spawned in prop::collection::vec(any::<u8>(), 0..150),
        before in prop::collection::vec(change(), 0..20),
        steps in prop::collection::vec((any::<bool>(), 0..90_usize), 1..8),
        limit in 0..200_usize,
    ) {
        let mut world = world(&spawned);
        let mut restore = |_: &mut World| {};
        before.iter().for_each(|change| change.apply(&mut world, &mut restore));
        let query = TextQuery::new(&world, text).unwrap();
        let matches = query.matches(&world).unwrap();
        let part = || matches.resume(&TextPlace::START, limit);
        let (mut skipping, mut walking) = (part(), part());
        for (skips, count) in steps {
            let walked: Vec<Entity> = walking.by_ref().take(count).map(|item| item.entity()).collect();
            if skips {
                prop_assert_eq!(skipping.skip_matches(count), walked.len());
            } else {
                let found: Vec<Entity> = skipping.by_ref().take(count).map(|item| item.entity()).collect();
                prop_assert_eq!(found, walked);
            }
            let rest = |walk: &TextWalk<'_>| {
                let rest = walk.place().map(|place| matches.resume(&place, usize::MAX));
                rest.into_iter().flatten().map(|item| item.entity()).collect::<Vec<_>>()
            };
            prop_assert_eq!(rest(&skipping), rest(&walking));
        }
        prop_assert!(skipping.map(|item| item.entity()).eq(walking.map(|item| item.entity())));
    }
}

/// Walks over 4 of 10 entities with levels, changes the world, and returns whether the rest notices, with the levels in it.
fn after_four(change: impl FnOnce(&mut World, &[Entity])) -> (bool, Vec<i32>) {
    let mut world = World::new();
    let all: Vec<Entity> = (0..10).map(|now| world.spawn(Level { now })).collect();
    world.register::<Tag>();
    let query = TextQuery::new(&world, "walk.level").unwrap();
    let place = {
        let matches = query.matches(&world).unwrap();
        let mut walk = matches.resume(&TextPlace::START, usize::MAX);
        assert_eq!(walk.by_ref().take(4).count(), 4);
        walk.place().unwrap()
    };
    change(&mut world, &all);
    let matches = query.matches(&world).unwrap();
    let walk = matches.resume(&place, usize::MAX);
    let has_moved = walk.has_moved();
    let levels = walk.map(|item| item.column(0).unwrap().downcast::<Level>().unwrap().now);
    (has_moved, levels.collect())
}

#[test]
fn a_walk_goes_on_at_its_place() {
    assert_eq!(after_four(|_, _| {}), (false, vec![4, 5, 6, 7, 8, 9]));
    let spawns = after_four(|world, _| _ = world.spawn(Level { now: 10 }));
    assert_eq!(spawns, (false, vec![4, 5, 6, 7, 8, 9, 10]));
    let other_rows = after_four(|world, _| {
        let others: Vec<Entity> = (0..9).map(|_| world.spawn(Tag)).collect();
        others
            .iter()
            .for_each(|&other| world.despawn(other).unwrap());
    });
    assert_eq!(other_rows, (false, vec![4, 5, 6, 7, 8, 9]));
}

#[test]
fn rows_that_move_between_parts_are_noticed() {
    // The last row fills the hole, behind the place.
    let despawns = after_four(|world, all| world.despawn(all[1]).unwrap());
    assert_eq!(despawns, (true, vec![4, 5, 6, 7, 8]));
    let and_spawns = after_four(|world, all| {
        world.despawn(all[1]).unwrap();
        world.spawn(Level { now: 10 });
    });
    assert_eq!(and_spawns, (true, vec![4, 5, 6, 7, 8, 10]));
    // To a table that comes later.
    let moves = after_four(|world, all| world.insert(all[1], Tag).unwrap());
    assert_eq!(moves, (true, vec![4, 5, 6, 7, 8, 1]));
}

#[test]
fn a_limit_of_no_rows_stays_at_its_place() {
    let mut world = World::new();
    world.spawn_batch((0..3).map(|now| Level { now }));
    let query = TextQuery::new(&world, "walk.level.now > 1").unwrap();
    let matches = query.matches(&world).unwrap();
    let mut walk = matches.resume(&TextPlace::START, 0);
    assert!(walk.next().is_none());
    let place = walk.place().unwrap();
    let mut walk = matches.resume(&place, 2);
    assert!(walk.next().is_none(), "the match is the third row");
    let mut walk = matches.resume(&walk.place().unwrap(), 1);
    assert!(walk.next().is_some() && walk.next().is_none());
    let walk = matches.resume(&walk.place().unwrap(), usize::MAX);
    assert_eq!(walk.count(), 0);
    assert!(matches.iter().place().is_none(), "only for parts");
}

/// A walk by the rows of a sparse set tests values that follow each other there, in another order than in tables.
#[test]
fn values_of_a_sparse_set_are_tested_where_they_are() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..300).map(|now| world.spawn(Level { now })).collect();
    for number in 0..300_usize {
        let number = number * 7 % 300;
        if number % 3 != 0 {
            world.insert(all[number], Lit(number as u8)).unwrap();
        }
    }
    for step in 0..3 {
        match step {
            0 => {}
            1 => {
                for number in (0..300).step_by(11) {
                    world.remove::<Lit>(all[number]).unwrap();
                    world.insert(all[(number * 5 + 1) % 300], Tag).unwrap();
                }
            }
            _ => {
                for number in (0..300).step_by(13) {
                    world.insert(all[number], Disabled).unwrap();
                }
            }
        }
        let lit = |is: &dyn Fn(u8) -> bool, without_tag: bool| {
            let query = world.query::<(Entity, &Lit, Option<&Tag>)>();
            let found = query
                .iter()
                .filter(|(_, lit, tag)| is(lit.0) && !(without_tag && tag.is_some()));
            found.map(|(entity, ..)| entity).collect::<BTreeSet<_>>()
        };
        let find = |text: &str| {
            let query = TextQuery::new(&world, text).unwrap();
            let matches = query.matches(&world).unwrap();
            let found: Vec<Entity> = matches.iter().map(|found| found.entity()).collect();
            assert_eq!(matches.count(), found.len(), "{text}");
            assert!(
                found.iter().all(|&entity| matches.contains(entity)),
                "{text}"
            );
            let set: BTreeSet<Entity> = found.iter().copied().collect();
            assert_eq!(set.len(), found.len(), "{text}");
            set
        };
        assert_eq!(find("walk.lit < 60"), lit(&|lit| lit < 60, false));
        assert_eq!(
            find("walk.lit < 60, ?walk.level"),
            lit(&|lit| lit < 60, false)
        );
        assert_eq!(find("walk.lit < 60, !walk.tag"), lit(&|lit| lit < 60, true));
        let outside = |lit| !(60..=200).contains(&lit);
        assert_eq!(
            find("walk.lit < 60 || walk.lit > 200"),
            lit(&outside, false)
        );
        assert_eq!(
            find("walk.lit < 60 || walk.lit > 200, walk.level"),
            lit(&outside, false)
        );
        // The values of another component are not in the order of these rows.
        let mut levels = find("walk.lit < 60, walk.level.now > 100");
        levels.retain(|&entity| world.get::<Level>(entity).unwrap().now <= 100);
        assert!(levels.is_empty());
        let many = lit(&|lit| lit < 60, false).len();
        assert!(find("walk.lit < 60, walk.level.now >= 0").len() == many);
        assert_eq!(
            find("walk.lit != 60 || walk.lit == 60"),
            lit(&|_| true, false)
        );
    }
}
