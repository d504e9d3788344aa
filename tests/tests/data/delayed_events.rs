//! Delayed events that are equal as data, and those that get into a world by themselves.

use std::mem::{replace, swap, take};
use std::time::Duration;

use ecs_core::command::Delay;
use ecs_core::data::{Differ, Loader, WorldData, WorldHasher};
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "delayed.rang")]
struct Rang(u32);

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "delayed.lit")]
struct Lit(u32);

const MS: Duration = Duration::from_millis(1);

fn world() -> World {
    let mut world = World::new();
    world.register_data_event::<Rang>();
    world.register_data_event::<Lit>();
    world
}

/// Counts runs of 10 ms, and returns what rings in each.
fn rings(world: &mut World, runs: usize) -> Vec<Vec<u32>> {
    let mut cursor = EventCursor::default();
    let mut ring = |world: &mut World| {
        world.advance_delayed(MS * 10);
        let events = world.resource::<Events<Rang>>();
        let mut reader = cursor.on(&events);
        reader.read().map(|rang| rang.0).collect()
    };
    (0..runs).map(|_| ring(world)).collect()
}

/// Events wait that were delayed after many others.
fn late() -> World {
    let mut world = world();
    for number in 0..20 {
        world.delay_event(Delay::Runs(1), Rang(number));
        world.delay(Delay::Runs(1), |_| {});
    }
    world.advance_delayed(MS * 7);
    world.resource_mut::<Events<Rang>>().clear();
    world.delay_event(Delay::Runs(2), Rang(1));
    world.delay_event(Delay::Time(MS * 25), Lit(3));
    world.delay_event(Delay::Runs(2), Rang(2));
    world.delay_event(Delay::Time(MS * 25), Rang(4));
    world
}

#[test]
fn worlds_that_wait_for_the_same_are_equal_whatever_was_delayed_before() {
    let mut long = late();
    let mut short = world();
    short.delay_event(Delay::Runs(2), Rang(1));
    short.delay_event(Delay::Runs(2), Rang(2));
    short.delay_event(Delay::Time(MS * 25), Rang(4));
    short.delay_event(Delay::Time(MS * 25), Lit(3));
    let bytes = long.save().to_vec().unwrap();
    let loader = Loader::new().with_events::<Rang>().with_events::<Lit>();
    let mut loaded = loader.load(&bytes[..]).unwrap();
    let mut cloned = long.try_clone().unwrap();
    for other in [&mut short, &mut loaded, &mut cloned] {
        assert_eq!(long.hash().unwrap(), other.hash().unwrap());
    }
    for world in [&mut long, &mut short, &mut loaded, &mut cloned] {
        world.delay_event(Delay::Runs(2), Rang(5));
        world.delay_event(Delay::Time(MS * 30), Lit(6));
    }
    let mut hasher = WorldHasher::new();
    for other in [&mut short, &mut loaded, &mut cloned] {
        assert_eq!(
            hasher.exact(&mut long).unwrap(),
            hasher.exact(other).unwrap()
        );
        assert_eq!(Differ::new().first(&long, other).unwrap(), None);
        assert_eq!(
            long.save().to_vec().unwrap(),
            other.save().to_vec().unwrap()
        );
    }
    let expected = [vec![], vec![1, 2, 5], vec![4], vec![]];
    for world in [&mut long, &mut short, &mut loaded, &mut cloned] {
        assert_eq!(rings(world, 4), expected);
        assert_eq!(world.resource::<Events<Lit>>().len(), 2);
    }
    // The order of equal moments counts.
    let mut other = world();
    for number in [2, 1] {
        other.delay_event(Delay::Runs(2), Rang(number));
        short = world();
        short.delay_event(Delay::Runs(2), Rang(3 - number));
    }
    assert_ne!(other.hash().unwrap(), short.hash().unwrap());
}

#[test]
fn a_save_amid_what_is_due_keeps_the_order() {
    let mut world = world();
    world.delay_event(Delay::Time(MS * 9), Rang(9));
    world.delay_event(Delay::Runs(3), Rang(3));
    world.delay_event(Delay::Time(MS * 3), Rang(7));
    world.advance_delayed(MS);
    world.delay(Delay::Runs(1), |world| {
        let saved = world.save().to_vec().unwrap();
        world.insert_resource(saved);
    });
    assert_eq!(rings(&mut world, 3), [vec![7, 9], vec![3], vec![]]);
    let saved = world.remove_resource::<Vec<u8>>().unwrap();
    let loader = Loader::new().with_events::<Rang>().with_events::<Lit>();
    let mut loaded = loader.load(&saved[..]).unwrap();
    assert_eq!(rings(&mut loaded, 2), [vec![3, 7, 9], vec![]]);
}

/// Two that wait, of a world that has counted otherwise.
fn events() -> Events<Rang> {
    let mut other = world();
    for number in [8, 9] {
        other.delay_event(Delay::Runs(1), Rang(number));
        other.advance_delayed(MS);
    }
    other.delay_event(Delay::Runs(2), Rang(1));
    other.delay_event(Delay::Time(MS * 20), Rang(2));
    let mut events = other.remove_resource::<Events<Rang>>().unwrap();
    events.clear();
    events
}

