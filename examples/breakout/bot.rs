//! A bot that plays.

use ecs_core::prelude::*;
use ecs_examples::sin_cos;

use crate::model::{Ball, Control, Paddle, Position};
use crate::rules::steer;

/// Lets a bot play in place of a player. Its system runs in the fixed step, so that its moves depend on nothing else.
pub(crate) fn plugin(app: &mut App) {
    app.add_systems(FixedUpdate, follow.before(steer));
}

/// Follows the ball, and hits it with alternating parts of the paddle, so that the ball gets everywhere.
#[system]
fn follow(
    balls: Query<(&Position, &Ball)>,
    paddles: Query<&Position, With<Paddle>>,
    mut control: ResMut<Control>,
    time: Res<Time>,
) {
    let aside = 0.05 * sin_cos(time.elapsed_secs() * 1.7).0;
    for (ball, speed) in &balls {
        for paddle in &paddles {
            // A ball on its way up is not followed as far.
            let goal = if speed.y > 0.0 { ball.x + aside } else { 0.5 };
            control.0 = ((goal - paddle.x) * 40.0).clamp(-1.0, 1.0);
        }
    }
}
