//! Results of tasks come in a replay at the steps at which they came in the recorded program.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use ecs_core::data::{DataTasks, WorldHasher};
use ecs_core::prelude::*;
use ecs_core::record::{Outcome, Recorder, Replay};
use ecs_core::snapshot::Snapshotter;
use ecs_core::system::from_fn;
use ecs_core::task::{self, Order, Promise, Tasks};
use serde::{Deserialize, Serialize};

use super::Folder;

/// The frames and values of results that have arrived.
#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "test.arrivals")]
struct Arrivals(Vec<(u64, u32)>);

/// A world outside of the app: replies, and promises that wait for them.
#[derive(Default)]
struct Outside {
    waiting: Mutex<Vec<Promise<u32>>>,
    /// The number of calls of work.
    worked: AtomicU32,
}

impl Outside {
    /// Keeps or breaks promises, the last first.
    fn reply(&self, count: usize, value: u32) {
        for _ in 0..count {
            let Some(promise) = self.waiting.lock().unwrap().pop() else {
                return;
            };
            match value % 5 {
                0 => drop(promise),
                _ => promise.keep(value),
            }
        }
    }
}

#[system]
fn count(arrivals: Res<Arrivals>) {
    assert!(arrivals.0.len() < 10_000);
}

fn arrived(world: &mut World, value: u32) {
    let frame = world.resource::<Time>().frame();
    world.resource_mut::<Arrivals>().0.push((frame, value));
}

/// An app whose systems start tasks of three kinds: computed by a thread, kept by code outside, and recorded.
fn game(outside: &Arc<Outside>, order: Order) -> App {
    let mut app = App::new();
    app.init_resource::<Arrivals>()
        .insert_resource(Tasks::new(order));
    let of_system = Arc::clone(outside);
    app.add_systems(
        Update,
        (
            move |mut tasks: ResMut<Tasks>, time: Res<Time>| {
                let frame = time.frame() as u32;
                if frame.is_multiple_of(3) {
                    // Twice, so that several results of a step have an order.
                    for n in 0..2 {
                        let work = tasks.work(
                            move || {
                                thread::sleep(Duration::from_micros(u64::from(frame % 7) * 300));
                                1_000 + frame * 2 + n
                            },
                            |world, value| arrived(world, value.unwrap()),
                        );
                        thread::spawn(work);
                    }
                }
                if frame % 4 == 1 {
                    let promise = tasks.data_promise(|world, value: Result<u32, _>| {
                        arrived(world, value.unwrap_or(77));
                    });
                    of_system.waiting.lock().unwrap().push(promise);
                }
                if frame % 10 == 2 {
                    let outside = Arc::clone(&of_system);
                    thread::spawn(tasks.data_work(
                        move || 5_000 + outside.worked.fetch_add(1, Ordering::Relaxed),
                        |world, value| arrived(world, value.unwrap()),
                    ));
                }
            },
            from_fn(task::flush),
            // A second step, which has results that came since the first.
            (|| thread::sleep(Duration::from_micros(200))),
            from_fn(task::flush),
            count,
        ),
    );
    app.set_snapshotter(Snapshotter::new().without_captured());
    app
}

fn exact(app: &mut App) -> u64 {
    let mut hasher = WorldHasher::new().only_data();
    hasher.exact(app.world_mut()).unwrap()
}

fn record(path: &std::path::Path, order: Order, frames: u64) -> Vec<u64> {
    let outside = Arc::new(Outside::default());
    let mut app = game(&outside, order);
    app.add_plugin(Recorder::new(path).hash_every(1).snapshot_every(10));
    let mut hashes = Vec::new();
    for frame in 0..frames {
        outside.reply((frame % 3) as usize, frame as u32);
        if frame % 20 == 19 {
            // All results come, so that a snapshot can be taken.
            outside.reply(100, 4);
            thread::sleep(Duration::from_millis(5));
        }
        app.update_by(Duration::from_millis(16));
        hashes.push(exact(&mut app));
    }
    hashes
}