/// A way for events into a world.
type Way = fn(&mut World, Events<Rang>);

const WAYS: [(&str, Way); 9] = [
    ("inserted", |world, events| {
        world.insert_resource(events);
    }),
    ("a clone", |world, events| {
        world.insert_resource(events.clone());
    }),
    ("exchanged", |world, mut events| {
        world.add_event::<Rang>();
        swap(&mut *world.resource_mut::<Events<Rang>>(), &mut events);
    }),
    ("replaced in a system", |world, events| {
        world.add_event::<Rang>();
        let mut events = Some(events);
        world.run(move |mut own: ResMut<Events<Rang>>| {
            drop(replace(&mut *own, events.take().unwrap()));
        });
    }),
    ("into the map", |world, events| {
        world.resources_mut().insert(events);
    }),
    ("without the type", |world, events| {
        world
            .resources_mut()
            .insert_erased("rang", Box::new(events));
    }),
    ("in a scope", |world, events| {
        world.add_event::<Rang>();
        world.scope::<Events<Rang>, _>(|_, own| *own = events);
    }),
    ("by a command", |world, events| {
        let mut events = Some(events);
        world.run(move |mut commands: Commands| {
            commands.insert_resource(events.take().unwrap());
        });
        world.flush();
    }),
    ("as text", |world, events| {
        let text = serde_json::to_string(&events).unwrap();
        let events: Events<Rang> = serde_json::from_str(&text).unwrap();
        world.insert_resource(events);
    }),
];

#[test]
fn events_that_wait_arrive_however_they_got_into_the_world() {
    let expected = [vec![], vec![1, 2], vec![]];
    for (name, way) in WAYS {
        // That has never delayed anything, and that has.
        for before in [0, 1, 3] {
            let mut world = World::new();
            for _ in 0..before {
                world.delay(Delay::Runs(1), |_| {});
                world.advance_delayed(MS * 5);
            }
            way(&mut world, events());
            assert_eq!(rings(&mut world, 3), expected, "{name}, {before}");
            assert_eq!(world.resource::<Events<Rang>>().delayed(), 0);
        }
        // By runs of a schedule.
        let mut frame = Schedule::new();
        frame.add(|mut rang: EventReader<Rang>, mut log: ResMut<Vec<u32>>| {
            log.extend(rang.read().map(|rang| rang.0));
        });
        let mut world = World::new();
        world.insert_resource(Vec::<u32>::new());
        world.insert_resource(ecs_core::schedule::FrameTime { delta: MS * 10 });
        world.add_event::<Rang>();
        frame.run(&mut world).unwrap();
        way(&mut world, events());
        for expected in [vec![], vec![1, 2], vec![]] {
            frame.run(&mut world).unwrap();
            assert_eq!(
                take(&mut *world.resource_mut::<Vec<u32>>()),
                expected,
                "{name}"
            );
        }
        // In an app, by the time of the game.
        let mut app = App::new();
        app.insert_resource(Vec::<u32>::new());
        app.world_mut().add_event::<Rang>();
        app.add_systems(
            Update,
            |mut rang: EventReader<Rang>, mut log: ResMut<Vec<u32>>| {
                log.extend(rang.read().map(|rang| rang.0));
            },
        );
        app.update_by(MS * 10);
        way(app.world_mut(), events());
        for expected in [vec![], vec![1, 2], vec![]] {
            app.update_by(MS * 10);
            let log = take(&mut *app.world().resource_mut::<Vec<u32>>());
            assert_eq!(log, expected, "{name}");
        }
    }
}

#[test]
fn events_outside_of_the_world_wait_without_counting() {
    let mut world = World::new();
    world.insert_resource(events());
    world.advance_delayed(MS);
    let taken = world.remove_resource::<Events<Rang>>().unwrap();
    for _ in 0..5 {
        world.advance_delayed(MS * 10);
    }
    world.insert_resource(taken);
    assert_eq!(rings(&mut world, 3), [vec![1], vec![2], vec![]]);
}

#[test]
fn events_that_get_here_amid_what_is_due_come_after_what_waits() {
    let mut world = world();
    world.delay_event(Delay::Runs(2), Rang(10));
    world.delay(Delay::Runs(1), |world| {
        // Of another world that has counted much further, and of one that has counted less.
        let mut events = events();
        swap(&mut *world.resource_mut::<Events<Rang>>(), &mut events);
        let mut other = World::new();
        other.insert_resource(events);
        other.delay_event(Delay::Runs(1), Rang(11));
        *world.resource_mut::<Events<Rang>>() = other.remove_resource().unwrap();
        world.delay_event(Delay::Runs(1), Rang(12));
    });
    assert_eq!(rings(&mut world, 3), [vec![], vec![10, 11, 12], vec![]]);
}
