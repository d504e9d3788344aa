//! Memory usage against a counting allocator, and the memory that is given back.

use std::time::Duration;

use ecs_core::prelude::*;
use ecs_core::world::{Bytes, Shrunk};
use ecs_tests::counting::allocated;
use ecs_tests::{Held, Kept, Ledger, Loose, Mark, Plain, Wide};

/// A tracked component in tables.
#[derive(Component)]
#[component(track)]
struct Watched(u64);

/// A tracked component in a sparse set.
#[derive(Component)]
#[component(storage = "sparse", track)]
struct LooseWatched(#[expect(dead_code, reason = "it is there for its size")] u16);

/// A sparse component that views insert and remove.
#[derive(Component)]
#[component(storage = "sparse", immediate)]
struct Burning(#[expect(dead_code, reason = "it is there for its size")] u8);

/// The memory of a new world, and of its records for each type of bundle and component.
const UNCOUNTED: isize = 8 << 10;

/// Checks the sum against the allocator. `before` is the memory that was allocated before the world was made.
#[track_caller]
fn check_total(world: &World, before: isize) -> usize {
    let allocated = allocated() - before;
    let usage = world.memory_usage();
    let reserved = usage.total().reserved as isize;
    assert!(
        (0..=UNCOUNTED).contains(&(allocated - reserved)),
        "{allocated} bytes are allocated, {reserved} counted\n{usage}"
    );
    usage.total().reserved
}

fn fill(world: &mut World, ledger: &Ledger) {
    world.spawn_batch((0..5000).map(|number| (Plain(number), Watched(number.into()))));
    world.spawn_batch((0..70).map(|number| (Plain(number), Wide([0; 700]), Mark)));
    for number in 0..600_u16 {
        world.spawn((Plain(0), Loose(number.into()), LooseWatched(number)));
        world.spawn((Mark, Burning(0)));
    }
    // The ledger allocates for each token, so there are few of them.
    world.spawn((Kept(ledger.token()), Held(ledger.token())));
}

#[test]
fn the_total_is_what_the_allocator_has_counted() {
    let ledger = Ledger::default();
    // Registers the types with the process, which keeps a description of each.
    fill(&mut World::new(), &ledger);
    let before = allocated();
    let mut world = World::new();
    check_total(&world, before);
    fill(&mut world, &ledger);
    check_total(&world, before);
    world.despawn_all::<With<Watched>>();
    check_total(&world, before);
    for _ in 0..2000 {
        // The reserved entities of a world wait in a list.
        let _ = world.reserve_entity();
    }
    check_total(&world, before);
    world.flush();
    let reserved = check_total(&world, before);
    assert_eq!(world.shrink(Duration::MAX), Shrunk::Fully);
    let shrunk = check_total(&world, before);
    assert!(reserved - shrunk > 5000 * (4 + 8 + 8 + 8));
    drop(world);
    assert_eq!(allocated(), before);
}

#[test]
fn removals_that_readers_wait_for_are_counted() {
    let before = allocated();
    let mut world = World::new();
    let ids = world.spawn_batch((0..1000).map(Watched)).to_vec();
    #[system]
    fn count(mut removed: Removed<Watched>) -> usize {
        removed.read().count()
    }
    count(&world);
    let removals = |world: &World| world.memory_usage().removals;
    assert_eq!(removals(&world).used, 0);
    for id in ids {
        world.despawn(id).unwrap();
    }
    assert_eq!(removals(&world).used, 8000);
    check_total(&world, before);
    assert_eq!(count(&world), 1000);
    assert_eq!(world.shrink(Duration::MAX), Shrunk::Fully);
    assert_eq!(removals(&world), Bytes::default());
}

#[test]
fn the_total_is_the_sum_of_the_parts() {
    let (mut world, ledger) = (World::new(), Ledger::default());
    fill(&mut world, &ledger);
    world.insert_resource(7_u32);
    let usage = world.memory_usage();
    let mut sum = usage.ids + usage.removals + usage.index;
    for table in &usage.tables {
        sum += table.ids;
        for component in &table.components {
            assert_eq!(component.values, table.rows);
            sum += component.bytes;
        }
    }
    for set in &usage.sparse_sets {
        sum += set.bytes;
    }
    assert_eq!(usage.total(), sum);
    assert_eq!(usage.entities, world.len());
    assert_eq!(usage.resources, 1);
    let of = |name: &str, rows: usize| {
        let table = usage.tables.iter().find(|table| table.rows == rows);
        let mut components = table.into_iter().flat_map(|table| &table.components);
        let found = components.find(|component| component.name.ends_with(name));
        found.map(|component| component.bytes.used)
    };
    assert_eq!(of("Plain", 5000), Some(5000 * 4));
    assert_eq!(
        of("Watched", 5000),
        Some(5000 * (8 + 2 * 4)),
        "a value and two ticks"
    );
    assert_eq!(of("Wide", 70), Some(70 * size_of::<Wide>()));
    assert_eq!(of("Mark", 70), Some(0));
    let sets = usage.sparse_sets.iter().map(|set| set.values);
    assert_eq!(sets.collect::<Vec<_>>(), [600, 600, 600, 1]);
}

#[test]
fn the_text_is_a_tree_with_aligned_columns() {
    let mut world = World::new();
    world.spawn_batch((0..1000).map(Plain));
    world.spawn(Loose(1));
    world.spawn((Plain(1), Mark));
    world.despawn_all::<With<Mark>>();
    assert_eq!(world.shrink(Duration::MAX), Shrunk::Fully);
    let text = world.memory_usage().to_string();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    assert!(header.trim_start().starts_with("count") && header.ends_with("reserved"));
    let end = header.chars().count();
    let lines: Vec<&str> = lines.collect();
    assert!(
        lines[0].starts_with("world ") && lines[0].contains(" 1001 "),
        "{text}"
    );
    let has = |part: &str| lines.iter().any(|line| line.contains(part));
    for part in [
        "├─ table 1 ",
        "│  ├─ ",
        "│  └─ ids",
        "Plain",
        "Loose",
        "├─ tables without memory",
        "└─ resources, not counted",
    ] {
        assert!(has(part), "`{part}` is in\n{text}");
    }
    for line in &lines[..lines.len() - 1] {
        assert_eq!(
            line.chars().count(),
            end,
            "`{line}` ends with the header in\n{text}"
        );
    }
}

#[test]
fn what_has_no_values_keeps_no_memory() {
    let (mut world, ledger) = (World::new(), Ledger::default());
    fill(&mut world, &ledger);
    world.clear();
    assert_eq!(world.shrink(Duration::MAX), Shrunk::Fully);
    world.check_invariants();
    let usage = world.memory_usage();
    for table in &usage.tables {
        assert_eq!((table.capacity, table.total()), (0, Bytes::default()));
    }
    for set in &usage.sparse_sets {
        assert_eq!(set.bytes, Bytes::default());
    }
    // The descriptions of seven tables; the sparse sets of 1201 entities took 63 KiB.
    assert!(usage.index.reserved < 8 << 10, "{usage}");
    assert!(ledger.alive().is_empty());
    fill(&mut world, &ledger);
    world.check_invariants();
    assert_eq!(world.view::<Watched>().len(), 5000);
}

#[test]
fn a_shrink_that_stops_after_each_part_comes_to_an_end() {
    let mut world = World::new();
    let entities = world.spawn_batch((0..=100_000).map(|_| ()));
    let last = *entities.last().unwrap();
    // Maps of single entries, which have room for three.
    world.insert(last, (Loose(1), LooseWatched(1))).unwrap();
    let calls = (1..100).find(|_| world.shrink(Duration::ZERO) == Shrunk::Fully);
    assert!(calls.is_some(), "{}", world.memory_usage());
    world.check_invariants();
    assert!(world.contains(last) && world.has::<Loose>(last));
}

#[test]
fn ids_values_and_orders_survive() {
    let (mut world, ledger) = (World::new(), Ledger::default());
    fill(&mut world, &ledger);
    let ids: Vec<Entity> = world.query::<Entity>().iter().collect();
    let gone: Vec<Entity> = ids.iter().copied().skip(500).step_by(3).collect();
    for &id in &gone {
        world.despawn(id).unwrap();
    }
    let see = |world: &World| {
        let rows: Vec<Entity> = world.query::<Entity>().iter().collect();
        let watched: Vec<u64> = world.view::<Watched>().iter().map(|it| it.0).collect();
        let loose: Vec<u64> = world
            .view::<Loose>()
            .as_slice()
            .iter()
            .map(|it| it.0)
            .collect();
        (rows, watched, loose, ledger.alive())
    };
    let before = see(&world);
    let mut calls = 1;
    while world.shrink(Duration::ZERO) == Shrunk::Partly {
        world.check_invariants();
        calls += 1;
        assert!(calls < 100, "it comes to an end");
    }
    assert!(calls > 3, "each call gives back one part");
    assert_eq!(see(&world), before);
    for id in gone {
        assert!(!world.contains(id));
    }
    assert!(!ids.contains(&world.spawn(())), "no id is issued again");
}

#[test]
#[should_panic(expected = "Burning")]
fn a_set_that_is_being_changed_is_not_counted() {
    let mut world = World::new();
    world.spawn(Burning(0));
    let _burning = world.view_mut::<Burning>();
    let _ = world.memory_usage();
}

#[test]
fn sets_that_are_written_are_counted() {
    let mut world = World::new();
    world.spawn((Loose(2), LooseWatched(3)));
    let (_loose, _watched) = (world.view_mut::<Loose>(), world.view_mut::<LooseWatched>());
    let usage = world.memory_usage();
    assert!(usage.sparse_sets.len() == 2 && usage.sparse_sets.iter().all(|set| set.values == 1));
}

#[test]
fn each_call_gives_something_back_until_all_is_done() {
    let mut world = World::new();
    let ids = world.spawn_batch((0..5000).map(Plain)).to_vec();
    // Their positions are in maps, which keep more memory than their entries need.
    for &entity in &ids[4999..] {
        world.insert(entity, (Loose(1), LooseWatched(1))).unwrap();
    }
    world.despawn_batch(ids[10..4999].iter().copied());
    let mut calls = 0;
    loop {
        let before = world.memory_usage().total().reserved;
        if world.shrink(Duration::ZERO) == Shrunk::Fully {
            break;
        }
        calls += 1;
        let after = world.memory_usage().total().reserved;
        assert!(after < before, "call {calls} gives nothing back");
    }
    assert!(calls > 1);
}

#[test]
fn what_finds_sparse_components_is_given_back_too() {
    let mut world = World::new();
    world.spawn_batch((0..50_000).map(Loose));
    let kept = world.spawn_batch((0..10).map(Plain))[9];
    world.despawn_all::<With<Loose>>();
    assert!(world.memory_usage().index.reserved >= 8 * 50_000);
    assert_eq!(world.shrink(Duration::MAX), Shrunk::Fully);
    let usage = world.memory_usage();
    assert!(usage.index.reserved < 8 * 1024, "{usage}");
    world.insert(kept, Loose(7)).unwrap();
    world.check_invariants();
    assert_eq!(world.get::<Loose>(kept).unwrap().0, 7);
}
