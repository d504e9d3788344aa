//! The rules: a plugin of systems that run in fixed steps.

use std::time::Duration;

use ecs_core::prelude::*;
use ecs_examples::roguelike::Rng;
use ecs_examples::sin_cos;

use crate::model::{
    BRICKS, Ball, Brick, COLUMNS, Control, Game, Half, Hit, Missed, Paddle, Phase, Position,
    Previous, RADIUS, ROWS, Sounds,
};

/// The width and height of a brick.
const BRICK: Half = Half {
    width: 0.04,
    height: 0.015,
};

/// The speed of the ball, per second.
const SPEED: f32 = 0.9;

/// The rules of the game, with the seed of its dice.
pub(crate) struct Rules {
    pub(crate) seed: u64,
}

impl Plugin for Rules {
    fn build(self, app: &mut App) {
        app.fixed_step(Duration::from_millis(10))
            .insert_resource(Rng::new(self.seed))
            .insert_resource(Game {
                phase: Phase::Playing,
                steps: 0,
                hits: 0,
                score: 0,
                lives: 3,
            })
            .init_resource::<Control>()
            .init_resource::<Sounds>()
            .add_event::<Hit>()
            .add_event::<Missed>()
            .add_systems(Startup, (build_wall, serve))
            .add_systems(
                FixedUpdate,
                (
                    remember,
                    steer,
                    fly,
                    bounce_off_walls,
                    bounce_off_paddle,
                    bounce_off_bricks,
                    break_bricks,
                    lose_life,
                    serve.run_if(|balls: Comp<Ball>| balls.is_empty()),
                )
                    .run_if(|game: Res<Game>| game.phase == Phase::Playing),
            )
            .add_systems(Update, hear);
    }
}

#[system]
fn build_wall(mut commands: Commands) {
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let at = Position {
                x: (column as f32 + 0.5) / COLUMNS as f32,
                y: 0.1 + row as f32 * 0.04,
            };
            let points = (ROWS - row) as u32;
            commands.spawn((Brick { points }, at, BRICK));
        }
    }
    let (start, half) = (
        Position { x: 0.5, y: 0.95 },
        Half {
            width: 0.08,
            height: 0.01,
        },
    );
    commands.spawn((Paddle, start, Previous(start), half));
}

/// Serves a ball in a random direction.
#[system]
fn serve(mut rng: ResMut<Rng>, mut commands: Commands) {
    let start = Position { x: 0.5, y: 0.6 };
    let ball = toward(rng.roll(-500..=500) as f32 / 1000.0);
    commands.spawn((ball, start, Previous(start)));
}

/// Returns a ball that flies up, and to the side with a part of its speed.
fn toward(aside: f32) -> Ball {
    let (x, y) = sin_cos(aside);
    Ball {
        x: x * SPEED,
        y: -y * SPEED,
    }
}

/// Remembers the positions of the bodies, and counts the step.
#[system]
fn remember(mut places: Query<(&mut Previous, &Position)>, mut game: ResMut<Game>) {
    for (previous, position) in &mut places {
        previous.0 = *position;
    }
    game.steps += 1;
}

#[system]
pub(crate) fn steer(
    mut paddles: Query<(&mut Position, &Half), With<Paddle>>,
    control: Res<Control>,
    time: Res<Time>,
) {
    for (at, half) in &mut paddles {
        at.x += control.0 * 0.8 * time.delta_secs();
        at.x = at.x.clamp(half.width, 1.0 - half.width);
    }
}

#[system(for_each)]
fn fly(at: &mut Position, ball: &Ball, time: Res<Time>) {
    at.x += ball.x * time.delta_secs();
    at.y += ball.y * time.delta_secs();
}

#[system]
fn bounce_off_walls(
    mut balls: Query<(Entity, &mut Ball, &Position)>,
    mut missed: EventWriter<Missed>,
    mut commands: Commands,
) {
    for (id, ball, at) in &mut balls {
        if at.x < RADIUS {
            ball.x = ball.x.abs();
        } else if at.x > 1.0 - RADIUS {
            ball.x = -ball.x.abs();
        }
        if at.y < RADIUS {
            ball.y = ball.y.abs();
        } else if at.y > 1.0 {
            commands.despawn(id);
            missed.send(Missed);
        }
    }
}

/// Returns true if the ball touches a body.
fn touches(ball: &Position, at: &Position, half: &Half) -> bool {
    (ball.x - at.x).abs() < half.width + RADIUS && (ball.y - at.y).abs() < half.height + RADIUS
}

/// Bounces the ball up: the further it hits from the middle of the paddle, the more it flies to the side.
#[system]
fn bounce_off_paddle(
    mut balls: Query<(&mut Ball, &Position)>,
    paddles: Query<(&Position, &Half), With<Paddle>>,
) {
    for (ball, at) in &mut balls {
        for (paddle, half) in &paddles {
            if ball.y > 0.0 && touches(at, paddle, half) {
                *ball = toward((at.x - paddle.x) / half.width);
            }
        }
    }
}

/// Bounces the ball off a brick, on the side that it came from.
#[system]
fn bounce_off_bricks(
    mut balls: Query<(&mut Ball, &Position, &Previous)>,
    bricks: Query<(Entity, &Position, &Half), With<Brick>>,
    mut hits: EventWriter<Hit>,
) {
    for (ball, at, before) in &mut balls {
        // One brick per step, because two side by side are one wall.
        let hit = bricks
            .iter()
            .find(|(_, brick, half)| touches(at, brick, half));
        if let Some((brick, place, half)) = hit {
            if (before.0.x - place.x).abs() < half.width + RADIUS {
                ball.y = (at.y - place.y).signum() * ball.y.abs();
            } else {
                ball.x = (at.x - place.x).signum() * ball.x.abs();
            }
            hits.send(Hit { brick });
        }
    }
}

#[system]
fn break_bricks(
    mut hits: EventReader<Hit>,
    bricks: Comp<Brick>,
    mut game: ResMut<Game>,
    mut commands: Commands,
) {
    for hit in hits.read() {
        if let Some(brick) = bricks.get(hit.brick) {
            game.score += brick.points;
            game.hits += 1;
            commands.despawn(hit.brick);
        }
    }
    if game.hits == BRICKS {
        game.phase = Phase::Won;
    }
}

#[system]
fn lose_life(mut missed: EventReader<Missed>, mut game: ResMut<Game>) {
    for Missed in missed.read() {
        game.lives -= 1;
        if game.lives == 0 {
            game.phase = Phase::Lost;
        }
    }
}

/// Plays a sound for each hit of the frame, however many steps the frame had.
#[system]
fn hear(mut hits: EventReader<Hit>, mut sounds: ResMut<Sounds>) {
    sounds.0 += hits.len() as u32;
    hits.clear();
}
