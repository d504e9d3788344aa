//! Schedules on pools of threads.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::Duration;

use ecs_core::meta::{Kind, ParamAccess};
use ecs_core::prelude::*;
use ecs_core::schedule::{Executor, Run, ScheduleError};
use ecs_core::system::{HeldBorrows, ParamError};
use ecs_tests::{Loose, Mark, Plain, watched};
use rayon::{ThreadPool, ThreadPoolBuilder};

fn pool(threads: usize) -> ThreadPool {
    let builder = ThreadPoolBuilder::new().num_threads(threads);
    builder.build().expect("a few threads")
}

#[derive(Resource, Default)]
struct Left(Vec<u32>);
#[derive(Resource, Default)]
struct Right(Vec<u32>);

#[system]
fn left(mut left: ResMut<Left>, mut n: Local<u32>) {
    *n += 1;
    left.0.push(*n);
}

#[system]
fn right(mut right: ResMut<Right>, mut n: Local<u32>) {
    *n += 1;
    right.0.push(*n);
}

#[system]
fn both(left: Res<Left>, right: Res<Right>) -> Result<(), String> {
    if left.0 == right.0 {
        Ok(())
    } else {
        Err(format!("{:?} is not {:?}", left.0, right.0))
    }
}

fn world() -> World {
    let mut world = World::new();
    world.insert_resource(Left::default());
    world.insert_resource(Right::default());
    world
}

#[test]
fn pools_of_any_size_run_everything_once_and_in_order() {
    watched(|| {
        for threads in [1, 2, 8] {
            let (pool, mut world) = (pool(threads), world());
            let mut schedule = Schedule::new();
            schedule.add((left, right, both, right, left, both));
            for _ in 0..50 {
                schedule.run_par(&mut world, &pool).unwrap();
            }
            assert_eq!(world.resource::<Left>().0.len(), 100);
            // The same from inside the pool.
            pool.install(|| schedule.run_par(&mut world, &pool))
                .unwrap();
            pool.install(|| schedule.run(&mut world)).unwrap();
            assert_eq!(world.resource::<Right>().0.len(), 104);
        }
    });
}

#[test]
fn systems_that_do_not_conflict_run_at_the_same_time() {
    static MEET: Barrier = Barrier::new(2);
    #[system]
    fn waits_left(mut left: ResMut<Left>) {
        MEET.wait();
        left.0.push(1);
    }
    #[system]
    fn waits_right(mut right: ResMut<Right>) {
        MEET.wait();
        right.0.push(1);
    }
    watched(|| {
        let (pool, mut world) = (pool(2), world());
        let mut schedule = Schedule::new();
        schedule.add((waits_left, waits_right, both));
        schedule.run_par(&mut world, &pool).unwrap();
    });
}

#[test]
fn systems_overlap_with_deferred_commands_only_if_they_cannot_observe_them() {
    static MEET: Barrier = Barrier::new(2);
    #[system]
    fn spawns(mut commands: Commands) {
        MEET.wait();
        commands.spawn(Plain(1));
    }
    #[system]
    fn beside(mut left: ResMut<Left>, marks: Comp<Plain>) {
        MEET.wait();
        left.0.push(marks.len() as u32);
    }
    #[system]
    fn counts(mut right: ResMut<Right>, marks: Comp<Plain>) {
        right.0.push(marks.len() as u32);
    }
    watched(|| {
        let (pool, mut world) = (pool(2), world());
        // A system before `spawns` runs at the same time and does not see the spawned entity.
        let mut schedule = Schedule::new();
        schedule.add((beside, spawns, counts));
        schedule.run_par(&mut world, &pool).unwrap();
        assert_eq!(world.resource::<Left>().0, [0]);
        assert_eq!(world.resource::<Right>().0, [1]);

        // A later one may also run at the same time, if the commands are deferred to a later flush.
        let mut schedule = Schedule::new();
        schedule.add((spawns.flush_later(), beside));
        schedule.add_flush().add(counts);
        schedule.run_par(&mut world, &pool).unwrap();
        assert_eq!(world.resource::<Left>().0, [0, 1]);
        assert_eq!(world.resource::<Right>().0, [1, 2]);
    });
}

#[test]
fn later_systems_start_at_once_if_nothing_is_deferred() {
    /// Counts the rounds of a run.
    struct Rounds(u32);
    impl Executor for Rounds {
        fn run(&mut self, run: &mut Run<'_>) {
            while let Some(mut round) = run.round() {
                self.0 += 1;
                let mut tasks = Vec::new();
                while let Some(task) = round.next_task().or_else(|| tasks.pop()) {
                    tasks.extend(task.run());
                }
            }
        }
    }
    #[system]
    fn may_spawn(mut commands: Commands, left: Res<Left>) {
        for &n in &left.0 {
            commands.spawn(Plain(n));
        }
    }
    #[system]
    fn count(plains: Comp<Plain>, mut right: ResMut<Right>) {
        right.0.push(plains.len() as u32);
    }
    let mut world = world();
    let mut schedule = Schedule::new();
    schedule.add((may_spawn, count));
    for (left, rounds) in [(vec![], 1), (vec![1], 2)] {
        world.resource_mut::<Left>().0 = left;
        let mut executor = Rounds(0);
        schedule.run_with(&mut world, &mut executor).unwrap();
        assert_eq!(executor.0, rounds);
    }
    assert_eq!(world.resource::<Right>().0, [0, 1]);
}

