//! The systems of the battle, in a plugin.

use ecs_core::prelude::*;
use ecs_examples::roguelike::Rng;
use ecs_examples::sin_cos;

use crate::model::{
    Fuse, Homing, Position, SHIPS, Score, Ship, Spark, Vec2, Velocity, orbit, ship,
};

/// The distance at which a missile hits.
const HIT: f32 = 0.02;
/// Missiles that are closer than this push each other away.
const APART: f32 = 0.06;

/// Adds the battle to an app.
pub(crate) fn battle(app: &mut App) {
    // Only bundles of commands name it.
    app.world_mut().register::<Spark>();
    app.init_resource::<Score>()
        .add_systems(Startup, send_ships)
        .add_systems(
            Update,
            (
                fly_ships, launch, aim, keep_apart, steer, fly, hit, burn, send_ships,
            ),
        );
}

#[system(for_each)]
fn fly_ships(ship: &mut Ship, position: &mut Position) {
    ship.angle += 0.004 / ship.radius;
    *position = orbit(ship);
}

/// Launches a missile at a random ship every few frames.
#[system]
fn launch(
    ships: Query<(Entity, &Ship)>,
    time: Res<Time>,
    mut rng: ResMut<Rng>,
    mut score: ResMut<Score>,
    mut commands: Commands,
) {
    if !time.frame().is_multiple_of(5) {
        return;
    }
    let (count, chosen) = (ships.count() as i32, rng.roll(0..=999));
    let target = ships
        .iter()
        .nth((chosen % count.max(1)) as usize)
        .map(|(id, _)| id);
    let from = Vec2::new(rng.roll(0..=100) as f32 / 100.0, 0.98);
    commands.spawn((
        Position(from),
        Velocity(Vec2::new(0.0, -0.008)),
        Homing {
            target,
            wish: Vec2::default(),
        },
        Fuse(240),
    ));
    score.launched += 1;
}

/// Turns missiles towards their targets; a missile whose target is gone takes the nearest ship.
#[system]
fn aim(
    mut missiles: CompMut<Homing>,
    positions: Comp<Position>,
    ships: Comp<Ship>,
    mut score: ResMut<Score>,
) {
    for (homing, at) in (&mut missiles, &positions).iter() {
        if !homing.target.is_some_and(|target| ships.contains(target)) {
            let near = (&positions).include(&ships).with_entity().iter();
            let near = near
                .min_by(|(_, a), (_, b)| (a.0 - at.0).length().total_cmp(&(b.0 - at.0).length()));
            homing.target = near.map(|(id, _)| id);
            score.retargeted += 1;
        }
        let target = homing.target.and_then(|target| positions.get(target));
        homing.wish = target.map_or(Vec2::default(), |target| (target.0 - at.0).direction());
    }
}

/// Steers each missile away from all others: one entity is written while the rest are read.
#[system]
fn keep_apart(mut missiles: CompMut<Homing>, positions: Comp<Position>) {
    (&mut missiles, &positions).for_each_with_rest(|(homing, at), others| {
        for (_, other) in others.iter() {
            let away = at.0 - other.0;
            let distance = away.length();
            if distance < APART {
                homing.wish = homing.wish + away.direction() * (1.0 - distance / APART);
            }
        }
    });
}

#[system(for_each)]
fn steer(velocity: &mut Velocity, homing: &Homing) {
    velocity.0 = (velocity.0 + homing.wish.direction() * 0.0012).direction() * 0.008;
}

#[system(for_each)]
fn fly(position: &mut Position, velocity: &Velocity) {
    position.0 = position.0 + velocity.0;
}

/// Despawns missiles that reach their targets, and the targets. If two reach the same ship in a frame, it dies once.
#[system]
fn hit(
    missiles: Query<(Entity, &Homing, &Position)>,
    ships: Query<(&Ship, &Position)>,
    mut score: ResMut<Score>,
    mut commands: Commands,
) {
    for (missile, homing, at) in &missiles {
        let Some(target) = homing.target else {
            continue;
        };
        let Some((_, goal)) = ships.get(target) else {
            continue;
        };
        if (goal.0 - at.0).length() < HIT {
            commands.despawn(missile);
            commands.despawn(target);
            for n in 0..6 {
                let (y, x) = sin_cos(n as f32);
                commands.spawn((*at, Velocity(Vec2::new(x, y) * 0.004), Spark, Fuse(20)));
            }
            score.hits += 1;
        }
    }
}

#[system]
fn burn(
    mut fuses: Query<(Entity, &mut Fuse, Option<&Homing>)>,
    mut score: ResMut<Score>,
    mut commands: Commands,
) {
    for (id, fuse, homing) in &mut fuses {
        fuse.0 -= 1;
        if fuse.0 == 0 {
            commands.despawn(id);
            score.burnt_out += u64::from(homing.is_some());
        }
    }
}

/// Spawns new ships for destroyed ones; they reuse the free indices.
#[system]
fn send_ships(ships: Comp<Ship>, mut rng: ResMut<Rng>, mut commands: Commands) {
    for _ in ships.len()..SHIPS {
        commands.spawn(ship(&mut rng));
    }
}
