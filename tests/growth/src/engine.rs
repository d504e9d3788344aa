//! Items that are registered with a world, or kept by it.

use std::future::{Future, poll_fn};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::Poll;

use ecs_core::app::script::{Script, ScriptContext, run_scripts};
use ecs_core::component::ComponentId;
use ecs_core::dynamic::{DynamicComponent, DynamicType, FieldKind};
use ecs_core::observer;
use ecs_core::prelude::*;
use ecs_core::system::SystemHandle;
use ecs_core::task::{Order, Promise, TaskId, Tasks};
use ecs_core::world::hooks::{ObserverId, OnAdd, Trigger};

use crate::harness::{Row, Work};

pub(crate) const ROWS: &[Row] = &[
    Row::linear("spawn", 250, spawn),
    Row::flat("spawn one more", 250, spawn_one_more),
    Row::linear("observers, register", 250, observe),
    Row::linear("observers, unregister the first", 250, |n| unobserve(n, 0)),
    Row::linear("observers, unregister the last", 250, |n| unobserve(n, 1)),
    Row::linear("observers, unregister in the middle", 250, |n| {
        unobserve(n, 2)
    }),
    Row::linear("observers of a component", 250, observe_component),
    Row::linear("observers of an entity", 250, observe_entity),
    Row::linear("observers of entities", 250, observe_entities),
    Row::linear("observers with constraints", 150, observe_constrained),
    Row::linear("observers, drop", 250, drop_observed),
    Row::linear("systems, register", 250, register_systems),
    Row::linear("systems, unregister the first", 250, |n| {
        unregister_systems(n, 0)
    }),
    Row::linear("systems, unregister in the middle", 250, |n| {
        unregister_systems(n, 2)
    }),
    Row::linear("scripts that start and wait", 150, scripts),
    Row::linear("waits of one script", 150, waits_of_a_script),
    Row::linear("schedules by label, insert", 150, insert_schedules),
    Row::linear("schedules by label, run", 150, run_schedules),
    Row::linear("schedules by label, remove", 150, remove_schedules),
    Row::linear("dynamic components, define", 150, define),
    Row::linear("dynamic components, find by name", 150, find_defined),
    Row::linear("dynamic components, in a world, sparse", 300, |n| {
        use_defined(n)
    }),
    Row::linear("dynamic components, fields", 300, define_fields),
    Row::linear("tasks, cancel what has arrived", 250, cancel_tasks),
    Row::linear("tasks, in the other order", 250, |n| {
        flush_tasks(n, Order::Start)
    }),
    Row::linear("tasks, as they arrive", 250, |n| {
        flush_tasks(n, Order::Arrival)
    }),
    Row::linear("commands, delayed", 250, delayed),
    Row::linear("events, delayed", 250, delayed_events),
];

#[derive(Component, Clone)]
struct Number(#[expect(dead_code, reason = "only its costs matter")] u32);

struct Event;

fn spawn(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        for i in 0..n {
            world.spawn(Number(i as u32));
        }
    })
}

fn spawn_one_more(n: usize) -> Work {
    let mut world = World::new();
    world.spawn_batch((0..n).map(|i| Number(i as u32)));
    world.spawn(Number(0));
    Box::new(move || {
        world.spawn(Number(0));
    })
}

/// Returns 0 to `n` in an order: ascending, descending, or scattered by large steps.
pub(crate) fn shuffled(n: usize, order: usize) -> Vec<usize> {
    match order {
        0 => (0..n).collect(),
        1 => (0..n).rev().collect(),
        // A prime, so each number comes once.
        _ => (0..n).map(|i| i * 7_919 % n).collect(),
    }
}

fn observed(n: usize) -> (World, Vec<ObserverId>) {
    let mut world = World::new();
    let ids = (0..n).map(|_| world.observe(|_: Trigger<Event>, _: Query<&Number>| {}));
    let ids = ids.collect();
    (world, ids)
}

fn observe(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        for _ in 0..n {
            world.observe(|_: Trigger<Event>, _: Query<&Number>| {});
        }
        world.trigger(Event);
    })
}

