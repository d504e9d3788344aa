//! Work outside of the world: its results, their order, and its end.

use std::cell::Cell;
use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

use ecs_core::prelude::*;
use ecs_core::system::from_fn;
use ecs_core::task::{self, Abandoned, Order, Promise, Tasks};
use ecs_tests::{Ledger, watched};
use proptest::prelude::*;

#[derive(Resource, Default, Debug, PartialEq)]
struct Log(Vec<u32>);

fn world(order: Order) -> World {
    let mut world = World::new();
    world.insert_resource(Log::default());
    world.insert_resource(Tasks::new(order));
    world
}

/// Starts a task that logs its result, or 1000 if it has none.
fn promise(world: &mut World) -> Promise<u32> {
    let mut tasks = world.resource_mut::<Tasks>();
    tasks.promise(|world, number| {
        world.resource_mut::<Log>().0.push(number.unwrap_or(1000));
    })
}

fn log(world: &World) -> Vec<u32> {
    world.resource::<Log>().0.clone()
}

proptest! {
    #[test]
    fn results_come_in_the_order_that_was_asked_for(
        arrivals in Just((0..8_u32).collect::<Vec<_>>()).prop_shuffle(),
        abandoned in prop::collection::vec(any::<bool>(), 8),
        flushes in prop::collection::vec(any::<bool>(), 8),
    ) {
        for order in [Order::Arrival, Order::Start] {
            let mut world = world(order);
            let mut promises: Vec<_> = (0..8).map(|_| Some(promise(&mut world))).collect();
            let result = |n: u32| if abandoned[n as usize] { 1000 } else { n };
            let mut arrived: Vec<u32> = Vec::new();
            for (&n, &flush) in arrivals.iter().zip(&flushes) {
                let promise = promises[n as usize].take().unwrap();
                if abandoned[n as usize] {
                    drop(promise);
                } else {
                    promise.keep(n);
                }
                arrived.push(n);
                if flush {
                    let before = log(&world).len();
                    let flushed = world.flush_tasks();
                    prop_assert_eq!(log(&world).len(), before + flushed);
                    let expected: Vec<u32> = match order {
                        Order::Arrival => arrived.iter().map(|&n| result(n)).collect(),
                        Order::Start => (0..8).take_while(|n| arrived.contains(n)).map(result).collect(),
                    };
                    prop_assert_eq!(log(&world), expected);
                    prop_assert_eq!(world.resource::<Tasks>().pending(), 8 - log(&world).len());
                }
            }
            world.flush_tasks();
            prop_assert_eq!(world.resource::<Tasks>().pending(), 0);
            prop_assert_eq!(log(&world).len(), 8);
        }
    }
}

#[test]
fn threads_deliver_results_and_panics() {
    watched(|| {
        let mut world = world(Order::Start);
        let threads: Vec<_> = (0..8_u32)
            .map(|n| {
                let mut tasks = world.resource_mut::<Tasks>();
                let work = tasks.work(
                    move || {
                        assert!(n != 5, "this work panics");
                        n
                    },
                    |world, number| {
                        assert_eq!(number.is_err(), number == Err(Abandoned));
                        world.resource_mut::<Log>().0.push(number.unwrap_or(1000));
                    },
                );
                std::thread::spawn(work)
            })
            .collect();
        let panicked = threads
            .into_iter()
            .filter_map(|thread| thread.join().err())
            .count();
        assert_eq!(panicked, 1);
        assert_eq!(world.flush_tasks(), 8);
        assert_eq!(log(&world), [0, 1, 2, 3, 4, 1000, 6, 7]);
    });
}

#[test]
fn work_learns_that_the_world_is_gone_and_nothing_leaks() {
    watched(|| {
        let ledger = Ledger::default();
        let mut world = World::new();
        world.insert_resource(Tasks::default());
        let (to_work, from_test) = mpsc::channel::<()>();
        let (early, late) = {
            let mut tasks = world.resource_mut::<Tasks>();
            let (one, two) = (ledger.token(), ledger.token());
            let early = tasks.promise(move |_, _: Result<_, _>| drop(one));
            let late = tasks.promise(move |_, _: Result<_, _>| drop(two));
            (early, late)
        };
        let (value, last) = (ledger.token(), ledger.token());
        early.keep(value);
        assert!(!late.is_cancelled());
        let thread = std::thread::spawn(move || {
            from_test.recv().unwrap();
            assert!(late.is_cancelled());
            late.keep(last);
        });
        drop(world);
        assert_eq!(ledger.alive().len(), 2, "what has arrived is gone");
        to_work.send(()).unwrap();
        thread.join().unwrap();
        assert_eq!(ledger.alive(), [0_u32; 0]);
    });
}

#[test]
fn a_function_that_panics_leaves_the_other_results() {
    let mut world = world(Order::Start);
    promise(&mut world).keep(1);
    let panics = world
        .resource_mut::<Tasks>()
        .promise(|_, _: Result<(), _>| panic!("this function panics"));
    promise(&mut world).keep(2);
    panics.keep(());
    assert!(catch_unwind(AssertUnwindSafe(|| world.flush_tasks())).is_err());
    assert_eq!(log(&world), [1]);
    assert_eq!(world.resource::<Tasks>().pending(), 1);
    assert_eq!(world.flush_tasks(), 1);
    assert_eq!(log(&world), [1, 2]);
}