#[test]
fn results_come_at_the_recorded_steps() {
    for order in [Order::Arrival, Order::Start] {
        let folder = Folder::new();
        let hashes = record(&folder.path(), order, 120);
        let outside = Arc::new(Outside::default());
        let mut replay = Replay::open(folder.path(), || game(&outside, order)).unwrap();
        for (frame, hash) in hashes.iter().enumerate() {
            assert!(replay.step().unwrap(), "{order:?} {frame}");
            assert_eq!(exact(replay.program()), *hash, "{order:?} frame {frame}");
        }
        assert_eq!(*replay.outcome(), Outcome::Same);
        let arrivals = replay.world().resource::<Arrivals>().0.clone();
        assert!(arrivals.iter().any(|(_, value)| *value == 77));
        assert!(arrivals.iter().any(|(_, value)| (1..100).contains(value)));
        assert!(arrivals.iter().any(|(_, value)| *value >= 5_000));
        // Back, over frames with tasks that run.
        for to in [100, 61, 60, 7, 119] {
            replay.run_to(to + 1).unwrap();
            assert_eq!(exact(replay.program()), hashes[to as usize], "to {to}");
            for back in 1..=3 {
                replay.back().unwrap();
                assert_eq!(
                    exact(replay.program()),
                    hashes[(to - back) as usize],
                    "{to} - {back}"
                );
            }
        }
    }
}

#[test]
fn recorded_values_need_no_work() {
    let folder = Folder::new();
    record(&folder.path(), Order::Arrival, 60);
    let outside = Arc::new(Outside::default());
    let mut replay = Replay::open(folder.path(), || game(&outside, Order::Arrival)).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    // Work may begin before the step at which the result came, but the promises of code outside are never kept.
    assert!(outside.waiting.lock().unwrap().len() > 10);
}

/// The first snapshot waits for tasks of the start.
#[test]
fn a_recording_begins_when_the_tasks_of_the_start_have_ended() {
    type Line = Mutex<Option<Receiver<u32>>>;
    fn app(line: Receiver<u32>) -> App {
        let mut app = App::new();
        app.init_resource::<Arrivals>()
            .insert_resource(Tasks::default());
        let line: Line = Mutex::new(Some(line));
        app.add_systems(Startup, move |mut tasks: ResMut<Tasks>| {
            let line = line.lock().unwrap().take().unwrap();
            let work = tasks.work(
                move || line.recv().unwrap_or(0),
                |world, value| arrived(world, value.unwrap()),
            );
            thread::spawn(work);
        });
        app.add_systems(Update, (from_fn(task::flush), count));
        app.set_snapshotter(Snapshotter::new().without_captured());
        app
    }
    let folder = Folder::new();
    let (sender, line): (Sender<u32>, _) = channel();
    let mut recorded = app(line);
    recorded.add_plugin(Recorder::new(folder.path()).hash_every(1));
    for _ in 0..3 {
        recorded.update_by(Duration::from_millis(16));
    }
    sender.send(9).unwrap();
    while recorded.world().resource::<Arrivals>().0.is_empty() {
        recorded.update_by(Duration::from_millis(16));
    }
    for _ in 0..5 {
        recorded.update_by(Duration::from_millis(16));
    }
    let hash = exact(&mut recorded);
    drop(recorded);
    let (_sender, line) = channel();
    let mut replay = Replay::open(folder.path(), || app(line)).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!((replay.frame(), exact(replay.program())), (5, hash));
}

#[test]
fn a_panic_of_the_function_of_a_task_is_repeated() {
    fn app() -> App {
        let mut app = App::new();
        app.insert_resource(Tasks::default());
        app.add_systems(
            Update,
            (
                |mut tasks: ResMut<Tasks>, time: Res<Time>| {
                    if time.frame() == 4 {
                        let promise = tasks.data_promise(|_, value: Result<u32, _>| {
                            assert!(value.is_err(), "it is {}", value.unwrap());
                        });
                        promise.keep(8);
                    }
                },
                from_fn(task::flush),
            ),
        );
        app
    }
    let folder = Folder::new();
    let mut recorded = app();
    recorded.add_plugin(Recorder::new(folder.path()));
    let run = AssertUnwindSafe(|| {
        for _ in 0..10 {
            recorded.update_by(Duration::from_millis(16));
        }
    });
    assert!(catch_unwind(run).is_err());
    let mut replay = Replay::open(folder.path(), app).unwrap();
    let repeat = catch_unwind(AssertUnwindSafe(|| replay.repeat_panic()));
    let message = repeat.unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.ends_with("it is 8"), "{message}");
}
