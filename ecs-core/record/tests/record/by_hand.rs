//! Recordings of schedules without an app.

use ecs_core::data::WorldData;
use ecs_core::prelude::*;
use ecs_core::record::{
    DifferenceKind, Outcome, Recorder, Replay, ScheduleProgram, first_difference,
};
use ecs_core::snapshot::Snapshotter;

use super::{Folder, Keys, Log, Place, Random, Shout, Spark, hear, notice, spawn_sparks};

/// The distance that a key moves a place; part of the program.
#[derive(Resource)]
struct Reach(f32);

#[system]
fn walk(mut places: Query<&mut Place>, keys: Res<Keys>, reach: Res<Reach>, mut turns: Local<u32>) {
    *turns += 1;
    for place in &mut places {
        place.x += keys.0.len() as f32 * reach.0;
        place.y += *turns as f32;
    }
}

#[system]
fn fail(keys: Res<Keys>) -> Result<(), String> {
    match keys.0.first() {
        Some('!') => panic!("a key that panics"),
        Some('?') => Err("a key that fails".to_owned()),
        _ => Ok(()),
    }
}

fn game(reach: f32) -> (World, Schedule) {
    let mut world = World::new();
    world.insert_resource(Keys::default());
    world.insert_resource(Random::default());
    world.insert_resource(Log::default());
    world.insert_resource(Reach(reach));
    world.insert_resource(Events::<Shout>::default());
    world.spawn(Place { x: 1.0, y: 2.0 });
    let mut turn = Schedule::new();
    turn.add((fail, spawn_sparks, walk, hear, notice));
    (world, turn)
}

fn snapshotter() -> Snapshotter {
    Snapshotter::new().without_resource::<Reach>()
}

fn program(reach: f32) -> ScheduleProgram {
    let (world, turn) = game(reach);
    ScheduleProgram::new(world, turn).snapshotter(snapshotter())
}

fn press(world: &mut World, turn: u64) {
    match turn % 7 {
        1 => world.resource_mut::<Keys>().0 = vec!['a'; turn as usize % 5],
        2 => world.send_event(Shout(turn as u8)),
        3 => drop(world.insert_resource(Keys(vec!['?']))),
        4 => world.resource_mut::<Keys>().0.clear(),
        5 => drop(world.insert_resource(Keys::default())),
        _ => {}
    }
}

#[test]
fn a_schedule_replays_with_all_inputs_and_errors_of_systems() {
    let folder = Folder::new();
    for is_stepped in [false, true] {
        let (mut world, mut turn) = game(0.5);
        let mut hashes = Vec::new();
        let mut recorder = Recorder::new(folder.path()).hash_every(1);
        if is_stepped {
            recorder = recorder.each_step();
        }
        let mut recorder = recorder.by_hand().snapshotter(snapshotter());
        let mut errors = 0;
        for number in 0..70 {
            press(&mut world, number);
            errors += u32::from(recorder.run(&mut world, &mut turn).is_err());
            hashes.push(world.hash().unwrap());
        }
        drop(recorder);
        assert_eq!(errors, 10);
        let mut replay = Replay::open(folder.path(), || program(0.5)).unwrap();
        assert_eq!(replay.finish().unwrap(), Outcome::Same);
        assert_eq!(replay.compared(), 70);
        for frame in [69_u64, 3, 4, 40, 12, 11] {
            replay.run_to(frame + 1).unwrap();
            assert_eq!(replay.world().hash().unwrap(), hashes[frame as usize]);
        }
        // Another build differs in its first turn with a key, and the system is known if each was hashed.
        let mut other = Replay::open(folder.path(), || program(0.25)).unwrap();
        let outcome = other.finish().unwrap();
        let Outcome::Different { frame, system, .. } = &outcome else {
            panic!("{outcome}");
        };
        assert_eq!(*frame, 1);
        assert_eq!(
            system
                .as_deref()
                .is_some_and(|system| system.ends_with("walk")),
            is_stepped
        );
    }
}

