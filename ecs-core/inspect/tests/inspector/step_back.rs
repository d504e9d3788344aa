//! Steps back over everything that a game does, and the same future from there.

use std::time::Duration;

use ecs_core::app::Timer;
use ecs_core::command::Delay;
use ecs_core::data::WorldData;
use ecs_core::inspect::{Inspect, Inspector};
use ecs_core::prelude::*;
use ecs_core::schedule::{DespawnOnExit, FixedTime, NextState, State};
use serde::{Deserialize, Serialize};

use super::call;

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "back.age", track)]
struct Age(u32);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "back.fuse", storage = "sparse")]
struct Fuse(Timer);

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "back.marked")]
struct Marked;

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(tree, data = "back.child_of")]
struct Below;

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "back.born")]
struct Born(Entity);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Season {
    Summer,
    Winter,
}

/// What the systems have seen, so that everything they remember is in the hash of the world.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "back.diary")]
struct Diary(Vec<String>);

#[system]
fn bear(
    ages: Query<(Entity, &Age)>,
    season: Res<State<Season>>,
    mut born: EventWriter<Born>,
    mut count: Local<u32>,
    mut commands: Commands,
) {
    *count += 1;
    let oldest = (&ages).into_iter().max_by_key(|(_, age)| age.0);
    let child = commands.spawn(Age(0)).id();
    if let (Some((oldest, _)), 0) = (oldest, *count % 4) {
        commands.insert(child, Below.to(oldest));
    }
    if *season == Season::Winter {
        let fuse = Timer::repeating(Duration::from_millis(35));
        commands.insert(child, (Fuse(fuse), Marked));
    }
    if let (Some((oldest, _)), 0) = (oldest, *count % 3) {
        commands.despawn(oldest);
    }
    if count.is_multiple_of(5) {
        commands.delay(Delay::Runs(2), |world| {
            world.resource_mut::<Diary>().0.push("late".to_owned());
        });
    }
    born.send(Born(child));
}

#[system]
fn grow(mut ages: CompMut<Age>, fixed: Res<FixedTime>, mut diary: ResMut<Diary>) {
    for mut age in ages.iter_mut() {
        age.0 += 1;
    }
    diary.0.push(format!("step {}", fixed.steps()));
}

#[system]
fn turn(mut season: ResMut<NextState<Season>>, mut frames: Local<u32>) {
    *frames += 1;
    match *frames % 6 {
        2 => season.set(Season::Winter),
        5 => season.set(Season::Summer),
        _ => {}
    }
}

/// Reads the events of the frame before, too: it runs before they are sent.
#[system]
fn remember(
    mut born: EventReader<Born>,
    mut sum: Local<usize>,
    changed: Query<&Age, Changed<Age>>,
    mut removed: Removed<Age>,
    mut fuses: Query<&mut Fuse>,
    time: Res<Time>,
    mut diary: ResMut<Diary>,
) {
    let names: Vec<String> = born.read().map(|born| born.0.to_string()).collect();
    *sum += names.len();
    let mut ended = 0;
    for fuse in &mut fuses {
        ended += fuse.0.tick(time.delta()).times_finished();
    }
    let changed = changed.iter().count();
    let removed = removed.read().count();
    let names = names.join(" ");
    diary
        .0
        .push(format!("{names}: {} {ended} {changed} {removed}", *sum));
}

const FRAME: Duration = Duration::from_millis(16);
const KEPT: usize = 9;

fn seasons() -> (App, Inspector) {
    let mut app = App::new();
    app.fixed_step(Duration::from_millis(10))
        .init_resource::<Diary>()
        .add_state(Season::Summer)
        .on_enter(Season::Winter, |mut commands: Commands| {
            commands.spawn((Age(100), DespawnOnExit(Season::Winter)));
        })
        .add_systems(FixedUpdate, grow)
        .add_systems(Update, (remember, bear, turn).chain());
    let world = app.world_mut();
    world.register_data_state::<Season>("back.season");
    world.register_data_event::<Born>();
    let inspector = Inspect::new(0).history(KEPT).attach(&mut app);
    (app, inspector)
}

