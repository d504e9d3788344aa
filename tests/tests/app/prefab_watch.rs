//! Files of prefabs that change while an app runs.

use std::fs;
use std::time::Duration;

use ecs_core::app::{PrefabFileProblem, PrefabWatch, WatchedPrefabs};
use ecs_core::data::{Loader, Prefab, PrefabPart, WorldData as _};
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_tests::folder::TestFolder;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "watch.health")]
struct Health {
    now: u32,
    max: u32,
}

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "watch.child_of", tree)]
struct ChildOf;

/// The frames that saw a change of the resource.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "watch.changes")]
struct Changes(Vec<u32>);

#[system]
fn note(watched: Res<WatchedPrefabs>, mut changes: ResMut<Changes>, mut frame: Local<u32>) {
    *frame += 1;
    if watched.is_changed() {
        changes.0.push(*frame);
    }
}

/// A folder of prefab files.
struct Folder(TestFolder);

impl Folder {
    fn new() -> Self {
        let folder = TestFolder::new();
        fs::create_dir_all(folder.path()).unwrap();
        Self(folder)
    }

    fn write(&self, file: &str, text: impl AsRef<str>) {
        fs::write(self.0.path().join(file), text.as_ref()).unwrap();
    }

    /// Watches a goblin and a camp, each second.
    fn app(&self) -> App {
        let loader = Loader::new().with::<Health>().with::<Sources<ChildOf>>();
        let read = |loader: &Loader, text: &str| {
            Prefab::deserialize(loader, &mut serde_json::Deserializer::from_str(text))
        };
        let watch = PrefabWatch::new(loader, read)
            .file("goblin", self.0.path().join("goblin.json"))
            .file("camp", self.0.path().join("camp.json"))
            .every(Duration::from_secs(1));
        let mut app = App::new();
        app.init_resource::<Changes>()
            .add_plugin(watch)
            .add_systems(Update, note);
        app
    }
}

fn goblin(health: u32) -> String {
    format!(r#"{{ "entities": [{{ "watch.health": {{ "now": {health}, "max": {health} }} }}] }}"#)
}

const CAMP: &str = r#"{ "entities": [{}, { "prefab": "goblin", "watch.child_of": 0 }] }"#;

fn spawn(app: &mut App, name: &str) -> Entity {
    let prefab = app
        .world()
        .resource::<WatchedPrefabs>()
        .get(name)
        .unwrap()
        .clone();
    let copies = prefab.copies(1).remembered(name);
    copies.spawn(app.world_mut()).unwrap()[0]
}

fn health(app: &App, entity: Entity) -> (u32, u32) {
    let health = app.world().get::<Health>(entity).unwrap();
    (health.now, health.max)
}

fn seconds(app: &mut App, seconds: u32) {
    app.update_times(seconds, Duration::from_secs(1));
}

fn problems(app: &App) -> Vec<String> {
    let watched = app.world().resource::<WatchedPrefabs>();
    watched.problems().iter().map(ToString::to_string).collect()
}

fn reloads(app: &App) -> Vec<(String, usize)> {
    let watched = app.world().resource::<WatchedPrefabs>();
    let reloads = watched.reloads().iter();
    reloads
        .map(|reload| (reload.name().to_owned(), reload.updated().changed()))
        .collect()
}

#[test]
fn copies_follow_their_files_and_the_files_inside_of_them() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    let (alone, camp) = (spawn(&mut app, "goblin"), spawn(&mut app, "camp"));
    let child = app.world().descendants::<ChildOf>(camp).next().unwrap();
    app.world_mut().get_mut::<Health>(alone).unwrap().now = 3;
    seconds(&mut app, 3);
    assert_eq!(
        app.world().resource::<Changes>().0,
        [1],
        "only by the build"
    );

    // The same length, and perhaps the same time.
    folder.write("goblin.json", goblin(9));
    seconds(&mut app, 1);
    let expected = [("goblin".to_owned(), 1), ("camp".to_owned(), 1)];
    assert_eq!(reloads(&app), expected);
    assert_eq!(health(&app, alone), (3, 9));
    assert_eq!(health(&app, child), (9, 9));
    seconds(&mut app, 3);
    assert_eq!(reloads(&app), []);
    assert_eq!(app.world().resource::<Changes>().0, [1, 4, 5]);

    // New copies are of the new version.
    let late = spawn(&mut app, "goblin");
    assert_eq!(health(&app, late), (9, 9));
    app.update_by(Duration::from_millis(10));
    folder.write("goblin.json", goblin(12));
    app.update_by(Duration::from_millis(10));
    assert_eq!(health(&app, late), (9, 9), "not before its time");
    seconds(&mut app, 2);
    assert_eq!(health(&app, late), (12, 12));
    assert_eq!(health(&app, alone), (3, 12));
}