#[test]
fn systems_under_one_condition_run_at_the_same_time() {
    static MEET: Barrier = Barrier::new(2);
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    #[system]
    fn open() -> bool {
        ASKED.fetch_add(1, Ordering::Relaxed);
        true
    }
    #[system]
    fn one() {
        MEET.wait();
    }
    #[system]
    fn two() {
        MEET.wait();
    }
    watched(|| {
        let mut schedule = Schedule::new();
        schedule.add((one, two).run_if(open));
        let mut world = World::new();
        schedule.run_par(&mut world, &pool(2)).unwrap();
        assert_eq!(ASKED.load(Ordering::Relaxed), 1);
    });
}

#[test]
fn exclusive_systems_run_on_the_calling_thread() {
    #[derive(Resource)]
    struct Caller(ThreadId);
    #[system]
    fn exclusive(world: &mut World) {
        assert_eq!(world.resource::<Caller>().0, std::thread::current().id());
    }
    #[system]
    fn looks(world: &World) {
        assert_eq!(world.resource::<Caller>().0, std::thread::current().id());
    }
    #[system]
    fn elsewhere(caller: Res<Caller>, mut commands: Commands) {
        assert_ne!(caller.0, std::thread::current().id());
        commands.queue(|world: &mut World| {
            assert_eq!(world.resource::<Caller>().0, std::thread::current().id());
        });
    }
    watched(|| {
        let mut world = world();
        world.insert_resource(Caller(std::thread::current().id()));
        let mut schedule = Schedule::new();
        schedule.add((left, exclusive, elsewhere, looks, elsewhere, right));
        schedule.run_par(&mut world, &pool(3)).unwrap();
    });
}

#[test]
fn nested_loops_and_schedules_do_not_deadlock() {
    #[system]
    fn add(mut plains: CompMut<Plain>) {
        (&mut plains).par_for_each(|plain| plain.0 += 1);
    }
    #[system]
    fn read(plains: Comp<Plain>, left: Res<Left>) {
        assert!(left.0.is_empty());
        let sum = AtomicUsize::new(0);
        (&plains).par_for_each(|plain| {
            sum.fetch_add(plain.0 as usize, Ordering::Relaxed);
        });
        assert!(sum.load(Ordering::Relaxed) > 0);
    }
    #[system]
    fn add_loose(mut loose: CompMut<Loose>) {
        (&mut loose).par_for_each(|loose| loose.0 += 1);
    }
    #[derive(Resource, Default)]
    struct Inner(Schedule);
    #[system]
    fn nested(world: &mut World) {
        let mut inner = world.remove_resource::<Inner>().unwrap();
        inner.0.run_par(world, &pool(1)).unwrap();
        inner.0.run(world).unwrap();
        world.insert_resource(inner);
    }
    watched(|| {
        for threads in [1, 2, 8] {
            let (pool, mut world) = (pool(threads), world());
            world.spawn_batch((0..20_000).map(|n| (Plain(n), Loose(0))));
            let mut inner = Schedule::new();
            inner.add((add, read, add_loose, read));
            world.insert_resource(Inner(inner));
            let mut schedule = Schedule::new();
            schedule.add((add, add_loose, read, read, add_loose, nested, read, add));
            for _ in 0..10 {
                schedule.run_par(&mut world, &pool).unwrap();
                pool.install(|| schedule.run_par(&mut world, &pool))
                    .unwrap();
            }
            let loose = world.view::<Loose>();
            assert!(loose.iter().all(|loose| loose.0 == 20 * (2 + 2)));
        }
    });
}

#[test]
fn a_panic_names_its_system_and_the_next_run_works() {
    static RUNS: AtomicUsize = AtomicUsize::new(0);
    #[system]
    fn bad(mut left: ResMut<Left>, mut commands: Commands) {
        commands.spawn(Mark);
        left.0.push(0);
        assert!(RUNS.fetch_add(1, Ordering::Relaxed) > 0, "no {}", 1);
    }
    #[system]
    fn never(left: Res<Left>, mut right: ResMut<Right>) {
        right.0.push(left.0.len() as u32);
    }
    watched(|| {
        for threads in [1, 2, 8] {
            RUNS.store(0, Ordering::Relaxed);
            let (pool, mut world) = (pool(threads), world());
            let mut schedule = Schedule::new();
            schedule.add((right, bad, never, both));
            let run = AssertUnwindSafe(|| schedule.run_par(&mut world, &pool));
            let panic = catch_unwind(run).unwrap_err();
            assert_eq!(
                *panic.downcast::<String>().unwrap(),
                format!("system `{}` panicked: no 1", ecs_core::meta(&bad).name)
            );
            assert_eq!(world.view::<Mark>().len(), 0);
            assert_eq!(world.resource::<Right>().0, [1]);
            world.resource_mut::<Left>().0.clear();
            world.resource_mut::<Right>().0.clear();

            let error = schedule.run_par(&mut world, &pool).unwrap_err();
            assert!(matches!(error, ScheduleError::Systems(errors) if errors.len() == 1));
            assert_eq!(world.view::<Mark>().len(), 1);
            assert_eq!(world.resource::<Right>().0, [2, 1]);
        }
    });
}

