//! Each kind of input and of system: the check's answer, and whether a replay does the same.

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use ecs_core::app::RealTime;
use ecs_core::record::RecorderCheck;
use ecs_core::task::{Order, Tasks};

use super::*;

/// Data that only conditions read.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "test.armed")]
struct Armed(bool);

/// A value that stays on its thread.
struct Clipboard(Rc<Cell<u32>>);

fn check(add: impl FnOnce(&mut App)) -> RecorderCheck {
    let mut app = app();
    add(&mut app);
    Recorder::check(&mut app).unwrap()
}

/// Asserts that a check has exactly these unknown systems, each by a part of its name and of the reason.
#[track_caller]
fn assert_unknown(check: &RecorderCheck, expected: &[(&str, &str)]) {
    assert_eq!(check.unknown.len(), expected.len(), "{check}");
    for (system, reason) in expected {
        let mut unknown = check.unknown.iter();
        assert!(
            unknown.any(|(name, why)| name.contains(system) && why.contains(reason)),
            "{system}: {check}"
        );
    }
    assert_eq!(check.is_complete(), expected.is_empty(), "{check}");
}

#[system]
fn paste(clipboard: NonSend<Clipboard>) {
    assert!(clipboard.0.get() < 100);
}

#[system]
fn copy(clipboard: NonSendMut<Clipboard>) {
    clipboard.0.set(3);
}

#[system]
fn measure(time: Res<RealTime>) {
    assert!(time.frame() < 100);
}

#[system]
fn ask(tasks: ResMut<Tasks>) {
    assert_eq!(tasks.pending(), 0);
}

#[system]
fn fire(mut log: ResMut<Log>) {
    log.0.push("fire".to_owned());
}

#[test]
fn the_check_names_each_system_that_has_a_value_of_one_thread() {
    assert_unknown(&check(|_| {}), &[]);
    let of_systems = check(|app| {
        app.world_mut().insert_non_send(Clipboard(Rc::default()));
        app.add_systems(Update, (paste, copy));
    });
    assert_unknown(
        &of_systems,
        &[
            ("paste", "Clipboard`, a value of one thread"),
            ("copy", "Clipboard`, a value of one thread"),
        ],
    );
}

#[test]
fn the_check_names_each_system_that_reads_the_wall_clock() {
    let of_update = check(|app| {
        app.init_resource::<RealTime>().add_systems(Update, measure);
    });
    assert_unknown(&of_update, &[("measure", "`RealTime`")]);
    // The clock itself is no input: the recorder writes the time that it has measured.
    assert!(
        of_update
            .inputs
            .iter()
            .all(|input| !input.name.contains("Time"))
    );
    let of_fixed = check(|app| {
        app.init_resource::<RealTime>()
            .add_systems(FixedUpdate, measure);
    });
    assert_unknown(&of_fixed, &[("measure", "`RealTime`")]);
}

#[test]
fn the_check_names_each_system_with_tasks() {
    let found = check(|app| {
        app.insert_resource(Tasks::new(Order::Start))
            .add_systems(Update, ask);
    });
    assert_unknown(&found, &[("ask", "`Tasks`")]);
}

