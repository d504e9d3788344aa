//! Edits over the inspector while an app is recorded: they are inputs.

use std::env;
use std::process::Command;
use std::time::Duration;

use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use ecs_core::record::{Outcome, Recorder, Replay};

use super::{Folder, Keys, app, exact};

fn call(inspector: &Inspector, app: &mut App, method: &str, params: &str) -> String {
    let call =
        format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{method}", "params": {params}}}"#);
    inspector.answer(app, &call)
}

#[test]
fn edits_of_all_kinds_replay_to_equal_worlds_from_every_frame() {
    let folder = Folder::new();
    let mut recorded = app();
    // No hash shows the recorder that entities have changed.
    let recorder = Recorder::new(folder.path()).hash_every(0);
    let inspect = recorder.control().inspected(Inspect::new(0));
    recorded.add_plugin(recorder);
    let inspector = inspect.history(20).attach(&mut recorded);
    let edits = [
        (
            "world.mutate_components",
            r#"{"entity": "0v1", "component": "test.place", "path": "x", "value": 70.5}"#,
        ),
        (
            "world.spawn_entity",
            r#"{"components": {"test.place": {"x": 1, "y": 2}, "test.spark": 250}}"#,
        ),
        (
            "world.insert_components",
            r#"{"entity": "1v1", "components": {"test.spark": 99}}"#,
        ),
        (
            "world.remove_components",
            r#"{"entity": "1v1", "components": ["test.spark"]}"#,
        ),
        (
            "world.mutate_resources",
            r#"{"resource": "test.random", "path": "", "value": 3}"#,
        ),
        (
            "world.insert_resources",
            r#"{"resource": "test.keys", "value": ["q"]}"#,
        ),
        ("entity.clone", r#"{"entity": "0v1"}"#),
        (
            "world.write_message",
            r#"{"message": "test.shout", "value": 8}"#,
        ),
        ("edit.undo", "{}"),
        ("app.step_back", r#"{"frames": 3}"#),
        (
            "world.trigger_event",
            r#"{"event": "test.shout", "value": 8}"#,
        ),
        ("world.despawn_entity", r#"{"entity": "0v1"}"#),
    ];
    let mut hashes = Vec::new();
    for frame in 0..60 {
        if frame % 5 == 3 {
            let (method, params) = edits[frame / 5];
            let answer = call(&inspector, &mut recorded, method, params);
            assert!(answer.contains("result"), "{method}: {answer}");
            if method == "app.step_back" {
                call(&inspector, &mut recorded, "app.resume", "{}");
            }
        }
        if frame == 20 {
            let keys = recorded.world_mut().get_resource_mut::<Keys>();
            keys.unwrap().0 = vec!['a'];
        }
        recorded.update_by(Duration::from_millis(16));
        hashes.push(exact(&mut recorded));
    }
    drop(recorded);
    let mut replay = Replay::open(folder.path(), app).unwrap();
    assert_eq!(replay.recording().end_frame(), 60);
    for frame in (0..60).chain([59, 3, 4, 33, 12, 48, 47]) {
        replay.run_to(frame + 1).unwrap();
        let now = exact(replay.program());
        assert_eq!(now, hashes[frame as usize], "frame {frame}");
    }
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
}

#[test]
fn a_page_that_watches_and_downloads_adds_nothing_to_the_recording() {
    let folder = Folder::new();
    let record = |name: &str, is_watched: bool| {
        let path = folder.0.join(name);
        let mut app = app();
        let recorder = Recorder::new(&path).hash_every(1).stopped();
        let inspect = recorder.control().inspected(Inspect::new(0));
        app.add_plugin(recorder);
        let inspector = inspect.attach(&mut app);
        call(&inspector, &mut app, "app.record", r#"{"on": true}"#);
        for frame in 0..40 {
            if is_watched && frame > 0 {
                let answer = call(&inspector, &mut app, "app.record", "{}");
                assert!(answer.contains(r#""on":true"#), "{answer}");
                call(&inspector, &mut app, "record.read", r#"{"at": 0}"#);
            }
            app.update_by(Duration::from_millis(16));
        }
        // A client without the token can do neither.
        for method in ["app.record", "record.read"] {
            let call = format!(r#"{{"jsonrpc": "2.0", "id": 1, "method": "{method}"}}"#);
            let answer = inspector.answer_reading(&mut app, &call);
            assert!(answer.contains("-23602"), "{answer}");
        }
        drop(app);
        std::fs::read(path).unwrap()
    };
    assert_eq!(record("alone.rec", false), record("watched.rec", true));
}

const FILE: &str = "ECS_EDITED_RECORDING";

#[test]
#[ignore = "the program that the next test starts"]
fn program() {
    let Some(path) = env::var_os(FILE) else {
        return;
    };
    let mut replay = Replay::open(path, app).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!(replay.compared(), 12);
}

#[test]
fn a_new_process_knows_the_components_that_only_the_inspector_has_used() {
    let folder = Folder::new();
    let mut recorded = app();
    let recorder = Recorder::new(folder.path()).hash_every(1).snapshot_every(5);
    recorded.add_plugin(recorder);
    let inspector = Inspect::new(0).attach(&mut recorded);
    for frame in 0..12 {
        let edit = match frame {
            2 => r#"{"entity": "0v1", "components": {"ecs.name": "first"}}"#,
            4 => r#"{"entity": "0v1", "components": {"ecs.disabled": null}}"#,
            _ => "",
        };
        if !edit.is_empty() {
            let method = "world.insert_components";
            let answer = call(&inspector, &mut recorded, method, edit);
            assert!(answer.contains("result"), "{answer}");
        }
        recorded.update_by(Duration::from_millis(16));
    }
    drop(recorded);
    let mut child = Command::new(env::current_exe().unwrap());
    child.args(["edits::program", "--exact", "--ignored"]);
    let output = child.env(FILE, folder.path()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
}