#[test]
fn mistakes_are_reported_once_they_stay_and_the_game_goes_on() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    let entity = spawn(&mut app, "goblin");
    // Half of a file.
    let new = goblin(9);
    folder.write("goblin.json", &new[..new.len() / 2]);
    seconds(&mut app, 2);
    folder.write("goblin.json", &new[..new.len() / 2 + 3]);
    seconds(&mut app, 1);
    assert_eq!(problems(&app), [""; 0]);
    assert_eq!(health(&app, entity), (7, 7));
    folder.write("goblin.json", &new);
    seconds(&mut app, 1);
    assert_eq!((problems(&app), health(&app, entity)), (vec![], (9, 9)));

    // A mistake.
    folder.write(
        "goblin.json",
        "{ \"entities\": [\n{ \"watch.health\": 3 }] }",
    );
    let changes = app.world().resource::<Changes>().0.len();
    seconds(&mut app, 6);
    let found = problems(&app);
    let start = format!(
        "{}, prefab `goblin`: ",
        folder.0.path().join("goblin.json").display()
    );
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with(&start) && found[0].contains(" at line 2 column "),
        "{found:?}"
    );
    let watched = app.world().resource::<WatchedPrefabs>();
    assert!(matches!(
        watched.problems()[0].problem(),
        PrefabFileProblem::Mistake(_)
    ));
    drop(watched);
    assert_eq!(health(&app, entity), (9, 9));
    // The end of the last reload, and the problem.
    assert_eq!(app.world().resource::<Changes>().0.len(), changes + 2);
    folder.write("goblin.json", goblin(8));
    seconds(&mut app, 1);
    assert_eq!((problems(&app), health(&app, entity)), (vec![], (8, 8)));
}

#[test]
fn a_file_may_be_missing_for_a_while() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    let mut app = folder.app();
    let found = problems(&app);
    assert!(
        found.len() == 1 && found[0].contains("camp.json"),
        "{found:?}"
    );
    assert!(
        app.world()
            .resource::<WatchedPrefabs>()
            .get("camp")
            .is_none()
    );
    folder.write("camp.json", CAMP);
    // A frame sees the time at its beginning.
    seconds(&mut app, 2);
    assert_eq!(problems(&app), [""; 0]);
    let camp = spawn(&mut app, "camp");
    assert_eq!(app.world().descendants::<ChildOf>(camp).count(), 1);

    let entity = spawn(&mut app, "goblin");
    fs::remove_file(folder.0.path().join("goblin.json")).unwrap();
    seconds(&mut app, 1);
    assert_eq!(
        problems(&app),
        [""; 0],
        "an editor may be about to put it back"
    );
    seconds(&mut app, 2);
    assert!(problems(&app)[0].contains("goblin.json"));
    folder.write("goblin.json", goblin(9));
    seconds(&mut app, 1);
    assert_eq!((problems(&app), health(&app, entity)), (vec![], (9, 9)));
}

