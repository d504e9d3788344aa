//! Tests of maps by type.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::*;

/// Logs its number when it is dropped.
struct Noted(u32, Arc<Mutex<Vec<u32>>>);

impl Drop for Noted {
    fn drop(&mut self) {
        self.1.lock().unwrap().push(self.0);
        assert!(self.0 != 13, "dropping 13 panics");
    }
}

fn ids() -> [TypeId; 8] {
    [
        TypeId::of::<u8>(),
        TypeId::of::<u16>(),
        TypeId::of::<u32>(),
        TypeId::of::<u64>(),
        TypeId::of::<i8>(),
        TypeId::of::<i16>(),
        TypeId::of::<i32>(),
        TypeId::of::<i64>(),
    ]
}

/// Values 10 to 17, in that order.
fn filled(log: &Arc<Mutex<Vec<u32>>>) -> ByType<Noted> {
    let mut map = ByType::default();
    for (number, id) in (10..).zip(ids()) {
        map.insert(id, Noted(number, log.clone()));
    }
    map
}

#[test]
fn values_are_visited_and_dropped_in_insertion_order() {
    let log = Arc::default();
    let [first, second, ..] = ids();
    let mut map = filled(&log);
    drop(map.insert(second, Noted(18, log.clone())));
    drop(map.remove(first));
    assert_eq!(*log.lock().unwrap(), [11, 10]);
    let numbers: Vec<u32> = map.values().map(|value| value.0).collect();
    assert_eq!(numbers, [12, 13, 14, 15, 16, 17, 18]);
    map.get_mut(second).unwrap().0 = 19;
    assert!(map.get(first).is_none() && map.contains(second) && map.len() == 7);

    log.lock().unwrap().clear();
    let dropped = catch_unwind(AssertUnwindSafe(|| drop(map)));
    assert!(dropped.is_err());
    assert_eq!(*log.lock().unwrap(), [12, 13, 14, 15, 16, 17, 19]);
}

#[test]
fn a_map_that_was_cleared_is_empty_although_a_drop_panics() {
    let log = Arc::default();
    let mut map = filled(&log);
    assert!(catch_unwind(AssertUnwindSafe(|| map.clear())).is_err());
    assert_eq!((map.len(), map.values().count()), (0, 0));
    assert_eq!(*log.lock().unwrap(), [10, 11, 12, 13, 14, 15, 16, 17]);
}
