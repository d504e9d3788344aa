//! Random worlds with all kinds of relations, living and dead ids inside of values, and hooks and observers that write data
//! and other components. Differences of recorded steps are applied in any order and compared with copies of each state.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use ecs_core::data::{Diff, Undo};
use ecs_core::prelude::*;
use ecs_core::query::AndDisabled;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnInsert, OnRemove, OnReplace};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};

thread_local! {
    /// The number of values of `Counted` that were made, less the ones that were dropped.
    static LEDGER: Cell<i64> = const { Cell::new(0) };
}

/// In tables. Its hooks write data and components that are not data.
#[derive(Component, Debug, PartialEq, Serialize)]
#[component(data = "random.counted", track, on_add = added, on_remove = removed)]
struct Counted(u32, Option<Entity>);

fn added(world: DeferredWorld, _: Entity) {
    world.resource_mut::<Hooks>().0 += 1;
}

/// Writes data, including data of the entity that may be about to disappear.
fn removed(mut world: DeferredWorld, entity: Entity) {
    world.resource_mut::<Tally>().0 += 1;
    world.commands().spawn(Ids(HashMap::from([(entity, 0)])));
}

impl Counted {
    fn new(n: u32, id: Option<Entity>) -> Self {
        LEDGER.set(LEDGER.get() + 1);
        Self(n, id)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Self::new(self.0, self.1)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        LEDGER.set(LEDGER.get() - 1);
    }
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (n, id) = Deserialize::deserialize(deserializer)?;
        Ok(Self::new(n, id))
    }
}

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "random.ids")]
struct Ids(HashMap<Entity, u8>);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "random.speed", storage = "sparse")]
struct Speed(u8);

/// Not data.
#[derive(Component, Debug, Default)]
struct Bare;

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "random.car", storage = "sparse", require(Speed, Ids))]
struct Car(u8);

#[derive(Component, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[component(data = "random.off", disables)]
struct Off;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "random.child_of", tree, sources = "despawn")]
struct ChildOf(u8);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "random.follows")]
struct Follows;

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "random.likes", many)]
struct Likes(u8, Option<Entity>);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "random.needs", many, sources = "despawn")]
struct Needs;

/// Written by hooks and observers, and data.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "random.tally")]
struct Tally(u64);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "random.chosen")]
struct Chosen(Vec<Entity>);

/// Written by hooks and observers, and not data.
#[derive(Resource, Default)]
struct Hooks(u64);

fn new_world() -> World {
    let mut world = World::new();
    world.register_data_resource::<Tally>();
    world.register_data_resource::<Chosen>();
    world.insert_resource(Tally(0));
    world.insert_resource(Hooks(0));
    observe(&mut world);
    world
}

fn observe(world: &mut World) {
    world.observe(|_: OnAdd<Speed>, mut tally: ResMut<Tally>| tally.0 += 100);
    world.observe(|_: OnReplace<Ids>, mut tally: ResMut<Tally>| tally.0 += 10_000);
    world.observe(
        |event: OnInsert<Car>, mut speeds: CompMut<Speed>, mut hooks: ResMut<Hooks>| {
            hooks.0 += 1;
            if let Some(speed) = speeds.get_mut(event.entity()) {
                speed.0 = speed.0.wrapping_add(1);
            }
        },
    );
    world.observe(
        |event: OnRemove<Target<ChildOf>>, mut chosen: Option<ResMut<Chosen>>| {
            if let Some(chosen) = &mut chosen {
                chosen.0.push(event.entity());
            }
        },
    );
    world.observe(|_: OnRemove<Targets<Likes>>, mut tally: ResMut<Tally>| tally.0 += 1_000_000);
}

/// A world like another one that was cloned or recorded, with hooks and observers of its own.
fn with_observers(mut world: World) -> World {
    world.insert_resource(Hooks(0));
    observe(&mut world);
    world
}

/// An entity, by its place among the entities that exist or existed.
#[derive(Clone, Copy, Debug)]
enum Id {
    Living(usize),
    Dead(usize),
    Foreign(u8),
}

#[derive(Clone, Debug)]
enum Change {
    Spawn(bool),
    Despawn(usize),
    Counted(usize, u32, Id),
    Ids(usize, Vec<(Id, u8)>),
    Speed(usize, u8),
    Car(usize),
    Off(usize),
    Bare(usize),
    Remove(usize, u8),
    Relate(usize, usize, u8, u8, Id),
    Unrelate(usize, usize, u8),
    Reverse(usize, u8),
    Put(usize, usize, usize, u8),
    Choose(Option<Vec<Id>>),
}

