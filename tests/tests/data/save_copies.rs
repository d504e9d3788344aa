//! Copies of saves, and saves that are written in the background.

use std::sync::{Arc, Condvar, Mutex};

use ecs_core::command::{CommandQueue, Commands};
use ecs_core::data::{
    Loader, SaveCopy, SaveCopyError, SaveSlots, SaveWriter, SlotError, SlotInfo, Unknown, WorldData,
};
use ecs_core::prelude::*;
use ecs_tests::folder::TestFolder;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "copies.gold")]
struct Gold(u32);

/// Neither data nor `Clone`, in tables.
#[derive(Component)]
struct Persistent;

/// Data without `Clone`.
#[derive(Component, Debug, Serialize, Deserialize)]
#[component(data = "copies.unique", no_clone)]
struct Unique(String);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "copies.score")]
struct Score(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "copies.hit")]
struct Hit(Entity);

/// Checks that a copy is written as the save is.
fn check(world: &mut World) {
    let expected = serde_json::to_string(&world.save()).unwrap();
    let copy = SaveCopy::take(world, |world| world.save()).unwrap();
    assert_eq!(
        copy.write(|save| serde_json::to_string(save).unwrap()),
        expected
    );
}

#[test]
fn a_copy_has_what_the_filter_has_found_in_the_world_itself() {
    let mut world = World::new();
    world.spawn((Gold(1), Persistent));
    world.spawn(Gold(2));
    let copy = SaveCopy::take(&mut world, |world| {
        world.save().entities::<With<Persistent>>()
    });
    let bytes = copy.unwrap().write(|save| save.to_vec()).unwrap();
    let loaded = Loader::new().with::<Gold>().load(&bytes[..]).unwrap();
    let gold: Vec<u32> = loaded.query::<&Gold>().iter().map(|gold| gold.0).collect();
    assert_eq!(gold, [1]);
}

#[test]
fn a_copy_has_values_without_clone_events_resources_and_waiting_commands() {
    let mut world = World::new();
    let hero = world.spawn((Gold(1), Unique("sword".to_owned()), Persistent));
    check(&mut world);
    world.register_data_event::<Hit>();
    world.register_data_resource::<Score>();
    world.insert_resource(Score(7));
    let goblin = world.spawn(Gold(2));
    world.send_event(Hit(goblin));
    check(&mut world);
    world.despawn(hero).unwrap();
    world.spawn(Gold(3));
    world.spawn((Gold(4), Persistent));
    check(&mut world);
    let waiting = world.reserve_entity();
    let mut queue = CommandQueue::new();
    Commands::new(&mut queue, world.entities())
        .entity(waiting)
        .insert(Gold(9));
    world.defer(&mut queue);
    let copy = SaveCopy::take(&mut world, |world| world.save()).unwrap();
    assert_eq!(world.get::<Gold>(waiting).unwrap().0, 9);
    let text = serde_json::to_string(&world.save()).unwrap();
    assert_eq!(
        copy.write(|save| serde_json::to_string(save).unwrap()),
        text
    );
}

#[test]
fn a_copy_has_a_resource_that_only_the_save_names() {
    let mut world = World::new();
    world.insert_resource(Score(7));
    let expected = world.save().resource::<Score>().to_vec().unwrap();
    let copy = SaveCopy::take(&mut world, |world| world.save().resource::<Score>()).unwrap();
    assert_eq!(copy.write(|save| save.to_vec().unwrap()), expected);
    assert!(
        world.save().to_vec().unwrap().len() < expected.len(),
        "the world still does not know it"
    );
}

#[test]
fn a_copy_has_kept_values() {
    let mut old = World::new();
    old.spawn((Gold(1), Unique("ring".to_owned())));
    let bytes = old.save().to_vec().unwrap();
    let mut world = World::new();
    let loader = Loader::new().with::<Gold>().unknown(Unknown::Keep);
    loader.load_bytes(&mut world, &bytes).unwrap();
    check(&mut world);
    let copy = SaveCopy::take(&mut world, |world| world.save()).unwrap();
    let bytes = copy.write(|save| save.to_vec()).unwrap();
    let loader = Loader::new().with::<Gold>().with::<Unique>();
    let back = loader.load(&bytes[..]).unwrap();
    assert_eq!(back.query::<&Unique>().iter().next().unwrap().0, "ring");
}

