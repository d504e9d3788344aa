//! The screens in a window.

use ecs_core::prelude::*;
use macroquad::prelude as mq;

use crate::{Key, Log, Text};

/// Runs a frame for each key until the app ends or the window is closed.
pub(crate) fn play(app: &mut App) -> AppExit {
    app.set_runner(|app| {
        macroquad::Window::new("menu flow", run(app));
        AppExit::Success
    })
    .run()
}

async fn run(mut app: App) {
    app.update();
    while !mq::is_key_pressed(mq::KeyCode::Escape) {
        if let Some(code) = mq::get_last_key_pressed() {
            let key = match code {
                mq::KeyCode::Enter => Some(Key::Enter),
                mq::KeyCode::J => Some(Key::Jump),
                mq::KeyCode::P => Some(Key::Pause),
                mq::KeyCode::R => Some(Key::Restart),
                mq::KeyCode::Q => Some(Key::Quit),
                // Any other key waits.
                _ => None,
            };
            if let Some(key) = key {
                app.world_mut().send_event(key);
            }
            if let Some(exit) = app.update() {
                // The window cannot return it.
                std::process::exit(exit.code().into());
            }
        }
        draw(app.world());
        mq::next_frame().await;
    }
}

/// Draws the lines of the screen, and the end of the log.
#[system]
fn draw(texts: Comp<Text>, log: Res<Log>) {
    mq::clear_background(mq::BLACK);
    let mut y = 40.0;
    for text in texts.iter() {
        mq::draw_text(&text.0, 40.0, y, 40.0, mq::WHITE);
        y += 40.0;
    }
    let first = log.0.len().saturating_sub(12);
    for line in &log.0[first..] {
        y += 24.0;
        mq::draw_text(line, 40.0, y, 22.0, mq::GRAY);
    }
    let keys = "enter, j: jump, p: pause, r: restart, q: quit, any other key: wait, escape: close";
    mq::draw_text(keys, 40.0, mq::screen_height() - 20.0, 20.0, mq::DARKGRAY);
}
