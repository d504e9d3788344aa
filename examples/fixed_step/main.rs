//! This example shows a simulation at a fixed step, drawn at any frame rate. However long the frames are, the planets
//! move the same to the last bit, and interpolation draws them between two steps, so that they move evenly.
//!
//! ```sh
//! cargo run -p ecs-examples --example fixed_step                     # several frame rates, and what they show is compared
//! cargo run -p ecs-examples --features window --example fixed_step   # in a window
//! ```
//!
//! `--headless` runs without the window. `--record FILE` records a run with random frames, and `--replay FILE` runs it again.

#[cfg(feature = "window")]
mod window;

use std::error::Error;
use std::time::Duration;

use ecs_core::data::SnapshotterBytes;
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::schedule::SetLabel;
use ecs_core::snapshot::Snapshotter;
use ecs_examples::roguelike::Rng;
use ecs_examples::{file_after, replay};
use serde::{Deserialize, Serialize};

/// The length of a step of the simulation: 50 a second.
const STEP: Duration = Duration::from_millis(20);
/// The time that each run simulates.
const TOTAL: Duration = Duration::from_secs(20);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "planets.position")]
struct Position {
    x: f64,
    y: f64,
}

impl Position {
    fn distance(self, other: Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "planets.velocity")]
struct Velocity {
    x: f64,
    y: f64,
}

/// The position before the last step.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "planets.previous")]
struct Previous(Position);

/// The position on the screen.
#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "planets.drawn")]
struct Drawn(Position);

/// The positions of all planets after each step.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "planets.trail")]
struct Trail(Vec<Position>);

/// The greatest difference, in steps, between the distance that the innermost planet moves in a frame and the frame's
/// length: the speed of the planet is 1.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "planets.unevenness")]
struct Unevenness {
    interpolated: f64,
    as_simulated: f64,
}

#[system]
fn spawn_planets(mut commands: Commands) {
    for (x, speed) in [(1.0, 1.0), (1.6, 0.7), (4.0, 0.2)] {
        let start = Position { x, y: 0.0 };
        let velocity = Velocity { x: 0.0, y: speed };
        commands.spawn((start, velocity, Previous(start), Drawn(start)));
    }
}

#[system(for_each)]
fn remember(previous: &mut Previous, position: &Position) {
    previous.0 = *position;
}

/// Moves planets around the sun, which is at zero. In a fixed step, `Time` is the time of the step.
#[system(for_each)]
fn orbit(position: &mut Position, velocity: &mut Velocity, time: Res<Time>) {
    let delta = time.delta_secs_f64();
    let pull = delta / position.x.hypot(position.y).powi(3);
    velocity.x -= position.x * pull;
    velocity.y -= position.y * pull;
    position.x += velocity.x * delta;
    position.y += velocity.y * delta;
}

#[system]
fn record(positions: Comp<Position>, mut trail: ResMut<Trail>) {
    trail.0.extend(positions.iter());
}

/// Draws planets between their last two positions: a step late, but never too far.
#[system(for_each)]
fn interpolate(drawn: &mut Drawn, previous: &Previous, position: &Position, steps: Res<FixedTime>) {
    let alpha = f64::from(steps.alpha());
    drawn.0 = Position {
        x: previous.0.x + (position.x - previous.0.x) * alpha,
        y: previous.0.y + (position.y - previous.0.y) * alpha,
    };
}

/// Compares a frame's picture with the picture before, once the first step has run.
#[system]
fn measure(
    planets: Query<(&Drawn, &Position)>,
    mut last: Local<Option<(Position, Position)>>,
    mut unevenness: ResMut<Unevenness>,
    time: Res<Time>,
    steps: Res<FixedTime>,
) {
    let Some((&Drawn(drawn), &position)) = planets.iter().next() else {
        return;
    };
    if let Some((last_drawn, last_position)) = *last {
        let off = |way: f64| (way - time.delta_secs_f64()).abs() / STEP.as_secs_f64();
        let (shown, simulated) = (
            off(drawn.distance(last_drawn)),
            off(position.distance(last_position)),
        );
        unevenness.interpolated = unevenness.interpolated.max(shown);
        unevenness.as_simulated = unevenness.as_simulated.max(simulated);
    }
    *last = (steps.steps() > 0).then_some((drawn, position));
}

