//! A meadow: rats in nests, foxes that bite them, and the weather.

use ecs_core::data::Prefab;
use ecs_core::prelude::*;
use ecs_core::schedule::NextState;
use ecs_core::tree::{ChildOf, Name};
use ecs_core::world::hooks::OnAdd;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.place")]
struct Place {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.speed")]
struct Speed {
    x: f32,
    y: f32,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.health")]
struct Health {
    now: i32,
    max: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Mood {
    Calm,
    Hungry,
    Afraid,
}

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "game.brain")]
struct Brain {
    mood: Mood,
    /// The rat that a fox follows, and the fox that a rat flees.
    other: Option<Entity>,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.fox")]
struct Fox;

/// A wound that has not healed.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "game.wound", storage = "sparse")]
struct Wound {
    frames: u32,
}

#[derive(Event, Clone, Debug, Serialize, Deserialize)]
#[event(data = "game.bite")]
struct Bite {
    fox: Entity,
    rat: Entity,
    damage: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
enum Sky {
    Day,
    Night,
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "game.weather")]
struct Weather {
    rain: f32,
    hour: f32,
}

#[derive(Resource, Clone, Debug, Default, Serialize, Deserialize)]
#[resource(data = "game.score")]
struct Score {
    bites: u64,
    wounds: u64,
}

#[system]
fn change_weather(mut weather: ResMut<Weather>, mut sky: ResMut<NextState<Sky>>) {
    weather.rain = (weather.rain + 0.01).fract();
    weather.hour = (weather.hour + 0.02) % 24.0;
    sky.set(match weather.hour > 6.0 && weather.hour < 20.0 {
        true => Sky::Day,
        false => Sky::Night,
    });
}

#[system]
fn walk(mut place: CompMut<Place>, speed: Comp<Speed>) {
    for (place, speed) in (&mut place, &speed).iter() {
        place.x = (place.x + speed.x).rem_euclid(1000.0);
        place.y = (place.y + speed.y).rem_euclid(1000.0);
    }
}

/// Foxes choose a rat, and bite it in the next frame.
#[system]
fn hunt(
    time: Res<Time>,
    rats: Query<Entity, (With<Health>, Without<Fox>)>,
    mut brains: Query<(Entity, &mut Brain), With<Fox>>,
    mut bites: EventWriter<Bite>,
) {
    let count = rats.iter().count().max(1);
    for (number, (fox, brain)) in brains.iter_mut().enumerate() {
        if let Some(rat) = brain.other.take() {
            bites.send(Bite {
                fox,
                rat,
                damage: 20,
            });
            brain.mood = Mood::Calm;
        } else if (time.frame() as usize + number * 7).is_multiple_of(20) {
            let chosen = (time.frame() as usize * 31 + number * 997) % count;
            brain.other = rats.iter().nth(chosen);
            brain.mood = Mood::Hungry;
        }
    }
}

#[system]
fn hurt(
    mut bites: EventReader<Bite>,
    mut rats: Query<(&mut Health, &mut Brain)>,
    mut score: ResMut<Score>,
    mut commands: Commands,
) {
    for bite in bites.read() {
        if let Some((health, brain)) = rats.get_mut(bite.rat) {
            health.now = (health.now - bite.damage).max(1);
            brain.mood = Mood::Afraid;
            brain.other = Some(bite.fox);
            commands.insert(bite.rat, Wound { frames: 300 });
            score.bites += 1;
        }
    }
}

#[system]
fn heal(mut rats: Query<(Entity, &mut Health, &mut Wound, &mut Brain)>, mut commands: Commands) {
    for (rat, health, wound, brain) in rats.iter_mut() {
        wound.frames -= 1;
        if wound.frames == 0 {
            commands.remove::<Wound>(rat);
            *health = Health {
                now: health.max,
                ..*health
            };
            *brain = Brain {
                mood: Mood::Calm,
                other: None,
            };
        }
    }
}

#[system]
fn count_wounds(_: OnAdd<Wound>, mut score: ResMut<Score>) {
    score.wounds += 1;
}

pub(crate) fn game(app: &mut App, rats: u32) {
    app.init_resource::<Weather>().init_resource::<Score>();
    app.add_state(Sky::Night);
    app.add_systems(Update, (change_weather, walk, (hunt, hurt, heal).chain()));
    let world = app.world_mut();
    world.register_data_state::<Sky>("game.sky");
    world.register_data_event::<Bite>();
    world.observe(count_wounds);
    for nest in 0..rats.div_ceil(100) {
        let home = world.spawn((
            Name::from(format!("Nest {nest}")),
            Place {
                x: nest as f32 % 1000.0,
                y: 500.0,
            },
        ));
        let first = nest * 100;
        world.spawn_batch((first..rats.min(first + 100)).map(|number| rat(number, home)));
    }
    for number in 0..(rats / 1000).clamp(1, 20) {
        let health = Health { now: 300, max: 300 };
        let brain = Brain {
            mood: Mood::Calm,
            other: None,
        };
        world.spawn((Fox, Name::from(format!("Fox {number}")), health, brain));
    }
}

/// A nest with two rats, for the page's "Spawn…".
pub(crate) fn nest() -> Prefab {
    let mut workshop = World::new();
    let nest = workshop.spawn((Name::new("New nest"), Place { x: 500.0, y: 500.0 }));
    workshop.spawn_batch((0..2).map(|number| rat(number, nest)));
    Prefab::from_tree::<ChildOf>(&workshop, nest).expect("all parts are data")
}

fn rat(number: u32, home: Entity) -> impl Bundle {
    let angle = number as f32;
    (
        Name::from(format!("Rat {number}")),
        Place {
            x: angle % 1000.0,
            y: angle / 1000.0,
        },
        Speed {
            x: angle.sin(),
            y: angle.cos(),
        },
        Health {
            now: (number % 90) as i32 + 10,
            max: 100,
        },
        Brain {
            mood: Mood::Calm,
            other: None,
        },
        ChildOf.to(home),
    )
}
