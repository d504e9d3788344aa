//! Runs by hand that go wrong or are deeply nested: worlds that are swapped or sent away, executors that panic or omit
//! tasks, schedules that remove themselves.

use std::mem::{swap, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::{self, ThreadId};

use ecs_core::prelude::*;
use ecs_core::schedule::{ErrorPolicy, Executor, Run, ScheduleError};
use ecs_core::system::from_fn;

#[derive(Debug, PartialEq, Eq, Hash)]
struct Turn;

#[system]
fn fails() -> Result<(), &'static str> {
    Err("no luck")
}

/// Returns a world with the schedule `Turn`, of these systems.
fn world<M>(systems: impl IntoConfigs<M>) -> World {
    let mut turn = Schedule::new();
    turn.add(systems);
    let mut world = World::new();
    world.insert_schedule(Turn, turn);
    world
}

/// Runs each task on this thread; a dangling or shared executor would corrupt its fields.
#[derive(Default)]
struct OneThread {
    runs: Vec<ThreadId>,
    depth: u32,
}

impl Executor for OneThread {
    fn run(&mut self, run: &mut Run<'_>) {
        self.depth += 1;
        self.runs.push(thread::current().id());
        while let Some(mut round) = run.round() {
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            while let Some(task) = round.next_local() {
                tasks.extend(task.run());
            }
            while let Some(task) = tasks.pop() {
                tasks.extend(task.run());
            }
        }
        self.depth -= 1;
        assert_eq!(self.depth, 0, "one call at a time");
    }
}

#[test]
fn errors_after_the_end_of_the_outer_run_are_those_of_the_caller() {
    let (started, has_started) = mpsc::channel();
    let (ended, has_ended) = mpsc::channel();
    let has_ended = Mutex::new(has_ended);
    let mut outer_world = world(
        (
            move || {
                started.send(()).unwrap();
                has_ended.lock().unwrap().recv().unwrap();
            },
            fails.on_error(ErrorPolicy::Log),
        )
            .chain(),
    );
    let (sender, receiver) = mpsc::channel();
    let mut outer = Schedule::new();
    outer.add(from_fn(move |world: &mut World| {
        let mut taken = take(world);
        let run = move || taken.run_schedule(Turn);
        sender.send(thread::spawn(run)).unwrap();
        has_started.recv().unwrap();
    }));
    outer.run(&mut outer_world).unwrap();
    ended.send(()).unwrap();
    let result = receiver.recv().unwrap().join().unwrap();
    let Err(ScheduleError::Systems(errors)) = result else {
        panic!("the error got lost: {result:?}");
    };
    assert_eq!(errors[0].to_string().matches("no luck").count(), 1);
}

#[test]
fn a_schedule_is_not_put_back_into_another_world() {
    let (sender, receiver) = mpsc::channel();
    let receiver = Mutex::new(receiver);
    // Its `Turn` puts the other world, whose `Turn` is running, in its place.
    let mut second = world(from_fn(move |world: &mut World| {
        if let Ok(first) = receiver.lock().unwrap().try_recv() {
            drop(std::mem::replace(world, first));
        }
    }));
    let back = Arc::new(Mutex::new(None));
    let give = back.clone();
    let mut first = world(from_fn(move |world: &mut World| {
        if give.lock().unwrap().is_some() {
            return;
        }
        sender.send(take(world)).unwrap();
        second.run_schedule(Turn).unwrap();
        // `first` is now in the place of `second`.
        swap(world, &mut second);
        *give.lock().unwrap() = Some(());
    }));
    first.run_schedule(Turn).unwrap();
    assert!(back.lock().unwrap().is_some());
    // Its own schedule came back: a schedule of the other world would be an error here.
    first.run_schedule(Turn).unwrap();
}

#[test]
fn executors_of_two_threads_are_not_confused_by_worlds_that_know_the_same_run() {
    for _ in 0..20 {
        let mut first = world(|| {});
        first.insert_resource(0_u32);
        let (sender, receiver) = mpsc::channel();
        let (outcome, outcomes) = mpsc::channel();
        let mut outer = Schedule::new();
        outer.add(
            (
                from_fn(move |world: &mut World| {
                    let taken = take(world);
                    *world = self::world(|| {});
                    let receiver = Mutex::new(Some(taken));
                    let outcome = outcome.clone();
                    sender
                        .send(thread::spawn(move || {
                            let mut executor = OneThread::default();
                            let mut other = self::world(|| {});
                            let mut run = Schedule::new();
                            run.add(
                                (
                                    // From here on the run is in a world that knows the run of the first thread.
                                    from_fn(move |world: &mut World| {
                                        *world = receiver.lock().unwrap().take().unwrap();
                                    }),
                                    from_fn(|world: &mut World| {
                                        for _ in 0..20 {
                                            world.run_schedule(Turn).unwrap();
                                        }
                                    }),
                                )
                                    .chain(),
                            );
                            let result = run.run_with(&mut other, &mut executor);
                            outcome.send(result.is_ok()).unwrap();
                            let this = thread::current().id();
                            assert!(executor.runs.iter().all(|thread| *thread == this));
                            other
                        }))
                        .unwrap();
                }),
                from_fn(|world: &mut World| {
                    for _ in 0..20 {
                        world.run_schedule(Turn).unwrap();
                    }
                }),
                from_fn(|world: &mut World| world.run_schedule(Turn).unwrap()),
            )
                .chain(),
        );
        let mut executor = OneThread::default();
        outer.run_with(&mut first, &mut executor).unwrap();
        let other = receiver.recv().unwrap().join().unwrap();
        assert!(outcomes.recv().unwrap());
        assert_eq!(*other.resource::<u32>(), 0);
        let this = thread::current().id();
        assert!(executor.runs.iter().all(|thread| *thread == this));
    }
}

