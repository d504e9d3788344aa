//! Columns of values that are in no world: the values that they drop, and the time.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::component::ComponentId;
use ecs_core::prelude::*;
use ecs_core::world::ErasedColumn;
use ecs_tests::{ARMED, Held, Kept, Ledger, Mark, Plain};

/// A column of tokens, and their numbers.
fn tokens<T: Component>(
    ledger: &Ledger,
    count: usize,
    make: fn(ecs_tests::Token) -> T,
) -> ErasedColumn {
    let mut column = ErasedColumn::new(ComponentId::of::<T>());
    for _ in 0..count {
        assert!(column.push(make(ledger.token())).is_ok());
    }
    column
}

#[test]
fn the_values_after_the_new_end_are_dropped_and_the_memory_stays() {
    let ledger = Ledger::default();
    for end in 0..=8 {
        let mut column = tokens(&ledger, 7, Kept);
        let first = ledger.alive()[0];
        let capacity = column.capacity();
        column.truncate(end);
        // Nothing past the end is dropped.
        let left = end.min(7);
        assert_eq!((column.len(), column.capacity()), (left, capacity));
        assert_eq!(
            ledger.alive(),
            (first..first + left as u32).collect::<Vec<_>>()
        );
        let values = column.values::<Kept>().unwrap();
        assert!(values.iter().map(|kept| kept.0.id()).eq(ledger.alive()));
        // It continues after the end.
        column.push(Kept(ledger.token())).unwrap();
        assert_eq!((column.len(), ledger.alive().len()), (left + 1, left + 1));
        drop(column);
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}

#[test]
fn values_of_all_sizes_are_counted() {
    let mut plain = ErasedColumn::new(ComponentId::of::<Plain>());
    (0..5).for_each(|number| plain.push(Plain(number)).unwrap());
    plain.truncate(2);
    assert_eq!(plain.values::<Plain>().unwrap(), [Plain(0), Plain(1)]);
    let mut marks = ErasedColumn::new(ComponentId::of::<Mark>());
    (0..5).for_each(|_| marks.push(Mark).unwrap());
    marks.truncate(3);
    assert_eq!((marks.len(), marks.values::<Mark>().unwrap().len()), (3, 3));
    let mut none = ErasedColumn::new(ComponentId::of::<Held>());
    none.truncate(0);
    none.truncate(usize::MAX);
    assert!(none.is_empty() && none.capacity() == 0);
}

#[test]
fn a_panic_in_drop_keeps_no_value_from_its_drop() {
    let ledger = Ledger::default();
    for armed in 0..4 {
        let mut column = tokens(&ledger, 6, Held);
        let alive = ledger.alive();
        ledger.arm(alive[2 + armed]);
        let result = catch_unwind(AssertUnwindSafe(|| column.truncate(2)));
        assert_eq!(result.unwrap_err().downcast_ref(), Some(&ARMED));
        assert_eq!((column.len(), ledger.alive()), (2, alive[..2].to_vec()));
        // It can be used as before.
        column.push(Held(ledger.token())).unwrap();
        column.truncate(1);
        assert_eq!(ledger.alive(), alive[..1]);
        ledger.arm(alive[0]);
        let result = catch_unwind(AssertUnwindSafe(|| column.clear()));
        assert!(result.is_err() && column.is_empty());
        assert_eq!(ledger.alive(), [0_u32; 0]);
    }
}

#[test]
fn the_values_that_stay_can_still_be_moved_into_entities() {
    let ledger = Ledger::default();
    let mut world = World::new();
    let entity = world.spawn(());
    let mut column = tokens(&ledger, 4, Kept);
    column.truncate(2);
    world.insert_erased(entity, &mut column).unwrap();
    let second = world.get::<Kept>(entity).unwrap().0.id();
    assert_eq!((column.len(), second), (1, ledger.alive()[1]));
    drop(column);
    assert_eq!(ledger.alive(), [second]);
    drop(world);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}
