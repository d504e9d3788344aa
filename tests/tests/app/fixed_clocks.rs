//! Saves of several fixed steps: each goes on where it was.

use std::time::Duration;

use ecs_core::app::fixed_update;
use ecs_core::data::Loader;
use ecs_core::from_fn;
use ecs_core::prelude::*;
use ecs_core::schedule::{FixedTimes, FrameTime, fixed};

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// The step's name, its number, and the length in milliseconds, of each step.
#[derive(Resource, Clone, Debug, Default, PartialEq)]
struct Steps(Vec<(&'static str, u64, u128)>);

fn noted(name: &'static str) -> Schedule {
    noted_as(name, name)
}

fn noted_as(name: &'static str, note: &'static str) -> Schedule {
    let mut schedule = Schedule::named(name);
    schedule.add(from_fn(move |mut steps: ResMut<Steps>, time: Res<Time>| {
        let length = time.delta().as_millis();
        steps.0.push((note, time.frame(), length));
    }));
    schedule
}

/// Three rates: of the app, of two schedules of the same name, and of one inside of a step.
fn app() -> App {
    let mut app = App::new();
    let mut outer = noted("outer");
    outer.add(fixed_update(ms(3), noted("inner")));
    app.init_resource::<Steps>()
        .fixed_step(ms(20))
        .add_systems(FixedUpdate, |mut steps: ResMut<Steps>, time: Res<Time>| {
            let length = time.delta().as_millis();
            steps.0.push(("app", time.frame(), length));
        })
        .add_systems(Update, fixed_update(ms(7), noted_as("twin", "first")))
        .add_systems(Update, fixed_update(ms(50), noted_as("twin", "second")))
        .add_systems(Update, fixed_update(ms(11), outer));
    app
}

fn steps(app: &mut App) -> Vec<(&'static str, u64, u128)> {
    std::mem::take(&mut app.world_mut().resource_mut::<Steps>().0)
}

fn load(app: &mut App, save: &[u8]) {
    Loader::new().load_bytes(app.world_mut(), save).unwrap();
}

#[test]
fn each_of_several_fixed_steps_goes_on_where_it_was_after_a_load() {
    for frames in 0..40 {
        let mut old = app();
        old.build().unwrap();
        old.update_times(frames, ms(13));
        let save = old.world().save().to_vec().unwrap();
        let text = serde_json::to_string(&old.world().save()).unwrap();
        let mut new = app();
        load(&mut new, &save);
        let mut read = app();
        read.build().unwrap();
        let mut json = serde_json::Deserializer::from_str(&text);
        Loader::new()
            .deserialize(read.world_mut(), &mut json)
            .unwrap();
        let mut other = app();
        other.update_times(frames / 2 + 1, ms(17));
        load(&mut other, &save);
        steps(&mut old);
        steps(&mut other);
        for frame in 0..9 {
            for app in [&mut old, &mut new, &mut read, &mut other] {
                app.update_by(ms(13));
            }
            let expected = steps(&mut old);
            assert_eq!(steps(&mut new), expected, "frame {frame} after {frames}");
            assert_eq!(steps(&mut read), expected, "frame {frame} after {frames}");
            assert_eq!(steps(&mut other), expected, "frame {frame} after {frames}");
            // In the order of the first runs.
            let times = [&old, &other].map(|app| {
                let times = app.world().resource::<FixedTimes>().clone();
                let mut list: Vec<_> = times.iter().map(|(n, time)| (n.to_owned(), time)).collect();
                list.sort_by_key(|(name, time)| (name.clone(), time.step()));
                list
            });
            assert_eq!(times[0], times[1]);
        }
    }
}

#[test]
fn a_save_inside_of_a_step_has_the_steps_of_the_frame_that_are_still_due() {
    #[derive(Resource, Default)]
    struct Saves(Vec<Vec<u8>>);
    #[system]
    fn save(world: &mut World) {
        let save = world.save().to_vec().unwrap();
        world.resource_mut::<Saves>().0.push(save);
    }
    let mut app = app();
    app.init_resource::<Saves>().add_systems(FixedUpdate, save);
    app.update_by(ms(70));
    let saves = std::mem::take(&mut app.world_mut().resource_mut::<Saves>().0);
    assert_eq!(saves.len(), 3);
    for (save, done) in saves.iter().zip(1..) {
        let mut new = self::app();
        load(&mut new, save);
        new.update_by(ms(15));
        let time = new.world().resource::<FixedTimes>().get("FixedUpdate");
        let time = time.unwrap();
        // 85 ms in all: the rest of the frame, and 25 ms.
        assert_eq!((time.steps(), time.overstep()), (4, ms(5)));
        let all = steps(&mut new);
        let of_app = all.iter().filter(|(name, ..)| *name == "app");
        assert_eq!(of_app.count(), 4 - done);
    }
}

#[test]
fn a_step_with_another_length_or_name_than_the_saved_one_begins_anew() {
    let with = |name: &'static str, step: u64| {
        let mut app = App::new();
        app.init_resource::<Steps>()
            .add_systems(Update, fixed_update(ms(step), noted(name)));
        app
    };
    let mut old = with("a", 10);
    old.update_by(ms(25));
    let save = old.world().save().to_vec().unwrap();
    for (name, step, expected) in [("a", 10, (3, 0)), ("a", 8, (0, 5)), ("b", 10, (0, 5))] {
        let mut new = with(name, step);
        load(&mut new, &save);
        new.update_by(ms(5));
        let times = new.world().resource::<FixedTimes>();
        let time = times.get(name).unwrap();
        assert_eq!(
            (time.steps(), time.overstep()),
            (expected.0, ms(expected.1))
        );
    }
}

#[test]
fn an_old_save_has_the_progress_of_one_step() {
    let mut old = app();
    old.update_by(ms(19));
    old.update_by(ms(19));
    let text = serde_json::to_string(&old.world().save()).unwrap();
    let mut tree: serde_json::Value = serde_json::from_str(&text).unwrap();
    let resources = tree
        .pointer_mut("/resources")
        .expect("saves have resources");
    let all = resources.as_object_mut().unwrap();
    all.remove("ecs.fixed_times").expect("a new save has it");
    let last = all["ecs.fixed_time"]["step"]["nanos"].clone();
    assert_eq!(last, 11_000_000);
    let mut new = app();
    Loader::new().deserialize(new.world_mut(), &tree).unwrap();
    new.update_by(ms(0));
    let times = new.world().resource::<FixedTimes>();
    assert_eq!(times.get("outer").unwrap().steps(), 3);
    assert_eq!(times.get("FixedUpdate").unwrap().steps(), 0);
}

#[test]
fn schedules_that_are_made_anew_keep_their_names() {
    let mut world = World::new();
    world.insert_resource(FrameTime { delta: ms(25) });
    let mut run = |length: u64| {
        let mut frame = Schedule::new();
        frame.add(fixed(ms(length), Schedule::new()));
        frame.run(&mut world).unwrap();
        let times = world.resource::<FixedTimes>();
        times
            .iter()
            .map(|(name, time)| (name.to_owned(), time.steps()))
            .collect::<Vec<_>>()
    };
    assert_eq!(run(10), [("fixed".to_owned(), 2)]);
    assert_eq!(run(5), [("fixed".to_owned(), 5)], "the first one is gone");
}

#[test]
fn two_schedules_of_a_world_are_told_apart() {
    let frame = |length: u64| {
        let mut frame = Schedule::new();
        frame.add(fixed(ms(length), Schedule::new()));
        frame
    };
    let mut world = World::new();
    world.insert_resource(FrameTime { delta: ms(7) });
    let mut both = [frame(5), frame(5)];
    both[0].run(&mut world).unwrap();
    both[1].run(&mut world).unwrap();
    both[1].run(&mut world).unwrap();
    let save = world.save().to_vec().unwrap();
    let mut other = World::new();
    other.insert_resource(FrameTime { delta: ms(1) });
    let mut both = [frame(5), frame(5)];
    Loader::new().load_bytes(&mut other, &save).unwrap();
    for frame in &mut both {
        frame.run(&mut other).unwrap();
    }
    let times = other.resource::<FixedTimes>();
    let steps: Vec<_> = times
        .iter()
        .map(|(_, time)| (time.steps(), time.overstep()))
        .collect();
    assert_eq!(steps, [(1, ms(3)), (3, ms(0))]);
}

#[test]
fn snapshots_have_the_progress_of_all_steps() {
    let mut app = app();
    app.set_snapshotter(
        ecs_core::snapshot::Snapshotter::new()
            .resource::<Steps>()
            .without_captured(),
    );
    app.update_times(5, ms(13));
    let mut before = app.snapshot().unwrap();
    let times = app.world().resource::<FixedTimes>().clone();
    app.update_times(5, ms(13));
    assert_ne!(*app.world().resource::<FixedTimes>(), times);
    app.restore(&mut before).unwrap();
    assert_eq!(*app.world().resource::<FixedTimes>(), times);
}
