use super::*;
use crate::meta::{Access, ConstTypeIdOf, Domain, Kind, ParamAccess, ParamInfo, SystemMeta};
use crate::schedule::declare::Flush;
use crate::schedule::plan::Planned;
use crate::system::SystemId;
use crate::test_random::random_from;

const US: f32 = 1_000.0;
const MS: f32 = 1_000_000.0;

/// A system's write access to a resource `T`.
struct Writes<T>(T);

impl<T: 'static> Writes<T> {
    const ACCESS: ParamAccess = ParamAccess::Leaf(Access {
        domain: Domain::Resource,
        kind: Kind::Write,
        ident: ConstTypeIdOf::<T>::opaque().ident(),
    });
    const PARAMS: &'static [ParamInfo] = &[ParamInfo::new("n", "ResMut<T>", &Self::ACCESS)];
}

/// Returns a plan with a system for each element. The element is the number of the resource that the system writes, up to
/// three.
fn plan_of(resources: &[usize]) -> SchedulePlan {
    let kinds = [
        Writes::<u8>::PARAMS,
        Writes::<u16>::PARAMS,
        Writes::<u32>::PARAMS,
        Writes::<u64>::PARAMS,
    ];
    let mut systems = Vec::new();
    for &resource in resources {
        systems.push(Planned {
            id: SystemId::of::<SchedulePlan>(),
            meta: SystemMeta::new("s", kinds[resource]),
            conditions: Vec::new(),
            flush: Flush::After,
            unread: None,
            part: 0,
            on_error: None,
        });
    }
    SchedulePlan::new(&systems, &[], &[], Vec::new(), &|_| Vec::new()).unwrap()
}

/// Returns a plan of two systems. They write the same resource if they are `chained`.
fn plan(chained: bool) -> SchedulePlan {
    plan_of(if chained { &[0, 0] } else { &[0, 1] })
}

fn heuristic(threads: usize) -> ThreadingHeuristic {
    ThreadingHeuristic {
        threads,
        ..ThreadingHeuristic::default()
    }
}

fn us(time: f32) -> Duration {
    Duration::from_nanos((time * US) as u64)
}

/// A machine with a computed clock: it runs a schedule in the mode that the heuristic chooses, and adds up the times.
struct Machine {
    heuristic: ThreadingHeuristic,
    plan: SchedulePlan,
    /// The time of all runs so far (ns).
    time: f32,
    /// The times of the last run's systems, and their least time with threads (ns).
    last: (Vec<f32>, f32),
    modes: Vec<Mode>,
}

impl Machine {
    fn new(threads: usize, resources: &[usize]) -> Self {
        Self {
            heuristic: heuristic(threads),
            plan: plan_of(resources),
            time: 0.0,
            last: Default::default(),
            modes: Vec::new(),
        }
    }

    /// Runs the schedule once; its systems take these times (ns).
    fn run(&mut self, times: &[f32]) -> Mode {
        self.run_with_overhead(times, OVERHEAD)
    }

    fn run_with_overhead(&mut self, times: &[f32], overhead: f32) -> Mode {
        let sequential: f32 = times.iter().sum();
        let mode = self.heuristic.next();
        let time = match mode {
            Mode::Parallel { .. } => self.parallel(times) + overhead,
            _ => sequential,
        };
        match mode {
            Mode::Sequential | Mode::Parallel { timed: false } => {}
            Mode::Whole => self.heuristic.record_whole(us(time / US)),
            Mode::Steps => self
                .heuristic
                .record_steps(&self.plan, us(time / US), times),
            Mode::Parallel { timed: true } => self.heuristic.record_parallel(us(time / US)),
        }
        self.time += time;
        self.modes.push(mode);
        mode
    }

    /// Returns the least time with threads.
    fn parallel(&mut self, times: &[f32]) -> f32 {
        if self.last.0 != times {
            let steps = ThreadingHeuristic {
                steps: times.to_vec(),
                ..heuristic(1)
            };
            let share = times.iter().sum::<f32>() / self.heuristic.threads as f32;
            self.last = (times.to_vec(), steps.critical_path(&self.plan).max(share));
        }
        self.last.1
    }

    /// Runs until the mode is as expected, and returns the number of runs.
    fn run_until(&mut self, times: &[f32], parallel: bool) -> usize {
        let found = (1..=2_000).find(|_| {
            self.run(times);
            self.heuristic.is_parallel == parallel && self.heuristic.slower_run.is_none()
        });
        found.expect("it changes at last")
    }

    /// Counts the parallel runs among the next ones.
    fn count_parallel(&mut self, times: &[f32], runs: usize) -> usize {
        let modes = (0..runs).map(|_| self.run(times));
        modes
            .filter(|mode| matches!(mode, Mode::Parallel { .. }))
            .count()
    }
}

#[test]
fn with_one_thread_nothing_is_timed() {
    let mut heuristic = heuristic(1);
    assert!((0..100).all(|_| heuristic.next() == Mode::Sequential));
}

