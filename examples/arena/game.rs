//! The game: players run, shoot and get hit. All numbers are whole, so a client that knows the same predicts the same.

use ecs_core::net::{
    Delivery, Network, Online, Owner, PlayerId, PlayerJoined, PlayerLeft, Receivers, SpawnKey,
    ToClients,
};
use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The size of the arena.
pub(crate) const SIZE: i32 = 20_000;
const SPEED: i32 = 80;
const BULLET_SPEED: i32 = 250;
/// The steps that a bullet flies, and between two shots.
const FLIGHT: u32 = 60;
const RELOAD: u32 = 20;
/// The distance of a hit.
const REACH: i32 = 500;
pub(crate) const HEALTH: u8 = 3;

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.place", track)]
pub(crate) struct Place {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// The input of a player.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.steer")]
pub(crate) struct Steer {
    pub(crate) x: i8,
    pub(crate) y: i8,
    pub(crate) fires: bool,
}

/// The steps until a player can shoot again. Only the player gets it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.reload", track)]
pub(crate) struct Reload(u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.health", track)]
pub(crate) struct Health(pub(crate) u8);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.score", track)]
pub(crate) struct Score(pub(crate) u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[component(data = "arena.bullet", track)]
pub(crate) struct Bullet {
    x: i32,
    y: i32,
}

/// The steps that a bullet still flies, where the world is.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "arena.flight")]
struct Flight(u32);

/// A player was hit: a message to all.
#[derive(Event, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[event(data = "arena.hit")]
pub(crate) struct Hit {
    pub(crate) victim: Entity,
    pub(crate) by: Entity,
}

/// Everything that the machines send each other.
pub(crate) fn network() -> Network {
    Network::new()
        .replicate::<Place>()
        .replicate::<Bullet>()
        .replicate::<Health>()
        .replicate::<Score>()
        .replicate_to_owner::<Reload>()
        .input::<Steer>()
        .predict::<Place>()
        .predict::<Reload>()
        .interpolate::<Place>(|from, to, part| {
            let between = |a: i32, b: i32| a + ((b - a) as f32 * part).round() as i32;
            Place {
                x: between(from.x, to.x),
                y: between(from.y, to.y),
            }
        })
        .to_clients::<Hit>(Delivery::Ordered)
}

/// The rules. They run everywhere: at the server for all players, at a client for its own.
pub(crate) fn game(app: &mut App) {
    app.add_systems(FixedUpdate, (run, shoot, fly).chain());
    let rules = (land, hit)
        .chain()
        .run_if(|online: Res<Online>| online.has_authority());
    app.add_systems(FixedUpdate, rules.after(fly));
    app.add_systems(Update, (join, leave));
}

#[system(for_each)]
pub(crate) fn run(place: &mut Place, steer: &Steer) {
    let step = |at: i32, by: i8| (at + i32::from(by.signum()) * SPEED).clamp(0, SIZE);
    *place = Place {
        x: step(place.x, steer.x),
        y: step(place.y, steer.y),
    };
}

/// Shoots at once, at the machine of the player and at the server: both shots have the same key, and become one.
#[system]
fn shoot(
    mut players: Query<(&Place, &Steer, &mut Reload, &Owner)>,
    online: Res<Online>,
    mut commands: Commands,
) {
    for (place, steer, mut reload, owner) in &mut players {
        if reload.0 > 0 {
            reload.0 -= 1;
        } else if steer.fires && (steer.x, steer.y) != (0, 0) {
            reload.0 = RELOAD;
            if !online.is_replay() {
                let part = |by: i8| i32::from(by.signum()) * BULLET_SPEED;
                let bullet = Bullet {
                    x: part(steer.x),
                    y: part(steer.y),
                };
                let key = SpawnKey(online.tick());
                commands.spawn((*place, bullet, Flight(FLIGHT), *owner, key));
            }
        }
    }
}

#[system(for_each)]
fn fly(place: &mut Place, bullet: &Bullet) {
    (place.x, place.y) = (place.x + bullet.x, place.y + bullet.y);
}

#[system]
fn land(mut flights: Query<(Entity, &mut Flight)>, mut commands: Commands) {
    for (bullet, flight) in &mut flights {
        flight.0 -= 1;
        if flight.0 == 0 {
            commands.despawn(bullet);
        }
    }
}

#[system]
fn hit(
    bullets: Query<(Entity, &Place, &Owner), With<Bullet>>,
    mut players: Query<(Entity, &mut Place, &mut Health, &Owner), Without<Bullet>>,
    mut scores: Query<(Entity, &mut Score, &Owner)>,
    mut hits: EventWriter<ToClients<Hit>>,
    mut commands: Commands,
) {
    for (bullet, at, shooter) in bullets.iter() {
        for (victim, mut place, mut health, owner) in &mut players {
            let is_near = (at.x - place.x).abs() < REACH && (at.y - place.y).abs() < REACH;
            if owner == shooter || !is_near {
                continue;
            }
            commands.despawn(bullet);
            health.0 -= 1;
            if health.0 == 0 {
                health.0 = HEALTH;
                *place = start(owner.0.0 * 7 + 3);
            }
            for (by, mut score, owner) in &mut scores {
                if owner == shooter {
                    score.0 += 1;
                    hits.send(ToClients {
                        to: Receivers::All,
                        message: Hit { victim, by },
                    });
                }
            }
            break;
        }
    }
}

/// Returns a place to start from.
fn start(number: u32) -> Place {
    let spread = |factor: u32| (number.wrapping_mul(factor) % SIZE as u32) as i32;
    Place {
        x: spread(7_919),
        y: spread(104_729),
    }
}

/// Returns a new player.
pub(crate) fn player(player: PlayerId) -> impl Bundle {
    let state = (Reload(0), Health(HEALTH), Score(0));
    (start(player.0), Steer::default(), state, Owner(player))
}

#[system]
pub(crate) fn join(mut joined: EventReader<PlayerJoined>, mut commands: Commands) {
    for event in joined.read() {
        commands.spawn(player(event.player));
    }
}

#[system]
fn leave(mut left: EventReader<PlayerLeft>, owners: Comp<Owner>, mut commands: Commands) {
    for event in left.read() {
        for (entity, owner) in (&owners).with_entity().iter() {
            if owner.0 == event.player {
                commands.despawn(entity);
            }
        }
    }
}