#[test]
fn a_save_with_keys_of_entities_is_refused_because_the_world_has_them() {
    let mut world = World::new();
    let copy = SaveCopy::take(&mut world, |world| {
        world
            .save()
            .map_ids(|entity| world.get::<Gold>(entity).map(|gold| u64::from(gold.0)))
    });
    let error = copy.unwrap_err();
    assert!(matches!(error, SaveCopyError::MappedIds));
    assert!(
        error
            .to_string()
            .contains("help: write it by `Save::to_vec`"),
        "{error}"
    );
}

/// A gate that values wait at while they are written.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// Written when the gate is open.
#[derive(Component, Clone, Debug)]
#[component(data = "copies.slow")]
struct Slow;

impl Serialize for Slow {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let is_open = GATE.0.lock().unwrap();
        drop(GATE.1.wait_while(is_open, |is_open| !*is_open).unwrap());
        ().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Slow {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        <()>::deserialize(from).map(|()| Self)
    }
}

#[derive(Component, Clone, Debug, Deserialize)]
#[component(data = "copies.panics")]
struct Panics;

impl Serialize for Panics {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        panic!("not this one")
    }
}

fn copy_of<T: Component>(value: T) -> SaveCopy {
    let mut world = World::new();
    world.spawn(value);
    SaveCopy::take(&mut world, |world| world.save()).unwrap()
}

fn gold_in(slots: &SaveSlots, name: &str) -> u32 {
    let mut world = World::new();
    let loader = Loader::new().with::<Gold>();
    slots.load(name, &loader, &mut world).unwrap();
    world.query::<&Gold>().iter().next().unwrap().0
}

#[test]
fn saves_are_written_one_after_the_other_and_the_last_one_of_a_slot_stays() {
    let folder = TestFolder::new();
    let writer = SaveWriter::new(folder.slots());
    assert!(!writer.is_writing());
    writer.save("slow", SlotInfo::new(), copy_of(Slow));
    for gold in 0..50 {
        writer.save(
            "autosave",
            SlotInfo::new().note(gold.to_string()),
            copy_of(Gold(gold)),
        );
        writer.save("other", SlotInfo::new(), copy_of(Gold(100 + gold)));
    }
    assert!(writer.is_writing() && writer.finished().is_empty());
    assert!(
        folder.slots().list().unwrap().is_empty(),
        "they wait for the slow one"
    );
    *GATE.0.lock().unwrap() = true;
    GATE.1.notify_all();
    writer.wait();
    let finished = writer.finished();
    let names: Vec<&str> = finished.iter().map(|finished| &*finished.slot).collect();
    assert_eq!(names, ["slow", "autosave", "other"]);
    assert!(finished.iter().all(|finished| finished.result.is_ok()));
    assert!(writer.finished().is_empty() && !writer.is_writing());
    assert_eq!(
        (
            gold_in(&folder.slots(), "autosave"),
            gold_in(&folder.slots(), "other")
        ),
        (49, 149)
    );
    assert_eq!(
        folder.slots().slot("autosave").unwrap().unwrap().note(),
        "49"
    );
}

#[test]
fn a_save_in_the_background_that_fails_or_panics_is_a_result_and_the_others_are_written() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    let writer = SaveWriter::new(slots.clone());
    writer.save("a", SlotInfo::new(), copy_of(Gold(1)));
    writer.wait();
    writer.save("a", SlotInfo::new(), copy_of(Panics));
    writer.save("../a", SlotInfo::new(), copy_of(Gold(2)));
    writer.save("b", SlotInfo::new(), copy_of(Gold(3)));
    writer.wait();
    let results: Vec<_> = writer.finished().into_iter().map(|it| it.result).collect();
    let error = |result: usize| Arc::clone(results[result].as_ref().unwrap_err());
    assert_eq!(results.len(), 4);
    assert!(matches!(&*error(1), SlotError::Panicked { message } if message == "not this one"));
    assert!(matches!(&*error(2), SlotError::Name { .. }));
    assert!(results[0].is_ok() && results[3].is_ok());
    assert_eq!((gold_in(&slots, "a"), gold_in(&slots, "b")), (1, 3));
}

#[test]
fn a_writer_writes_what_waits_before_it_is_gone() {
    let folder = TestFolder::new();
    let writer = SaveWriter::new(folder.slots());
    let before = std::time::SystemTime::now();
    for number in 0..20 {
        writer.save(
            format!("slot {number}"),
            SlotInfo::new(),
            copy_of(Gold(number)),
        );
    }
    drop(writer);
    let list = folder.slots().list().unwrap();
    assert_eq!(list.len(), 20);
    assert!(
        list.iter()
            .all(|slot| slot.damage().is_none() && slot.time() >= before)
    );
}
