//! This example finds a desync. Two players have played the same match with the same inputs, and their worlds differ in the end.
//! Both games were recorded, and `first_difference` names the frame, the system, the entity and the field where they part.
//!
//! `cargo run --release -p ecs-examples --example first_difference` plays the match twice. The second player's build fuses a
//! multiplication and an addition, as some compilers and processors do, so one number is rounded once instead of twice.

use std::error::Error;
use std::path::{Path, PathBuf};

use ecs_core::prelude::*;
use ecs_core::record::{DifferenceKind, Recorder, first_difference};
use ecs_core::snapshot::Snapshotter;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "match.place")]
struct Place {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "match.velocity")]
struct Velocity {
    x: f32,
    y: f32,
}

/// The direction of the keys that the players hold: the input of the match.
#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "match.keys")]
struct Keys(f32);

/// The build of a player, which decides how numbers are rounded.
#[derive(Resource, Clone, Copy, Debug)]
struct Build {
    is_fused: bool,
}

#[system(for_each)]
fn steer(velocity: &mut Velocity, keys: Res<Keys>) {
    velocity.x += keys.0 * 0.01;
}

/// The wind. One of the builds is at fault, once a ship is far enough away.
#[system(for_each)]
fn blow(velocity: &mut Velocity, place: &Place, build: Res<Build>) {
    velocity.y = match build.is_fused && place.x > 20.0 {
        true => place.y.mul_add(-0.02, velocity.y),
        false => place.y * -0.02 + velocity.y,
    };
}

#[system(for_each)]
fn fly(place: &mut Place, velocity: &Velocity) {
    place.x += velocity.x;
    place.y += velocity.y;
}

fn game(build: Build) -> App {
    let mut app = App::new();
    app.insert_resource(build)
        .init_resource::<Keys>()
        .add_systems(Startup, |mut commands: Commands| {
            let ship = |n: f32| {
                (
                    Place {
                        x: n,
                        y: n * 0.3 + 1.0,
                    },
                    Velocity { x: 0.1, y: 0.0 },
                )
            };
            (0..5_u8).for_each(|n| _ = commands.spawn(ship(n.into())));
        })
        .add_systems(Update, (steer, blow, fly).chain());
    // The build is no part of the match.
    app.set_snapshotter(Snapshotter::new().without_resource::<Build>());
    app
}

/// Plays the match, and returns the hash of the world at its end.
fn play(build: Build, file: &Path) -> Result<u64, Box<dyn Error>> {
    let mut app = game(build);
    // Hashes of a few frames suffice: the frames between two of them run again.
    app.add_plugin(Recorder::new(file).hash_every(50));
    for frame in 0..600_u32 {
        if frame % 30 == 0 {
            let keys = [-1.0, 0.0, 1.0, 1.0][frame as usize / 30 % 4];
            app.world_mut().resource_mut::<Keys>().0 = keys;
        }
        app.update_by(App::DEFAULT_FIXED_STEP);
    }
    Ok(app.world().hash()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let builds = [false, true].map(|is_fused| Build { is_fused });
    let files: [PathBuf; 2] = ["one", "other"].map(|player| {
        let name = format!("first-difference-{}-{player}.rec", std::process::id());
        std::env::temp_dir().join(name)
    });
    let hashes = [play(builds[0], &files[0])?, play(builds[1], &files[1])?];
    println!(
        "after 600 frames the worlds have the hashes {:016x} and {:016x}",
        hashes[0], hashes[1]
    );

    let [one, other] = [0, 1].map(|player| (&files[player], game(builds[player])));
    let difference = first_difference(one, other)?.expect("the worlds differ");
    println!("{difference}");
    files.iter().try_for_each(std::fs::remove_file)?;

    let DifferenceKind::Results { system, .. } = &difference.kind else {
        panic!("the inputs are the same");
    };
    assert!(
        system
            .as_ref()
            .is_some_and(|system| system.ends_with("blow"))
    );
    Ok(())
}
