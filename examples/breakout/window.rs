//! The game in a window.

use std::time::Duration;

use ecs_core::prelude::*;
use ecs_examples::{Options, SCRIPT_FRAME, end_script, held_keys, open_window, script_keys};
use macroquad::prelude as mq;

use crate::model::{Ball, Brick, Game, Half, Paddle, Phase, Position, Previous, RADIUS};
use crate::press;
use crate::rules::Rules;

/// Runs and draws frames until the window is closed, or `frames` have run.
pub(crate) fn play(options: &Options) -> AppExit {
    let mut app = start(options);
    options.record(&mut app);
    let options = options.clone();
    app.set_runner(move |app| {
        open_window("breakout", 800, 800, run(app, options));
        AppExit::Success
    })
    .run()
}

fn start(options: &Options) -> App {
    let mut app = App::new();
    app.add_plugin(Rules { seed: options.seed });
    app
}

async fn run(mut app: App, options: Options) {
    let mut frame = 0;
    while options.frames != Some(frame) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        let length = if options.script {
            press(&mut app, script_keys(frame));
            SCRIPT_FRAME
        } else {
            press(&mut app, held_keys());
            Duration::from_secs_f32(mq::get_frame_time()).min(Time::DEFAULT_MAX_DELTA)
        };
        if let Some(exit) = app.update_by(length) {
            // The window cannot return it.
            std::process::exit(exit.code().into());
        }
        draw(app.world());
        // A recording has one game.
        let is_over = app.world().resource::<Game>().phase != Phase::Playing;
        if is_over
            && options.record.is_none()
            && !options.script
            && mq::is_key_pressed(mq::KeyCode::Enter)
        {
            app = start(&options);
        }
        frame += 1;
        mq::next_frame().await;
    }
    if options.script {
        end_script(frame, app.world().hash().expect("everything is data"));
    }
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
        Phase::Playing => format!("points: {}, lives: {}", game.score, game.lives),
        Phase::Won => format!("won with {} points; enter plays again", game.score),
        Phase::Lost => format!("lost with {} points; enter plays again", game.score),
    };
    mq::draw_text(&text, 12.0, 24.0, 22.0, mq::LIGHTGRAY);
}