fn unobserve(n: usize, order: usize) -> Work {
    let (mut world, ids) = observed(n);
    Box::new(move || {
        for i in shuffled(n, order) {
            assert!(world.unobserve(ids[i]));
        }
    })
}

fn observe_component(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        let ids: Vec<ObserverId> = (0..n)
            .map(|_| world.observe(|_: OnAdd<Number>, _: Query<&Number>| {}))
            .collect();
        world.spawn(Number(0));
        for i in shuffled(n, 2) {
            world.unobserve(ids[i]);
        }
    })
}

fn observe_entity(n: usize) -> Work {
    let mut world = World::new();
    let entity = world.spawn(());
    Box::new(move || {
        let observe = |_| world.observe_on(entity, |_: Trigger<Event>, _: Query<&Number>| {});
        let ids: Vec<ObserverId> = (0..n).map(observe).map(Result::unwrap).collect();
        for i in shuffled(n, 2) {
            assert!(world.unobserve(ids[i]));
        }
    })
}

fn observe_entities(n: usize) -> Work {
    let mut world = World::new();
    let entities = world.spawn_batch((0..n).map(|_| ())).to_vec();
    Box::new(move || {
        let observe = |&entity| world.observe_on(entity, |_: Trigger<Event>, _: Query<&Number>| {});
        let ids: Vec<ObserverId> = entities.iter().map(observe).map(Result::unwrap).collect();
        for i in shuffled(n, 2) {
            assert!(world.unobserve(ids[i]));
        }
    })
}

#[system]
fn on_event(_: Trigger<Event>) {}

fn observe_constrained(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        let mut ids = vec![world.observe(on_event)];
        for i in 0..n {
            let other = observer(|_: Trigger<Event>, _: Query<&Number>| {});
            ids.push(world.observe(if i % 2 == 0 {
                other.after(on_event)
            } else {
                other.before(on_event)
            }));
        }
        world.trigger(Event);
        for i in shuffled(n, 2) {
            assert!(world.unobserve(ids[i]));
        }
    })
}

fn drop_observed(n: usize) -> Work {
    let mut world = Some(observed(n).0);
    Box::new(move || drop(world.take()))
}

fn systems(n: usize) -> (World, Vec<SystemHandle<(), ()>>) {
    let mut world = World::new();
    let handles = (0..n).map(|_| world.register_system(|_: Query<&Number>| {}));
    let handles = handles.collect();
    (world, handles)
}

fn register_systems(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        let handles: Vec<_> = (0..n)
            .map(|_| world.register_system(|_: Query<&Number>| {}))
            .collect();
        for handle in handles {
            world.run_system(handle, ()).unwrap();
        }
    })
}

fn unregister_systems(n: usize, order: usize) -> Work {
    let (mut world, handles) = systems(n);
    Box::new(move || {
        for i in shuffled(n, order) {
            assert!(world.unregister_system(handles[i]));
        }
    })
}

#[system]
fn idle() {}

fn schedule() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add(idle);
    schedule
}

fn with_schedules(n: usize) -> World {
    let mut world = World::new();
    for label in 0..n {
        world.insert_schedule(label, schedule());
        world.run_schedule(label).unwrap();
    }
    world
}

fn world_of_scripts() -> World {
    let mut world = World::new();
    world.insert_resource(Time::new());
    world
}

fn scripts(n: usize) -> Work {
    let mut world = world_of_scripts();
    for _ in 0..n {
        world.spawn(Script::new(async |script: ScriptContext| {
            loop {
                script.frames(1).await;
                script.world(|_| ()).await;
            }
        }));
    }
    Box::new(move || (0..3).for_each(|_| world.run(run_scripts)))
}

