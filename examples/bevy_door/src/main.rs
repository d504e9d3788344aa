//! A game on bevy whose newest rules are systems of `ecs_core`. Bevy moves and shows ships; the rules know mines, which explode where
//! a ship comes near. Ships, hits and the score are in both worlds.
//!
//! ```sh
//! cargo run        # in examples/bevy_door; prints what happens in 60 frames
//! ```

use bevy_app::{App, PostUpdate, Update};
use bevy_door::EcsPlugin;
use bevy_ecs::component::Component as BevyComponent;
use bevy_ecs::query::{With as BevyWith, Without as BevyWithout};
use bevy_ecs::resource::Resource as BevyResource;
use bevy_ecs::schedule::IntoScheduleConfigs as _;
use bevy_ecs::system::{Query as BevyQuery, Res as BevyRes};
use ecs_core::prelude::*;

/// Bevy's own component. The rules only need the place.
#[derive(BevyComponent, Clone, Debug, PartialEq)]
struct Transform {
    x: f32,
    scale: f32,
}

/// A component of both worlds.
#[derive(BevyComponent, Component, Clone, Debug, PartialEq)]
struct Hull(i32);

/// A resource of both worlds.
#[derive(BevyResource, Resource, Clone, Debug, Default, PartialEq)]
struct Score(u32);

fn sail(mut ships: BevyQuery<&mut Transform, BevyWith<Hull>>) {
    for mut transform in &mut ships {
        transform.x += 1.0;
    }
}

fn show(
    ships: BevyQuery<(&Transform, &Hull)>,
    mines: BevyQuery<&Transform, BevyWithout<Hull>>,
    score: BevyRes<Score>,
) {
    let mut line = vec!['.'; 64];
    for mine in &mines {
        line[mine.x as usize] = '*';
    }
    for (transform, hull) in &ships {
        let digit = char::from_digit(hull.0.unsigned_abs(), 10);
        line[transform.x as usize % 64] = digit.unwrap_or('#');
    }
    println!("{} {:3}", String::from_iter(line), score.0);
}

// From here on, everything is `ecs_core`.

/// The place of a ship or a mine. As it is tracked, the door only looks at places that were written.
#[derive(Component)]
#[component(track)]
struct Place(f32);

#[derive(Component)]
struct Mine {
    power: i32,
}

/// Lays a mine every ten frames.
#[system]
fn lay(mut frame: Local<u32>, mut commands: Commands) {
    *frame += 1;
    if *frame % 10 == 1 {
        commands.spawn((Place(20.0 + *frame as f32 / 2.0), Mine { power: 3 }));
    }
}

/// Explodes the mines near ships, and sinks ships.
#[system]
fn explode(
    mut ships: Query<(Entity, &Place, &mut Hull)>,
    mines: Query<(Entity, &Place, &Mine)>,
    mut score: ResMut<Score>,
    mut commands: Commands,
) {
    for (bomb, at, mine) in mines.iter() {
        for (ship, place, hull) in &mut ships {
            if (place.0 - at.0).abs() < 1.0 && hull.0 > 0 {
                hull.0 -= mine.power;
                score.0 += 1;
                commands.despawn(bomb);
                if hull.0 <= 0 {
                    commands.despawn(ship);
                }
                break;
            }
        }
    }
}

/// One plugin, beside those that the game has.
fn mines() -> EcsPlugin {
    let mut rules = Schedule::new();
    rules.add((lay, explode));
    EcsPlugin::new(rules)
        .share::<Hull>()
        .share_resource::<Score>()
        .to_ecs(|transform: &Transform, _| Place(transform.x))
        .changed_to_bevy(|place: &Place, last: Option<&Transform>| Transform {
            x: place.0,
            scale: last.map_or(0.5, |last| last.scale),
        })
}

fn main() {
    let mut app = App::new();
    app.init_resource::<Score>();
    app.add_systems(Update, sail.before(bevy_door::run));
    app.add_systems(PostUpdate, show);
    app.add_plugins(mines());
    let ships = [0.0, 3.0, 6.0].map(|x| {
        let ship = (Transform { x, scale: 1.0 }, Hull(4));
        app.world_mut().spawn(ship).id()
    });
    for _ in 0..60 {
        app.update();
    }
    let world = app.world();
    let afloat = ships.iter().filter(|&&ship| world.get_entity(ship).is_ok());
    println!(
        "{} of 3 ships are afloat, {} mines exploded",
        afloat.count(),
        world.resource::<Score>().0
    );
}
