use super::*;
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::schedule::declare::Flush;
use crate::schedule::plan::Planned;
use crate::system::SystemId;

const MS: f32 = 1_000_000.0;

/// Returns a plan of two systems, which write the same resource if they are `chained`.
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

fn heuristic(threads: usize) -> ThreadingHeuristic {
    ThreadingHeuristic {
        threads,
        ..ThreadingHeuristic::default()
    }
}

/// Returns the number of runs up to the next one that is timed step by step or parallel, and its mode; those before are
/// short.
fn next_timed(heuristic: &mut ThreadingHeuristic) -> (u32, Mode) {
    for runs in 1..=EVERY + 1 {
        match heuristic.next() {
            Mode::Sequential | Mode::Parallel { timed: false } => {}
            Mode::Whole => heuristic.record_whole(took(1), 2),
            timed => return (runs, timed),
        }
    }
    panic!("no run is timed closely");
}

/// A parallel run that is not timed, followed by one that is.
const PARALLEL: (u32, Mode) = (2, Mode::Parallel { timed: true });

fn took(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

fn took_us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// Returns the numbers of the timed runs among the next ones, which all take the same time.
fn timed(heuristic: &mut ThreadingHeuristic, runs: u32, time: Duration) -> Vec<u32> {
    let mut timed = Vec::new();
    for run in 1..=runs {
        match heuristic.next() {
            Mode::Sequential => continue,
            Mode::Whole => heuristic.record_whole(time, 2),
            other => panic!("run {run}: {other:?}"),
        }
        timed.push(run);
    }
    timed
}

#[test]
fn with_one_thread_nothing_is_timed() {
    let mut heuristic = heuristic(1);
    assert!((0..100).all(|_| heuristic.next() == Mode::Sequential));
}

#[test]
fn short_runs_are_timed_as_a_whole_and_seldom() {
    let mut heuristic = heuristic(4);
    let all = timed(&mut heuristic, 64, took_us(39));
    assert_eq!(all, [2, 4, 8, 16, 32, 48, 64]);
}

#[test]
fn steps_are_timed_as_soon_as_all_runs_took_as_long_as_that_costs() {
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
        let mut heuristic = heuristic(4);
        let run = (1..).find(|_| match heuristic.next() {
            Mode::Sequential => false,
            Mode::Whole => {
                heuristic.record_whole(time, steps);
                heuristic.next == Next::Timed
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(run, Some(runs), "{time:?} {steps}");
        assert_eq!(heuristic.next(), Mode::Steps);
    }
}

#[test]
fn a_heavy_schedule_uses_threads_from_its_fourth_run_on() {
    let (mut heuristic, plan) = (heuristic(2), plan(false));
    assert_eq!(heuristic.next(), Mode::Sequential);
    assert_eq!(heuristic.next(), Mode::Whole);
    heuristic.record_whole(took(2), 2);
    assert_eq!(heuristic.next(), Mode::Steps);
    heuristic.record_steps(&plan, &[MS, MS]);
    // It starts the threads, so it is not timed.
    assert_eq!(heuristic.next(), Mode::Parallel { timed: false });
    assert_eq!(heuristic.next(), Mode::Parallel { timed: true });
    heuristic.record_parallel(took(1));
    for _ in 6..100 {
        match heuristic.next() {
            Mode::Parallel { timed: false } => {}
            Mode::Parallel { timed: true } => heuristic.record_parallel(took(1)),
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
        let mut heuristic = heuristic(2);
        next_timed(&mut heuristic);
        heuristic.record_steps(&plan(chained), &times);
        assert_eq!(heuristic.is_parallel, parallel, "{chained} {times:?}");
    }
}

#[test]
fn one_slow_run_with_threads_may_be_chance() {
    let (mut heuristic, plan) = (heuristic(2), plan(false));
    next_timed(&mut heuristic);
    heuristic.record_steps(&plan, &[MS, MS]);
    assert_eq!(next_timed(&mut heuristic), PARALLEL);
    heuristic.record_parallel(took(3));
    assert_eq!(heuristic.next(), Mode::Parallel { timed: true });
    heuristic.record_parallel(took(1));
    // The slow run is forgotten.
    assert_eq!(next_timed(&mut heuristic).1, Mode::Parallel { timed: true });
    heuristic.record_parallel(took(3));
    assert_eq!(heuristic.next(), Mode::Parallel { timed: true });
}

#[test]
fn slower_threads_are_given_up_unless_there_was_more_to_do() {
    let (mut heuristic, plan) = (heuristic(2), plan(false));
    let slower = |heuristic: &mut ThreadingHeuristic, ms| {
        heuristic.record_parallel(took(ms));
        assert_eq!(heuristic.next(), Mode::Parallel { timed: true });
        heuristic.record_parallel(took(ms));
        assert_eq!(heuristic.next(), Mode::Steps);
    };
    next_timed(&mut heuristic);
    heuristic.record_steps(&plan, &[MS, MS]);
    assert_eq!(next_timed(&mut heuristic), PARALLEL);
    heuristic.record_parallel(took(1));
    assert_eq!(next_timed(&mut heuristic).1, Mode::Parallel { timed: true });

    // Three times the work: one sequential run shows that threads are still faster.
    slower(&mut heuristic, 3);
    heuristic.record_steps(&plan, &[3.0 * MS, 3.0 * MS]);
    assert_eq!(next_timed(&mut heuristic), PARALLEL);

    // Slower for other reasons: sequential runs follow, twice as many after each attempt.
    for backoff in [BACKOFF, 2 * BACKOFF] {
        slower(&mut heuristic, 7);
        heuristic.record_steps(&plan, &[3.0 * MS, 3.0 * MS]);
        for _ in 0..=backoff {
            assert_eq!(next_timed(&mut heuristic).1, Mode::Steps);
            heuristic.record_steps(&plan, &[3.0 * MS, 3.0 * MS]);
        }
        assert_eq!(next_timed(&mut heuristic), PARALLEL);
    }
}

#[test]
fn threads_are_given_up_when_there_is_less_to_do_than_at_first() {
    let (mut heuristic, plan) = (heuristic(2), plan(false));
    next_timed(&mut heuristic);
    // A game that loads something.
    heuristic.record_steps(&plan, &[10.0 * MS, 10.0 * MS]);
    assert_eq!(next_timed(&mut heuristic), PARALLEL);
    heuristic.record_parallel(took(10));
    assert_eq!(next_timed(&mut heuristic).1, Mode::Parallel { timed: true });

    // Two threads cannot do twenty milliseconds of work in seven.
    heuristic.record_parallel(took(7));
    assert_eq!(heuristic.next(), Mode::Steps);
    heuristic.record_steps(&plan, &[5_000.0, 5_000.0]);
    assert_eq!(next_timed(&mut heuristic).1, Mode::Steps);
    assert!(!heuristic.is_parallel);
}

#[test]
fn short_parallel_runs_are_compared_again_less_and_less_often() {
    let (mut heuristic, plan) = (heuristic(64), plan(false));
    next_timed(&mut heuristic);
    heuristic.record_steps(&plan, &[50_000.0, 50_000.0]);
    let mut compared = Vec::new();
    for run in 1..1_000 {
        match heuristic.next() {
            Mode::Parallel { timed: true } => heuristic.record_parallel(took_us(75)),
            Mode::Parallel { timed: false } => {}
            Mode::Steps => {
                compared.push(run);
                heuristic.record_steps(&plan, &[50_000.0, 50_000.0]);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(compared, [3, 6, 14, 62, 174, 414, 910]);

    // Now there is so little work that handing it over dominates.
    let mut runs = 0;
    while heuristic.is_parallel {
        runs += 1;
        match heuristic.next() {
            Mode::Parallel { timed: true } => heuristic.record_parallel(took_us(45)),
            Mode::Parallel { timed: false } => {}
            other => panic!("{other:?}"),
        }
    }
    assert!(runs < 2 * 909);
    assert_eq!(heuristic.next(), Mode::Steps);
    heuristic.record_steps(&plan, &[10_000.0, 10_000.0]);
    assert!(!heuristic.is_parallel);
}

#[test]
fn a_run_that_panicked_does_not_count() {
    let mut heuristic = heuristic(2);
    heuristic.record_steps(&plan(false), &[MS]);
    assert_eq!(heuristic.next(), Mode::Sequential);
}
