//! Panics in the program's code: in clones, and in functions and iterators that are passed to a container.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::containers::{Arena, GenerationalVec, Id, SparseSet};
use ecs_tests::Ledger;

use crate::containers::Value;

thread_local! {
    /// The number of clones until one panics.
    static CLONES: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A value that can be cloned a limited number of times, with a record of each drop.
struct Cloned(Value, Ledger);

impl Clone for Cloned {
    fn clone(&self) -> Self {
        let left = CLONES.get();
        CLONES.set(left.wrapping_sub(1));
        assert!(left != 0, "a clone panics");
        Self(Value::new(&self.1, self.0.number), self.1.clone())
    }
}

fn values(ledger: &Ledger) -> impl Iterator<Item = Cloned> {
    (0..6).map(|number| Cloned(Value::new(ledger, number), ledger.clone()))
}

fn panics<R>(operation: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(operation)).is_err()
}

/// Clones a container, with a panic in each clone in turn: nothing leaks, and the original is unchanged.
fn check_clones<C: Clone>(ledger: &Ledger, container: C, numbers: impl Fn(&C) -> Vec<u64>) {
    let before = (numbers(&container), ledger.alive());
    for clones in 0..before.0.len() {
        CLONES.set(clones);
        assert!(panics(|| container.clone()));
        CLONES.set(usize::MAX);
        assert_eq!((numbers(&container), ledger.alive()), before);
    }
    let copy = container.clone();
    assert_eq!(ledger.alive().len(), 2 * before.1.len());
    assert_eq!(numbers(&copy), before.0);
    drop(container);
    assert_eq!(numbers(&copy), before.0);
    drop(copy);
    assert_eq!(ledger.alive(), [0_u32; 0]);
}

#[test]
fn clones_that_panic_leak_nothing() {
    let ledger = Ledger::default();
    let mut arena: Arena<Cloned> = values(&ledger).collect();
    let ids: Vec<Id> = arena.ids().collect();
    drop(arena.remove(ids[2]));
    check_clones(&ledger, arena, |arena| {
        arena.values().map(|value| value.0.number).collect()
    });

    let mut vec = GenerationalVec::new();
    for (id, value) in ids.iter().zip(values(&ledger)) {
        vec.insert(*id, value).unwrap();
    }
    check_clones(&ledger, vec, |vec| {
        vec.values().map(|value| value.0.number).collect()
    });

    let set: SparseSet<Cloned> = [9, 2, 5000].into_iter().zip(values(&ledger)).collect();
    check_clones(&ledger, set, |set| {
        set.values().iter().map(|value| value.0.number).collect()
    });
}

#[test]
fn a_clone_of_an_arena_has_its_ids_and_its_free_indices() {
    let mut arena = Arena::from_iter(["a", "b", "c"]);
    let ids: Vec<Id> = arena.ids().collect();
    arena.remove(ids[1]);
    let mut copy = arena.clone();
    assert!(copy.iter().eq(arena.iter()));
    assert_eq!(copy.insert("d"), arena.insert("d"));
    copy.remove(ids[0]);
    assert_eq!((copy.get(ids[0]), arena[ids[0]]), (None, "a"));
}

#[test]
fn a_function_that_panics_inserts_nothing() {
    let mut arena = Arena::from_iter(["a", "b"]);
    let first = arena.ids().next().unwrap();
    arena.remove(first);
    assert!(panics(|| arena.insert_with(|_| panic!("no value"))));
    assert_eq!(arena.len(), 1);
    let id = arena.insert("c");
    assert_eq!((id.index(), id.generation(), arena.len()), (0, 2, 2));
}

#[test]
fn an_iterator_that_panics_leaves_what_it_has_returned() {
    let until = |end: u32| (0..10_u32).inspect(move |&number| assert!(number < end, "the end"));
    let mut arena = Arena::new();
    assert!(panics(|| arena.extend(until(3))));
    assert!(arena.values().eq(&[0, 1, 2]));
    let mut set = SparseSet::new();
    assert!(panics(|| set.extend(until(3).map(|number| (number, ())))));
    assert_eq!(set.keys(), [0, 1, 2]);
}

