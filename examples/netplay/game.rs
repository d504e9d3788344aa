//! The game: a ball, two paddles, and sparks where the ball hits. All numbers are whole, so it is the same on every machine.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

/// The size of the field, in cells; places are in 256ths of a cell.
pub(crate) const WIDTH: i32 = 60;
pub(crate) const HEIGHT: i32 = 20;
pub(crate) const CELL: i32 = 256;
/// Half the height of a paddle, in cells.
pub(crate) const REACH: i32 = 2;

/// The input of a player in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Input {
    #[default]
    Stay,
    Up,
    Down,
}

impl Input {
    pub(crate) const fn to_byte(self) -> u8 {
        self as u8
    }

    pub(crate) const fn of_byte(byte: u8) -> Option<Self> {
        match byte {
            0 => Some(Self::Stay),
            1 => Some(Self::Up),
            2 => Some(Self::Down),
            _ => None,
        }
    }
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "netplay.place")]
pub(crate) struct Place {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "netplay.velocity")]
struct Velocity {
    x: i32,
    y: i32,
}

/// The paddle of a player.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "netplay.paddle")]
pub(crate) struct Paddle(pub(crate) usize);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "netplay.ball")]
pub(crate) struct Ball;

/// Flies off, and disappears after some frames.
#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "netplay.spark")]
pub(crate) struct Spark(u32);

#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "netplay.inputs")]
pub(crate) struct Inputs(pub(crate) [Input; 2]);

#[derive(Resource, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[resource(data = "netplay.score")]
pub(crate) struct Score(pub(crate) [u32; 2]);

/// Dice that return with the world, so that they fall the same way when a frame runs again.
#[derive(Resource, Clone, Copy, Debug, Serialize, Deserialize)]
#[resource(data = "netplay.dice")]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `n`.
    pub(crate) fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

#[system(for_each)]
fn move_paddles(place: &mut Place, paddle: &Paddle, inputs: Res<Inputs>) {
    place.y += match inputs.0[paddle.0] {
        Input::Stay => 0,
        Input::Up => -CELL / 3,
        Input::Down => CELL / 3,
    };
    place.y = place.y.clamp(REACH * CELL, (HEIGHT - 1 - REACH) * CELL);
}

#[system(for_each)]
fn fly(place: &mut Place, velocity: &Velocity) {
    place.x += velocity.x;
    place.y += velocity.y;
}

#[system]
fn bounce(
    mut balls: Query<(&mut Place, &mut Velocity), With<Ball>>,
    paddles: Query<(&Place, &Paddle), Without<Ball>>,
    mut score: ResMut<Score>,
    mut dice: ResMut<Dice>,
    mut commands: Commands,
) {
    for (place, velocity) in &mut balls {
        if !(0..HEIGHT * CELL).contains(&place.y) {
            velocity.y = -velocity.y;
            place.y = place.y.clamp(0, HEIGHT * CELL - 1);
        }
        // The player on the side that the ball flies to.
        let side = usize::from(velocity.x > 0);
        let has_passed = match side {
            0 => place.x <= CELL,
            _ => place.x >= (WIDTH - 2) * CELL,
        };
        if !has_passed {
            continue;
        }
        let paddle = paddles.iter().find(|(_, paddle)| paddle.0 == side);
        let off = paddle.map_or(i32::MAX, |(paddle, _)| place.y - paddle.y);
        if off.abs() <= REACH * CELL + CELL / 2 {
            velocity.x = -velocity.x;
            velocity.y += off / 8;
            place.x = place.x.clamp(CELL, (WIDTH - 2) * CELL);
            for _ in 0..4 {
                let mut speed = || dice.roll(201) as i32 - 100;
                let velocity = Velocity {
                    x: speed(),
                    y: speed(),
                };
                commands.spawn((*place, velocity, Spark(20)));
            }
        } else {
            score.0[1 - side] += 1;
            let up = dice.roll(2) == 0;
            *place = Place {
                x: WIDTH / 2 * CELL,
                y: HEIGHT / 2 * CELL,
            };
            *velocity = Velocity {
                x: -velocity.x.signum() * 120,
                y: if up { -40 } else { 40 },
            };
        }
    }
}