#[test]
fn short_runs_are_timed_step_by_step_once_and_then_seldom_as_a_whole() {
    let mut machine = Machine::new(4, &[0, 1]);
    for run in 1..=64 {
        let expected = match run {
            2 => Mode::Steps,
            16 | 32 | 48 | 64 => Mode::Whole,
            _ => Mode::Sequential,
        };
        assert_eq!(machine.run(&[4.0 * US, 5.0 * US]), expected, "{run}");
    }
}

#[test]
fn longer_runs_are_timed_as_a_whole_and_step_by_step_if_threads_might_pay() {
    for (time, is_timed_again) in [(39.0, false), (60.0, true)] {
        // In a chain, threads never pay off.
        let mut machine = Machine::new(4, &[0]);
        for run in 1..=100 {
            let mode = machine.run(&[time * US]);
            let expected = match run {
                1 => Mode::Sequential,
                2 => Mode::Steps,
                _ if run % 16 == 1 && is_timed_again => Mode::Steps,
                _ => Mode::Whole,
            };
            assert_eq!(mode, expected, "{run}, {time} us");
        }
    }
}

#[test]
fn a_heavy_schedule_uses_threads_from_its_third_run_on() {
    let mut machine = Machine::new(2, &[0, 1]);
    for _ in 0..100 {
        machine.run(&[MS, MS]);
    }
    assert_eq!(machine.modes[..2], [Mode::Sequential, Mode::Steps]);
    // It starts the threads, so it is not timed.
    assert_eq!(machine.modes[2], Mode::Parallel { timed: false });
    assert!(
        machine.modes[3..]
            .iter()
            .all(|&mode| mode == Mode::Parallel { timed: true })
    );
}

#[test]
fn threads_are_used_as_soon_as_all_runs_took_as_long_as_finding_out_costs() {
    for (systems, time, first) in [
        (4, 100.0, 3),
        (4, 25.0, 3),
        (4, 18.0, 3),
        // Thirty chains of ten systems of 0.7 us, judging by the number of pairs: 100 us and 315 us.
        (300, 0.7, 3),
        // 100 us and 560 us.
        (400, 0.5, 5),
    ] {
        let resources: Vec<usize> = (0..systems).map(|system| system % 4).collect();
        let mut machine = Machine::new(4, &resources);
        let times = vec![time * US; systems];
        let run = 1
            + (0..100)
                .position(|_| matches!(machine.run(&times), Mode::Parallel { .. }))
                .unwrap();
        assert_eq!(run, first, "{systems} systems of {time} us");
    }
}

#[test]
fn threads_are_tried_where_independent_systems_take_long() {
    for (resources, times, parallel) in [
        ([0, 1], [MS, MS], true),
        ([0, 0], [MS, MS], false),
        ([0, 1], [9.0 * US, 9.0 * US], false),
        ([0, 1], [2.0 * MS, 1.0 * US], false),
    ] {
        let mut machine = Machine::new(2, &resources);
        let runs = machine.count_parallel(&times, 100);
        assert_eq!(
            runs,
            if parallel { 98 } else { 0 },
            "{resources:?} {times:?}"
        );
    }
}

#[test]
fn one_or_two_slow_runs_with_threads_may_be_chance() {
    let mut machine = Machine::new(2, &[0, 1]);
    assert_eq!(machine.count_parallel(&[MS, MS], 4), 2);
    for slow in [1, 2, 2] {
        for _ in 0..slow {
            machine.run_with_overhead(&[MS, MS], 2.0 * MS);
        }
        // Slow runs are forgotten.
        assert_eq!(machine.count_parallel(&[MS, MS], 10), 10);
    }
}

#[test]
fn slower_threads_are_given_up_unless_there_was_more_to_do() {
    let mut machine = Machine::new(2, &[0, 1]);
    machine.run_until(&[MS, MS], true);
    machine.count_parallel(&[MS, MS], 10);

    // Three times the work: one sequential run shows that threads are still faster.
    let modes: Vec<Mode> = (0..5).map(|_| machine.run(&[3.0 * MS, 3.0 * MS])).collect();
    let (first, timed) = (
        Mode::Parallel { timed: false },
        Mode::Parallel { timed: true },
    );
    assert_eq!(modes, [timed, timed, timed, Mode::Steps, first]);

    // If it is slower for other reasons, sequential runs follow, twice as many after each attempt.
    let mut run = || machine.run_with_overhead(&[3.0 * MS, 3.0 * MS], 5.0 * MS);
    let modes = [run(), run(), run(), run()];
    assert_eq!(modes, [timed, timed, timed, Mode::Steps]);
    for backoff in [16, 32, 64, 128, 256, 512, 1024, 1024] {
        let runs = (0..2_000)
            .take_while(|_| !matches!(run(), Mode::Parallel { .. }))
            .count();
        assert!(
            (backoff..=backoff + 16).contains(&runs),
            "{runs} after {backoff}"
        );
        let modes = [run(), run(), run(), run()];
        assert_eq!(modes, [timed, timed, timed, Mode::Steps]);
    }
}