/// Runs frames by the program's own loop, and returns the hash after each.
fn hashes(app: &mut App, frames: usize) -> Vec<u64> {
    let frames = (0..frames).map(|_| {
        app.update_by(FRAME);
        app.world().hash().unwrap()
    });
    frames.collect()
}

fn diary(app: &App) -> Vec<String> {
    app.world().resource::<Diary>().0.clone()
}

#[test]
fn after_a_step_back_a_game_has_the_same_past_and_the_same_future() {
    let (mut undisturbed, _) = seasons();
    let expected = hashes(&mut undisturbed, 40);
    // The game does all of it, and no two frames are alike.
    let words = diary(&undisturbed).join("\n");
    for word in ["late", "step 60", "0v2", " 1 "] {
        assert!(words.contains(word), "{word} is not in\n{words}");
    }

    let (mut app, inspector) = seasons();
    let mut at = 0;
    let mut n = 0;
    while at < 31 {
        let ahead = 1 + n % KEPT;
        assert_eq!(
            hashes(&mut app, ahead),
            expected[at..at + ahead],
            "from {at}"
        );
        at += ahead;
        // From none to all of these frames, and some before them.
        let back = (n * 5) % (KEPT + 1).min(at);
        if back > 0 {
            let params = format!(r#"{{"frames":{back}}}"#);
            let answer = call(&mut app, &inspector, "app.step_back", &params);
            at -= back;
            let frames = format!(r#""result":{{"frame":{at},"frames":{back},"ended":false}}"#);
            assert_eq!(answer, frames);
            if at > 0 {
                assert_eq!(
                    app.world().hash().unwrap(),
                    expected[at - 1],
                    "back at {at}"
                );
            }
            app.resume();
        }
        n += 1;
        assert!(n < 100, "it goes forward");
    }
    assert_eq!(hashes(&mut app, 40 - at), expected[at..]);
    assert_eq!(diary(&app), diary(&undisturbed));
    // The next entity has the same number, and so has one that is free.
    for _ in 0..3 {
        assert_eq!(app.world_mut().spawn(()), undisturbed.world_mut().spawn(()));
    }
}

#[test]
fn edits_and_a_system_alone_leave_nothing_behind_after_a_step_back() {
    let (mut undisturbed, _) = seasons();
    let expected = hashes(&mut undisturbed, 20);

    let (mut app, inspector) = seasons();
    assert_eq!(hashes(&mut app, 8), expected[..8]);
    let oldest = app.world().entities_with("back.age").unwrap()[0];
    for (method, params, expected) in [
        (
            "world.despawn_entity",
            &*format!(r#"{{"entity":"{oldest}"}}"#),
            "null",
        ),
        (
            "world.spawn_entity",
            r#"{"components":{"back.age":500}}"#,
            r#"{"entity":"5v2"}"#,
        ),
        (
            "world.insert_resources",
            r#"{"resource":"back.season","value":"Winter"}"#,
            "null",
        ),
        (
            "world.insert_resources",
            r#"{"resource":"back.diary","value":[]}"#,
            "null",
        ),
        (
            "world.write_message",
            r#"{"message":"back.born","value":"0v1"}"#,
            "null",
        ),
        // The system of a fixed step, whose number is not the frame's.
        (
            "app.step_system",
            "{}",
            r#"{"system":"inspector::step_back::grow","frame":9}"#,
        ),
        (
            "app.step",
            r#"{"frames":2}"#,
            r#"{"frame":10,"frames":2,"ended":false}"#,
        ),
    ] {
        let answer = call(&mut app, &inspector, method, params);
        assert_eq!(answer, format!(r#""result":{expected}"#), "{method}");
    }
    assert_ne!(app.world().hash().unwrap(), expected[9]);
    let answer = call(&mut app, &inspector, "app.step_back", r#"{"frames":4}"#);
    assert_eq!(answer, r#""result":{"frame":6,"frames":4,"ended":false}"#);
    app.resume();
    assert_eq!(hashes(&mut app, 14), expected[6..]);
}
