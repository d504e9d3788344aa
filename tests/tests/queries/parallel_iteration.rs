//! Parallel loops have the same effect as sequential ones.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use ecs_core::prelude::*;
use ecs_tests::{Loose, Mark, Plain, Text};
use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be started")
}

/// 40 000 entities with a table component and a sparse one, half of them in a table with a mark.
fn many() -> World {
    let mut world = World::new();
    world.spawn_batch((0..20_000).map(|i| (Plain(i), Loose(u64::from(i)))));
    world.spawn_batch((20_000..40_000).map(|i| (Plain(i), Loose(u64::from(i)), Mark)));
    world
}

fn scramble(value: u32) -> u32 {
    value.wrapping_mul(0x9e37_79b9).rotate_left(7)
}

fn values(world: &World) -> Vec<(u32, u64)> {
    let (plain, loose) = (world.view::<Plain>(), world.view::<Loose>());
    (&plain, &loose).iter().map(|(p, l)| (p.0, l.0)).collect()
}

/// Makes the same changes by plain loops and by parallel ones.
fn sequential(world: &World) {
    let (mut plain, mut loose) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());
    let mark = world.view::<Mark>();
    (&mut plain).for_each(|p| p.0 = scramble(p.0));
    (&mut loose).for_each(|l| l.0 += 1);
    (&mut loose, &plain).for_each(|(l, p)| l.0 ^= u64::from(p.0));
    (&mut plain, &mark).for_each(|(p, _)| p.0 = scramble(p.0));
    (&mut loose).exclude(&mark).for_each(|l| l.0 += 5);
}

fn parallel(world: &World) {
    let (mut plain, mut loose) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());
    let mark = world.view::<Mark>();
    (&mut plain).par_for_each(|p| p.0 = scramble(p.0));
    (&mut loose).par_for_each(|l| l.0 += 1);
    (&mut loose, &plain).par_for_each(|(l, p)| l.0 ^= u64::from(p.0));
    (&mut plain, &mark).par_chunks(|(plain, _)| {
        for p in plain {
            p.0 = scramble(p.0);
        }
    });
    (&mut loose)
        .exclude(&mark)
        .par_for_each_min(1, |l| l.0 += 5);
}

#[test]
fn parallel_loops_have_the_result_of_sequential_ones() {
    let expected = many();
    sequential(&expected);
    let expected = values(&expected);
    for threads in [1, 2, 3, 8] {
        let world = many();
        pool(threads).install(|| parallel(&world));
        assert_eq!(values(&world), expected, "inside a pool of {threads}");
    }
    let world = many();
    parallel(&world);
    assert_eq!(values(&world), expected, "from outside of any pool");
}

#[test]
fn a_query_is_visited_in_parallel_within_its_filter() {
    let world = many();
    let mut query = world.query_filtered::<(Entity, &mut Plain), Without<Mark>>();
    let seen = Mutex::new(HashSet::new());
    pool(3).install(|| {
        query.par_for_each(|(entity, plain)| {
            plain.0 += 1;
            assert!(seen.lock().unwrap().insert(entity), "{entity} twice");
        });
        query.par_for_each_min(1, |(_, plain)| plain.0 += 1);
        let rows = AtomicUsize::new(0);
        query.par_chunks(|(entities, plain)| {
            assert_eq!(entities.len(), plain.len());
            rows.fetch_add(plain.len(), Ordering::Relaxed);
        });
        query.par_chunks_min(usize::MAX, |(_, plain)| {
            assert_eq!(plain.len(), 20_000, "one piece for few rows");
        });
        assert_eq!(rows.into_inner(), 20_000);
    });
    assert_eq!(seen.into_inner().unwrap().len(), 20_000);
    assert!(
        query
            .iter()
            .all(|(entity, plain)| plain.0 == entity.index() + 2)
    );
}

/// Returns when two threads have called it.
fn meet(threads: &Mutex<HashSet<thread::ThreadId>>) {
    let mut seen = threads.lock().unwrap();
    seen.insert(thread::current().id());
    while seen.len() < 2 {
        drop(seen);
        thread::yield_now();
        seen = threads.lock().unwrap();
    }
}

#[test]
fn several_threads_take_part() {
    let world = many();
    let mut plain = world.view_mut::<Plain>();
    let threads = Mutex::default();
    pool(2).install(|| (&mut plain).par_for_each_min(8_192, |_| meet(&threads)));
    assert_eq!(threads.into_inner().unwrap().len(), 2);
}

