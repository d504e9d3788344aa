//! The planets in a window.

use std::time::Duration;

use ecs_core::prelude::*;
use macroquad::prelude as mq;

use crate::{Drawn, STEP, interpolate, simulation};

/// Runs and draws frames until the window is closed.
pub(crate) fn play() -> AppExit {
    let mut app = App::new();
    simulation(&mut app, FixedUpdate);
    app.fixed_step(STEP)
        .add_systems(Update, interpolate)
        .set_runner(|app| {
            macroquad::Window::new("fixed step", run(app));
            AppExit::Success
        })
        .run()
}

async fn run(mut app: App) {
    while !mq::is_key_pressed(mq::KeyCode::Escape) {
        let length = Duration::from_secs_f32(mq::get_frame_time()).min(Time::DEFAULT_MAX_DELTA);
        if let Some(exit) = app.update_by(length) {
            // The window cannot return it.
            std::process::exit(exit.code().into());
        }
        draw(app.world());
        mq::next_frame().await;
    }
}

/// Draws the sun and the planets. This system is called as a function, when the window is ready for a frame.
#[system]
fn draw(planets: Comp<Drawn>) {
    let (x, y) = (mq::screen_width() / 2.0, mq::screen_height() / 2.0);
    let unit = x.min(y) / 5.0;
    mq::clear_background(mq::BLACK);
    mq::draw_circle(x, y, 0.3 * unit, mq::YELLOW);
    for Drawn(planet) in planets.iter() {
        let (right, up) = (planet.x as f32 * unit, planet.y as f32 * unit);
        mq::draw_circle(x + right, y - up, 0.1 * unit, mq::SKYBLUE);
    }
}