#[test]
fn a_closure_that_panics_keeps_the_values_behind() {
    let mut arena = Arena::from_iter(0..6);
    assert!(panics(|| arena.retain(|_, &mut number| if number == 3 {
        panic!("three")
    } else {
        number % 2 == 0
    })));
    assert!(arena.values().eq(&[0, 2, 3, 4, 5]));
    assert_eq!(arena.insert(9).index(), 1);
}

#[test]
fn a_sort_that_panics_changes_nothing() {
    /// A sort key whose comparison panics.
    #[derive(PartialEq, Eq)]
    struct Incomparable;

    impl PartialOrd for Incomparable {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    impl Ord for Incomparable {
        fn cmp(&self, _: &Self) -> std::cmp::Ordering {
            panic!("not comparable")
        }
    }

    let mut set = SparseSet::from_iter([(5, 'e'), (3, 'c'), (9, 'i')]);
    let before: Vec<(u32, char)> = set.clone().into_iter().collect();
    assert!(panics(|| set.sort_by_key(|_, _| Incomparable)));
    assert!(panics(|| set.sort_by_key(|key, _| if key == 9 {
        panic!("nine")
    } else {
        key
    })));
    assert!(set.clone().into_iter().eq(before));
    set.sort_by_key(|key, _| key);
    assert_eq!(set.values(), ['c', 'e', 'i']);
    assert_eq!([3, 5, 9].map(|key| set[key]), ['c', 'e', 'i']);
}

#[test]
fn values_of_a_dropped_iterator_are_dropped_once() {
    let ledger = Ledger::default();
    let arena: Arena<Cloned> = values(&ledger).collect();
    let mut owned = arena.into_iter();
    let (first, last) = (owned.next().unwrap().1, owned.next_back().unwrap().1);
    assert_eq!((first.0.number, last.0.number, owned.len()), (0, 5, 4));
    drop((first, owned));
    assert_eq!(ledger.alive(), [last.0.token.id()]);
}

#[test]
fn all_other_values_are_dropped_if_one_drop_panics() {
    for armed in 0..6 {
        let ledger = Ledger::default();
        let mut arena: Arena<Cloned> = values(&ledger).collect();
        ledger.arm(armed);
        assert!(panics(|| arena.clear()));
        assert!(arena.is_empty());
        assert_eq!(ledger.alive(), [0_u32; 0]);
        assert_eq!(
            arena.insert(values(&ledger).next().unwrap()).generation(),
            2
        );
    }
}

#[test]
fn an_index_without_a_value_panics_with_the_key() {
    let message = |operation: &dyn Fn()| {
        let payload = catch_unwind(AssertUnwindSafe(operation)).unwrap_err();
        payload.downcast_ref::<String>().unwrap().clone()
    };
    let mut arena = Arena::from_iter([0]);
    let id = arena.ids().next().unwrap();
    arena.clear();
    let help = "; help: call `get` or `get_mut`, which return `None` for ";
    assert_eq!(
        message(&|| _ = arena[id]),
        format!("id 0v1 finds no value{help}the id of a removed value")
    );
    let set = SparseSet::<u8>::new();
    assert_eq!(
        message(&|| _ = set[7]),
        format!("key 7 has no value{help}a key without a value")
    );
}

#[test]
fn errors_name_the_ids_and_the_fix() {
    let mut arena = Arena::from_iter(["a", "b"]);
    let [a, b] = [0, 1].map(|nth| arena.ids().nth(nth).unwrap());
    arena.remove(a);
    let error = arena.get_many_mut([b, a]).unwrap_err().to_string();
    assert_eq!(
        error,
        "id 0v1 finds no value; help: check `contains` first, or forget the id when its value is removed"
    );
    let error = arena.get_many_mut([b, b]).unwrap_err().to_string();
    assert_eq!(
        error,
        "id 1v1 is listed twice; help: list each id once; two `&mut` to one value cannot exist"
    );
    let mut vec = GenerationalVec::new();
    vec.insert(arena.insert("c"), 1).unwrap();
    let error = vec.insert(a, 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "id 0v1 is stale: id 0v2 was inserted at its index; help: check that the id is alive where it was issued"
    );
    assert_eq!(format!("{error:?}"), "StaleId { id: 0v1, newer: 0v2, .. }");
}