#[test]
fn threads_take_part_without_a_hint_where_rows_take_long() {
    let mut world = World::new();
    world.spawn_batch((0..40).map(|i| (Plain(i), Loose(0))));
    let (mut plain, mut loose) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());
    let slow = |threads: &Mutex<HashSet<thread::ThreadId>>| {
        thread::sleep(Duration::from_millis(1));
        threads.lock().unwrap().insert(thread::current().id());
    };
    // A thread may be late: the loop then runs again.
    let is_shared = |run: &mut dyn FnMut(&Mutex<HashSet<thread::ThreadId>>)| {
        (0..100).any(|_| {
            let threads = Mutex::default();
            run(&threads);
            threads.into_inner().unwrap().len() == 2
        })
    };
    pool(2).install(|| {
        assert!(is_shared(
            &mut |threads| (&mut plain).par_for_each(|_| slow(threads))
        ));
        assert!(is_shared(
            &mut |threads| (&mut loose).par_for_each(|_| slow(threads))
        ));
    });
}

#[test]
fn two_heavy_rows_are_divided() {
    let mut world = World::new();
    world.spawn_batch((0..2).map(Plain));
    let mut plain = world.view_mut::<Plain>();
    let threads = Mutex::default();
    pool(2).install(|| (&mut plain).par_for_each_min(2, |_| meet(&threads)));
    assert_eq!(threads.into_inner().unwrap().len(), 2);
}

#[test]
fn few_rows_stay_on_the_thread_where_their_number_decides() {
    let mut world = World::new();
    world.spawn_batch((0..1000).map(|i| (Plain(i), Loose(0))));
    let (mut plain, mut loose) = (world.view_mut::<Plain>(), world.view_mut::<Loose>());
    let here = thread::current().id();
    (&mut plain).par_for_each_min(8192, |_| assert_eq!(thread::current().id(), here));
    (&mut loose).par_for_each_min(8192, |_| assert_eq!(thread::current().id(), here));
    (&mut plain).par_chunks(|_| assert_eq!(thread::current().id(), here));
    (&mut plain).par_for_each_from_old(
        |plain, _| {
            assert_eq!(thread::current().id(), here);
            plain.0
        },
        |plain, new| plain.0 = new,
    );
}

#[test]
fn a_panic_is_resumed_when_all_threads_are_done() {
    let world = many();
    for threads in [1, 4] {
        let running = AtomicUsize::new(0);
        let mut plain = world.view_mut::<Plain>();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool(threads).install(|| {
                (&mut plain).par_for_each_min(1, |p| {
                    running.fetch_add(1, Ordering::SeqCst);
                    let panics = p.0 == 30_000;
                    running.fetch_sub(1, Ordering::SeqCst);
                    assert!(!panics, "row 30 000 panics");
                });
            });
        }));
        let message = caught.expect_err("the panic is passed on");
        assert_eq!(message.downcast_ref::<&str>(), Some(&"row 30 000 panics"));
        assert_eq!(running.into_inner(), 0);
        drop(plain);
        assert_eq!(world.view::<Plain>().len(), 40_000);
        world.check_invariants();
    }
}

#[test]
fn nested_parallel_loops_do_not_deadlock() {
    let mut world = World::new();
    world.spawn_batch((0..64).map(|i| (Plain(i), Text(String::new()))));
    world.spawn_batch((0..3000).map(Loose));
    for threads in [1, 2, 4] {
        let sum = AtomicUsize::new(0);
        let (mut plain, loose) = (world.view_mut::<Plain>(), world.view::<Loose>());
        pool(threads).install(|| {
            (&mut plain).par_for_each_min(1, |_| {
                (&loose).par_for_each_min(1, |l| {
                    sum.fetch_add(l.0 as usize, Ordering::Relaxed);
                });
            });
        });
        assert_eq!(sum.into_inner(), 64 * (0..3000).sum::<usize>());
    }
}

#[test]
fn many_small_tables_are_one_list_of_rows() {
    let mut world = World::new();
    for i in 0..3000_u32 {
        let entity = world.spawn(Plain(i));
        match i % 5 {
            0 => world.insert(entity, Mark).unwrap(),
            1 => world.insert(entity, Text(i.to_string())).unwrap(),
            2 => world.insert(entity, (Mark, Text(i.to_string()))).unwrap(),
            _ => {}
        }
    }
    let (mut plain, text) = (world.view_mut::<Plain>(), world.view::<Text>());
    pool(3).install(|| {
        (&mut plain, Some(&text)).par_for_each_min(1, |(plain, text)| {
            plain.0 = text.map_or(0, |text| text.0.parse().unwrap());
        });
    });
    for (entity, plain) in (&plain).with_entity().iter() {
        let i = entity.index();
        let expected = if matches!(i % 5, 1 | 2) { i } else { 0 };
        assert_eq!(plain.0, expected);
    }
}
