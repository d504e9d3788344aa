//! New values from old ones: all reads come before all writes, in joins and queries, sequential and parallel.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::prelude::*;
use proptest::prelude::*;

#[derive(Component, Clone, Debug, PartialEq)]
struct Cell(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse")]
struct Loose(u32);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct Watched(u32);

#[derive(Component)]
struct Next(Entity);

#[derive(Component)]
struct Mark;

/// A ring: each cell refers to the next one.
fn ring(values: &[u32]) -> (World, Vec<Entity>) {
    let mut world = World::new();
    let ids = world.spawn_batch(values.iter().map(|&v| Cell(v))).to_vec();
    for (i, &id) in ids.iter().enumerate() {
        let next = Next(ids[(i + 1) % ids.len()]);
        world.insert(id, next).unwrap();
        if i % 3 == 0 {
            // A second table.
            world.insert(id, Mark).unwrap();
        }
    }
    (world, ids)
}

fn cells(world: &World, ids: &[Entity]) -> Vec<u32> {
    let cells = world.view::<Cell>();
    ids.iter().map(|&id| cells.get(id).unwrap().0).collect()
}

#[test]
fn each_new_value_is_computed_from_old_ones_only() {
    let (world, ids) = ring(&[1, 2, 3, 4, 5]);
    let (mut cell, next) = (world.view_mut::<Cell>(), world.view::<Next>());
    (&mut cell, &next).for_each_from_old(
        |(_, next), old| old.get(next.0).unwrap().0.0,
        |(cell, _), new| cell.0 = new,
    );
    drop(cell);
    assert_eq!(cells(&world, &ids), [2, 3, 4, 5, 1]);
}

#[test]
fn the_old_values_can_be_iterated_for_each_entity() {
    let (world, ids) = ring(&[1, 2, 3]);
    let mut cell = world.view_mut::<Cell>();
    cell.for_each_from_old(
        |cell, old| old.iter().map(|other| other.0).sum::<u32>() - cell.0,
        |cell, new| cell.0 = new,
    );
    drop(cell);
    assert_eq!(cells(&world, &ids), [5, 4, 3]);
}

#[test]
fn filtered_entities_are_neither_read_nor_written() {
    let (world, ids) = ring(&[1, 2, 3, 4]);
    let mut query = world.query_filtered::<&mut Cell, Without<Mark>>();
    query.for_each_from_old(
        |cell, old| {
            assert!(!old.contains(ids[0]));
            cell.0 + old.into_iter().count() as u32
        },
        |cell, new| cell.0 = new,
    );
    drop(query);
    assert_eq!(cells(&world, &ids), [1, 4, 5, 4]);
}

#[test]
fn only_what_is_written_counts_as_changed() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..4).map(|i| world.spawn(Watched(i))).collect();
    let tick = world.tick();
    let mut watched = world.view_mut::<Watched>();
    (&mut watched).for_each_from_old(
        |watched, _| watched.0,
        |mut watched, old| {
            if old > 1 {
                watched.0 = 0;
            }
        },
    );
    drop(watched);
    let watched = world.view::<Watched>().since(tick);
    let changed: Vec<bool> = ids.iter().map(|&id| watched.is_changed(id)).collect();
    assert_eq!(changed, [false, false, true, true]);
}

#[test]
fn a_filter_by_changes_chooses_the_same_entities_for_both_halves() {
    let mut world = World::new();
    let ids: Vec<Entity> = (0..70).map(|i| world.spawn(Watched(i))).collect();
    let tick = world.tick();
    for &id in ids.iter().step_by(3) {
        world.get_mut::<Watched>(id).unwrap().0 += 1000;
    }
    let query = world.query_filtered::<(Entity, &mut Watched), Changed<Watched>>();
    query.since(tick).for_each_from_old(
        |(id, _), _| id,
        |(id, mut watched), same| {
            assert_eq!(id, same);
            watched.0 += 1000;
        },
    );
    let watched = world.view::<Watched>();
    for (i, id) in (0..70).zip(ids) {
        let expected = if i % 3 == 0 { i + 2000 } else { i };
        assert_eq!(watched.get(id).unwrap().0, expected);
    }
}

#[test]
fn a_panic_of_the_first_half_changes_nothing() {
    let (world, ids) = ring(&[1, 2, 3]);
    let mut cell = world.view_mut::<Cell>();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        (&mut cell).for_each_from_old(
            |cell, _| assert!(cell.0 < 3, "too much"),
            |cell, ()| cell.0 = 0,
        );
    }));
    assert!(outcome.is_err());
    drop(cell);
    assert_eq!(cells(&world, &ids), [1, 2, 3]);
}

#[test]
#[cfg_attr(
    miri,
    ignore = "the thread pool casts integers to pointers, and is slow"
)]
fn a_panic_of_the_first_half_on_several_threads_changes_nothing() {
    let (world, ids) = ring(&[1, 2, 3]);
    let mut cell = world.view_mut::<Cell>();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        (&mut cell).par_for_each_from_old_min(
            1,
            |cell, _| assert!(cell.0 < 3, "too much"),
            |cell, ()| cell.0 = 0,
        );
    }));
    assert!(outcome.is_err());
    drop(cell);
    assert_eq!(cells(&world, &ids), [1, 2, 3]);
}

#[test]
fn a_system_swaps_all_at_once() {
    #[system]
    fn swap(mut cells: Query<(&mut Cell, &Next)>) {
        cells.par_for_each_from_old(
            |(_, next), old| old.get(next.0).map_or(0, |(cell, _)| cell.0),
            |(cell, _), new| cell.0 = new,
        );
    }

    let (world, ids) = ring(&[1, 2]);
    swap(&world);
    assert_eq!(cells(&world, &ids), [2, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: ecs_tests::worlds(40),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    #[cfg_attr(miri, ignore = "the thread pool casts integers to pointers, and is slow")]
    fn several_threads_have_the_result_of_one(values in prop::collection::vec(0..1000_u32, 1..if cfg!(miri) { 40 } else { 300 })) {
        let (mut world, ids) = ring(&values);
        for &id in ids.iter().step_by(2) {
            world.insert(id, Loose(id.index())).unwrap();
        }
        let expected: Vec<u32> = (0..values.len())
            .map(|i| {
                let next = values[(i + 1) % values.len()];
                if i % 2 == 0 { 2 * next + i as u32 } else { 2 * next }
            })
            .collect();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        {
            let (mut cell, next, loose) =
                (world.view_mut::<Cell>(), world.view::<Next>(), world.view::<Loose>());
            pool.install(|| (&mut cell, &next).par_for_each_from_old_min(
                1,
                |(_, next), old| 2 * old.get(next.0).unwrap().0.0,
                |(cell, _), new| cell.0 = new,
            ));
            // With a sparse component: entity by entity.
            pool.install(|| (&mut cell, &loose).par_for_each_from_old_min(
                1,
                |(cell, loose), _| cell.0 + loose.0,
                |(cell, _), new| cell.0 = new,
            ));
        }
        prop_assert_eq!(cells(&world, &ids), expected);
    }
}