#[test]
fn threads_are_tried_at_once_where_there_is_more_to_do_than_when_they_were_given_up() {
    let mut machine = Machine::new(2, &[0, 1]);
    let light = [100.0 * US, 100.0 * US];
    for _ in 0..1_000 {
        machine.run_with_overhead(&light, MS);
    }
    assert!(machine.heuristic.retry > 1_000, "slower again and again");
    assert!(machine.run_until(&[4.0 * MS, 4.0 * MS], true) <= 2);
}

#[test]
fn threads_are_given_up_when_there_is_less_to_do_than_at_first() {
    let mut machine = Machine::new(2, &[0, 1]);
    // A game that loads something.
    machine.run_until(&[10.0 * MS, 10.0 * MS], true);
    // Two threads cannot do twenty milliseconds of work in one millisecond.
    assert!(machine.run_until(&[5.0 * US, 5.0 * US], false) <= 3);
    assert_eq!(machine.count_parallel(&[5.0 * US, 5.0 * US], 100), 0);
}

#[test]
fn work_that_grows_uses_threads_two_runs_later() {
    for before in [0.5 * US, 9.0 * US, 15.0 * US, 60.0 * US] {
        let mut machine = Machine::new(4, &[0, 1, 2, 3]);
        let mut light = [0.1 * US; 4];
        light[0] = before;
        assert_eq!(machine.count_parallel(&light, 100), 0);
        let heavy = [200.0 * US; 4];
        let runs = machine.run_until(&heavy, true);
        // Short runs are timed only now and then.
        let most = if before < SHORT { 17 } else { 2 };
        assert!(runs <= most, "{runs} after {before}");
    }
}

#[test]
fn work_that_moves_to_other_systems_is_noticed_within_sixteen_runs() {
    let mut machine = Machine::new(4, &[0, 1, 2, 3]);
    assert_eq!(machine.count_parallel(&[400.0 * US, 0.0, 0.0, 0.0], 100), 0);
    // The averages follow after a few measurements.
    assert!(machine.run_until(&[100.0 * US; 4], true) <= 3 * 16);
}

#[test]
fn short_parallel_runs_are_compared_again_less_and_less_often() {
    let mut machine = Machine::new(64, &[0, 1]);
    let times = [50.0 * US, 50.0 * US];
    machine.run_until(&times, true);
    let mut compared = Vec::new();
    for run in 1..4_000 {
        if machine.run_with_overhead(&times, 25.0 * US) == Mode::Steps {
            compared.push(run);
        }
    }
    assert_eq!(
        compared,
        [3, 6, 10, 16, 26, 44, 78, 144, 274, 532, 1046, 2072, 3098]
    );

    // Now the work is so small that handing it over dominates.
    let runs = (1..).find(|_| {
        machine.run_with_overhead(&[10.0 * US, 10.0 * US], 35.0 * US);
        !machine.heuristic.is_parallel && machine.heuristic.next == NextRun::AsUsual
    });
    assert!(runs.unwrap() < 1_100);
}

#[test]
fn shares_in_any_unit_count_and_those_of_a_broken_clock_do_not() {
    let steps = |shares: [f32; 2]| {
        let mut heuristic = heuristic(2);
        heuristic.runs = 2;
        heuristic.record_steps(&plan(false), us(2_000.0), &shares);
        (heuristic.steps.clone(), heuristic.is_parallel)
    };
    assert_eq!(steps([7.0, 7.0]), (vec![MS, MS], true));
    assert_eq!(steps([0.0, 0.0]), (vec![], false));
    // If the clock leaps, one step looks long: threads are not tried.
    assert!(!steps([1.0, u64::MAX as f32]).1);
}

#[test]
fn a_run_that_panicked_does_not_count() {
    let mut heuristic = heuristic(2);
    heuristic.next();
    assert_eq!(heuristic.next(), Mode::Steps);
    heuristic.record_steps(&plan(false), us(1_000.0), &[MS]);
    assert_eq!(heuristic.next(), Mode::Sequential);
}

/// The choice costs little compared with the better of both ways, whatever the systems cost and however that changes.
#[test]
fn the_choice_costs_little_beside_the_better_one() {
    let mut random = random_from(7);
    for round in 0..100 {
        let systems = 1 + random(12);
        let resources: Vec<usize> = (0..systems).map(|_| random(4)).collect();
        let mut machine = Machine::new(1 + random(8), &resources);
        let (mut best, mut changes) = (0.0, 0.0);
        let mut times = Vec::new();
        for run in 0..2_000 {
            if run % 400 == 0 {
                let scale = [0.1, 3.0, 20.0, 200.0][random(4)];
                times = (0..systems)
                    .map(|_| scale * US * (random(100) as f32 / 50.0))
                    .collect();
                // The cost that a change may cause: some runs of the wrong kind.
                let sequential: f32 = times.iter().sum();
                changes += 20.0 * (sequential + OVERHEAD);
            }
            let sequential: f32 = times.iter().sum();
            best += sequential.min(machine.parallel(&times) + OVERHEAD);
            machine.run(&times);
        }
        assert!(
            machine.time <= 1.3 * best + changes,
            "round {round}: {} instead of {best}, {resources:?}, {times:?}",
            machine.time
        );
    }
}
