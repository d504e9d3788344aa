//! Pending events as data: in saves, clones, snapshots and hashes.

use std::time::Duration;

use ecs_core::command::Delay;
use ecs_core::data::{Cloner, Dangling, Differ, LoadError, Loader, Unknown, WorldData};
use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "ev.hit", alias = "ev.blow")]
struct Hit {
    target: Entity,
    damage: u32,
}

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "ev.said", version = 2, migrate(1 = OldSaid))]
enum Said {
    Nothing,
    Word { by: Option<Entity>, word: String },
}

#[derive(Deserialize)]
struct OldSaid(String);

impl From<OldSaid> for Said {
    fn from(OldSaid(word): OldSaid) -> Self {
        Self::Word { by: None, word }
    }
}

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data(Moved<u8> = "ev.moved_u8"))]
struct Moved<T>(T);

/// Also called `ev.hit`.
#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "ev.hit")]
struct OtherHit(u8);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "ev.key")]
struct Key(u32);

/// The keys of the targets, and the damage.
fn read(world: &World, cursor: &mut EventCursor<Hit>) -> Vec<(u32, u32)> {
    let events = world.resource::<Events<Hit>>();
    let mut reader = cursor.on(&events);
    let key = |hit: &Hit| (world.get::<Key>(hit.target).unwrap().0, hit.damage);
    reader.read().map(key).collect()
}

/// Two entities, and events 0 to 3. One reader has read one of them, and the other has read two.
fn world() -> (World, [EventCursor<Hit>; 2]) {
    let mut world = World::new();
    world.register_data_event::<Hit>();
    let gone = world.spawn(Key(7));
    let keys = [0, 1].map(|key| world.spawn(Key(key)));
    world.despawn(gone).unwrap();
    let mut readers = [EventCursor::default(), EventCursor::default()];
    {
        let events = world.resource::<Events<Hit>>();
        readers
            .iter_mut()
            .for_each(|reader| assert!(reader.on(&events).is_empty()));
    }
    for damage in 0..4 {
        let target = keys[damage as usize % 2];
        world.send_event(Hit { target, damage });
    }
    {
        let events = world.resource::<Events<Hit>>();
        for (reader, count) in readers.iter_mut().zip([1, 2]) {
            assert_eq!(reader.on(&events).read().take(count).count(), count);
        }
    }
    (world, readers)
}

fn loader() -> Loader {
    Loader::new().with::<Key>().with_events::<Hit>()
}

fn by_text(loader: &Loader, world: &mut World, text: &str) -> Result<(), String> {
    let mut json = serde_json::Deserializer::from_str(text);
    let loaded = loader.deserialize(world, &mut json);
    loaded.map(drop).map_err(|error| error.to_string())
}

/// The events that the slower reader has not read.
const UNREAD: [(u32, u32); 3] = [(1, 1), (0, 2), (1, 3)];

#[test]
fn unread_events_come_back_with_ids_of_the_new_world() {
    let (world, _readers) = world();
    let bytes = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    let packed = rmp_serde::to_vec(&world.save()).unwrap();
    let mut from_text = World::new();
    from_text.spawn_batch((10..15).map(Key));
    by_text(&loader(), &mut from_text, &text).unwrap();
    let mut from_pack = World::new();
    let mut pack = rmp_serde::Deserializer::from_read_ref(&packed);
    loader().deserialize(&mut from_pack, &mut pack).unwrap();
    for mut new in [loader().load(&bytes[..]).unwrap(), from_text, from_pack] {
        let mut readers = [EventCursor::default(), EventCursor::default()];
        for reader in &mut readers {
            assert_eq!(read(&new, reader), UNREAD);
            assert_eq!(read(&new, reader), []);
        }
        // It goes on as usual.
        let target = new.query::<Entity>().iter().next().unwrap();
        new.send_event(Hit { target, damage: 9 });
        assert_eq!(new.resource::<Events<Hit>>().len(), 1, "others were read");
    }
}

#[test]
fn without_readers_all_kept_events_are_saved() {
    let (world, readers) = world();
    drop(readers);
    let text = serde_json::to_string(&world.save()).unwrap();
    let mut new = World::new();
    by_text(&loader(), &mut new, &text).unwrap();
    let all = [(0, 0), (1, 1), (0, 2), (1, 3)];
    assert_eq!(read(&new, &mut EventCursor::default()), all);
}

