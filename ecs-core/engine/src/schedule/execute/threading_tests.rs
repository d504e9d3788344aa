use super::*;
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::schedule::declare::Flush;
use crate::schedule::plan::Planned;
use crate::system::SystemId;

const MS: f32 = 1_000_000.0;

/// Two systems, which write the same resource if they are `chained`.
fn plan(chained: bool) -> Plan {
    const WRITES: &[ParamInfo] = &[ParamInfo::new(
        "n",
        "ResMut<u32>",
        &ParamAccess::Leaf(Access {
            domain: Domain::Resource,
            kind: Kind::Write,
            ident: ConstTypeIdOf::<u32>::opaque().ident(),
        }),
    )];
    let system = || Planned {
        id: SystemId::of::<Plan>(),
        meta: SystemMeta::new("s", if chained { WRITES } else { &[] }),
        conditions: Vec::new(),
        flush: Flush::After,
    };
    Plan::new(&[system(), system()], &[], &[], Vec::new()).unwrap()
}

fn pace(threads: usize) -> ThreadingHeuristic {
    ThreadingHeuristic {
        threads,
        ..ThreadingHeuristic::default()
    }
}

/// The number of runs up to the next one that is timed closely, and what that is; those before are short.
fn next_timed(pace: &mut ThreadingHeuristic) -> (u32, Mode) {
    for runs in 1..=EVERY + 1 {
        match pace.next() {
            Mode::Sequential | Mode::Parallel { timed: false } => {}
            Mode::Whole => pace.was_whole(took(1), 2),
            timed => return (runs, timed),
        }
    }
    panic!("no run is timed closely");
}

/// A parallel run that is not timed, and one that is.
const PARALLEL: (u32, Mode) = (2, Mode::Parallel { timed: true });

