//! Sorting the rows of tables: their new order; nothing else changes.

use std::cell::Cell as Count;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use ecs_core::prelude::*;
use ecs_core::query::{SortOrder, SortProgress};
use ecs_core::relation::Sources;
use ecs_core::world::hooks::{DeferredWorld, OnAdd, OnRemove};
use ecs_core::{Added, Changed, Tick};
use ecs_tests::{Held, Kept, Ledger, Loose, Mark, Plain, Text, Wide};
use proptest::prelude::*;

/// A tracked component with 12 bytes.
#[derive(Component)]
#[component(track)]
struct Watched([u32; 3]);

/// Two bytes, a size without a copy function of its own.
#[derive(Component)]
struct Short(u8, u8);

/// The key of most tests.
#[derive(Component)]
struct Cell(u64);

/// The components of an entity: a bit for each table component and for each sparse one, and the key.
#[derive(Clone, Copy, Debug)]
struct Parts {
    tables: u8,
    sparse: u8,
    key: u8,
}

const CELL: u8 = 1;
const PLAIN: u8 = 2;
const TEXT: u8 = 4;
const MARK: u8 = 8;
const WIDE: u8 = 16;
const KEPT: u8 = 32;
const WATCHED: u8 = 64;
const SHORT: u8 = 128;

fn parts() -> impl Strategy<Value = Parts> {
    // Few tables, so that they have several rows each.
    let tables = prop_oneof![
        3 => Just(CELL | TEXT | KEPT | WATCHED),
        2 => Just(CELL | PLAIN | WIDE | SHORT | MARK),
        1 => Just(PLAIN | KEPT),
        1 => any::<u8>(),
    ];
    (tables, 0..4_u8, 0..6_u8).prop_map(|(tables, sparse, key)| Parts {
        tables,
        sparse,
        key,
    })
}

/// Spawns an entity whose values distinguish it from all others.
fn spawn(world: &mut World, parts: Parts, number: u32, ledger: &Ledger) -> Entity {
    let entity = world.spawn(());
    let has = |part: u8| parts.tables & part != 0;
    let ok = "the entity is alive";
    if has(CELL) {
        world.insert(entity, Cell(parts.key.into())).expect(ok);
    }
    if has(PLAIN) {
        world.insert(entity, Plain(number)).expect(ok);
    }
    if has(TEXT) {
        world.insert(entity, Text(number.to_string())).expect(ok);
    }
    if has(MARK) {
        world.insert(entity, Mark).expect(ok);
    }
    if has(WIDE) {
        world.insert(entity, Wide([number as u8; 700])).expect(ok);
    }
    if has(KEPT) {
        world.insert(entity, Kept(ledger.token())).expect(ok);
    }
    if has(WATCHED) {
        world.insert(entity, Watched([number; 3])).expect(ok);
    }
    if has(SHORT) {
        let short = Short(number as u8, !number as u8);
        world.insert(entity, short).expect(ok);
    }
    if parts.sparse & 1 != 0 {
        world.insert(entity, Loose(number.into())).expect(ok);
    }
    if parts.sparse & 2 != 0 {
        world.insert(entity, Held(ledger.token())).expect(ok);
    }
    entity
}

/// All values and marks of an entity as text.
fn read(world: &World, entity: Entity) -> String {
    let watched = world.get::<Watched>(entity).map(|watched| watched.0);
    let short = world.get::<Short>(entity).map(|short| (short.0, short.1));
    let wide = world.get::<Wide>(entity).map(|wide| wide.0);
    assert!(wide.is_none_or(|wide| wide.iter().all(|&byte| byte == wide[0])));
    format!(
        "{:?} {:?} {:?} {} {:?} {:?} {watched:?} {short:?} {:?} {:?}",
        world.get::<Cell>(entity).map(|cell| cell.0),
        world.get::<Plain>(entity).as_deref(),
        world.get::<Text>(entity).as_deref(),
        world.has::<Mark>(entity),
        wide.map(|wide| wide[0]),
        world.get::<Kept>(entity).map(|kept| kept.0.id()),
        world.get::<Loose>(entity).as_deref(),
        world.get::<Held>(entity).map(|held| held.0.id()),
    )
}