fn waits_of_a_script(n: usize) -> Work {
    let mut world = world_of_scripts();
    world.spawn(Script::new(async move |script: ScriptContext| {
        loop {
            let mut waits: Vec<_> = (0..n).map(|_| Box::pin(script.frames(1))).collect();
            let all = poll_fn(|context| {
                waits.retain_mut(|wait| wait.as_mut().poll(context).is_pending());
                match waits.is_empty() {
                    true => Poll::Ready(()),
                    false => Poll::Pending,
                }
            });
            all.await;
        }
    }));
    Box::new(move || (0..3).for_each(|_| world.run(run_scripts)))
}

fn insert_schedules(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        for label in 0..n {
            world.insert_schedule(label, schedule());
        }
    })
}

fn run_schedules(n: usize) -> Work {
    let mut world = with_schedules(n);
    Box::new(move || {
        for label in 0..n {
            world.run_schedule(label).unwrap();
        }
    })
}

fn remove_schedules(n: usize) -> Work {
    let mut world = with_schedules(n);
    Box::new(move || {
        for label in shuffled(n, 2) {
            assert!(world.remove_schedule(label).is_some());
        }
    })
}

/// A name that no other component has.
fn new_name() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    format!("Growth{}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Defines sparse dynamic components.
pub(crate) fn defined(n: usize) -> Vec<ComponentId> {
    let define = |_| {
        let component = DynamicComponent::new(new_name()).field("value", FieldKind::U32);
        let component = component.sparse();
        component.register().unwrap()
    };
    (0..n).map(define).collect()
}

fn define(n: usize) -> Work {
    Box::new(move || drop(defined(n)))
}

fn find_defined(n: usize) -> Work {
    let ids = defined(n);
    Box::new(move || {
        for id in &ids {
            assert!(DynamicType::named(id.name()).is_some());
            assert_eq!(ComponentId::named(id.name()), [*id]);
        }
    })
}

fn use_defined(n: usize) -> Work {
    let ids = defined(n);
    let mut world = World::new();
    Box::new(move || {
        for &id in &ids {
            let entity = world.spawn(());
            let value = ecs_core::dynamic::DynamicValue::new(id).unwrap();
            world.insert_dynamic(entity, value).unwrap();
        }
    })
}

fn define_fields(n: usize) -> Work {
    Box::new(move || {
        let mut component = DynamicComponent::new(new_name());
        for i in 0..n {
            component = component.field(format!("field{i}"), FieldKind::U32);
        }
        component.register().unwrap();
    })
}

fn arrived(n: usize, order: Order) -> (World, Vec<TaskId>) {
    let mut world = World::new();
    let mut tasks = Tasks::new(order);
    let promises: Vec<Promise<u32>> = (0..n).map(|_| tasks.promise(|_, _| {})).collect();
    let ids = promises.iter().map(Promise::task).collect();
    for promise in promises.into_iter().rev() {
        promise.keep(1);
    }
    world.insert_resource(tasks);
    (world, ids)
}

fn cancel_tasks(n: usize) -> Work {
    let (world, ids) = arrived(n, Order::Arrival);
    Box::new(move || {
        let mut tasks = world.resource_mut::<Tasks>();
        for &id in &ids {
            assert!(tasks.cancel(id));
        }
    })
}

fn flush_tasks(n: usize, order: Order) -> Work {
    let (mut world, _) = arrived(n, order);
    Box::new(move || assert_eq!(world.flush_tasks(), n))
}

fn delayed_events(n: usize) -> Work {
    let mut world = World::new();
    world.add_event::<u64>();
    Box::new(move || {
        for i in 0..n as u64 {
            world.delay_event(ecs_core::command::Delay::Runs(1 + i % 3), i);
        }
        for _ in 0..3 {
            world.advance_delayed(std::time::Duration::from_millis(1));
        }
        world.resource_mut::<Events<u64>>().clear();
    })
}

fn delayed(n: usize) -> Work {
    let mut world = World::new();
    Box::new(move || {
        for i in 0..n {
            world.delay(ecs_core::command::Delay::Runs(1 + (i % 3) as u64), |_| {});
        }
        for _ in 0..3 {
            world.advance_delayed(std::time::Duration::from_millis(1));
        }
    })
}
