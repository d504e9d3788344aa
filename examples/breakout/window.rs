//! The game in a window.

use std::time::Duration;

use ecs_core::prelude::*;
use ecs_examples::Options;
use macroquad::prelude as mq;

use crate::model::{Ball, Brick, Control, Game, Half, Paddle, Phase, Position, Previous, RADIUS};
use crate::rules::Rules;

/// Runs and draws frames until the window is closed, or `frames` have run.
pub(crate) fn play(options: &Options) -> AppExit {
    let mut app = App::new();
    let frames = options.frames;
    app.add_plugin(Rules { seed: options.seed });
    options.record(&mut app);
    app.set_runner(move |app| {
        let conf = mq::Conf {
            window_title: "breakout".into(),
            window_width: 800,
            window_height: 800,
            ..mq::Conf::default()
        };
        macroquad::Window::from_config(conf, run(app, frames));
        AppExit::Success
    })
    .run()
}

async fn run(mut app: App, frames: Option<u32>) {
    let mut left = frames;
    while left != Some(0) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        let length = Duration::from_secs_f32(mq::get_frame_time()).min(Time::DEFAULT_MAX_DELTA);
        // Outside of systems, so that a recording has it.
        app.world_mut().resource_mut::<Control>().0 = direction();
        if let Some(exit) = app.update_by(length) {
            // The window cannot return it.
            std::process::exit(exit.code().into());
        }
        draw(app.world());
        left = left.map(|frames| frames - 1);
        mq::next_frame().await;
    }
}

/// Returns where the arrow keys point.
fn direction() -> f32 {
    let key = |code| f32::from(u8::from(mq::is_key_down(code)));
    key(mq::KeyCode::Right) - key(mq::KeyCode::Left)
}

/// Draws the game. This system is called as a function, when the window is ready for a frame.
#[system]
fn draw(
    bricks: Query<(&Position, &Half, &Brick)>,
    paddles: Query<(&Position, &Previous, &Half), With<Paddle>>,
    balls: Query<(&Position, &Previous), With<Ball>>,
    game: Res<Game>,
    steps: Res<FixedTime>,
) {
    mq::clear_background(mq::Color::new(0.05, 0.06, 0.09, 1.0));
    let (width, height) = (mq::screen_width(), mq::screen_height());
    let rectangle = |x: f32, y: f32, half: &Half, color| {
        let (left, top) = ((x - half.width) * width, (y - half.height) * height);
        let (wide, high) = (2.0 * half.width * width, 2.0 * half.height * height);
        mq::draw_rectangle(left, top, wide, high, color);
    };
    for (at, half, brick) in &bricks {
        let color = [mq::RED, mq::ORANGE, mq::YELLOW, mq::GREEN, mq::SKYBLUE];
        rectangle(at.x, at.y, half, color[brick.points as usize % color.len()]);
    }
    // Moving bodies are drawn between their last two positions.
    let between = |before: f32, now: f32| before + (now - before) * steps.alpha();
    for (at, previous, half) in &paddles {
        rectangle(between(previous.0.x, at.x), at.y, half, mq::LIGHTGRAY);
    }
    for (at, previous) in &balls {
        let (x, y) = (between(previous.0.x, at.x), between(previous.0.y, at.y));
        mq::draw_circle(x * width, y * height, RADIUS * width, mq::WHITE);
    }
    let text = match game.phase {
        Phase::Playing => format!("{} points, {} lives", game.score, game.lives),
        Phase::Won => format!("won with {} points", game.score),
        Phase::Lost => format!("lost with {} points", game.score),
    };
    mq::draw_text(&text, 12.0, 24.0, 22.0, mq::LIGHTGRAY);
}