#[test]
fn the_copies_of_old_saves_and_snapshots_follow_the_files_of_today() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    let entity = spawn(&mut app, "goblin");
    spawn(&mut app, "camp");
    app.world_mut().get_mut::<Health>(entity).unwrap().now = 3;
    app.update();
    let save = app.world().save().to_vec().unwrap();
    let mut snapshot = app.snapshot().unwrap();

    // The game of the next month.
    folder.write("goblin.json", goblin(9));
    let mut later = folder.app();
    later.update();
    Loader::new()
        .load_into(later.world_mut(), &save[..])
        .unwrap();
    later.update();
    let parts = later.world().query::<(&Health, &PrefabPart)>();
    let mut found: Vec<_> = parts
        .iter()
        .map(|(it, part)| (part.prefab().to_owned(), it.now, it.max))
        .collect();
    found.sort();
    drop(parts);
    assert_eq!(
        found,
        [("camp".to_owned(), 9, 9), ("goblin".to_owned(), 3, 9)]
    );
    assert_eq!(problems(&later), [""; 0]);

    seconds(&mut app, 2);
    assert_eq!(health(&app, entity), (3, 9));
    app.restore(&mut snapshot).unwrap();
    assert_eq!(health(&app, entity), (3, 7));
    seconds(&mut app, 2);
    assert_eq!(health(&app, entity), (3, 9));

    // The old version cannot be read any more.
    let text = r#"[["goblin", "{ \"entities\": [{ \"watch.mana\": 1 }] }"]]"#;
    let old: WatchedPrefabs = serde_json::from_str(text).unwrap();
    later.world_mut().insert_resource(old);
    later.update();
    let watched = later.world().resource::<WatchedPrefabs>();
    assert!(matches!(
        watched.problems()[0].problem(),
        PrefabFileProblem::OldVersion(_)
    ));
    assert!(watched.get("goblin").is_some());
}

#[test]
fn half_of_a_file_is_no_mistake_because_another_file_has_changed() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    seconds(&mut app, 1);
    folder.write("goblin.json", goblin(9));
    folder.write("camp.json", &CAMP[..9]);
    let mut frames = 0;
    while reloads(&app).is_empty() {
        app.update_by(Duration::from_millis(100));
        frames += 1;
        assert!(frames < 20);
    }
    // The next look is a second later.
    app.update_times(3, Duration::from_millis(100));
    assert_eq!(problems(&app), [""; 0]);
    folder.write("camp.json", CAMP);
    seconds(&mut app, 2);
    assert_eq!(problems(&app), [""; 0]);
}

#[test]
fn only_prefabs_that_have_changed_are_reloads() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", goblin(5));
    let mut app = folder.app();
    spawn(&mut app, "camp");
    let mut seen = Vec::new();
    let mut look = |app: &mut App| {
        for _ in 0..3 {
            seconds(app, 1);
            seen.extend(reloads(app).into_iter().map(|(name, _)| name));
        }
        std::mem::take(&mut seen)
    };
    folder.write("goblin.json", goblin(9));
    assert_eq!(look(&mut app), ["goblin"]);
    folder.write("goblin.json", format!("{} ", goblin(9)));
    assert_eq!(look(&mut app), [""; 0]);
    folder.write("camp.json", CAMP);
    assert_eq!(look(&mut app), ["camp"]);
    folder.write("goblin.json", goblin(2));
    assert_eq!(look(&mut app), ["goblin", "camp"]);
}