/// The entities by tables, in the order of rows, and everything known about each entity.
#[derive(Debug, PartialEq)]
struct Seen {
    rows: Vec<Entity>,
    values: BTreeMap<Entity, String>,
    /// By tick: the entities whose `Watched` was added, and changed, after it.
    ticks: Vec<[Vec<Entity>; 2]>,
    sparse: [Vec<Entity>; 2],
}

fn see(world: &World, ticks: &[Tick]) -> Seen {
    let rows: Vec<Entity> = world.query::<Entity>().iter().collect();
    let sorted = |mut ids: Vec<Entity>| {
        ids.sort_by_key(|id| id.to_bits());
        ids
    };
    let since = |&tick: &Tick| {
        let added = world.query_filtered::<Entity, Added<Watched>>();
        let changed = world.query_filtered::<Entity, Changed<Watched>>();
        let added = added.since(tick).iter().collect();
        [sorted(added), sorted(changed.since(tick).iter().collect())]
    };
    Seen {
        values: rows.iter().map(|&id| (id, read(world, id))).collect(),
        ticks: ticks.iter().map(since).collect(),
        sparse: [
            world.view::<Loose>().entities().collect(),
            world.view::<Held>().entities().collect(),
        ],
        rows,
    }
}

/// The rows in the order of a key, table by table; `table` is a number for each entity's set of table components.
fn sorted_rows<K: Ord>(
    rows: &[Entity],
    table: impl Fn(Entity) -> u8,
    key: impl Fn(Entity) -> Option<K>,
) -> Vec<Entity> {
    let mut sorted = Vec::new();
    for rows in rows.chunk_by(|&a, &b| table(a) == table(b)) {
        let mut rows = rows.to_vec();
        rows.sort_by_key(|&row| {
            let key = key(row);
            (key.is_none(), key)
        });
        sorted.append(&mut rows);
    }
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(128),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn rows_are_in_the_order_of_their_keys_and_nothing_else_changes(
        spawned in prop::collection::vec(parts(), 0..40),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        changed in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        window in prop::option::of(0..12_usize),
    ) {
        let (mut world, ledger) = (World::new(), Ledger::default());
        let mut ticks = vec![world.tick()];
        let mut all = BTreeMap::new();
        for (number, &parts) in (0..).zip(&spawned) {
            all.insert(spawn(&mut world, parts, number, &ledger), parts);
            ticks.push(world.tick());
        }
        for index in gone {
            let ids: Vec<Entity> = all.keys().copied().collect();
            if !ids.is_empty() {
                let id = ids[index.index(ids.len())];
                world.despawn(id).unwrap();
                all.remove(&id);
            }
        }
        for index in changed {
            let ids: Vec<Entity> = all.keys().copied().collect();
            if !ids.is_empty()
                && let Some(mut watched) = world.view_mut::<Watched>().get_mut(ids[index.index(ids.len())])
            {
                watched.0[0] += 100;
            }
            ticks.push(world.tick());
        }
        let mut tokens = ledger.alive();
        let before = see(&world, &ticks);
        let table = |id: Entity| all[&id].tables;

        // By a table component, then by a sparse one, then by one of any kind and the id.
        let sort = |world: &mut World, by: u8| -> Vec<Entity> {
            let rows: Vec<Entity> = world.query::<Entity>().iter().collect();
            let progress = &mut SortProgress::default();
            let mut calls = 0;
            loop {
                calls += 1;
                assert!(calls < 10_000, "ends");
                let is_sorted = match (by, window) {
                    (0, None) => {
                        world.sort_rows_by_key::<&Cell, _>(|cell| cell.0);
                        true
                    }
                    (0, Some(rows)) => {
                        world.sort_some_rows_by_key::<&Cell, _>(progress, rows, |cell| cell.0)
                    }
                    (1, None) => {
                        world.sort_rows_by_key::<&Loose, _>(|loose| !loose.0);
                        true
                    }
                    (1, Some(rows)) => {
                        world.sort_some_rows_by_key::<&Loose, _>(progress, rows, |loose| !loose.0)
                    }
                    (_, None) => {
                        world.sort_rows_by_key::<(Option<&Text>, Entity), _>(|(text, id)| {
                            (text.map(|text| text.0.len()), !id.index())
                        });
                        true
                    }
                    (_, Some(rows)) => world
                        .sort_some_rows_by_key::<(Option<&Text>, Entity), _>(progress, rows, |(text, id)| {
                            (text.map(|text| text.0.len()), !id.index())
                        }),
                };
                world.check_invariants();
                if is_sorted {
                    return rows;
                }
            }
        };
        for by in 0..3 {
            let old_rows = sort(&mut world, by);
            let expected = match by {
                0 => sorted_rows(&old_rows, table, |id| world.get::<Cell>(id).map(|cell| cell.0)),
                1 => sorted_rows(&old_rows, table, |id| world.get::<Loose>(id).map(|loose| !loose.0)),
                _ => sorted_rows(&old_rows, table, |id| {
                    Some((world.get::<Text>(id).map(|text| text.0.len()), !id.index()))
                }),
            };
            let after = see(&world, &ticks);
            prop_assert_eq!(&after.rows, &expected);
            prop_assert_eq!(&after.values, &before.values);
            prop_assert_eq!(&after.ticks, &before.ticks);
            prop_assert_eq!(&after.sparse, &before.sparse);
        }
        prop_assert_eq!(ledger.alive(), tokens.clone(), "no value is dropped");
        drop(world);
        tokens.clear();
        prop_assert_eq!(ledger.alive(), tokens, "each value is dropped once");
    }
}

