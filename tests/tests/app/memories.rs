//! Systems remember in unusual places: behind a `ParamSet`, in both parts of a pipe, in the same function twice, in instances of a
//! generic function, in closures, and in conditions.

use std::time::Duration;

use ecs_core::app::Last;
use ecs_core::prelude::*;
use ecs_core::snapshot::Snapshotter;
use ecs_core::system::from_fn;
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(7);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "memories.place", track)]
struct Place(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "memories.speed", track, storage = "sparse")]
struct Speed(u32);

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "memories.bell")]
struct Bell(u32);

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "memories.log")]
struct Log(Vec<(String, u32)>);

impl Log {
    fn note(&mut self, who: &str, number: impl TryInto<u32>) {
        let number = number.try_into().unwrap_or(u32::MAX);
        self.0.push((who.to_owned(), number));
    }
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "memories.frame")]
struct FrameNumber(u32);

/// Changes something else in each frame, by its number alone.
#[system]
fn change(
    mut frame: ResMut<FrameNumber>,
    mut places: Query<&mut Place>,
    speeds: Query<(Entity, &Speed)>,
    mut bells: EventWriter<Bell>,
    mut commands: Commands,
) {
    frame.0 += 1;
    let number = frame.0;
    let first = speeds.iter().next().map(|(entity, _)| entity);
    match (number % 5, first) {
        (0, _) => _ = commands.spawn((Place(number), Speed(number))),
        (1, _) => places.iter_mut().take(1).for_each(|mut place| place.0 += 1),
        (2, Some(entity)) => commands.remove::<Speed>(entity),
        (3, _) => (0..3).for_each(|bell| bells.send(Bell(number * 10 + bell))),
        (4, Some(entity)) if number.is_multiple_of(3) => commands.despawn(entity),
        _ => {}
    }
}

type Changes<'w> = (
    Query<'w, &'static Place, Changed<Place>>,
    Query<'w, &'static mut Place, Added<Place>>,
);

#[system]
fn by_turns(mut sets: ParamSet<Changes<'_>>, mut log: ResMut<Log>) {
    let changed = sets.p0().iter().count();
    let added = sets.p1().iter_mut().count();
    log.note("changed", changed);
    log.note("added", added);
}

#[system]
fn count<const BY: u32>(mut runs: Local<u32>, mut log: ResMut<Log>) {
    *runs += BY;
    log.note("count", *runs);
}

#[system]
fn read_one(mut bells: EventReader<Bell>, mut before: Local<Vec<u32>>) -> u32 {
    before.extend(bells.read().take(1).map(|bell| bell.0));
    before.iter().sum()
}

#[system]
fn most_bells(sum: u32, mut most: Local<Option<u32>>, mut log: ResMut<Log>) {
    *most = (*most).max(Some(sum));
    log.note("most_bells", most.unwrap_or_default());
}

#[system]
fn gone(mut speeds: Removed<Speed>, mut log: ResMut<Log>) {
    speeds
        .read()
        .for_each(|entity| log.note("gone", entity.index()));
}

fn game() -> App {
    let mut app = App::new();
    let snapshotter = Snapshotter::new();
    app.set_snapshotter(
        snapshotter
            .local_data::<Vec<u32>>()
            .local_data::<Option<u32>>(),
    );
    app.init_resource::<Log>()
        .init_resource::<FrameNumber>()
        .add_event::<Bell>();
    app.add_systems(Update, change);
    app.add_systems(Update, (by_turns, count::<1>, count::<3>));
    app.add_systems(FixedUpdate, (count::<5>, gone, read_one.pipe(most_bells)));
    app.add_systems(
        Last,
        from_fn(|mut runs: Local<u64>, mut log: ResMut<Log>| {
            *runs += 2;
            log.note("closure", *runs);
        })
        .run_if(|mut asked: Local<u32>, frame: Res<FrameNumber>| {
            *asked += 1;
            (*asked + frame.0).is_multiple_of(4)
        }),
    );
    app
}

fn future(app: &mut App) -> Log {
    app.update_times(11, FRAME);
    app.world().resource::<Log>().clone()
}

#[test]
fn memories_in_unusual_places_come_back_in_memory_and_from_bytes() {
    let (mut app, mut old) = (game(), game());
    old.update_times(17, FRAME);
    for frame in 0..40 {
        let mut before = app.snapshot().unwrap();
        assert!(before.left_out().is_empty(), "{}", before.left_out());
        let bytes = before.to_bytes().unwrap();
        let expected = future(&mut app);
        let mut new = game();
        for app in [&mut new, &mut old] {
            app.restore_bytes(&bytes).unwrap();
        }
        app.restore(&mut before).unwrap();
        for (name, app) in [("new", &mut new), ("old", &mut old), ("app", &mut app)] {
            assert_eq!(future(app), expected, "{name}, frame {frame}");
            let again = app.snapshot().unwrap().to_bytes().unwrap();
            app.restore_bytes(&again).unwrap();
        }
        app.restore(&mut before).unwrap();
        app.update_by(FRAME);
    }
    let log = app.world().resource::<Log>();
    for who in ["changed", "added", "count", "most_bells", "gone", "closure"] {
        assert!(
            log.0
                .iter()
                .any(|(name, number)| name == who && *number > 0),
            "{who}"
        );
    }
}