fn id() -> impl Strategy<Value = Id> {
    prop_oneof![
        3 => (0_usize..7).prop_map(Id::Living),
        3 => (0_usize..20).prop_map(Id::Dead),
        1 => (0_u8..3).prop_map(Id::Foreign),
    ]
}

fn one_change() -> impl Strategy<Value = Change> {
    let at = || 0_usize..7;
    let ids = || prop::collection::vec((id(), 0_u8..3), 0..6);
    prop_oneof![
        4 => any::<bool>().prop_map(Change::Spawn),
        3 => at().prop_map(Change::Despawn),
        3 => (at(), 0_u32..3, id()).prop_map(|(at, n, id)| Change::Counted(at, n, id)),
        3 => (at(), ids()).prop_map(|(at, ids)| Change::Ids(at, ids)),
        2 => (at(), 0_u8..3).prop_map(|(at, n)| Change::Speed(at, n)),
        2 => at().prop_map(Change::Car),
        1 => at().prop_map(Change::Off),
        1 => at().prop_map(Change::Bare),
        4 => (at(), 0_u8..10).prop_map(|(at, what)| Change::Remove(at, what)),
        9 => (at(), at(), 0_u8..4, 0_u8..3, id())
            .prop_map(|(a, b, which, n, id)| Change::Relate(a, b, which, n, id)),
        3 => (at(), at(), 0_u8..2).prop_map(|(a, b, which)| Change::Unrelate(a, b, which)),
        2 => (at(), 0_u8..4).prop_map(|(at, which)| Change::Reverse(at, which)),
        2 => (at(), at(), 0_usize..4, 0_u8..4)
            .prop_map(|(a, b, place, which)| Change::Put(a, b, place, which)),
        1 => prop::option::of(prop::collection::vec(id(), 0..4)).prop_map(Change::Choose),
    ]
}

/// All entities, including disabled ones and those that existed before.
fn living(world: &World) -> Vec<Entity> {
    let mut entities: Vec<Entity> = world
        .query_filtered::<Entity, AndDisabled>()
        .iter()
        .collect();
    entities.sort_unstable();
    entities
}

#[derive(Default)]
struct History(Vec<Entity>);

impl History {
    fn id(&self, world: &World, id: Id) -> Option<Entity> {
        let dead = || self.0.iter().copied().filter(|&id| !world.contains(id));
        match id {
            Id::Living(at) => living(world).get(at).copied(),
            Id::Dead(at) => dead().nth(at % dead().count().max(1)),
            Id::Foreign(0) => Entity::from_bits(5 << 32 | 2),
            Id::Foreign(1) => Entity::from_bits(1 << 32 | 70_000),
            Id::Foreign(_) => Entity::from_bits(u64::from(u32::MAX) << 32 | 3),
        }
    }

    fn note(&mut self, world: &World) {
        for entity in living(world) {
            if !self.0.contains(&entity) {
                self.0.push(entity);
            }
        }
    }
}