/// A world with one table of `rows` rows whose cells count down.
fn counting_down(rows: u64) -> World {
    let mut world = World::new();
    world.spawn_batch((0..rows).rev().map(Cell));
    world
}

fn cells(world: &World) -> Vec<u64> {
    world.view::<Cell>().iter().map(|cell| cell.0).collect()
}

#[test]
fn no_hook_is_called_and_nothing_counts_as_changed() {
    let mut world = World::new();
    for number in [3, 1, 2] {
        world.spawn((Watched([number; 3]), Cell(number.into())));
    }
    let calls = Arc::new(AtomicU32::new(0));
    let (added, removed) = (calls.clone(), calls.clone());
    world.observe(move |_: OnAdd<Cell>, _: DeferredWorld| {
        added.fetch_add(1, Relaxed);
    });
    world.observe(move |_: OnRemove<Cell>, _: DeferredWorld| {
        removed.fetch_add(1, Relaxed);
    });
    let before = world.tick();
    world.sort_rows_by_key::<&Watched, _>(|watched| watched.0);
    assert_eq!(cells(&world), [1, 2, 3]);
    let changed = world.query_filtered::<Entity, Changed<Watched>>();
    assert_eq!(changed.since(before).iter().count(), 0);
    assert_eq!(calls.load(Relaxed), 0);
}

#[test]
fn a_panicking_key_leaves_its_table_as_it_was() {
    for panics_at in 0..10 {
        let mut world = counting_down(10);
        let asked = Count::new(0);
        let sort = AssertUnwindSafe(|| {
            world.sort_rows_by_key::<&Cell, _>(|cell| {
                assert_ne!(asked.replace(asked.get() + 1), panics_at, "on purpose");
                cell.0
            });
        });
        assert!(catch_unwind(sort).is_err());
        world.check_invariants();
        assert!(cells(&world).is_sorted_by(|a, b| a > b), "unchanged");
    }
}

/// A key whose comparison or drop causes harm.
struct Hostile {
    number: u64,
    harm: Harm,
}

#[derive(Clone, Copy, PartialEq)]
enum Harm {
    ComparesAtRandom,
    PanicsWhenCompared,
    PanicsWhenDropped,
}

impl Ord for Hostile {
    fn cmp(&self, other: &Self) -> Ordering {
        assert!(
            self.harm != Harm::PanicsWhenCompared || self.number % 7 != 3,
            "on purpose"
        );
        let mixed = (self.number ^ other.number).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 60;
        match self.harm {
            Harm::ComparesAtRandom => {
                [Ordering::Less, Ordering::Equal, Ordering::Greater][mixed as usize % 3]
            }
            _ => self.number.cmp(&other.number),
        }
    }
}

