//! Slots: the saves of a game in a folder.

use std::fs;
use std::time::{Duration, SystemTime};

use ecs_core::data::{FileError, Loader, SaveSlots, SlotError, SlotInfo, SlotNameProblem};
use ecs_core::prelude::*;
use ecs_tests::folder::TestFolder;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "slots.gold")]
struct Gold(u32);

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(seconds * 1000 + 7)
}

fn names(slots: &SaveSlots) -> Vec<String> {
    let list = slots.list().unwrap().into_iter();
    list.map(|slot| slot.name().to_owned()).collect()
}

#[test]
fn the_list_has_name_time_version_note_and_picture_of_each_slot_with_the_newest_first() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    assert!(slots.list().unwrap().is_empty(), "there is no folder yet");
    let old = SlotInfo::new().time(at(1_000)).version("1.0");
    slots.write("old", &old, b"contents").unwrap();
    let new = SlotInfo::new()
        .time(at(3_000))
        .version("1.1")
        .note("Höhle")
        .picture(*b"PNG");
    slots.write("Ünïcode 名前", &new, b"more contents").unwrap();
    slots
        .write("middle", &SlotInfo::new().time(at(2_000)), b"")
        .unwrap();

    assert_eq!(names(&slots), ["Ünïcode 名前", "middle", "old"]);
    let list = slots.list().unwrap();
    let (first, last) = (&list[0], &list[2]);
    assert_eq!((first.time(), last.time()), (at(3_000), at(1_000)));
    assert_eq!((first.version(), last.version()), ("1.1", "1.0"));
    assert_eq!((first.note(), last.note()), ("Höhle", ""));
    assert_eq!((first.bytes(), list[1].bytes(), last.bytes()), (13, 0, 8));
    assert_eq!((first.has_picture(), last.has_picture()), (true, false));
    assert_eq!(slots.picture("Ünïcode 名前").unwrap().unwrap(), b"PNG");
    assert_eq!(slots.picture("old").unwrap(), None);
    assert_eq!(slots.read("Ünïcode 名前").unwrap(), b"more contents");
    assert_eq!(slots.read("middle").unwrap(), b"");
    assert_eq!(slots.slot("old").unwrap().unwrap().version(), "1.0");
    assert!(slots.slot("young").unwrap().is_none());
}

#[test]
fn a_world_is_saved_into_a_slot_and_loaded_from_it() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    let mut world = World::new();
    world.spawn(Gold(7));
    let before = SystemTime::now() - Duration::from_secs(1);
    slots.save("a", &SlotInfo::new(), &world.save()).unwrap();
    assert!(
        slots.list().unwrap()[0].time() >= before,
        "it is the time of the save"
    );

    let mut new = World::new();
    let loader = Loader::new().with::<Gold>();
    let loaded = slots.load("a", &loader, &mut new).unwrap();
    assert_eq!(*new.get::<Gold>(loaded.entities[0]).unwrap(), Gold(7));
    // Contents that are no save, and a type that the loader does not know.
    slots.write("b", &SlotInfo::new(), b"text").unwrap();
    for (slot, loader) in [("b", &loader), ("a", &Loader::new())] {
        let mut world = World::new();
        let error = slots.load(slot, loader, &mut world).unwrap_err();
        assert!(matches!(error, SlotError::Load(_)), "{error}");
        assert!(world.is_empty());
    }
}

#[test]
fn a_save_that_fails_leaves_the_previous_one() {
    #[derive(Component, Clone, Debug)]
    #[component(data = "slots.stubborn")]
    struct Stubborn;
    impl Serialize for Stubborn {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("not today"))
        }
    }
    impl<'de> Deserialize<'de> for Stubborn {
        fn deserialize<D: serde::Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
            Ok(Self)
        }
    }

    let folder = TestFolder::new();
    let slots = folder.slots();
    slots.write("a", &SlotInfo::new(), b"first").unwrap();
    let mut world = World::new();
    world.spawn(Stubborn);
    let error = slots
        .save("a", &SlotInfo::new(), &world.save())
        .unwrap_err();
    assert!(error.to_string().contains("not today"), "{error}");
    let long = SlotInfo::new().note("x".repeat(70_000));
    let error = slots.write("a", &long, b"second").unwrap_err();
    assert!(
        matches!(error, SlotError::LongInfo { bytes: 70_000 }),
        "{error}"
    );
    assert_eq!(slots.read("a").unwrap(), b"first");

    // A folder is in the way of the file.
    fs::create_dir(folder.path().join("b.save")).unwrap();
    let error = slots.write("b", &SlotInfo::new(), b"second").unwrap_err();
    assert!(matches!(error, SlotError::Write(_)), "{error}");
    assert_eq!(names(&slots), ["a"]);
}

#[test]
fn a_process_that_was_killed_while_it_saved_leaves_the_previous_save_and_no_slot() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    slots.write("a", &SlotInfo::new(), b"first").unwrap();
    let bytes = fs::read(folder.path().join("a.save")).unwrap();
    let left = folder.path().join(".a.save.0123456789abcdef.ecs-new");
    fs::write(left, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(names(&slots), ["a"]);
    assert_eq!(slots.read("a").unwrap(), b"first");
    slots.write("a", &SlotInfo::new(), b"second").unwrap();
    assert_eq!(slots.read("a").unwrap(), b"second");
}