fn make(world: &mut World, history: &History, change: &Change) {
    let entities = living(world);
    let at = |at: &usize| entities.get(*at).copied();
    match change {
        Change::Spawn(_) if entities.len() >= 9 => {}
        Change::Spawn(false) => _ = world.spawn(()),
        Change::Spawn(true) => _ = world.spawn(Counted::new(7, None)),
        Change::Despawn(e) => _ = at(e).map(|e| world.despawn(e)),
        Change::Counted(e, n, id) => {
            let id = history.id(world, *id);
            _ = at(e).map(|e| world.insert(e, Counted::new(*n, id)));
        }
        Change::Ids(e, ids) => {
            let ids = ids.iter();
            let ids = ids.filter_map(|(id, n)| Some((history.id(world, *id)?, *n)));
            let ids = Ids(ids.collect());
            _ = at(e).map(|e| world.insert(e, ids));
        }
        Change::Speed(e, n) => _ = at(e).map(|e| world.insert(e, Speed(*n))),
        Change::Car(e) => _ = at(e).map(|e| world.insert(e, Car(1))),
        Change::Off(e) => _ = at(e).map(|e| world.insert(e, Off)),
        Change::Bare(e) => _ = at(e).map(|e| world.insert(e, Bare)),
        Change::Remove(e, what) => {
            let Some(e) = at(e) else { return };
            _ = match what {
                0 => world.remove::<Counted>(e),
                1 => world.remove::<Ids>(e),
                2 => world.remove::<Speed>(e),
                3 => world.remove::<Car>(e),
                4 => world.remove::<Off>(e),
                5 => world.remove::<Target<ChildOf>>(e),
                6 => world.remove::<Targets<Likes>>(e),
                7 => world.remove::<Sources<Likes>>(e),
                8 => world.remove::<Target<Follows>>(e),
                _ => world.remove::<Targets<Needs>>(e),
            };
        }
        Change::Relate(a, b, which, n, id) => {
            let id = history.id(world, *id);
            let (Some(a), Some(b)) = (at(a), at(b)) else {
                return;
            };
            _ = match which {
                0 => world.relate(a, ChildOf(*n), b),
                1 => world.relate(a, Follows, b),
                2 => world.relate(a, Likes(*n, id), b),
                _ => world.relate(a, Needs, b),
            };
        }
        Change::Unrelate(a, b, which) => {
            let (Some(a), Some(b)) = (at(a), at(b)) else {
                return;
            };
            _ = match which {
                0 => world.unrelate::<Likes>(a, b),
                _ => world.unrelate::<Needs>(a, b),
            };
        }
        Change::Reverse(e, which) => {
            let Some(e) = at(e) else { return };
            macro_rules! reverse {
                ($relation:ty) => {
                    if let Some(mut sources) = world.sources_mut::<$relation>(e) {
                        sources.sort_by(|a, b| b.id().cmp(&a.id()));
                    }
                };
            }
            match which {
                0 => reverse!(ChildOf),
                1 => reverse!(Follows),
                2 => reverse!(Likes),
                _ => reverse!(Needs),
            }
        }
        Change::Put(a, b, place, which) => {
            let (Some(a), Some(b)) = (at(a), at(b)) else {
                return;
            };
            _ = match which {
                0 => world.insert_sources_at(a, *place, ChildOf(5), &[b]),
                1 => world.insert_sources_at(a, *place, Follows, &[b]),
                2 => world.insert_sources_at(a, *place, Likes(5, None), &[b]),
                _ => world.insert_sources_at(a, *place, Needs, &[b]),
            };
        }
        Change::Choose(None) => _ = world.remove_resource::<Chosen>(),
        Change::Choose(Some(ids)) => {
            let ids = ids.iter().filter_map(|&id| history.id(world, id));
            let ids = ids.collect();
            world.insert_resource(Chosen(ids));
        }
    }
}

/// Describes a world without a hash: values, edges, and the order of both ends.
fn describe(world: &World) -> BTreeMap<Entity, String> {
    let list = |sources: Option<&[Entity]>| format!("{:?}", sources.unwrap_or_default());
    let mut all = BTreeMap::new();
    for entity in living(world) {
        let handle = world.entity(entity).unwrap();
        let ids = handle.get::<Ids>();
        let ids = ids.map(|ids| {
            ids.0
                .iter()
                .map(|(id, n)| (*id, *n))
                .collect::<BTreeMap<_, _>>()
        });
        let likes = handle.get::<Targets<Likes>>();
        let likes = likes.map(|likes| {
            likes
                .iter()
                .map(|edge| format!("{edge:?}"))
                .collect::<Vec<_>>()
        });
        let needs = handle.get::<Targets<Needs>>();
        let needs = needs.map(|needs| {
            needs
                .iter()
                .map(|edge| format!("{edge:?}"))
                .collect::<Vec<_>>()
        });
        let ends = [
            list(handle.get::<Sources<ChildOf>>().as_deref().map(|it| &**it)),
            list(handle.get::<Sources<Follows>>().as_deref().map(|it| &**it)),
            list(handle.get::<Sources<Likes>>().as_deref().map(|it| &**it)),
            list(handle.get::<Sources<Needs>>().as_deref().map(|it| &**it)),
        ];
        let counted = handle.get::<Counted>().map(|it| (it.0, it.1));
        let rest = (
            handle.get::<Speed>().map(|it| it.0),
            handle.get::<Car>().map(|it| it.0),
            handle.has::<Off>(),
            handle
                .get::<Target<ChildOf>>()
                .map(|it| (it.entity(), it.value().clone())),
            handle.get::<Target<Follows>>().map(|it| it.entity()),
        );
        all.insert(
            entity,
            format!("{counted:?} {ids:?} {rest:?} {likes:?} {needs:?} {ends:?}"),
        );
    }
    all
}

#[track_caller]
fn check_same(world: &World, other: &World, differ: &ecs_core::data::Differ) {
    world.check_invariants();
    assert_eq!(describe(world), describe(other));
    let diff = differ.between(world, other).unwrap();
    assert!(diff.is_empty(), "{diff}");
    let hash = |world: &World| {
        ecs_core::data::WorldHasher::new()
            .only_data()
            .world(world)
            .unwrap()
    };
    assert_eq!(hash(world), hash(other));
}