#[test]
fn the_check_looks_at_conditions_as_at_systems() {
    #[derive(Resource)]
    struct Opaque(bool);
    #[system]
    fn is_armed(armed: Res<Armed>) -> bool {
        armed.0
    }
    #[system]
    fn is_opaque(opaque: Res<Opaque>) -> bool {
        opaque.0
    }
    #[system]
    fn is_late(time: Res<RealTime>) -> bool {
        time.frame() > 3
    }
    #[system]
    fn is_empty(world: &World) -> bool {
        world.is_empty()
    }
    let of_data = check(|app| {
        app.init_resource::<Armed>()
            .add_systems(Update, fire.run_if(is_armed));
    });
    assert_unknown(&of_data, &[]);
    let armed = of_data
        .inputs
        .iter()
        .find(|input| input.name == "test.armed")
        .unwrap();
    assert!(armed.is_recorded && armed.readers.len() == 1, "{of_data}");
    assert!(armed.readers[0].contains("is_armed"), "{of_data}");
    let others = check(|app| {
        app.insert_resource(Opaque(true))
            .init_resource::<RealTime>();
        app.add_systems(
            Update,
            fire.run_if(is_opaque).run_if(is_late).run_if(is_empty),
        );
    });
    assert!(!others.is_complete());
    let text = others.to_string();
    for part in [
        "is_opaque`, is not recorded",
        "is_late` reads the wall clock",
        "is_empty` may read and write anything",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn the_check_names_each_closure_that_has_captured_values() {
    let (step, limit) = (2_usize, 5_usize);
    let mut count = 0;
    let of_system = check(|app| {
        app.add_systems(Update, move |mut log: ResMut<Log>| {
            count += step;
            log.0.truncate(count);
        });
    });
    let text = of_system.to_string();
    assert!(
        !of_system.is_complete() && text.contains("values that its closure has captured"),
        "{text}"
    );
    let of_condition = check(|app| {
        app.add_systems(
            Update,
            fire.run_if(move |log: Res<Log>| log.0.len() < limit),
        );
    });
    let text = of_condition.to_string();
    assert!(
        !of_condition.is_complete() && text.contains("values that its closure has captured"),
        "{text}"
    );
    // A closure that captures nothing is a system like others.
    assert_unknown(
        &check(|app| _ = app.add_systems(Update, |mut log: ResMut<Log>| log.0.clear())),
        &[],
    );
}

/// Records frames, and asserts that a replay goes through the same worlds, from the start and to each frame.
fn assert_replays(make: fn() -> App, frames: u64, mut outside: impl FnMut(&mut App, u64)) {
    let folder = Folder::new();
    let mut recorded = make();
    recorded.add_plugin(Recorder::new(folder.path()).hash_every(1).snapshot_every(8));
    let mut hashes = Vec::new();
    for frame in 0..frames {
        outside(&mut recorded, frame);
        recorded.update_by(Duration::from_millis(16));
        hashes.push(exact(&mut recorded));
    }
    drop(recorded);
    assert_is_replay(&folder.path(), make, &hashes);
}

fn assert_is_replay(path: &Path, make: fn() -> App, hashes: &[u64]) {
    let mut replay = Replay::open(path, make).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    for frame in (0..hashes.len()).rev() {
        replay.run_to(frame as u64 + 1).unwrap();
        assert_eq!(exact(replay.program()), hashes[frame], "frame {frame}");
    }
}

#[test]
fn inputs_that_only_conditions_read_are_replayed() {
    fn make() -> App {
        let mut app = app();
        app.init_resource::<Armed>()
            .add_systems(
                Update,
                fire.run_if(|armed: Option<Res<Armed>>| armed.is_some_and(|armed| armed.0)),
            )
            .add_systems(
                FixedUpdate,
                fire.run_if(|armed: Option<Res<Armed>>| armed.is_none()),
            );
        app
    }
    assert_replays(make, 40, |app, frame| match frame % 7 {
        2 => app.world_mut().resource_mut::<Armed>().0 = true,
        4 => app.world_mut().resource_mut::<Armed>().0 = false,
        5 => drop(app.world_mut().remove_resource::<Armed>()),
        6 => drop(app.world_mut().insert_resource(Armed(frame % 2 == 0))),
        _ => {}
    });
}

#[test]
fn systems_that_code_between_frames_calls_are_replayed() {
    /// Spawns, and writes a resource and events.
    #[system]
    fn drop_spark(mut log: ResMut<Log>, mut shouts: EventWriter<Shout>, mut commands: Commands) {
        log.0.push("dropped".to_owned());
        shouts.send(Shout(9));
        commands.spawn(Spark(40));
    }
    #[system]
    fn push(mut places: CompMut<Place>) {
        for place in &mut places {
            place.x += 5.0;
        }
    }
    assert_replays(app, 40, |app, frame| match frame % 5 {
        // Its commands wait in the world, and are applied in the frame or before it.
        1 => drop_spark(app.world()),
        2 => {
            drop_spark(app.world());
            app.world_mut().flush();
        }
        3 => push(app.world()),
        4 => fire(app.world()),
        _ => {}
    });
}