#[system]
fn burn_out(mut sparks: Query<(Entity, &mut Spark)>, mut commands: Commands) {
    for (entity, spark) in &mut sparks {
        spark.0 -= 1;
        if spark.0 == 0 {
            commands.despawn(entity);
        }
    }
}

schedule! {
    /// A frame of the game.
    deterministic static FRAME = [move_paddles, fly, bounce, burn_out]
}

/// Makes the world at the start of a match.
pub(crate) fn set_up(world: &mut World, seed: u64) {
    world.insert_resource(Inputs::default());
    world.insert_resource(Score::default());
    world.insert_resource(Dice::new(seed));
    for (player, x) in [0, WIDTH - 1].into_iter().enumerate() {
        let place = Place {
            x: x * CELL,
            y: HEIGHT / 2 * CELL,
        };
        world.spawn((Paddle(player), place));
    }
    let place = Place {
        x: WIDTH / 2 * CELL,
        y: HEIGHT / 2 * CELL,
    };
    world.spawn((Ball, place, Velocity { x: 120, y: 40 }));
}

/// Returns the schedule of a frame.
pub(crate) fn schedule() -> Schedule {
    FRAME.to_schedule()
}

/// Returns the input of a bot, which follows the ball but is inattentive now and then.
pub(crate) fn advice(world: &World, player: usize, dice: &mut Dice) -> Input {
    let paddles = world.query::<(&Place, &Paddle)>();
    let mine = paddles.iter().find(|(_, paddle)| paddle.0 == player);
    let balls = world.query_filtered::<&Place, With<Ball>>();
    let (Some((paddle, _)), Some(ball)) = (mine, balls.iter().next()) else {
        return Input::Stay;
    };
    match ball.y - paddle.y {
        _ if dice.roll(5) == 0 => Input::Stay,
        off if off > CELL => Input::Down,
        off if off < -CELL => Input::Up,
        _ => Input::Stay,
    }
}

#[cfg(test)]
mod tests {
    use ecs_core::data::DeterminismCheck;
    use ecs_core::snapshot::Snapshotter;

    use super::*;

    #[test]
    fn the_game_is_deterministic() {
        let inputs = |world: &mut World, frame| {
            let mut dice = Dice::new(u64::from(frame));
            let inputs = [0, 1].map(|player| advice(world, player, &mut dice));
            world.resource_mut::<Inputs>().0 = inputs;
        };
        let check = DeterminismCheck::new(schedule, |world| set_up(world, 3));
        check.frames(400).input(inputs).run().unwrap();
    }

    #[test]
    fn from_any_frame_the_match_is_the_same() {
        let play = |world: &mut World, sim: &mut Schedule, frames: std::ops::Range<u64>| {
            for frame in frames {
                let mut dice = Dice::new(frame);
                let inputs = [0, 1].map(|player| advice(world, player, &mut dice));
                world.resource_mut::<Inputs>().0 = inputs;
                sim.run(world).unwrap();
            }
            world.hash().unwrap()
        };
        let (mut world, mut sim) = (World::new(), schedule());
        set_up(&mut world, 3);
        sim.prepare(&mut world).unwrap();
        let snapshotter = Snapshotter::new();
        let mut start = snapshotter.take_with(&mut world, &mut [&mut sim]).unwrap();
        let end = play(&mut world, &mut sim, 0..300);
        for frame in [1, 77, 150, 299] {
            let restored = snapshotter.restore_with(&mut world, &mut [&mut sim], &mut start);
            restored.unwrap();
            play(&mut world, &mut sim, 0..frame);
            let snapshot = snapshotter.take_with(&mut world, &mut [&mut sim]).unwrap();
            let bytes = snapshot.to_bytes().unwrap();
            let (mut new, mut new_sim) = (World::new(), schedule());
            new_sim.prepare(&mut new).unwrap();
            let schedules = &mut [&mut new_sim];
            let mut snapshot = snapshotter
                .read_bytes_with(&new, schedules, &bytes)
                .unwrap();
            snapshotter
                .restore_with(&mut new, schedules, &mut snapshot)
                .unwrap();
            assert_eq!(
                play(&mut new, &mut new_sim, frame..300),
                end,
                "from {frame}"
            );
            assert_eq!(play(&mut world, &mut sim, frame..300), end, "from {frame}");
        }
    }
}
