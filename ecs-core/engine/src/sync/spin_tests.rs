use alloc::vec::Vec;
use core::sync::atomic::AtomicUsize;
use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::thread;

use super::*;

#[test]
fn one_thread_at_a_time_holds_a_lock() {
    const TURNS: u32 = if cfg!(miri) { 50 } else { 20_000 };
    // Two halves of one value: a thread that got in between would see them differ.
    let lock = Mutex::new((0_u32, 0_u32));
    let add = || {
        for _ in 0..TURNS {
            let mut halves = lock.lock().unwrap();
            assert_eq!(halves.0, halves.1);
            halves.0 += 1;
            halves.1 += 1;
        }
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(add);
        }
    });
    let halves = lock.into_inner().unwrap_or_else(PoisonError::into_inner);
    assert_eq!(halves, (3 * TURNS, 3 * TURNS));
}

#[test]
fn a_lock_that_is_held_refuses_and_is_free_after_its_guard() {
    let mut lock = Mutex::new(5);
    let guard = lock.lock().unwrap();
    assert!(matches!(lock.try_lock(), Err(TryLockError::WouldBlock)));
    assert_eq!(format!("{lock:?}"), "Mutex { data: <locked> }");
    drop(guard);
    assert_eq!(format!("{lock:?}"), "Mutex { data: 5 }");
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        let _guard = lock.lock();
        panic!("under the lock");
    }));
    assert!(panicked.is_err());
    *lock.get_mut().unwrap() += 1;
    assert_eq!(lock.try_lock().ok().as_deref(), Some(&6));
}

#[test]
fn what_readers_share_is_what_the_writer_wrote() {
    let lock = RwLock::new(Vec::new());
    lock.write().unwrap().push(7);
    assert_eq!(*lock.read().unwrap(), [7]);
}

#[test]
fn a_value_is_computed_once_and_seen_by_all_threads() {
    let (once, calls, start) = (OnceLock::new(), AtomicUsize::new(0), Barrier::new(3));
    let get = || {
        start.wait();
        let value = once.get_or_init(|| {
            calls.fetch_add(1, Ordering::Relaxed);
            // The others wait for this value by now.
            thread::sleep(Duration::from_millis(20));
            vec![1, 2, 3]
        });
        assert_eq!(value, &[1, 2, 3]);
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(get);
        }
    });
    assert_eq!(calls.into_inner(), 1);
    let mut copy = once.clone();
    assert_eq!(copy.get_mut().cloned(), once.get().cloned());
    assert_eq!(copy.take(), once.get().cloned());
    assert_eq!((copy.take(), copy.get_mut()), (None, None));
    assert!(copy.get_or_init(Vec::new).is_empty());
    assert_eq!(once.get(), Some(&vec![1, 2, 3]));
}

#[test]
fn a_computation_that_panics_leaves_no_value_and_no_lock() {
    let once = OnceLock::<u8>::default();
    assert!(catch_unwind(AssertUnwindSafe(|| once.get_or_init(|| panic!("no value")))).is_err());
    assert_eq!(format!("{once:?}"), "OnceLock(None)");
    assert_eq!(once.get_or_init(|| 4), &4);
}