#[test]
fn damaged_slots_are_listed_as_damaged_and_can_be_deleted() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    slots.write("good", &SlotInfo::new(), b"contents").unwrap();
    let bytes = fs::read(folder.path().join("good.save")).unwrap();
    let mut changed = bytes.clone();
    changed[20] ^= 1;
    let mut longer = bytes.clone();
    longer.push(0);
    let mut newer = bytes.clone();
    newer[8] = 9;
    let files = [
        ("empty", &[][..]),
        ("foreign", b"something else"),
        ("short", &bytes[..bytes.len() - 1]),
        ("head", &bytes[..30]),
        ("changed", &changed),
        ("longer", &longer),
        ("newer", &newer),
    ];
    for (name, bytes) in files {
        fs::write(folder.path().join(format!("{name}.save")), bytes).unwrap();
    }
    fs::write(folder.path().join("notes.txt"), "no slot").unwrap();
    let list = slots.list().unwrap();
    assert_eq!(list.len(), 8);
    for slot in list {
        let damage = slot.damage();
        assert_eq!(damage.is_some(), slot.name() != "good", "{}", slot.name());
        let Some(damage) = damage else { continue };
        assert!(damage.to_string().contains(slot.name()), "{damage}");
        assert!(slot.time() > at(1_000), "the time of the file");
        let expected = match slot.name() {
            "foreign" => matches!(
                damage,
                SlotError::Damaged {
                    error: FileError::Foreign,
                    ..
                }
            ),
            "newer" => matches!(
                damage,
                SlotError::Damaged {
                    error: FileError::Newer { form: 9, .. },
                    ..
                }
            ),
            "empty" | "short" | "head" => {
                matches!(
                    damage,
                    SlotError::Damaged {
                        error: FileError::Truncated { .. },
                        ..
                    }
                )
            }
            _ => matches!(damage, SlotError::Damaged { .. }),
        };
        assert!(expected, "{}: {damage:?}", slot.name());
        assert!(slots.read(slot.name()).is_err() && slots.picture(slot.name()).is_err());
        slots.delete(slot.name()).unwrap();
    }
    assert_eq!(names(&slots), ["good"]);
}

#[test]
fn damage_of_the_picture_and_of_the_contents_is_found_when_they_are_read() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    slots
        .write("a", &SlotInfo::new().picture(*b"PNG"), b"contents")
        .unwrap();
    let path = folder.path().join("a.save");
    let bytes = fs::read(&path).unwrap();
    let damage = |from_end: usize| {
        let mut bytes = bytes.clone();
        let at = bytes.len() - from_end;
        bytes[at] ^= 1;
        fs::write(&path, bytes).unwrap();
        (slots.read("a").is_err(), slots.picture("a").is_err())
    };
    assert_eq!(damage(1), (true, false));
    assert_eq!(damage(8), (true, false));
    assert_eq!(damage(9), (false, true));
    assert_eq!(damage(11), (false, true));
    assert_eq!(damage(12), (true, true), "the head");
}

#[test]
fn a_slot_is_renamed_unless_the_other_name_is_taken() {
    let folder = TestFolder::new();
    let slots = folder.slots();
    slots.write("a", &SlotInfo::new(), b"1").unwrap();
    slots.write("b", &SlotInfo::new(), b"2").unwrap();
    let error = slots.rename("a", "b").unwrap_err();
    assert!(
        matches!(&error, SlotError::Exists { name } if name == "b"),
        "{error}"
    );
    assert!(matches!(
        slots.rename("a", "a"),
        Err(SlotError::Exists { .. })
    ));
    assert!(matches!(
        slots.rename("c", "d"),
        Err(SlotError::NoSlot { .. })
    ));
    slots.rename("a", "c").unwrap();
    slots.rename("c", "C").unwrap();
    assert_eq!(slots.read("C").unwrap(), b"1");
    assert_eq!(slots.read("b").unwrap(), b"2");
    assert_eq!(slots.list().unwrap().len(), 2);
    for error in [
        slots.delete("c2").unwrap_err(),
        slots.read("c2").unwrap_err(),
    ] {
        assert!(
            matches!(&error, SlotError::NoSlot { name } if name == "c2"),
            "{error}"
        );
    }
}

#[test]
fn no_name_leads_out_of_the_folder() {
    let folder = TestFolder::new();
    let slots = SaveSlots::new(folder.path().join("saves"));
    slots.write("a", &SlotInfo::new(), b"1").unwrap();
    for name in ["../x", "/x", "x/../../x", "..", "", "c:\\x", "nul", "a\0"] {
        let is_refused = |result: Result<(), SlotError>| match result {
            Err(SlotError::Name { name: refused, .. }) => refused == name,
            _ => false,
        };
        assert!(
            is_refused(slots.write(name, &SlotInfo::new(), b"2")),
            "{name:?}"
        );
        assert!(is_refused(slots.read(name).map(drop)));
        assert!(is_refused(slots.slot(name).map(drop)));
        assert!(is_refused(slots.delete(name)));
        assert!(is_refused(slots.rename(name, "b")));
        assert!(is_refused(slots.rename("a", name)));
    }
    let error = slots.delete("../saves/a").unwrap_err();
    let problem = SlotNameProblem::Character('/');
    assert!(matches!(error, SlotError::Name { problem: p, .. } if p == problem));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert_eq!(names(&slots), ["a"]);
}

#[test]
fn a_game_has_a_folder_of_its_own_below_the_data_of_the_user() {
    let slots = SaveSlots::of_game("Cave Company", "Gold!").unwrap();
    assert!(slots.folder().is_absolute());
    assert!(slots.folder().ends_with("Cave Company/Gold!/saves"));
    for (company, game) in [("..", "x"), ("x", "../y"), ("", "x")] {
        let error = SaveSlots::of_game(company, game).unwrap_err();
        assert!(matches!(error, SlotError::Name { .. }), "{error}");
    }
}