fn took(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn took_us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// The numbers of the runs that are timed out of the next ones, all of which take as long.
fn timed(pace: &mut ThreadingHeuristic, runs: u32, time: Duration) -> Vec<u32> {
    let mut timed = Vec::new();
    for run in 1..=runs {
        match pace.next() {
            Mode::Sequential => continue,
            Mode::Whole => pace.was_whole(time, 2),
            other => panic!("run {run}: {other:?}"),
        }
        timed.push(run);
    }
    timed
}

#[test]
fn with_one_thread_nothing_is_timed() {
    let mut pace = pace(1);
    assert!((0..100).all(|_| pace.next() == Mode::Sequential));
}

#[test]
fn short_runs_are_timed_as_a_whole_and_seldom() {
    let mut pace = pace(4);
    let all = timed(&mut pace, 64, took_us(39));
    assert_eq!(all, [2, 4, 8, 16, 32, 48, 64]);
}

#[test]
fn a_closer_look_comes_as_soon_as_all_runs_took_as_long_as_it_takes() {
    for (time, steps, runs) in [
        (took(100), 2, 2),
        (took_us(321), 2, 2),
        (took_us(319), 2, 4),
        (took_us(81), 2, 8),
        (took_us(41), 2, 16),
        // Comparing a thousand systems takes longer, once.
        (took(1), 1_000, 8),
        (took_us(100), 1_000, 64),
    ] {
        let mut pace = pace(4);
        let looks = (1..).find(|_| match pace.next() {
            Mode::Sequential => false,
            Mode::Whole => {
                pace.was_whole(time, steps);
                pace.next == Next::Timed
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(looks, Some(runs), "{time:?} {steps}");
        assert_eq!(pace.next(), Mode::Steps);
    }
}

#[test]
fn a_heavy_schedule_uses_threads_from_its_fourth_run_on() {
    let (mut pace, plan) = (pace(2), plan(false));
    assert_eq!(pace.next(), Mode::Sequential);
    assert_eq!(pace.next(), Mode::Whole);
    pace.was_whole(took(2), 2);
    assert_eq!(pace.next(), Mode::Steps);
    pace.was_sequential(&plan, &[MS, MS]);
    // It starts the threads, which is not held against it.
    assert_eq!(pace.next(), Mode::Parallel { timed: false });
    assert_eq!(pace.next(), Mode::Parallel { timed: true });
    pace.was_parallel(took(1));
    for _ in 6..100 {
        match pace.next() {
            Mode::Parallel { timed: false } => {}
            Mode::Parallel { timed: true } => pace.was_parallel(took(1)),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn threads_are_tried_where_independent_systems_take_long() {
    for (chained, times, parallel) in [
        (false, [MS, MS], true),
        (true, [MS, MS], false),
        (false, [9_000.0, 9_000.0], false),
        (false, [2.0 * MS, 1_000.0], false),
    ] {
        let mut pace = pace(2);
        next_timed(&mut pace);
        pace.was_sequential(&plan(chained), &times);
        assert_eq!(pace.is_parallel, parallel, "{chained} {times:?}");
    }
}

#[test]
fn one_slow_run_with_threads_may_be_chance() {
    let (mut pace, plan) = (pace(2), plan(false));
    next_timed(&mut pace);
    pace.was_sequential(&plan, &[MS, MS]);
    assert_eq!(next_timed(&mut pace), PARALLEL);
    pace.was_parallel(took(3));
    assert_eq!(pace.next(), Mode::Parallel { timed: true });
    pace.was_parallel(took(1));
    // Not remembered.
    assert_eq!(next_timed(&mut pace).1, Mode::Parallel { timed: true });
    pace.was_parallel(took(3));
    assert_eq!(pace.next(), Mode::Parallel { timed: true });
}

#[test]
fn slower_threads_are_given_up_unless_there_was_more_to_do() {
    let (mut pace, plan) = (pace(2), plan(false));
    let slower = |pace: &mut ThreadingHeuristic, ms| {
        pace.was_parallel(took(ms));
        assert_eq!(pace.next(), Mode::Parallel { timed: true });
        pace.was_parallel(took(ms));
        assert_eq!(pace.next(), Mode::Steps);
    };
    next_timed(&mut pace);
    pace.was_sequential(&plan, &[MS, MS]);
    assert_eq!(next_timed(&mut pace), PARALLEL);
    pace.was_parallel(took(1));
    assert_eq!(next_timed(&mut pace).1, Mode::Parallel { timed: true });

    // Three times the work: one sequential run tells that threads still pay.
    slower(&mut pace, 3);
    pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
    assert_eq!(next_timed(&mut pace), PARALLEL);

    // Slower for other reasons: they are left alone, twice as long after each attempt.
    for patience in [PATIENCE, 2 * PATIENCE] {
        slower(&mut pace, 7);
        pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
        for _ in 0..=patience {
            assert_eq!(next_timed(&mut pace).1, Mode::Steps);
            pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
        }
        assert_eq!(next_timed(&mut pace), PARALLEL);
    }
}

#[test]
fn threads_are_given_up_when_there_is_less_to_do_than_at_first() {
    let (mut pace, plan) = (pace(2), plan(false));
    next_timed(&mut pace);
    // A game that loads something.
    pace.was_sequential(&plan, &[10.0 * MS, 10.0 * MS]);
    assert_eq!(next_timed(&mut pace), PARALLEL);
    pace.was_parallel(took(10));
    assert_eq!(next_timed(&mut pace).1, Mode::Parallel { timed: true });

    // No two threads do twenty milliseconds' work in seven.
    pace.was_parallel(took(7));
    assert_eq!(pace.next(), Mode::Steps);
    pace.was_sequential(&plan, &[5_000.0, 5_000.0]);
    assert_eq!(next_timed(&mut pace).1, Mode::Steps);
    assert!(!pace.is_parallel);
}

#[test]
fn short_parallel_runs_are_compared_anew_less_and_less_often() {
    let (mut pace, plan) = (pace(64), plan(false));
    next_timed(&mut pace);
    pace.was_sequential(&plan, &[50_000.0, 50_000.0]);
    let mut compared = Vec::new();
    for run in 1..1_000 {
        match pace.next() {
            Mode::Parallel { timed: true } => pace.was_parallel(took_us(75)),
            Mode::Parallel { timed: false } => {}
            Mode::Steps => {
                compared.push(run);
                pace.was_sequential(&plan, &[50_000.0, 50_000.0]);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(compared, [3, 6, 14, 62, 174, 414, 910]);

    // By now there is so little to do that handing it over is most of it.
    let mut runs = 0;
    while pace.is_parallel {
        runs += 1;
        match pace.next() {
            Mode::Parallel { timed: true } => pace.was_parallel(took_us(45)),
            Mode::Parallel { timed: false } => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(runs < 2 * 909);
    assert_eq!(pace.next(), Mode::Steps);
    pace.was_sequential(&plan, &[10_000.0, 10_000.0]);
    assert!(!pace.is_parallel);
}

#[test]
fn a_run_that_panicked_does_not_count() {
    let mut pace = pace(2);
    pace.was_sequential(&plan(false), &[MS]);
    assert_eq!(pace.next(), Mode::Sequential);
}
