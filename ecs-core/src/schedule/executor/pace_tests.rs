use super::*;
use crate::meta::{Access, Domain, Identity, Kind, ParamInfo, SystemMeta, Tree};
use crate::schedule::plan::{Flush, Planned};
use crate::system::SystemId;

const MS: f32 = 1_000_000.0;

/// Two systems, which write the same resource if they are `chained`.
fn plan(chained: bool) -> Plan {
    const WRITES: &[ParamInfo] = &[ParamInfo::new(
        "n",
        "ResMut<u32>",
        &Tree::Leaf(Access {
            domain: Domain::Resource,
            kind: Kind::Write,
            ident: Identity::<u32>::opaque().ident(),
        }),
    )];
    let system = || Planned {
        id: SystemId::of::<Plan>(),
        meta: SystemMeta::new("s", if chained { WRITES } else { &[] }),
        conditions: Vec::new(),
        flush: Flush::After,
    };
    Plan::new(&[system(), system()], &[], &[], &[]).unwrap()
}

fn pace(threads: usize) -> Pace {
    Pace {
        threads,
        ..Pace::default()
    }
}

/// The number of runs up to the next one that is timed closely, and what that is.
fn next_timed(pace: &mut Pace) -> (u32, Mode) {
    for runs in 1..=EVERY + 1 {
        match pace.next() {
            Mode::Sequential | Mode::Parallel { timed: false } => {}
            Mode::Whole => pace.was_whole(took(1)),
            timed => return (runs, timed),
        }
    }
    panic!("no run is timed");
}

fn took(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn with_one_thread_nothing_is_timed() {
    let mut pace = pace(1);
    assert!((0..100).all(|_| pace.next() == Mode::Sequential));
}

#[test]
fn one_run_out_of_sixteen_is_timed_and_long_ones_again_step_by_step() {
    let mut pace = pace(4);
    for long in [false, false, true, true] {
        let runs = (1..=EVERY).map(|_| pace.next());
        assert_eq!(runs.filter(|run| *run == Mode::Whole).count(), 1);
        pace.was_whole(if long { took(1) } else { Duration::ZERO });
        assert_eq!(pace.is_new, long);
    }
    assert_eq!(pace.next(), Mode::Steps);
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
        assert_eq!(
            pace.next() != Mode::Sequential,
            parallel,
            "{chained} {times:?}"
        );
    }
}

#[test]
fn slower_threads_are_given_up_unless_there_was_more_to_do() {
    let (mut pace, plan) = (pace(2), plan(false));
    next_timed(&mut pace);
    pace.was_sequential(&plan, &[MS, MS]);
    assert_eq!(next_timed(&mut pace), (1, Mode::Parallel { timed: true }));
    pace.was_parallel(took(1));
    assert_eq!(next_timed(&mut pace).1, Mode::Parallel { timed: true });

    // Three times the work: one sequential run tells that threads still pay.
    pace.was_parallel(took(3));
    assert_eq!(next_timed(&mut pace), (1, Mode::Steps));
    pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
    assert_eq!(next_timed(&mut pace), (1, Mode::Parallel { timed: true }));

    // Slower for other reasons: they are left alone, twice as long after each attempt.
    for patience in [PATIENCE, 2 * PATIENCE] {
        pace.was_parallel(took(7));
        assert_eq!(next_timed(&mut pace), (1, Mode::Steps));
        pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
        for _ in 0..=patience {
            assert_eq!(next_timed(&mut pace).1, Mode::Steps);
            pace.was_sequential(&plan, &[3.0 * MS, 3.0 * MS]);
        }
        assert_eq!(next_timed(&mut pace), (1, Mode::Parallel { timed: true }));
    }
}

#[test]
fn a_run_that_panicked_does_not_count() {
    let mut pace = pace(2);
    pace.was_sequential(&plan(false), &[MS]);
    assert_eq!(pace.next(), Mode::Sequential);
}
