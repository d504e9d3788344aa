//! The battle in a window.

use ecs_core::prelude::*;
use ecs_examples::FramePace;
use macroquad::prelude as mq;

use crate::model::{Homing, Position, Score, Ship, Spark, Vec2, Velocity};

/// Runs and draws frames until the window is closed or `frames` have run.
pub(crate) fn play(app: App, frames: Option<u32>) {
    let conf = mq::Conf {
        window_title: "homing missiles".into(),
        window_width: 800,
        window_height: 800,
        ..mq::Conf::default()
    };
    macroquad::Window::from_config(conf, run(app, frames));
}

async fn run(mut app: App, frames: Option<u32>) {
    let (mut left, mut pace) = (frames, FramePace::default());
    while left != Some(0) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        for _ in 0..pace.due(mq::get_frame_time()).min(left.unwrap_or(u32::MAX)) {
            if app.update().is_some() {
                return;
            }
            left = left.map(|frames| frames - 1);
        }
        draw(app.world());
        mq::next_frame().await;
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