#[test]
fn schedules_that_remove_or_replace_themselves_while_they_run() {
    let mut world = world(from_fn(|world: &mut World| {
        assert!(world.remove_schedule(Turn).is_none());
        let running = world.run_schedule(Turn).unwrap_err();
        assert!(
            matches!(running, ScheduleError::Running { .. }),
            "{running}"
        );
        let mut other = Schedule::new();
        other.add(|mut count: ResMut<u32>| *count += 1);
        assert!(world.insert_schedule(Turn, other).is_none());
        world.run_schedule(Turn).unwrap();
    }));
    world.insert_resource(0_u32);
    world.run_schedule(Turn).unwrap();
    world.run_schedule(Turn).unwrap();
    assert_eq!(*world.resource::<u32>(), 2);
}

/// Uses this many threads.
struct Threads(usize);

impl Executor for Threads {
    fn run(&mut self, run: &mut Run<'_>) {
        while let Some(mut round) = run.round() {
            let mut first = Vec::new();
            while let Some(task) = round.next_task() {
                first.push(task);
            }
            let tasks = Mutex::new(first);
            thread::scope(|scope| {
                for _ in 0..self.0 {
                    scope.spawn(|| {
                        loop {
                            let next = tasks.lock().unwrap().pop();
                            let Some(task) = next else { break };
                            let released = task.run();
                            tasks.lock().unwrap().extend(released);
                        }
                    });
                }
                while let Some(task) = round.next_local() {
                    tasks.lock().unwrap().extend(task.run());
                }
            });
            let mut rest = tasks.into_inner().unwrap();
            while let Some(task) = rest.pop() {
                rest.extend(task.run());
            }
        }
    }
}

#[test]
fn runs_by_hand_inside_of_each_other_on_one_to_four_threads() {
    #[derive(Debug, PartialEq, Eq, Hash)]
    struct Level(u32);

    for threads in 1..=4 {
        let mut world = World::new();
        world.insert_resource(0_u32);
        world.insert_resource(String::new());
        for level in 0..6 {
            let mut schedule = Schedule::new();
            schedule.add((
                |mut count: ResMut<u32>| *count += 1,
                |mut text: ResMut<String>| text.push('x'),
            ));
            if level > 0 {
                schedule.add((
                    from_fn(move |world: &mut World| world.run_schedule(Level(level - 1)).unwrap()),
                    move |mut commands: Commands| {
                        commands.queue(move |world: &mut World| {
                            world.run_schedule(Level(level - 1)).unwrap();
                            if level == 3 {
                                panic!("at level 3");
                            }
                        });
                    },
                ));
            }
            if level > 3 {
                // Catches the panics of the levels below.
                schedule = Schedule::new();
                schedule.add(from_fn(move |world: &mut World| {
                    for _ in 0..2 {
                        let run = || world.run_schedule(Level(level - 1));
                        let caught = catch_unwind(AssertUnwindSafe(run));
                        assert_eq!(caught.is_err(), level == 4);
                    }
                }));
            }
            world.insert_schedule(Level(level), schedule);
        }
        let mut outer = Schedule::new();
        outer.add(from_fn(|world: &mut World| {
            world.run_schedule(Level(5)).unwrap();
        }));
        outer.run_with(&mut world, &mut Threads(threads)).unwrap();
        // Levels 0 to 2 run 1, 3 and 7 times the systems of one; level 3 adds both runs of level 2: 15, and runs four times.
        assert_eq!(*world.resource::<u32>(), 60, "{threads} threads");
        assert_eq!(world.resource::<String>().len(), 60);
    }
}

/// Runs each task on this thread, but fails in one way at the call with this number.
struct Fails {
    call: u32,
    at: u32,
    leaves_out: bool,
}

impl Executor for Fails {
    fn run(&mut self, run: &mut Run<'_>) {
        self.call += 1;
        while let Some(mut round) = run.round() {
            if self.call == self.at {
                assert!(self.leaves_out, "the executor panics");
                let _ = round.next_task();
                return;
            }
            let mut tasks = Vec::new();
            while let Some(task) = round.next_task() {
                tasks.push(task);
            }
            while let Some(task) = tasks.pop() {
                tasks.extend(task.run());
            }
        }
    }
}

#[test]
fn an_executor_that_failed_inside_is_lent_again() {
    for leaves_out in [false, true] {
        let mut world = world(|mut count: ResMut<u32>| *count += 1);
        world.insert_resource(0_u32);
        let mut outer = Schedule::new();
        outer.add(from_fn(|world: &mut World| {
            let run = || world.run_schedule(Turn);
            catch_unwind(AssertUnwindSafe(run)).unwrap_err();
            world.run_schedule(Turn).unwrap();
        }));
        // The first call finds only a task to lend.
        let (call, at) = (0, 2);
        let mut executor = Fails {
            call,
            at,
            leaves_out,
        };
        outer.run_with(&mut world, &mut executor).unwrap();
        assert_eq!(*world.resource::<u32>(), 1);
        assert!(executor.call > 3);
    }
}