#[test]
fn another_reason_why_a_file_cannot_be_read_is_the_problem_from_then_on() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    let path = folder.0.path().join("goblin.json");
    fs::remove_file(&path).unwrap();
    seconds(&mut app, 3);
    let kind = |app: &App| {
        let watched = app.world().resource::<WatchedPrefabs>();
        match watched.problems()[0].problem() {
            PrefabFileProblem::Unreadable(error) => error.kind(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(kind(&app), std::io::ErrorKind::NotFound);
    fs::write(&path, [0xff_u8, 0xfe]).unwrap();
    seconds(&mut app, 2);
    assert_eq!(kind(&app), std::io::ErrorKind::InvalidData);
}

#[test]
fn an_old_save_has_prefabs_and_components_that_no_file_has_today() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    spawn(&mut app, "camp");
    let goblin = spawn(&mut app, "goblin");
    app.world_mut().get_mut::<Health>(goblin).unwrap().now = 3;
    app.update();
    let save = app.world().save().to_vec().unwrap();
    drop(app);

    // The next version of the game has no goblins, and nothing with health; the file of the camp is broken at first.
    folder.write("camp.json", r#"{ "entities": [{}"#);
    let loader = Loader::new().with::<Health>().with::<Sources<ChildOf>>();
    let read = |loader: &Loader, text: &str| {
        Prefab::deserialize(loader, &mut serde_json::Deserializer::from_str(text))
    };
    let watch = PrefabWatch::new(loader, read).file("camp", folder.0.path().join("camp.json"));
    let mut app = App::new();
    app.init_resource::<Changes>()
        .add_plugin(watch.every(Duration::from_secs(1)))
        .add_systems(Update, note);
    let loaded = Loader::new().load_bytes(app.world_mut(), &save).unwrap();
    assert!(loaded.skipped.is_empty());
    folder.write("camp.json", r#"{ "entities": [{}] }"#);
    seconds(&mut app, 2);
    assert_eq!(problems(&app), [""; 0]);
    // The goblin that is no camp's stays, and those of the camp have gone with their prefab.
    let healths: Vec<u32> = app
        .world()
        .query::<&Health>()
        .iter()
        .map(|it| it.now)
        .collect();
    assert_eq!(healths, [3]);
}

#[test]
fn files_are_read_while_the_app_is_paused_and_the_next_frame_sees_all_reloads() {
    let folder = Folder::new();
    folder.write("goblin.json", goblin(7));
    folder.write("camp.json", goblin(5));
    let mut app = folder.app();
    let (one, other) = (spawn(&mut app, "goblin"), spawn(&mut app, "camp"));
    seconds(&mut app, 2);
    app.pause();
    folder.write("goblin.json", goblin(9));
    seconds(&mut app, 3);
    assert_eq!(health(&app, one), (9, 9));
    folder.write("camp.json", goblin(6));
    seconds(&mut app, 3);
    assert_eq!(health(&app, other), (6, 6));
    app.resume();
    seconds(&mut app, 1);
    let expected = [("goblin".to_owned(), 1), ("camp".to_owned(), 1)];
    assert_eq!(reloads(&app), expected);
    seconds(&mut app, 1);
    assert_eq!(reloads(&app), []);
}

#[test]
fn copies_of_an_older_save_beside_new_ones_take_the_changes_once() {
    let row = |health: u32| {
        format!(r#"{{ "watch.health": {{ "now": {health}, "max": 9 }}, "watch.child_of": 0 }}"#)
    };
    let file = |rows: &[u32]| {
        let rows: Vec<String> = rows.iter().map(|health| row(*health)).collect();
        format!(r#"{{ "entities": [{{}}, {}] }}"#, rows.join(", "))
    };
    let folder = Folder::new();
    folder.write("goblin.json", file(&[1, 2, 3]));
    folder.write("camp.json", CAMP);
    let mut app = folder.app();
    let old = spawn(&mut app, "goblin");
    app.update();
    let save = app.world().save().to_vec().unwrap();
    // The first part goes, so the others have other numbers.
    folder.write("goblin.json", file(&[2, 3]));
    seconds(&mut app, 2);
    let parts = |app: &App, root: Entity| {
        let children = app.world().descendants::<ChildOf>(root);
        let mut parts: Vec<u32> = children.map(|child| health(app, child).0).collect();
        parts.sort_unstable();
        parts
    };
    assert_eq!(parts(&app, old), [2, 3]);
    let new = spawn(&mut app, "goblin");
    let loaded = Loader::new().load_into(app.world_mut(), &save[..]).unwrap();
    app.update();
    for root in [old, new, loaded.entities[0]] {
        assert_eq!(parts(&app, root), [2, 3]);
    }
}