#[test]
fn the_first_difference_of_two_schedules_names_the_system() {
    let folder = Folder::new();
    let paths = ["one", "other"].map(|name| folder.0.join(name));
    for (path, reach) in paths.iter().zip([0.5, 0.25]) {
        let (mut world, mut turn) = game(reach);
        let recorder = Recorder::new(path).hash_every(10).by_hand();
        let mut recorder = recorder.snapshotter(snapshotter());
        for number in 0..30 {
            if number == 17 {
                world.resource_mut::<Keys>().0 = vec!['b'];
            }
            recorder.run(&mut world, &mut turn).unwrap();
        }
    }
    let [one, other] = &paths;
    let found = first_difference((one, program(0.5)), (other, program(0.25)));
    let found = found.unwrap().unwrap();
    assert_eq!(found.frame, 17);
    assert!(found.to_string().contains("test.place.x"), "{found}");
    let DifferenceKind::Results { system, .. } = found.kind else {
        panic!("{found}");
    };
    assert!(system.unwrap().ends_with("walk"));
}

#[test]
fn a_panic_of_a_schedule_is_written_and_repeated() {
    let folder = Folder::new();
    let (mut world, mut turn) = game(0.5);
    let recorder = Recorder::new(folder.path()).hash_every(1).by_hand();
    let mut recorder = recorder.snapshotter(snapshotter());
    for key in ['a', 'b', '!', 'c'] {
        world.resource_mut::<Keys>().0 = vec![key];
        let run = std::panic::AssertUnwindSafe(|| recorder.run(&mut world, &mut turn));
        let ended = std::panic::catch_unwind(run);
        assert_eq!(ended.is_err(), key == '!');
        if key == '!' {
            let mut replay = Replay::open(folder.path(), || program(0.5)).unwrap();
            let panic = replay.recording().panic().unwrap();
            assert_eq!(panic.frame, 2);
            assert!(panic.system.ends_with("fail"), "{panic:?}");
            let again = std::panic::AssertUnwindSafe(|| replay.repeat_panic());
            assert!(std::panic::catch_unwind(again).is_err());
        }
    }
    drop(recorder);
    let mut replay = Replay::open(folder.path(), || program(0.5)).unwrap();
    assert_eq!(replay.finish().unwrap(), Outcome::Same);
    assert_eq!(replay.frame(), 3);
    assert_eq!(replay.world().hash().unwrap(), world.hash().unwrap());
}

#[test]
fn entities_of_other_code_and_other_worlds_are_in_the_recording() {
    let folder = Folder::new();
    let (mut world, mut turn) = game(0.5);
    // No hashes show the change, so the program says so.
    let recorder = Recorder::new(folder.path()).hash_every(0).by_hand();
    let mut recorder = recorder.snapshotter(snapshotter());
    let mut hashes = Vec::new();
    for number in 0..30 {
        if number == 10 {
            world.spawn((Place { x: 9.0, y: 9.0 }, Spark(3)));
            recorder.note_change();
        }
        if number == 20 {
            (world, turn) = game(0.5);
        }
        recorder.run(&mut world, &mut turn).unwrap();
        hashes.push(world.hash().unwrap());
    }
    drop(recorder);
    let mut replay = Replay::open(folder.path(), || program(0.5)).unwrap();
    for hash in &hashes {
        assert!(replay.step().unwrap());
        assert_eq!(replay.world().hash().unwrap(), *hash);
    }
    for frame in [25_usize, 9, 10, 19, 20] {
        replay.run_to(frame as u64 + 1).unwrap();
        assert_eq!(replay.world().hash().unwrap(), hashes[frame]);
    }
}

#[test]
fn the_check_of_a_schedule_lists_its_inputs() {
    let folder = Folder::new();
    let (mut world, mut turn) = game(0.5);
    let recorder = Recorder::new(folder.path()).by_hand();
    let check = recorder.check(&mut world, &mut turn).unwrap();
    assert!(
        check
            .snapshot
            .as_ref()
            .is_some_and(|reason| reason.contains("Reach")),
        "{check}"
    );
    let recorder = recorder.snapshotter(snapshotter());
    let check = recorder.check(&mut world, &mut turn).unwrap();
    assert_eq!(check.snapshot, None);
    let names: Vec<&str> = check.inputs.iter().map(|input| input.name).collect();
    assert!(
        names.contains(&"test.keys") && names.contains(&"test.shout"),
        "{names:?}"
    );
    assert!(!names.contains(&"test.random"), "{names:?}");
    assert!(!folder.path().exists(), "a check records nothing");
}