#[test]
fn results_of_tasks_that_a_flush_starts_wait_for_the_next_one() {
    let mut world = world(Order::Arrival);
    let first = world
        .resource_mut::<Tasks>()
        .promise(|world, number: Result<u32, _>| {
            world.resource_mut::<Log>().0.push(number.unwrap());
            promise(world).keep(2);
        });
    first.keep(1);
    assert_eq!((world.flush_tasks(), log(&world)), (1, vec![1]));
    assert_eq!((world.flush_tasks(), log(&world)), (1, vec![1, 2]));
    assert_eq!(world.flush_tasks(), 0);
    // The function may take the tasks away.
    let last = world
        .resource_mut::<Tasks>()
        .promise(|world, _: Result<(), _>| {
            world.remove_resource::<Tasks>();
        });
    last.keep(());
    promise(&mut world).keep(3);
    assert_eq!((world.flush_tasks(), log(&world)), (1, vec![1, 2]));
    assert_eq!(world.flush_tasks(), 0);
}

#[system]
fn start(mut tasks: ResMut<Tasks>, mut promises: ResMut<Vec<Promise<u32>>>) {
    promises.push(tasks.promise(|world, number: Result<u32, Abandoned>| {
        world.resource_mut::<Log>().0.push(number.unwrap());
    }));
}

#[system]
fn keep(mut promises: ResMut<Vec<Promise<u32>>>, log: Res<Log>) {
    if let Some(promise) = promises.pop() {
        promise.keep(log.0.len() as u32);
    }
}

#[test]
fn a_schedule_flushes_where_it_says() {
    let mut world = world(Order::Arrival);
    world.insert_resource(Vec::<Promise<u32>>::new());
    let mut frame = Schedule::new();
    frame.add((start, keep, from_fn(task::flush)));
    for _ in 0..3 {
        frame.run(&mut world).unwrap();
    }
    assert_eq!(log(&world), [0, 1, 2]);
}

/// A future that is ready when it is polled for the second time; not `Send`.
struct Second(Rc<Cell<u32>>);

impl Future for Second {
    type Output = u32;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<u32> {
        self.0.set(self.0.get() + 1);
        if self.0.get() == 2 {
            Poll::Ready(7)
        } else {
            Poll::Pending
        }
    }
}

#[test]
fn futures_run_on_any_executor_also_on_one_thread() {
    let mut world = world(Order::Arrival);
    let polls = Rc::new(Cell::new(0));
    let mut task = Box::pin(world.resource_mut::<Tasks>().future(
        Second(Rc::clone(&polls)),
        |world, number| {
            world.resource_mut::<Log>().0.push(number.unwrap());
        },
    ));
    let mut context = Context::from_waker(Waker::noop());
    assert!(task.as_mut().poll(&mut context).is_pending());
    assert_eq!(world.flush_tasks(), 0);
    assert!(task.as_mut().poll(&mut context).is_ready());
    assert_eq!((world.flush_tasks(), log(&world)), (1, vec![7]));

    // A cancelled future is not polled again, and a dropped one has failed.
    let polls = Rc::new(Cell::new(0));
    let mut tasks = world.resource_mut::<Tasks>();
    let mut task = Box::pin(tasks.future(Second(Rc::clone(&polls)), |_, _| {
        panic!("there is no world to pass it to")
    }));
    let dropped = tasks.future(Second(Rc::clone(&polls)), |world, number| {
        world.resource_mut::<Log>().0.push(number.unwrap_or(1000));
    });
    drop(tasks);
    drop(dropped);
    assert_eq!((world.flush_tasks(), log(&world)), (1, vec![7, 1000]));
    drop(world);
    assert!(task.as_mut().poll(&mut context).is_ready());
    assert_eq!(polls.get(), 0);

    fn is_send<T: Send>(_: &T) {}
    is_send(&Tasks::default().future(async { 1 }, |_, _| ()));
}

#[test]
fn a_cancelled_task_holds_back_no_others_and_its_result_is_dropped() {
    let ledger = Ledger::default();
    for order in [Order::Start, Order::Arrival] {
        let mut world = world(order);
        let [endless, waiting, kept] = [(); 3].map(|()| promise(&mut world));
        let token = ledger.token();
        let held = world
            .resource_mut::<Tasks>()
            .promise(move |_, _: Result<(), _>| drop(token));
        let ids = [endless.task(), waiting.task(), held.task()];
        assert_eq!(world.resource::<Tasks>().newest(), Some(ids[2]));
        waiting.keep(2);
        kept.keep(3);
        held.keep(());
        if order == Order::Start {
            assert_eq!(world.flush_tasks(), 0, "the first one has not ended");
        }
        for id in ids {
            assert!(world.resource_mut::<Tasks>().cancel(id));
            assert!(
                !world.resource_mut::<Tasks>().cancel(id),
                "it was cancelled"
            );
            assert!(!Tasks::new(order).cancel(id), "it is another's");
        }
        assert_eq!(ledger.alive(), Vec::<u32>::new());
        assert_eq!(world.resource::<Tasks>().pending(), 1);
        assert_eq!(world.flush_tasks(), 1);
        assert_eq!(log(&world), [3]);
        assert!(endless.is_cancelled());
        endless.keep(1);
        assert_eq!(world.flush_tasks(), 0);
        assert_eq!(world.resource::<Tasks>().pending(), 0);
    }
}

#[test]
fn tasks_that_replace_others_in_a_flush_wait_for_the_next_one() {
    let mut world = world(Order::Arrival);
    for _ in 0..5 {
        promise(&mut world).keep(1);
    }
    let replaces = world
        .resource_mut::<Tasks>()
        .promise(|world, _: Result<(), _>| {
            drop(world.insert_resource(Tasks::new(Order::Start)));
            promise(world).keep(2);
            promise(world).keep(3);
        });
    replaces.keep(());
    assert_eq!(world.flush_tasks(), 6);
    assert_eq!(log(&world), [1; 5]);
    assert_eq!(world.flush_tasks(), 2);
    assert_eq!(log(&world)[5..], [2, 3]);
}
