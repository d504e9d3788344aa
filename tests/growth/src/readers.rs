//! Readers of events and removals that come and go.

use ecs_core::event::EventCursor;
use ecs_core::index::{Index, OrderedIndex};
use ecs_core::prelude::*;
use ecs_core::schedule::conditions::on_event;
use ecs_core::view::{Removed, RemovedCursor};

use crate::harness::{Growth, Row, Work};

pub(crate) const ROWS: &[Row] = &[
    row("readers in schedules that are dropped", schedules),
    row("readers in systems that are unregistered", registered),
    row("readers in conditions that are dropped", conditions),
    row("cursors of events and removals", cursors),
    row("readers of closures that a world runs", closures),
    row("values of an index that come and go", values_of_index),
    Row::linear("readers that are dropped together", 1_000, together),
];

/// Time for each reader, and memory for one.
const fn row(name: &'static str, prepare: fn(usize) -> Work) -> Row {
    Row {
        bytes: Growth::Flat,
        ..Row::linear(name, 300, prepare)
    }
}

#[derive(Component)]
#[component(track)]
struct Body;

fn world() -> World {
    let mut world = World::new();
    world.add_event::<u32>();
    // A reader that stays, for removals that never come.
    world.register_system(|_: Removed<Body>, _: EventReader<u32>| {});
    world
}

/// A value that no other entity has.
#[derive(Component, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[component(track)]
struct Unique(usize);

fn values_of_index(n: usize) -> Work {
    let mut world = world();
    let entity = world.spawn(Unique(0));
    let mut read = move |value| {
        world.insert(entity, Unique(value)).unwrap();
        world.run(|index: Index<Unique>, ordered: OrderedIndex<Unique>| {
            assert_eq!((index.values_len(), ordered.values_len()), (1, 1));
        });
    };
    (0..200).for_each(&mut read);
    Box::new(move || (200..200 + n).for_each(&mut read))
}

fn schedules(n: usize) -> Work {
    let mut world = world();
    Box::new(move || {
        for _ in 0..n {
            let mut schedule = Schedule::new();
            schedule.add(|_: EventReader<u32>, _: Removed<Body>| {});
            schedule.run_seq(&mut world).unwrap();
        }
    })
}

fn registered(n: usize) -> Work {
    let mut world = world();
    Box::new(move || {
        for _ in 0..n {
            let system = world.register_system(|_: EventReader<u32>, _: Removed<Body>| {});
            world.unregister_system(system);
        }
    })
}

fn conditions(n: usize) -> Work {
    let mut world = world();
    Box::new(move || {
        for _ in 0..n {
            let mut schedule = Schedule::new();
            schedule.add((|| {}).run_if(on_event::<u32>()));
            schedule.run_seq(&mut world).unwrap();
        }
    })
}

fn cursors(n: usize) -> Work {
    let world = world();
    Box::new(move || {
        for _ in 0..n {
            let (mut events, mut removals) = (EventCursor::default(), RemovedCursor::default());
            assert!(events.on(&*world.resource::<Events<u32>>()).is_empty());
            assert!(world.removed::<Body>(&mut removals).is_empty());
        }
    })
}

fn closures(n: usize) -> Work {
    let mut world = world();
    Box::new(move || {
        for _ in 0..n {
            world.run(|_: EventReader<u32>, _: Removed<Body>| {});
        }
    })
}

fn together(n: usize) -> Work {
    let world = world();
    Box::new(move || {
        let mut all: Vec<EventCursor<u32>> = Vec::with_capacity(n);
        all.resize_with(n, EventCursor::default);
        let events = world.resource::<Events<u32>>();
        for cursor in &mut all {
            assert!(cursor.on(&events).is_empty());
        }
        drop(all);
        assert_eq!(events.readers(), 1);
    })
}
