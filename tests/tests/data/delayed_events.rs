//! Delayed events that are equal as data, and those that get into a world by themselves.

use std::mem::{replace, swap, take};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use ecs_core::command::Delay;
use ecs_core::data::{Dangling, Differ, Loader, Rollback, RollbackFrame, WorldData, WorldHasher};
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use proptest::prelude::*;
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

/// Counts runs of 10 ms, and returns the numbers that ring in each.
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

/// An event that is no data.
#[derive(Clone)]
struct Hummed(u32);

#[derive(Resource, Clone, Default)]
struct Input(u8);

#[derive(Resource, Clone, Default)]
struct Noted(Vec<u32>);

#[system]
fn note(
    mut rang: EventReader<Rang>,
    mut hummed: EventReader<Hummed>,
    mut runs: Local<u32>,
    mut noted: ResMut<Noted>,
) {
    *runs += 1;
    noted
        .0
        .extend(rang.read().map(|rang| *runs * 1000 + rang.0));
    noted
        .0
        .extend(hummed.read().map(|hummed| *runs * 1000 + 500 + hummed.0));
}

#[system]
fn ring(input: Res<Input>, mut commands: Commands) {
    delay_by(input.0, |delay, number| match number % 2 {
        0 => commands.delay_event(delay, Rang(number)),
        _ => commands.delay_event(delay, Hummed(number)),
    });
}

/// Delays as an input says.
fn delay_by(input: u8, mut delay: impl FnMut(Delay, u32)) {
    let number = u32::from(input);
    let wait = u64::from(input % 5);
    match input % 4 {
        0 => {}
        1 => delay(Delay::Runs(wait), number),
        2 => delay(Delay::Time(MS * 7 * wait as u32), number),
        _ => {
            delay(Delay::Runs(2), number);
            delay(Delay::Runs(2), number - 1);
            delay(Delay::Time(MS * 12), number);
        }
    }
}

/// Runs a frame for each input, which arrives some frames later, and returns the notes.
fn noted(inputs: &[(u8, u64)], delays_in_system: bool) -> Vec<u32> {
    let mut world = world();
    world.add_event::<Hummed>();
    world.insert_resource(Input::default());
    world.insert_resource(Noted::default());
    world.insert_resource(ecs_core::schedule::FrameTime { delta: MS * 10 });
    let mut frame = Schedule::new();
    if delays_in_system {
        frame.add(ring);
    }
    frame.add(note);
    let snapshotter = Snapshotter::new()
        .events::<Hummed>()
        .resource::<Input>()
        .resource::<Noted>();
    let snapshotter = match delays_in_system {
        true => snapshotter,
        // Events that wait are copied, and the count of runs is not.
        false => snapshotter.only_written_by(frame.plan().unwrap()),
    };
    let mut rollback = Rollback::new(1, snapshotter);
    let mut known = 0;
    for now in 0..=inputs.len() as u64 {
        let arrives =
            |&(at, &(_, late)): &(u64, &(u8, u64))| at + late <= now || now == inputs.len() as u64;
        // In order, as all before it have arrived.
        for (at, &(input, _)) in (0..).zip(inputs).skip(known as usize).take_while(arrives) {
            rollback.add_input(0, at, input).unwrap();
            known = at + 1;
        }
        if now == inputs.len() as u64 {
            rollback.add_input(0, now, 0).unwrap();
        }
        let apply = |world: &mut World, frame: &RollbackFrame<'_, u8>| {
            let input = frame.inputs[0];
            world.resource_mut::<Input>().0 = input;
            if !delays_in_system {
                delay_by(input, |delay, number| match number % 2 {
                    0 => world.delay_event(delay, Rang(number)),
                    _ => world.delay_event(delay, Hummed(number)),
                });
            }
        };
        let advanced = rollback.advance(&mut world, &mut frame, apply).unwrap();
        assert!(!advanced.is_waiting);
    }
    world.remove_resource::<Noted>().unwrap().0
}

proptest! {
    #[test]
    fn delayed_events_that_a_rollback_repeats_come_as_without_it(
        inputs in prop::collection::vec((any::<u8>(), 0..6_u64), 1..30),
        delays_in_system: bool,
    ) {
        let on_time: Vec<_> = inputs.iter().map(|&(input, _)| (input, 0)).collect();
        prop_assert_eq!(noted(&inputs, delays_in_system), noted(&on_time, delays_in_system));
    }
}

#[test]
fn delayed_events_of_the_dead_are_refused_or_dead() {
    #[derive(Event, Clone, Debug, Serialize, Deserialize)]
    #[event(data = "delayed.found")]
    struct Found(Entity);
    let mut world = World::new();
    world.register_data_event::<Found>();
    let (dead, alive) = (world.spawn(()), world.spawn(()));
    world.delay_event(Delay::Runs(1), Found(dead));
    world.delay_event(Delay::Time(MS), Found(alive));
    world.despawn(dead).unwrap();
    let error = world.save().to_vec().unwrap_err().to_string();
    assert!(error.contains("resource `delayed.found`"), "{error}");
    let bytes = world.save().dangling(Dangling::Dead).to_vec().unwrap();
    // Where other entities have these ids.
    let mut new = World::new();
    new.spawn_batch((0..5).map(|_| ()));
    let before: Vec<Entity> = new.query::<Entity>().iter().collect();
    Loader::new()
        .with_events::<Found>()
        .load_into(&mut new, &bytes[..])
        .unwrap();
    new.advance_delayed(MS);
    let events = new.resource::<Events<Found>>();
    let mut cursor = EventCursor::default();
    let found: Vec<Entity> = cursor.on(&events).read().map(|found| found.0).collect();
    assert!(!new.contains(found[0]));
    assert!(new.contains(found[1]) && !before.contains(&found[1]));
}