#[test]
fn deferred_commands_of_earlier_steps_are_applied_even_if_a_later_one_panics() {
    #[system]
    fn spawn(mut commands: Commands) {
        commands.spawn(Mark);
    }
    #[system]
    fn bad() {
        panic!("bad");
    }
    for parallel in [false, true] {
        let (pool, mut world) = (pool(2), World::new());
        let mut schedule = Schedule::new();
        // One command is flushed directly, one later, and one is queued too late.
        schedule.add((spawn, spawn.flush_later(), bad, spawn, spawn.flush_later()));
        let run = AssertUnwindSafe(|| match parallel {
            true => schedule.run_par(&mut world, &pool),
            false => schedule.run_seq(&mut world),
        });
        assert!(catch_unwind(run).is_err());
        world.flush();
        assert_eq!(world.view::<Mark>().len(), 2);
    }
}

/// The threads of a run.
#[derive(Resource)]
struct LeftOn(ThreadId);
#[derive(Resource)]
struct RightOn(ThreadId);

#[system]
fn sleep_left(mut on: ResMut<LeftOn>, length: Res<Duration>) {
    on.0 = thread::current().id();
    thread::sleep(*length);
}

#[system]
fn sleep_right(mut on: ResMut<RightOn>, length: Res<Duration>) {
    on.0 = thread::current().id();
    thread::sleep(*length);
}

#[test]
fn a_schedule_that_takes_long_uses_threads_from_its_third_run_on() {
    let this = thread::current().id();
    let threads = |schedule: &mut Schedule, world: &mut World| {
        schedule.run(world).unwrap();
        let (left, right) = (world.resource::<LeftOn>().0, world.resource::<RightOn>().0);
        HashSet::from([left, right, this]).len()
    };
    for (length, several) in [(20, true), (0, false)] {
        let mut world = World::new();
        world.insert_resource(Duration::from_millis(length));
        world.insert_resource(LeftOn(this));
        world.insert_resource(RightOn(this));
        let mut schedule = Schedule::new();
        schedule.add((sleep_left, sleep_right));
        for _ in 1..=2 {
            assert_eq!(threads(&mut schedule, &mut world), 1);
        }
        let several = several && thread::available_parallelism().is_ok_and(|n| n.get() > 1);
        assert_eq!(threads(&mut schedule, &mut world) > 1, several, "{length}");
    }
}

/// A parameter that reads the whole world.
struct Snapshot<'w>(&'w World);

// SAFETY: it only reads the world, and `ACCESS` declares that.
unsafe impl SystemParam for Snapshot<'_> {
    type State = ();
    type Guard<'w> = &'w World;
    type Item<'g> = Snapshot<'g>;

    const ACCESS: &'static ParamAccess = &ParamAccess::World(Kind::Read);

    fn init(_: &World) {}

    fn lock<'w>(
        (): &'w mut (),
        world: &'w World,
        _: &'w HeldBorrows<'w>,
    ) -> Result<&'w World, ParamError> {
        Ok(world)
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Snapshot<'g> {
        Snapshot(guard)
    }
}

#[derive(Component)]
struct Steps(u32);

static IS_WRITING: AtomicBool = AtomicBool::new(false);

#[system]
fn step(mut steps: CompMut<Steps>) {
    IS_WRITING.store(true, Ordering::Relaxed);
    for steps in &mut steps {
        steps.0 += 1;
    }
    thread::sleep(Duration::from_millis(5));
    IS_WRITING.store(false, Ordering::Relaxed);
}

#[system]
fn look(#[param] world: Snapshot<'_>) -> Result<(), &'static str> {
    thread::sleep(Duration::from_millis(2));
    let are_even = world.0.view::<Steps>().iter().all(|steps| steps.0 == 1);
    if are_even && !IS_WRITING.load(Ordering::Relaxed) {
        Ok(())
    } else {
        Err("read at the same time as a write")
    }
}

#[test]
fn a_parameter_that_reads_the_whole_world_never_overlaps_with_writers() {
    watched(|| {
        let (pool, mut world) = (pool(2), World::new());
        world.spawn_batch([Steps(0), Steps(0)]);
        let mut schedule = Schedule::new();
        schedule.add((step, look));
        schedule.run_par(&mut world, &pool).unwrap();
    });
}
