//! Saves of apps in the background.

use std::time::Duration;

use ecs_core::app::{Autosave, Saves};
use ecs_core::data::{Loader, SlotError, SlotInfo, WorldData};
use ecs_core::prelude::*;
use ecs_tests::folder::TestFolder;
use serde::{Deserialize, Serialize};

const SECOND: Duration = Duration::from_secs(1);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "autosave.frames")]
struct Frames(u32);

#[system(for_each)]
fn count(frames: &mut Frames) {
    frames.0 += 1;
}

/// The requests that a test makes, by frame.
#[derive(Resource, Clone, Default)]
struct Script(Vec<(u32, &'static str)>);

#[system]
fn follow(script: Res<Script>, mut saves: ResMut<Saves>, mut frame: Local<u32>) {
    *frame += 1;
    for (_, slot) in script.0.iter().filter(|(at, _)| *at == *frame) {
        saves.request(*slot, SlotInfo::new().note(frame.to_string()));
    }
}

fn names(folder: &TestFolder) -> Vec<String> {
    let slots = folder.slots().list().unwrap().into_iter();
    let mut names: Vec<String> = slots.map(|slot| slot.name().to_owned()).collect();
    names.sort();
    names
}

/// The frames that the world in a slot has counted.
fn frames(folder: &TestFolder, slot: &str) -> u32 {
    let mut world = World::new();
    let loader = Loader::new()
        .with::<Frames>()
        .unknown(ecs_core::data::Unknown::Skip);
    folder.slots().load(slot, &loader, &mut world).unwrap();
    world.query::<&Frames>().iter().next().unwrap().0
}

fn game(autosave: Autosave, script: &[(u32, &'static str)]) -> App {
    let mut app = App::new();
    app.add_plugin(autosave)
        .insert_resource(Script(script.to_vec()))
        .add_systems(Update, (count, follow));
    app.world_mut().spawn(Frames(0));
    app
}

/// Runs frames until no save is being written.
fn settle(app: &mut App) {
    while app.world().resource::<Saves>().is_writing() {
        app.update_by(Duration::ZERO);
        std::thread::yield_now();
    }
}

#[test]
fn an_app_is_saved_when_the_interval_is_over_and_not_before() {
    let folder = TestFolder::new();
    let autosave = Autosave::new(folder.slots()).every(10 * SECOND);
    let mut app = game(autosave.info(|_| SlotInfo::new().version("2")), &[]);
    app.update_times(10, SECOND);
    settle(&mut app);
    assert!(
        names(&folder).is_empty(),
        "the interval begins with the first frame"
    );
    app.update_by(SECOND);
    settle(&mut app);
    assert_eq!(names(&folder), ["autosave"]);
    assert_eq!(frames(&folder, "autosave"), 11);
    assert_eq!(
        folder.slots().slot("autosave").unwrap().unwrap().version(),
        "2"
    );
    app.update_times(9, SECOND);
    settle(&mut app);
    assert_eq!(frames(&folder, "autosave"), 11);
    app.update_by(SECOND);
    drop(app);
    let frames = frames(&folder, "autosave");
    assert!(
        frames >= 21,
        "{frames}: it is written although the app is gone"
    );
}

#[test]
fn a_system_requests_a_save_and_a_later_one_sees_the_result() {
    let folder = TestFolder::new();
    let mut app = game(
        Autosave::new(folder.slots()),
        &[(2, "a"), (2, "../b"), (2, "a")],
    );
    app.update_by(SECOND);
    assert!(names(&folder).is_empty());
    app.update_by(SECOND);
    let mut finished = Vec::new();
    for _ in 0..100_000 {
        finished.extend(app.world().resource::<Saves>().finished().iter().cloned());
        if finished.len() == 2 {
            break;
        }
        app.update_by(Duration::ZERO);
        std::thread::yield_now();
    }
    let [bad, good] = &finished[..] else {
        panic!("{finished:?}");
    };
    assert_eq!((&*bad.slot, &*good.slot), ("../b", "a"));
    assert!(matches!(
        **bad.result.as_ref().unwrap_err(),
        SlotError::Name { .. }
    ));
    assert!(good.result.is_ok());
    assert_eq!(
        frames(&folder, "a"),
        2,
        "the world of the frame that has requested it"
    );
    app.update_by(SECOND);
    assert!(
        app.world().resource::<Saves>().finished().is_empty(),
        "each is seen for a frame"
    );
    assert_eq!(names(&folder), ["a"], "nothing else is saved");
}

#[test]
fn the_last_frame_is_saved_before_the_app_has_ended() {
    #[system]
    fn end(frames: Comp<Frames>, mut exit: ResMut<ecs_core::app::Exit>) {
        if frames.iter().any(|frames| frames.0 == 7) {
            exit.success();
        }
    }
    #[system]
    fn fail(frames: Comp<Frames>) -> Result<(), std::fmt::Error> {
        match frames.iter().any(|frames| frames.0 == 5) {
            true => Err(std::fmt::Error),
            false => Ok(()),
        }
    }
    let folder = TestFolder::new();
    let mut app = game(
        Autosave::new(folder.slots()).slot("last").at_exit(),
        &[(7, "mine")],
    );
    app.add_systems(PostUpdate, end);
    assert_eq!(app.run(), AppExit::Success);
    assert_eq!(names(&folder), ["last", "mine"]);
    assert_eq!((frames(&folder, "last"), frames(&folder, "mine")), (7, 7));
    assert_eq!(app.world().resource::<Saves>().finished().len(), 2);

    let folder = TestFolder::new();
    let mut app = game(Autosave::new(folder.slots()).at_exit(), &[(5, "mine")]);
    app.add_systems(PostUpdate, fail);
    assert_eq!(app.run(), AppExit::error(1));
    assert_eq!(
        names(&folder),
        ["mine"],
        "an error does not replace the last autosave"
    );
}

#[test]
fn a_menu_does_not_replace_the_game_and_a_game_saves_a_part() {
    #[derive(Component)]
    struct Hero;

    let folder = TestFolder::new();
    let autosave = Autosave::new(folder.slots()).every(SECOND);
    let autosave = autosave.only_if(|world| world.query::<&Hero>().count() > 0);
    let autosave = autosave.save_by(|world| world.save().entities::<With<Hero>>());
    let mut app = game(autosave, &[]);
    app.update_times(5, SECOND);
    settle(&mut app);
    assert!(names(&folder).is_empty());
    app.world_mut().spawn((Frames(100), Hero));
    app.update_by(SECOND);
    settle(&mut app);
    assert_eq!(
        frames(&folder, "autosave"),
        101,
        "the other entity is not in the save"
    );
}

#[test]
fn an_app_with_autosaves_has_snapshots_bytes_and_saves_that_other_apps_load() {
    let folder = TestFolder::new();
    let mut app = game(Autosave::new(folder.slots()), &[(2, "a")]);
    app.set_snapshotter(ecs_core::snapshot::Snapshotter::new().resource::<Script>());
    app.update_times(2, SECOND);
    let mut snapshot = app.snapshot().unwrap();
    app.update_times(2, SECOND);
    app.restore(&mut snapshot).unwrap();
    let bytes = {
        let snapshotter = ecs_core::snapshot::Snapshotter::new()
            .for_bytes()
            .without_resource::<Script>();
        app.set_snapshotter(snapshotter);
        app.snapshot().unwrap().to_bytes().unwrap()
    };
    let mut other = game(Autosave::new(folder.slots()), &[]);
    other.set_snapshotter(
        ecs_core::snapshot::Snapshotter::new()
            .for_bytes()
            .without_resource::<Script>(),
    );
    other.restore_bytes(&bytes).unwrap();
    other.update_by(SECOND);
    drop(app);
    // A game without the plugin.
    let mut plain = App::new();
    plain.add_systems(Update, count);
    let loaded = folder.slots().load("a", &Loader::new(), plain.world_mut());
    assert_eq!(loaded.unwrap().entities.len(), 1);
}