/// Adds the simulation to a schedule: to `FixedUpdate`, where it should be, or to another one.
fn simulation(app: &mut App, schedule: impl SetLabel) {
    app.init_resource::<Trail>();
    app.add_systems(Startup, spawn_planets);
    app.add_systems(schedule, (remember, orbit, record));
}

/// Runs frames of the given lengths, and returns the app.
fn run(mut app: App, mut length: impl FnMut() -> Duration) -> App {
    let mut left = TOTAL;
    while !left.is_zero() {
        let frame = length().min(left);
        assert_eq!(app.update_by(frame), None, "no system ends the app");
        left -= frame;
    }
    app
}

/// The app that it is about.
fn app() -> App {
    let mut app = App::new();
    simulation(&mut app, FixedUpdate);
    app.fixed_step(STEP)
        .init_resource::<Unevenness>()
        .add_systems(Update, (interpolate, measure));
    // Of `measure`.
    app.set_snapshotter(Snapshotter::new().local_data::<Option<(Position, Position)>>());
    app
}

fn fixed(length: impl FnMut() -> Duration) -> App {
    run(app(), length)
}

#[test]
fn from_any_frame_the_planets_move_the_same() {
    ecs_examples::assert_same_from_any_frame(app, 200, |_, _| {});
}

#[test]
fn systems_touch_what_access_lock_says() {
    let text = app().access_text().unwrap();
    ecs_core::schedule::assert_access_lock("fixed_step/access.lock", &text);
}

/// Returns frames between 2 and 45 milliseconds.
fn random_frames(seed: u64) -> impl FnMut() -> Duration {
    let mut rng = Rng::new(seed);
    move || Duration::from_micros(rng.roll(2_000..=45_000).unsigned_abs().into())
}

fn main() -> Result<AppExit, Box<dyn Error>> {
    if let Some(path) = file_after("--replay") {
        println!("{}", replay(&path, app)?);
        return Ok(AppExit::Success);
    }
    if let Some(path) = file_after("--record") {
        let mut app = app();
        app.add_plugin(Recorder::new(path).hash_every(1));
        run(app, random_frames(1));
        return Ok(AppExit::Success);
    }
    #[cfg(feature = "window")]
    if !std::env::args().any(|argument| argument == "--headless") {
        return Ok(window::play());
    }
    compare();
    Ok(AppExit::Success)
}

/// Asserts that all frame rates show the same simulation.
fn compare() {
    let step_by_step = fixed(|| STEP);
    let trail = &step_by_step.world().resource::<Trail>().0;
    assert_eq!(trail.len(), 3 * 1000);

    for (name, app) in [
        (
            "60 frames a second",
            fixed(|| Duration::from_nanos(16_666_667)),
        ),
        (
            "144 frames a second",
            fixed(|| Duration::from_nanos(6_944_444)),
        ),
        ("random frames", fixed(random_frames(1))),
        ("other random frames", fixed(random_frames(2))),
    ] {
        let world = app.world();
        let (time, uneven) = (
            world.resource::<FixedTime>(),
            world.resource::<Unevenness>(),
        );
        println!(
            "{name}: {} steps, drawn {:.3} steps off at most, without interpolation {:.3}",
            time.steps(),
            uneven.interpolated,
            uneven.as_simulated,
        );
        assert_eq!(&world.resource::<Trail>().0, trail, "the same simulation");
        assert!(uneven.interpolated < 0.03, "planets are drawn evenly");
        assert!(uneven.as_simulated > 0.5, "without it they jerk");
    }

    // The same systems in `Update`, with the frame's `Time`: each run ends elsewhere.
    let ends = [1, 2].map(|seed| {
        let mut app = App::new();
        simulation(&mut app, Update);
        let app = run(app, random_frames(seed));
        app.world().resource::<Trail>().0.last().copied()
    });
    println!("at the frame's own step, the last planet ends at {ends:?}");
    assert_ne!(ends[0], ends[1]);
}
