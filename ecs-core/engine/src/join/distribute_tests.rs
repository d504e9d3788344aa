use alloc::vec::Vec;
use core::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use rayon_core::{ThreadPool, ThreadPoolBuilder};
use std::sync::Mutex;

use super::*;
use crate::entity::Entity;
use crate::test_components::Position;
use crate::world::World;

#[test]
fn few_rows_are_one_piece_on_this_thread() {
    let here = std::thread::current().id();
    let calls = Mutex::new(Vec::new());
    let count = AtomicUsize::new(0);
    distribute(8191, 8192, &|piece| {
        assert_eq!(std::thread::current().id(), here);
        count.fetch_add(piece.len(), Ordering::Relaxed);
        calls.lock().unwrap().push((piece.start, piece.end));
    });
    assert_eq!(calls.into_inner().unwrap(), vec![(0, 8191)]);
    distribute(0, 0, &|_| panic!("no rows, no piece"));
    distribute(1, 0, &|piece| assert_eq!(piece, 0..1));
    assert_eq!(count.into_inner(), 8191);
}

fn pool(threads: usize) -> ThreadPool {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .unwrap()
}

/// Returns the pieces that a loop on `pool` is divided into, sorted, if each row takes `ticks` on the clock.
fn pieces(pool: &ThreadPool, len: usize, ticks: u64) -> Vec<Range<usize>> {
    let visited = AtomicUsize::new(0);
    let pieces = Mutex::new(Vec::new());
    pool.install(|| {
        let clock = || visited.load(Ordering::Relaxed) as u64 * ticks;
        share_if_it_pays(len, clock, &|piece| {
            visited.fetch_add(piece.len(), Ordering::Relaxed);
            pieces.lock().unwrap().push(piece);
        });
    });
    let mut pieces = pieces.into_inner().unwrap();
    pieces.sort_unstable_by_key(|piece| piece.start);
    pieces
}

const NANOSECOND: u64 = clock::TICKS_PER_MICROSECOND / 1_000;
const MICROSECOND: u64 = clock::TICKS_PER_MICROSECOND;

#[test]
fn light_loops_are_done_in_few_pieces() {
    let pool = pool(4);
    for len in 0..2 {
        assert_eq!(pieces(&pool, len, NANOSECOND), vec![0..len; len]);
    }
    assert_eq!(pieces(&pool, 10, NANOSECOND), [0..1, 1..10]);
    assert_eq!(pieces(&pool, 100, NANOSECOND), [0..4, 4..68, 68..100]);
    let many = pieces(&pool, 20_000, NANOSECOND);
    assert_eq!(
        many,
        [
            0..4,
            4..68,
            68..1092,
            1092..3092,
            3092..5092,
            5092..7092,
            7092..9092,
            9092..11092,
            11092..13092,
            13092..15092,
            15092..17092,
            17092..19092,
            19092..20000
        ]
    );
}

#[test]
fn the_rest_of_a_heavy_loop_is_divided_among_the_threads() {
    let pool = pool(2);
    let two = pieces(&pool, 1_000, 2 * MICROSECOND);
    assert_eq!(two[..3], [0..4, 4..128, 128..237], "an eighth of the rest");
    assert!(two.is_sorted_by(|one, other| one.start == 0 || one.len() >= other.len()));
    assert_eq!(two[two.len() - 2..], [998..999, 999..1000], "2 us at least");
    let few = pieces(&pool, 10, 1_000 * MICROSECOND);
    assert_eq!(few, (0..10).map(|row| row..row + 1).collect::<Vec<_>>());
    // 200 rows of 0.5 us: a piece takes 2 us, however many threads there are.
    let short = pieces(&self::pool(8), 200, MICROSECOND / 2);
    assert_eq!(short[..3], [0..4, 4..8, 8..12]);
    assert!(
        short[2..short.len() - 1]
            .iter()
            .all(|piece| piece.len() == 4),
        "{short:?}"
    );
}

#[test]
fn loops_are_divided_from_some_fifty_microseconds_on() {
    let pool = pool(2);
    let short = pieces(&pool, 5_000, 10 * NANOSECOND);
    assert_eq!(short[2..4], [68..268, 268..468], "looks at the clock");
    let long = pieces(&pool, 6_300, 9 * NANOSECOND);
    assert_eq!(
        long[2..4],
        [68..290, 290..290 + 3 * 224],
        "an eighth of the rest, in whole blocks that take 2 us"
    );
}

