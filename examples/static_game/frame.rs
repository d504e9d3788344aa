//! The systems of a frame, loop by loop.

use std::collections::HashMap;

use ecs_core::prelude::*;
use ecs_core::statics::{StaticWorld, component, system};

use crate::level::is_wall;
use crate::model::{
    Ai, Animation, Collider, Game, Grace, Health, Input, Position, StatusBar, Velocity,
};

const WALK: f32 = 0.12;
const JUMP: f32 = 0.42;
const GRAVITY: f32 = 0.03;
/// The distance at which a hunter sees its prey, in cells.
const SIGHT: f32 = 8.0;

pub(crate) fn run(game: &mut Game) {
    obey(game);
    decide(game);
    fall_and_move(game);
    meet(game);
    fight(game);
    animate(game);
    bury(game);
}

/// Copies all positions, for loops that look up other entities while they write.
fn places(game: &Game) -> HashMap<Entity, Position> {
    component!(game, Position)
        .with_entity()
        .map(|(entity, at)| (entity, *at))
        .collect()
}

fn obey(game: &mut Game) {
    system!(game, |velocity: &mut Velocity,
                   collider: &Collider,
                   input: &Input| {
        velocity.x = (f32::from(input.right) - f32::from(input.left)) * WALK;
        if input.jump && collider.on_ground {
            velocity.y = -JUMP;
        }
    });
}

fn decide(game: &mut Game) {
    let places = places(game);
    system!(game, |ai: &mut Ai,
                   velocity: &mut Velocity,
                   position: &Position,
                   collider: &Collider| {
        match ai {
            Ai::Patrol { right } => {
                let ahead = position.x + if *right { 0.6 } else { -0.6 };
                if collider.at_wall || !is_wall(ahead, position.y + 1.0) {
                    *right = !*right;
                }
                velocity.x = if *right { WALK } else { -WALK } * 0.5;
            }
            Ai::Hunt { prey } => {
                // The prey may be dead; its id finds nothing then.
                let way = places.get(prey).map(|prey| prey.x - position.x);
                let way = way.filter(|way| way.abs() < SIGHT);
                velocity.x = way.map_or(0.0, |way| way.clamp(-1.0, 1.0) * WALK * 0.6);
            }
        }
    });
}

fn fall_and_move(game: &mut Game) {
    system!(game, |position: &mut Position,
                   velocity: &mut Velocity,
                   collider: &mut Collider| {
        velocity.y = (velocity.y + GRAVITY).min(0.5);
        let x = position.x + velocity.x;
        collider.at_wall = is_wall(x, position.y);
        if !collider.at_wall {
            position.x = x;
        }
        let y = position.y + velocity.y;
        // The feet are half a cell below the position.
        let stopped = is_wall(position.x, y + if velocity.y > 0.0 { 0.5 } else { 0.0 });
        collider.on_ground = stopped && velocity.y > 0.0;
        if stopped {
            velocity.y = 0.0;
            position.y = position.y.floor() + 0.5;
        } else {
            position.y = y;
        }
    });
}

/// Reads all old colliders before it writes new ones, so that contacts are mutual in each frame.
fn meet(game: &mut Game) {
    system!(game, |me,
                   collider: Collider,
                   position: &Position,
                   ai: Option<&Ai>|
     -> Collider {
        let mut others = component!(game, Position).with_entity();
        let met = others.find(|&(other, at)| {
            let near = (at.x - position.x).abs() < 0.8 && (at.y - position.y).abs() < 0.9;
            near && other != me && game.has::<Ai>(other) != ai.is_some()
        });
        Collider {
            met: met.map(|(other, _)| other),
            ..collider
        }
    });
}

/// Resolves contacts: a figure that comes from above hurts the other one.
fn fight(game: &mut Game) {
    let places = places(game);
    let mut jumped = Vec::new();
    system!(game, |collider: &Collider,
                   position: &Position,
                   health: &mut StatusBar<Health>,
                   grace: &mut StatusBar<Grace>,
                   velocity: &mut Velocity| {
        grace.value = (grace.value - 1).max(0);
        let Some(enemy) = collider.met else { return };
        let above = places
            .get(&enemy)
            .is_some_and(|enemy| position.y < enemy.y - 0.2);
        if above {
            velocity.y = -JUMP * 0.7;
            jumped.push(enemy);
        } else if grace.value == 0 {
            health.value -= 1;
            grace.value = grace.most;
        }
    });
    for enemy in jumped {
        if let Some(health) = game.get_mut::<StatusBar<Health>>(enemy) {
            health.value -= 1;
        }
    }
}

fn animate(game: &mut Game) {
    system!(game, |animation: &mut Animation, velocity: &Velocity| {
        animation.step += velocity.x.abs();
    });
}

fn bury(game: &mut Game) {
    let mut dead = Vec::new();
    system!(game, |entity, health: &StatusBar<Health>| {
        if health.value <= 0 {
            dead.push(entity);
        }
    });
    for entity in dead {
        game.despawn(entity)
            .expect("a figure has one health bar, so it dies once");
    }
}