fn walk(first: &[Change], steps: &[Vec<Change>], path: &[(u8, usize, usize)]) {
    let differ = ecs_core::data::Differ::new().only_data();
    let cloner = ecs_core::data::Cloner::new().only_data();
    let mut history = History::default();
    let mut world = new_world();
    for change in first {
        make(&mut world, &history, change);
        history.note(&world);
    }
    let mut undo = Undo::with(differ.clone(), 100);
    // Copies of the states, and the differences between consecutive ones.
    let mut states = vec![cloner.world(&world).unwrap()];
    check_same(&world, &states[0], &differ);
    assert_eq!(
        states[0].next_ids(12).unwrap(),
        world.next_ids(12).unwrap(),
        "a copy goes on as its original"
    );
    let mut diffs: Vec<Diff> = Vec::new();
    for step in steps {
        undo.record(&mut world, |world| {
            for change in step {
                make(world, &history, change);
                history.note(world);
            }
        })
        .unwrap();
        let state = cloner.world(&world).unwrap();
        check_same(&world, &state, &differ);
        let last = states.last().unwrap();
        diffs.push(differ.between(last, &state).unwrap());
        states.push(state);
    }
    let last = states.len() - 1;
    // Back to the start and on to the end, with observers that would count.
    let recorded: Vec<usize> = (0..last).filter(|&at| !diffs[at].is_empty()).collect();
    let hooks = world.resource::<Hooks>().0;
    for &at in recorded.iter().rev() {
        assert!(undo.undo(&mut world).unwrap());
        check_same(&world, &states[at], &differ);
    }
    assert!(!undo.undo(&mut world).unwrap());
    for &at in &recorded {
        assert!(undo.redo(&mut world).unwrap());
        check_same(&world, &states[at + 1], &differ);
    }
    assert_eq!(world.resource::<Hooks>().0, hooks, "no hook was called");
    // Any path between the states, by differences of all lengths.
    let mut copy = with_observers(cloner.world(&world).unwrap());
    let mut now = last;
    for &(how, to, between) in path {
        let (to, between) = (to % states.len(), between % states.len());
        let direct = |from: usize, to: usize| differ.between(&states[from], &states[to]).unwrap();
        let diff = match how {
            0 => direct(now, to),
            1 => direct(to, now).reversed(),
            2 => direct(now, between).then(&direct(between, to)).unwrap(),
            _ => {
                // One step after the other, merged into one.
                let steps: Vec<Diff> = match now <= to {
                    true => diffs[now..to].to_vec(),
                    false => diffs[to..now].iter().rev().map(Diff::reversed).collect(),
                };
                let none = direct(now, now);
                steps
                    .iter()
                    .try_fold(none, |all, step| all.then(step))
                    .unwrap()
            }
        };
        // Not identical, because entries of maps have any order.
        let none = diff.clone().then(&direct(to, now)).unwrap();
        assert!(none.is_empty(), "{none}");
        let diff = Diff::from_slice(&diff.to_vec().unwrap()).unwrap();
        diff.apply(&mut copy).unwrap();
        check_same(&copy, &states[to], &differ);
        now = to;
    }
    // Merged into one step.
    let mut merged = Undo::with(differ.clone(), 3);
    for diff in &diffs {
        merged.merge(diff.clone()).unwrap();
    }
    let mut copy = with_observers(cloner.world(&states[last]).unwrap());
    let is_one = merged.done().len() == 1;
    assert_eq!(merged.undo(&mut copy).unwrap(), is_one);
    check_same(&copy, &states[0], &differ);
    assert_eq!(merged.redo(&mut copy).unwrap(), is_one);
    check_same(&copy, &states[last], &differ);
    // Nothing is issued twice, whatever returned.
    for world in [&mut world, &mut copy] {
        for id in world.next_ids(12).unwrap() {
            assert!(!world.contains(id));
        }
    }
    for _ in 0..12 {
        let new = world.spawn(());
        assert!(!history.0.contains(&new), "{new} was issued before");
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(ecs_tests::worlds(60))
    })]

    #[test]
    fn recorded_states_are_reached_exactly_in_any_order(
        first in prop::collection::vec(one_change(), 0..40),
        steps in prop::collection::vec(prop::collection::vec(one_change(), 0..8), 1..6),
        path in prop::collection::vec((0_u8..4, 0_usize..6, 0_usize..6), 0..8),
    ) {
        LEDGER.set(0);
        walk(&first, &steps, &path);
        prop_assert_eq!(LEDGER.get(), 0, "each value was dropped once");
    }
}