impl PartialOrd for Hostile {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Hostile {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Hostile {}

impl Drop for Hostile {
    fn drop(&mut self) {
        if self.harm == Harm::PanicsWhenDropped && self.number == 5 && !std::thread::panicking() {
            panic!("on purpose");
        }
    }
}

#[test]
fn keys_that_do_harm_leave_a_consistent_world() {
    for harm in [
        Harm::ComparesAtRandom,
        Harm::PanicsWhenCompared,
        Harm::PanicsWhenDropped,
    ] {
        let (mut world, ledger) = (World::new(), Ledger::default());
        world.spawn_batch(
            (0..100)
                .rev()
                .map(|number| (Cell(number), Kept(ledger.token()))),
        );
        let tokens = ledger.alive();
        let sort = AssertUnwindSafe(|| {
            world.sort_rows_by_key::<&Cell, _>(|cell| Hostile {
                number: cell.0,
                harm,
            });
        });
        let sorted = catch_unwind(sort);
        world.check_invariants();
        if harm != Harm::ComparesAtRandom {
            assert!(sorted.is_err());
            assert!(cells(&world).is_sorted_by(|a, b| a > b), "unchanged");
        }
        let mut numbers = cells(&world);
        numbers.sort_unstable();
        assert!(numbers.into_iter().eq(0..100), "each value is there, once");
        assert_eq!(ledger.alive(), tokens);
    }
}

#[test]
fn a_pass_of_windows_repairs_rows_that_are_nearly_sorted() {
    let mut world = World::new();
    // Each cell is at most five rows away from its place.
    world.spawn_batch((0..1000_u64).map(|number| Cell(number / 6 * 6 + (5 - number % 6))));
    let mut progress = SortProgress::default();
    let mut calls = 0;
    loop {
        calls += 1;
        world.sort_some_rows_by_key::<&Cell, _>(&mut progress, 100, |cell| cell.0);
        if progress == SortProgress::default() {
            break;
        }
    }
    assert!(cells(&world).is_sorted());
    assert!(calls <= 20, "{calls} calls");
    let is_sorted = |world: &mut World, progress: &mut SortProgress| {
        world.sort_some_rows_by_key::<&Cell, _>(progress, 100, |cell| cell.0)
    };
    let calls = (1..).find(|_| is_sorted(&mut world, &mut progress));
    assert!(
        calls.is_some_and(|calls| calls <= 20),
        "it is known to be sorted after a second pass"
    );
}

#[test]
fn a_call_computes_no_more_keys_than_it_may() {
    let mut world = counting_down(1000);
    world.spawn_batch((0..60).rev().map(|number| (Cell(number), Mark)));
    world.spawn_batch((0..60).rev().map(|number| (Cell(number), Plain(0))));
    let mut progress = SortProgress::default();
    let mut is_sorted = false;
    while !is_sorted {
        let keys = Count::new(0);
        is_sorted = world.sort_some_rows_by_key::<&Cell, _>(&mut progress, 100, |cell| {
            keys.set(keys.get() + 1);
            cell.0
        });
        assert!(keys.get() <= 100, "{} keys", keys.get());
    }
}

#[test]
fn windows_go_on_when_rows_leave_and_come_between_calls() {
    let mut world = counting_down(100);
    let mut progress = SortProgress::default();
    let mut step = |world: &mut World| {
        let sorted = world.sort_some_rows_by_key::<&Cell, _>(&mut progress, 10, |cell| cell.0);
        world.check_invariants();
        sorted
    };
    for _ in 0..12 {
        step(&mut world);
    }
    world.clear();
    step(&mut world);
    world.spawn_batch((0..30).rev().map(Cell));
    while !step(&mut world) {}
    // The end of the pass that was interrupted may come first.
    while !step(&mut world) {}
    assert!(cells(&world).into_iter().eq(0..30));
}

#[test]
fn rows_that_move_in_the_rest_of_a_table_that_got_short_are_not_taken_for_sorted() {
    let mut world = World::new();
    world.spawn_batch([4, 5, 6, 7, 3, 2, 1, 0].map(Cell));
    let mut progress = SortProgress::default();
    let mut step = |world: &mut World| {
        world.sort_some_rows_by_key::<&Cell, _>(&mut progress, 4, |cell| cell.0)
    };
    assert!(!step(&mut world));
    let ids: Vec<Entity> = world.query::<Entity>().iter().collect();
    assert_eq!(world.despawn_batch(ids[4..].iter().rev().copied()), 4);
    assert_eq!(cells(&world), [4, 5, 6, 7]);
    world.get_mut::<Cell>(ids[2]).unwrap().0 = 1;
    world.get_mut::<Cell>(ids[3]).unwrap().0 = 0;
    while !step(&mut world) {}
    assert_eq!(cells(&world), [0, 1, 4, 5]);
}

#[derive(Relation)]
#[relation(tree)]
struct ChildOf;

#[test]
fn relations_and_groups_do_not_depend_on_the_order_of_rows() {
    let ledger = Ledger::default();
    let mut world = World::builder().group::<(Loose, Held)>().build();
    let parent = world.spawn(Cell(99));
    let mut children = Vec::new();
    for number in (0..20).rev() {
        let child = world.spawn((Cell(number), ChildOf.to(parent), Loose(number)));
        if number % 3 == 0 {
            world.insert(child, Held(ledger.token())).unwrap();
        }
        children.push(child);
    }
    let group = |world: &World| -> Vec<u64> {
        let (loose, held) = (world.view::<Loose>(), world.view::<Held>());
        let (loose, _) = (&loose, &held).slices();
        loose.iter().map(|loose| loose.0).collect()
    };
    let grouped = group(&world);
    world.sort_rows_by_key::<&Cell, _>(|cell| cell.0);
    world.check_invariants();
    assert!(cells(&world).is_sorted());
    assert_eq!(group(&world), grouped);
    let listed = world.get::<Sources<ChildOf>>(parent).unwrap().to_vec();
    assert_eq!(listed, children);
}

#[derive(Component, Clone, Copy, Debug, PartialEq)]
struct Layer(i8);

/// A key that panics when it is compared with one like it, if a test asks for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Brittle(i8);

impl PartialOrd for Brittle {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Brittle {
    fn cmp(&self, other: &Self) -> Ordering {
        assert!(self.0 != 13 && other.0 != 13, "13 cannot be compared");
        self.0.cmp(&other.0)
    }
}

proptest! {
    #[test]
    fn a_kept_order_visits_what_a_fresh_sort_does(
        first in prop::collection::vec(any::<i8>(), 0..40),
        steps in prop::collection::vec((0..4_u8, any::<usize>(), -4..4_i8), 0..20),
    ) {
        let mut world = World::new();
        let mut entities: Vec<Entity> = first.into_iter().map(|layer| world.spawn(Layer(layer))).collect();
        let mut kept = SortOrder::new();
        for (what, n, layer) in steps {
            if !entities.is_empty() {
                let n = n % entities.len();
                match what {
                    0 => entities.push(world.spawn(Layer(layer))),
                    1 => world.despawn(entities.swap_remove(n)).unwrap(),
                    2 => world.get_mut::<Layer>(entities[n]).unwrap().0 = layer,
                    _ => {}
                }
            }
            let mut query = world.query::<(Entity, &mut Layer)>();
            let mut visited = Vec::new();
            query.for_each_sorted(&mut kept, |(_, layer)| layer.0, |(entity, layer)| visited.push((entity, layer.0)));
            let fresh = query.sorted_by_key(|(_, layer)| layer.0).map(|(entity, layer)| (entity, layer.0));
            prop_assert_eq!(visited, fresh.collect::<Vec<_>>());
        }
    }
}

#[test]
fn an_order_is_usable_after_a_comparison_has_panicked() {
    let mut world = World::new();
    let all = [5, 3, 4].map(|layer| world.spawn(Layer(layer)));
    let mut order = SortOrder::new();
    let mut visit = |world: &World| {
        let mut visited = Vec::new();
        let mut query = world.query::<&Layer>();
        query.for_each_sorted(
            &mut order,
            |layer| Brittle(layer.0),
            |layer| visited.push(layer.0),
        );
        visited
    };
    assert_eq!(visit(&world), [3, 4, 5]);
    world.get_mut::<Layer>(all[1]).unwrap().0 = 13;
    assert!(catch_unwind(AssertUnwindSafe(|| visit(&world))).is_err());
    world.get_mut::<Layer>(all[1]).unwrap().0 = 9;
    assert_eq!(visit(&world), [4, 5, 9]);
}