#[test]
fn what_all_have_read_is_not_saved() {
    let (world, mut readers) = world();
    for reader in &mut readers {
        read(&world, reader);
    }
    let value = world.resource_by_name("ev.hit").unwrap().unwrap();
    assert_eq!(value.to_string(), r#"{"bound": 1048576, "unread": []}"#);
    assert!(
        !world.resource::<Events<Hit>>().is_empty(),
        "it has not dropped them yet"
    );
    let copy = world.try_clone().unwrap();
    assert!(copy.resource::<Events<Hit>>().is_empty());
    let left_out = serde_json::to_string(&world.save().without_resources()).unwrap();
    assert!(!left_out.contains("ev.hit"), "{left_out}");
}

#[test]
fn a_living_world_reads_what_was_loaded() {
    #[system]
    fn sum(mut hits: EventReader<Hit>, mut sum: ResMut<u32>) {
        *sum += hits.read().map(|hit| hit.damage).sum::<u32>();
    }
    let (world, _readers) = world();
    let bytes = world.save().to_vec().unwrap();
    let mut new = World::new();
    new.insert_resource(0_u32);
    new.register_data_event::<Hit>();
    let mut frame = Schedule::new();
    frame.add(sum);
    frame.run(&mut new).unwrap();
    let target = new.spawn(Key(3));
    new.send_event(Hit {
        target,
        damage: 100,
    });
    // In place of the events sent before.
    Loader::new().load_into(&mut new, &bytes[..]).unwrap();
    new.send_event(Hit {
        target,
        damage: 1000,
    });
    frame.run(&mut new).unwrap();
    assert_eq!(*new.resource::<u32>(), 1 + 2 + 3 + 1000);
}

#[test]
fn the_bound_comes_back() {
    let mut world = World::new();
    world.insert_resource(Events::<Moved<u8>>::with_bound(3));
    (0..5_u8).for_each(|n| world.send_event(Moved(n)));
    let save = world.save().events::<Moved<u8>>();
    let loader = Loader::new().with_events::<Moved<u8>>();
    let new = loader.load(&save.to_vec().unwrap()[..]).unwrap();
    let events = new.resource::<Events<Moved<u8>>>();
    let mut cursor = EventCursor::default();
    let kept: Vec<u8> = cursor.on(&events).read().map(|moved| moved.0).collect();
    assert_eq!((events.bound(), kept), (3, vec![2, 3, 4]));
    // Written by hand, and from untrusted sources.
    for (text, expected) in [
        (r#"{"unread":[1,2]}"#, Ok((1 << 20, 2))),
        (r#"{"bound":0,"unread":[1,2]}"#, Ok((1, 1))),
        (
            r#"{"bound":18446744073709551615,"unread":[]}"#,
            Ok((usize::MAX, 0)),
        ),
        (r#"{"bound":1}"#, Err("missing field `unread`")),
        (r#"{"unread":[],"read":[]}"#, Err("unknown field `read`")),
        (
            r#"{"unread":[300]}"#,
            Err("300 is out of range for a u8, at `unread[0]`"),
        ),
        ("[1]", Err("`ev.moved_u8`")),
        ("3", Err("`ev.moved_u8`")),
    ] {
        let text = format!(r#"{{"entities":[],"resources":{{"ev.moved_u8":{text}}}}}"#);
        let mut world = World::new();
        match (by_text(&loader, &mut world, &text), expected) {
            (Ok(()), Ok(expected)) => {
                let events = world.resource::<Events<Moved<u8>>>();
                assert_eq!((events.bound(), events.len()), expected, "{text}");
            }
            (Err(error), Err(expected)) => assert!(error.contains(expected), "{text}: {error}"),
            (result, _) => panic!("{text}: {result:?}"),
        }
    }
}

#[test]
fn older_versions_and_names_load() {
    let text = r#"{
        "versions": { "ev.said": 1 },
        "entities": [{ "ev.key": 4 }],
        "resources": {
            "ev.said": { "bound": 5, "unread": ["hello", "you"] },
            "ev.blow": { "unread": [{ "target": 0, "damage": 3 }] }
        }
    }"#;
    let mut world = World::new();
    by_text(&loader().with_events::<Said>(), &mut world, text).unwrap();
    let said = world.resource::<Events<Said>>();
    let mut cursor = EventCursor::default();
    let words = ["hello", "you"].map(|word| OldSaid(word.to_owned()).into());
    assert!(cursor.on(&said).read().eq(&words));
    assert_eq!(said.bound(), 5);
    assert_eq!(read(&world, &mut EventCursor::default()), [(4, 3)]);
}

#[test]
fn events_of_the_dead_are_refused_or_dead() {
    let mut world = World::new();
    world.register_data_event::<Said>();
    let by = world.spawn(Key(0));
    world.send_event(Said::Nothing);
    let word = "ouch".to_owned();
    world.send_event(Said::Word { by: Some(by), word });
    world.despawn(by).unwrap();
    let error = world.save().to_vec().unwrap_err().to_string();
    assert!(error.contains("resource `ev.said`"), "{error}");
    let bytes = world.save().dangling(Dangling::Dead).to_vec().unwrap();
    let new = loader().with_events::<Said>().load(&bytes[..]).unwrap();
    let said = new.resource::<Events<Said>>();
    let mut cursor = EventCursor::default();
    let found: Vec<Said> = cursor.on(&said).read().cloned().collect();
    let [Said::Nothing, Said::Word { by: Some(by), .. }] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(!new.contains(*by));
}

#[test]
fn unknown_events_are_refused_skipped_or_kept() {
    let (world, _readers) = world();
    let bytes = world.save().to_vec().unwrap();
    let few = Loader::new().with::<Key>();
    let error = few.load(&bytes[..]).unwrap_err();
    assert!(
        matches!(&error, LoadError::UnknownName { name, .. } if name == "ev.hit"),
        "{error}"
    );
    let skipped = few.clone().unknown(Unknown::Skip);
    let mut new = World::new();
    assert_eq!(
        skipped.load_into(&mut new, &bytes[..]).unwrap().skipped,
        ["ev.hit"]
    );
    let kept = few.unknown(Unknown::Keep).load(&bytes[..]).unwrap();
    let again = kept.save().to_vec().unwrap();
    let new = loader().load(&again[..]).unwrap();
    assert_eq!(read(&new, &mut EventCursor::default()), UNREAD);
}

#[test]
fn two_events_cannot_have_one_name() {
    let (mut world, _readers) = world();
    world.register_data_event::<OtherHit>();
    let error = world.save().to_vec().unwrap_err().to_string();
    assert!(
        error.contains("two data types have the name `ev.hit`"),
        "{error}"
    );
}

#[test]
#[should_panic(expected = "Moved<u16>` is not data; help: add its name to the list")]
fn an_instance_without_a_name_is_not_data() {
    World::new().register_data_event::<Moved<u16>>();
}

#[test]
fn clones_of_worlds_have_what_is_unread() {
    let (mut world, _readers) = world();
    for copy in [
        world.try_clone(),
        Cloner::new().events::<Hit>().world(&world),
    ] {
        let copy = copy.unwrap();
        assert_eq!(read(&copy, &mut EventCursor::default()), UNREAD);
        assert_eq!(copy.resource::<Events<Hit>>().len(), 3);
        // It knows them, too.
        assert!(
            serde_json::to_string(&copy.save())
                .unwrap()
                .contains("ev.hit")
        );
    }
    world.register_data_event::<Moved<u8>>();
    world.send_event(Moved(3_u8));
    let copy = world.try_clone().unwrap();
    assert_eq!(copy.resource::<Events<Moved<u8>>>().len(), 1, "without ids");
}

#[test]
fn snapshots_have_them_without_a_word() {
    let (mut world, mut readers) = world();
    let snapshotter = Snapshotter::new();
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    world.resource_mut::<Events<Hit>>().clear();
    snapshotter.restore(&mut world, &mut snapshot).unwrap();
    assert_eq!(world.resource::<Events<Hit>>().len(), 3);
    // Other readers stay, and have read everything.
    for reader in &mut readers {
        assert_eq!(read(&world, reader), []);
    }
    assert_eq!(read(&world, &mut EventCursor::default()), UNREAD);
}

#[test]
fn hashes_depend_on_them() {
    let (mut one, mut readers) = world();
    let (other, _others) = world();
    assert_eq!(one.hash().unwrap(), other.hash().unwrap());
    // It has been read by one of two.
    read(&one, &mut readers[1]);
    assert_eq!(one.hash().unwrap(), other.hash().unwrap());
    read(&one, &mut readers[0]);
    assert_ne!(one.hash().unwrap(), other.hash().unwrap());
    one.resource_mut::<Events<Hit>>().clear();
    let empty = one.hash().unwrap();
    let target = one.query::<Entity>().iter().next().unwrap();
    one.send_event(Hit { target, damage: 0 });
    assert_ne!(one.hash().unwrap(), empty);
}

const MS: Duration = Duration::from_millis(1);

/// A world with events that wait: for the same moment, for others, and of two types.
fn waiting() -> World {
    let (mut world, readers) = world();
    drop(readers);
    world.resource_mut::<Events<Hit>>().clear();
    world.register_data_event::<Moved<u8>>();
    // Numbers and times do not begin at 0.
    world.delay(Delay::Runs(1), |_| {});
    world.advance_delayed(MS * 3);
    let targets: Vec<Entity> = world.query::<Entity>().iter().collect();
    let mut hit = |delay, damage| {
        let target = targets[damage as usize % 2];
        world.delay_event(delay, Hit { target, damage });
    };
    hit(Delay::Time(MS * 20), 1);
    hit(Delay::Runs(2), 2);
    hit(Delay::Time(MS * 4), 3);
    hit(Delay::Runs(2), 4);
    hit(Delay::Runs(1), 5);
    world.delay_event(Delay::Runs(2), Moved(7_u8));
    world.advance_delayed(MS * 5);
    world
}

/// The keys of targets and the damage of the events of each run.
fn runs(world: &mut World) -> Vec<Vec<(u32, u32)>> {
    let mut cursor = EventCursor::default();
    let mut runs = vec![read(world, &mut cursor)];
    for _ in 0..6 {
        world.advance_delayed(MS * 4);
        runs.push(read(world, &mut cursor));
    }
    runs
}

#[test]
fn delayed_events_are_saved_with_what_is_left_of_the_delay() {
    let mut world = waiting();
    let bytes = world.save().to_vec().unwrap();
    let text = serde_json::to_string(&world.save()).unwrap();
    let packed = rmp_serde::to_vec(&world.save()).unwrap();
    let after_runs = r#""after_runs":[[1,{"target":0,"damage":2}],[1,{"target":0,"damage":4}]]"#;
    assert!(text.contains(after_runs), "{text}");
    let after_time = r#""after_time":[[{"secs":0,"nanos":15000000},{"target":1,"damage":1}]]"#;
    assert!(text.contains(after_time), "{text}");
    assert!(world.save().left_out().is_empty(), "they are data");
    let hash = world.hash().unwrap();
    let copies = [
        world.try_clone().unwrap(),
        Cloner::new().events::<Moved<u8>>().world(&world).unwrap(),
    ];
    let expected = runs(&mut world);
    let all = [
        vec![(0, 5), (0, 3)],
        vec![(1, 2), (1, 4)],
        vec![],
        vec![],
        vec![(0, 1)],
        vec![],
        vec![],
    ];
    assert_eq!(expected, all);

    let loader = loader().with_events::<Moved<u8>>();
    let mut from_text = World::new();
    by_text(&loader, &mut from_text, &text).unwrap();
    let mut from_pack = World::new();
    let mut pack = rmp_serde::Deserializer::from_read_ref(&packed);
    loader.deserialize(&mut from_pack, &mut pack).unwrap();
    // In place of the events that wait in a world that has run.
    let mut ran = waiting();
    ran.advance_delayed(MS * 2);
    ran.clear();
    loader.load_into(&mut ran, &bytes[..]).unwrap();
    let new = loader.load(&bytes[..]).unwrap();
    for copy in &copies {
        assert_eq!(copy.hash().unwrap(), hash, "with the same ids");
    }
    for mut new in copies.into_iter().chain([new, from_text, from_pack, ran]) {
        assert_eq!(new.resource::<Events<Moved<u8>>>().delayed(), 1);
        assert_eq!(runs(&mut new), expected);
        assert_eq!(new.resource::<Events<Moved<u8>>>().len(), 1);
        assert_eq!(new.resource::<Events<Hit>>().delayed(), 0);
    }
}

#[test]
fn schedules_count_for_loaded_events_from_the_load_on() {
    #[system]
    fn count(mut hits: EventReader<Hit>, mut count: ResMut<u32>) {
        *count += hits.read().count() as u32;
    }
    let mut world = World::new();
    world.register_data_event::<Hit>();
    let target = world.spawn(Key(0));
    world.delay_event(Delay::Runs(2), Hit { target, damage: 1 });
    let bytes = world.save().to_vec().unwrap();
    let mut new = loader().load(&bytes[..]).unwrap();
    new.insert_resource(0_u32);
    let mut frame = Schedule::new();
    frame.add(count);
    for expected in [0, 1, 1] {
        frame.run(&mut new).unwrap();
        assert_eq!(*new.resource::<u32>(), expected);
    }
}

#[test]
fn hashes_and_differences_have_what_is_left_of_delays() {
    let (mut one, mut other) = (waiting(), waiting());
    assert_eq!(one.hash().unwrap(), other.hash().unwrap());
    other.advance_delayed(MS);
    one.advance_delayed(MS * 2);
    assert_ne!(one.hash().unwrap(), other.hash().unwrap());
    let difference = Differ::new().between(&one, &other).unwrap();
    assert!(!difference.is_empty());
    difference.apply(&mut one).unwrap();
    assert_eq!(one.hash().unwrap(), other.hash().unwrap());
    assert_eq!(runs(&mut one), runs(&mut other));
    let differ = Differ::new().without_events();
    assert!(
        differ
            .between(&waiting(), &{
                let mut later = waiting();
                later.advance_delayed(MS);
                later
            })
            .unwrap()
            .is_empty()
    );
}

#[test]
fn delayed_events_of_older_versions_load_and_wrong_ones_are_refused() {
    let text = r#"{
        "versions": { "ev.said": 1 },
        "entities": [{ "ev.key": 4 }],
        "resources": {
            "ev.said": { "unread": [], "after_runs": [[1, "you"]], "after_time": [] },
            "ev.hit": { "unread": [], "after_time": [[{ "secs": 1, "nanos": 0 }, { "target": 0, "damage": 3 }]] }
        }
    }"#;
    let loader = loader().with_events::<Said>();
    let mut world = World::new();
    by_text(&loader, &mut world, text).unwrap();
    world.advance_delayed(MS * 1000);
    assert_eq!(world.resource::<Events<Said>>().len(), 1);
    assert_eq!(read(&world, &mut EventCursor::default()), [(4, 3)]);
    for (from, to, expected) in [
        ("[1, ", "[-1, ", "-1"),
        ("[1, ", "[", "`ev.said`"),
        ("[1, ", "[1, 0, ", "`ev.said`"),
        (r#""secs": 1"#, r#""secs": 18446744073709551615"#, ""),
        (r#""nanos": 0"#, r#""nanos": 4294967295"#, ""),
        (
            r#""after_time": []"#,
            r#""after_runs": []"#,
            "duplicate field `after_runs`",
        ),
        (r#""target": 0"#, r#""target": 9"#, "9"),
    ] {
        let mut world = World::new();
        match by_text(&loader, &mut world, &text.replacen(from, to, 1)) {
            Err(error) => {
                assert!(
                    !expected.is_empty() && error.contains(expected),
                    "{to}: {error}"
                );
                assert!(world.is_empty() && !world.contains_resource::<Events<Said>>());
            }
            Ok(()) => {
                assert!(expected.is_empty(), "{to}");
                // Waits for ever, or somewhat longer.
                world.advance_delayed(MS * 1000);
                assert_eq!(world.resource::<Events<Hit>>().delayed(), 1, "{to}");
                let target = world.query::<Entity>().iter().next().unwrap();
                world.delay_event(Delay::Time(Duration::MAX), Hit { target, damage: 1 });
                world.advance_delayed(Duration::MAX);
                assert_eq!(world.resource::<Events<Hit>>().len(), 2, "{to}");
            }
        }
    }
}

#[test]
fn what_a_delayed_function_loads_or_returns_to_waits_from_then_on() {
    let mut world = waiting();
    let bytes = world.save().to_vec().unwrap();
    let snapshot = Snapshotter::new().take(&mut world).unwrap();
    let snapshot = snapshot.to_bytes().unwrap();
    let expected = runs(&mut world);
    let loader = loader().with_events::<Moved<u8>>();
    world.delay(Delay::Runs(1), move |world: &mut World| {
        world.clear();
        loader.load_bytes(world, &bytes).unwrap();
    });
    world.advance_delayed(MS * 4);
    assert_eq!(runs(&mut world), expected);

    world.delay(Delay::Runs(1), move |world: &mut World| {
        let snapshotter = Snapshotter::new();
        let mut snapshot = snapshotter.read_bytes(world, &snapshot).unwrap();
        snapshotter.restore(world, &mut snapshot).unwrap();
    });
    world.advance_delayed(MS * 4);
    assert_eq!(runs(&mut world), expected);
}
