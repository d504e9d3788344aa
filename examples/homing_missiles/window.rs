//! The battle in a window.

use ecs_core::prelude::*;
use ecs_examples::{FramePace, Options, SCRIPT_FRAME, end_script, open_window};
use macroquad::prelude as mq;

use crate::model::{Homing, Position, Score, Ship, Spark, Vec2, Velocity};

/// Runs and draws frames until the window is closed or `frames` have run.
pub(crate) fn play(app: App, options: Options) {
    open_window("homing missiles", 800, 800, run(app, options));
}

async fn run(mut app: App, options: Options) {
    let (mut left, mut pace) = (options.frames, FramePace::default());
    while left != Some(0) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        for _ in 0..pace.due(mq::get_frame_time()).min(left.unwrap_or(u32::MAX)) {
            let exit = match options.script {
                true => app.update_by(SCRIPT_FRAME),
                false => app.update(),
            };
            if exit.is_some() {
                return;
            }
            left = left.map(|frames| frames - 1);
        }
        draw(app.world());
        mq::next_frame().await;
    }
    if options.script {
        let world = app.world();
        let frames = world.resource::<Time>().frame() as u32;
        end_script(frames, world.hash().expect("everything is data"));
    }
}

/// Draws the battle. This system is called as a function, when the window is ready for a frame.
#[system]
fn draw(
    positions: Comp<Position>,
    ships: Comp<Ship>,
    missiles: Comp<Homing>,
    velocities: Comp<Velocity>,
    sparks: Comp<Spark>,
    score: Res<Score>,
) {
    mq::clear_background(mq::Color::new(0.05, 0.06, 0.09, 1.0));
    let at = |p: Vec2| (p.x * mq::screen_width(), p.y * mq::screen_height());
    for (_, p) in (&ships, &positions).iter() {
        let (x, y) = at(p.0);
        mq::draw_poly(x, y, 3, 12.0, 30.0, mq::SKYBLUE);
    }
    for (_, p, v) in (&missiles, &positions, &velocities).iter() {
        let ((x, y), (back_x, back_y)) = (at(p.0), at(p.0 - v.0 * 2.5));
        mq::draw_line(back_x, back_y, x, y, 3.0, mq::ORANGE);
        mq::draw_circle(x, y, 3.0, mq::YELLOW);
    }
    for (_, p) in (&sparks, &positions).iter() {
        let (x, y) = at(p.0);
        mq::draw_circle(x, y, 2.0, mq::RED);
    }
    let text = format!(
        "{} missiles, {} hits, {} burnt out",
        score.launched, score.hits, score.burnt_out
    );
    mq::draw_text(&text, 12.0, 24.0, 22.0, mq::LIGHTGRAY);
}