#[test]
fn with_one_thread_the_clock_is_left_alone_once_that_is_known() {
    let readings = AtomicUsize::new(0);
    let calls = Mutex::new(Vec::new());
    pool(1).install(|| {
        let clock = || readings.fetch_add(1, Ordering::Relaxed) as u64 * 1_000 * MICROSECOND;
        share_if_it_pays(1_000, clock, &|piece| calls.lock().unwrap().push(piece));
    });
    assert_eq!(calls.into_inner().unwrap(), [0..4, 4..1_000]);
    assert_eq!(readings.into_inner(), 2);
}

#[test]
fn a_clock_that_goes_backwards_shows_no_time() {
    let reading = AtomicUsize::new(usize::MAX);
    let clock = || reading.fetch_sub(1_000_000, Ordering::Relaxed) as u64;
    let calls = Mutex::new(Vec::new());
    pool(2).install(|| {
        share_if_it_pays(1_000, clock, &|piece| calls.lock().unwrap().push(piece));
    });
    assert_eq!(calls.into_inner().unwrap(), [0..4, 4..68, 68..1_000]);
}

#[test]
fn each_row_is_visited_once_whatever_the_clock_shows() {
    let pools = [1, 2, 3, 8].map(pool);
    let mut seed = 1_u64;
    let mut random = move || {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        seed >> 24
    };
    for round in 0..2_000 {
        let len = random() as usize % [3, 70, 300, 5_000][round % 4];
        let kind = random() % 6;
        let seed = random();
        let clock = {
            let mut now = seed << 20;
            move || {
                now = match kind {
                    0 => now,                                             // stands still
                    1 => now.wrapping_sub(MICROSECOND * (seed % 99)), // goes backwards, and wraps
                    2 => now.wrapping_add(u64::MAX / 3),              // leaps, and wraps
                    3 => now.wrapping_mul(6_364_136_223_846_793_005) + 1, // shows anything
                    4 => now.wrapping_add(seed % (20 * MICROSECOND)),
                    _ => {
                        if now == 0 {
                            u64::MAX
                        } else {
                            0
                        }
                    }
                };
                now
            }
        };
        let visits: Vec<AtomicU8> = (0..len).map(|_| AtomicU8::new(0)).collect();
        pools[random() as usize % 4].install(|| {
            share_if_it_pays(len, clock, &|piece| {
                assert!(!piece.is_empty());
                for row in &visits[piece] {
                    row.fetch_add(1, Ordering::Relaxed);
                }
            });
        });
        assert!(
            visits
                .iter()
                .all(|visits| visits.load(Ordering::Relaxed) == 1),
            "{len} rows, clock {kind} from {seed}"
        );
    }
}

#[test]
fn the_result_of_the_earliest_piece_is_kept_in_whatever_order_they_come() {
    for order in [[4, 6, 8], [6, 4, 8], [8, 6, 4]] {
        let found = Earliest::default();
        for start in order {
            found.put(start, start);
        }
        assert!(found.is_before(5) && !found.is_before(4));
        assert_eq!(found.into_inner(), Some(4), "{order:?}");
    }
}

#[test]
fn the_panic_of_the_first_row_is_raised_wherever_it_is() {
    let pool = pool(3);
    for first in [0, 3, 4, 50, 900, 999] {
        let visited = AtomicUsize::new(0);
        let running = AtomicUsize::new(0);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|| {
                let clock = || visited.load(Ordering::Relaxed) as u64 * 10 * MICROSECOND;
                share_if_it_pays(1_000, clock, &|piece| {
                    running.fetch_add(1, Ordering::SeqCst);
                    for row in piece {
                        visited.fetch_add(1, Ordering::Relaxed);
                        if row >= first {
                            running.fetch_sub(1, Ordering::SeqCst);
                            std::panic::panic_any(row);
                        }
                    }
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            });
        }));
        let panic = caught.expect_err("it is passed on");
        assert_eq!(panic.downcast_ref::<usize>(), Some(&first));
        assert_eq!(running.into_inner(), 0, "all threads are done");
    }
}

#[test]
fn one_thread_alone_adds_all_rows_to_one_part_and_several_return_parts_in_the_order_of_rows() {
    let mut world = World::new();
    let all = world.spawn_batch((0..20_000).map(|_| Position([0.0; 3])));
    let all = all.to_vec();
    for (threads, most) in [(1, 1), (3, 20_000)] {
        let parts: Vec<Vec<Entity>> = pool(threads).install(|| {
            let mut query = world.query::<(Entity, &mut Position)>();
            query.par_fold_parts(|part: &mut Vec<Entity>, (entity, _)| {
                // Long enough for several looks at the clock.
                if entity.index().is_multiple_of(64) {
                    std::thread::sleep(std::time::Duration::from_micros(3));
                }
                part.push(entity);
            })
        });
        assert!(parts.len() <= most);
        assert_eq!(parts.concat(), all);
    }
}