#[test]
fn a_difference_and_its_reverse_bring_and_take_what_waits() {
    let (mut one, mut other) = (world(), late());
    let difference = Differ::new().between(&one, &other).unwrap();
    difference.apply(&mut one).unwrap();
    assert_eq!(one.hash().unwrap(), other.hash().unwrap());
    let mut copy = one.try_clone().unwrap();
    let expected = rings(&mut other, 4);
    assert_eq!(expected, [vec![], vec![1, 2], vec![4], vec![]]);
    assert_eq!(rings(&mut copy, 4), expected);
    difference.reversed().apply(&mut one).unwrap();
    assert_eq!(one.hash().unwrap(), world().hash().unwrap());
    assert!(rings(&mut one, 4).concat().is_empty());
}

#[test]
fn a_wait_that_is_as_long_as_possible_never_ends() {
    let mut worlds = [world(), world()];
    for _ in 0..3 {
        worlds[0].advance_delayed(MS);
    }
    for world in &mut worlds {
        world.delay_event(Delay::Runs(u64::MAX), Rang(1));
        world.delay_event(Delay::Time(Duration::MAX), Rang(2));
    }
    let hashes = worlds.each_ref().map(|world| world.hash().unwrap());
    assert_eq!(hashes[0], hashes[1], "one of them has counted more");
    worlds[0].advance_delayed(MS * 100);
    assert_eq!(worlds[0].hash().unwrap(), hashes[0], "nothing was counted");
    let saved = worlds[0].save().to_vec().unwrap();
    let loader = Loader::new().with_events::<Rang>().with_events::<Lit>();
    assert_eq!(loader.load(&saved[..]).unwrap().hash().unwrap(), hashes[0]);
}

#[test]
fn time_between_a_snapshot_and_a_return_counts_for_nothing_that_waits() {
    // The system's clock, which does not return.
    let (mut world, mut frame) = (world(), Schedule::new());
    frame.add(|| {});
    world.delay_event(Delay::Time(Duration::from_secs(3)), Rang(1));
    frame.run(&mut world).unwrap();
    let snapshotter = Snapshotter::new();
    let mut before = snapshotter.take(&mut world).unwrap();
    let left = |world: &World| world.hash().unwrap();
    let expected = left(&world);
    std::thread::sleep(MS * 20);
    snapshotter.restore(&mut world, &mut before).unwrap();
    world.advance_delayed(Duration::ZERO);
    assert_eq!(left(&world), expected);

    // The time of the game, if it stays where it is.
    let mut app = App::new();
    app.world_mut().register_data_event::<Rang>();
    app.update_by(MS * 10);
    app.world_mut().delay_event(Delay::Time(MS * 50), Rang(1));
    app.update_by(MS * 10);
    let snapshotter = Snapshotter::new()
        .without_other_resources()
        .without_resource::<Time>();
    let mut before = snapshotter.take(app.world_mut()).unwrap();
    app.update_times(3, MS * 10);
    snapshotter.restore(app.world_mut(), &mut before).unwrap();
    let waits = |app: &App| app.world().resource::<Events<Rang>>().delayed() == 1;
    for frame in 1..=4 {
        app.update_by(MS * 10);
        assert_eq!(waits(&app), frame < 4, "{frame}");
    }
}

#[test]
fn an_event_that_is_due_when_a_read_one_panics_comes_next_time() {
    struct Bomb(u32);
    impl Drop for Bomb {
        fn drop(&mut self) {
            assert_ne!(self.0, 0, "boom");
        }
    }
    for bound in [1, 8] {
        let mut world = World::new();
        world.insert_resource(Events::<Bomb>::with_bound(bound));
        let mut cursor = EventCursor::default();
        let mut read = |world: &World| {
            let events = world.resource::<Events<Bomb>>();
            let numbers: Vec<u32> = cursor.on(&events).read().map(|bomb| bomb.0).collect();
            numbers
        };
        assert!(read(&world).is_empty());
        world.send_event(Bomb(0));
        if bound > 1 {
            assert_eq!(read(&world), [0]);
        }
        world.delay_event(Delay::Runs(1), Bomb(1));
        let advance = AssertUnwindSafe(|| world.advance_delayed(MS));
        assert!(catch_unwind(advance).is_err());
        world.advance_delayed(MS);
        assert_eq!(read(&world), [1], "{bound}");
    }
}

#[test]
fn a_format_without_names_refuses_events_that_wait() {
    let mut waiting = Events::<Rang>::new();
    waiting.send(Rang(1));
    let bytes = postcard::to_allocvec(&waiting).unwrap();
    let read: Events<Rang> = postcard::from_bytes(&bytes).unwrap();
    assert_eq!(read.len(), 1);
    assert!(
        postcard::to_allocvec(&events()).is_err(),
        "they would be lost"
    );
    let bytes = rmp_serde::to_vec(&events()).unwrap();
    let read: Events<Rang> = rmp_serde::from_slice(&bytes).unwrap();
    assert_eq!(read.delayed(), 2);
}
