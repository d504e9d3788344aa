//! The arena in a window.

use std::net::SocketAddr;
use std::time::Duration;

use ecs_core::net::{ClientStatus, Online, Owner};
use ecs_core::prelude::*;
use ecs_examples::open_window;
use macroquad::prelude as mq;

use crate::game::{Bullet, HEALTH, Health, Place, SIZE, Score, Steer};

/// The height of the line above the arena, as a part of the window.
const HEAD: f32 = 0.08;

/// Runs and draws frames until the window is closed.
pub(crate) fn play(mut app: App, server: SocketAddr) {
    open_window("arena", 700, 760, async move {
        while !mq::is_key_pressed(mq::KeyCode::Escape) {
            steer(app.world());
            if mq::is_key_pressed(mq::KeyCode::Enter) {
                connect(&mut app, server);
            }
            let length = Duration::from_secs_f32(mq::get_frame_time());
            app.update_by(length.min(Time::DEFAULT_MAX_DELTA));
            draw(app.world());
            mq::next_frame().await;
        }
        // The server learns it at once, and not after the time without an answer.
        app.world_mut().resource_mut::<Online>().leave("");
        app.update_by(Duration::ZERO);
    });
}

/// Connects again after the connection has ended.
fn connect(app: &mut App, server: SocketAddr) {
    let mut online = app.world_mut().resource_mut::<Online>();
    if matches!(online.status(), ClientStatus::Ended(_)) {
        online.connect(server);
    }
}

#[system]
fn steer(mut players: Query<(&mut Steer, &Owner)>, online: Res<Online>) {
    let axis = |less, more| i8::from(mq::is_key_down(more)) - i8::from(mq::is_key_down(less));
    for (steer, owner) in &mut players {
        if online.is_mine(owner) {
            *steer = Steer {
                x: axis(mq::KeyCode::Left, mq::KeyCode::Right),
                y: axis(mq::KeyCode::Up, mq::KeyCode::Down),
                fires: mq::is_key_down(mq::KeyCode::Space),
            };
        }
    }
}

/// Returns the color of a player.
fn color(owner: &Owner) -> mq::Color {
    let colors = [
        mq::SKYBLUE,
        mq::ORANGE,
        mq::LIME,
        mq::PINK,
        mq::YELLOW,
        mq::VIOLET,
        mq::RED,
        mq::WHITE,
    ];
    colors[(owner.0.0 as usize + 7) % colors.len()]
}

#[system]
fn draw(
    players: Query<(&Place, &Health, &Score, &Owner)>,
    bullets: Query<(&Place, &Owner), With<Bullet>>,
    online: Res<Online>,
) {
    mq::clear_background(mq::Color::new(0.05, 0.06, 0.09, 1.0));
    // The largest square that fits below the head.
    let head = mq::screen_height() * HEAD;
    let side = mq::screen_width().min(mq::screen_height() - head);
    let left = (mq::screen_width() - side) / 2.0;
    // A player at a wall is seen as a whole.
    let radius = side / 40.0;
    let edge = radius * 1.5;
    let scale = (side - 2.0 * edge) / SIZE as f32;
    mq::draw_rectangle_lines(left, head, side, side, 3.0, mq::DARKGRAY);
    let along = |at: i32| edge + at as f32 * scale;
    let at = |place: &Place| (left + along(place.x), head + along(place.y));
    for (place, owner) in &bullets {
        let (x, y) = at(place);
        mq::draw_circle(x, y, side / 160.0, color(owner));
    }
    let mut scores = Vec::new();
    for (place, health, score, owner) in &players {
        let (x, y) = at(place);
        mq::draw_circle(x, y, radius, color(owner));
        if online.is_mine(owner) {
            mq::draw_circle_lines(x, y, radius * 1.35, 2.0, mq::WHITE);
        }
        for number in 0..HEALTH {
            let pip = if number < health.0 {
                mq::BLACK
            } else {
                mq::GRAY
            };
            let apart = (f32::from(number) - 1.0) * radius * 0.6;
            mq::draw_circle(x + apart, y, radius * 0.2, pip);
        }
        scores.push((score.0, *owner));
    }
    scores.sort_by_key(|(score, owner)| (std::cmp::Reverse(*score), owner.0));
    let size = head * 0.6;
    let mut x = left + size * 0.3;
    for (score, owner) in &scores {
        let text = format!("{score}");
        let dot = size * 0.25;
        mq::draw_circle(x + dot, head / 2.0, dot, color(owner));
        mq::draw_text(&text, x + dot * 3.0, head * 0.68, size, mq::WHITE);
        x += dot * 4.0 + mq::measure_text(&text, None, size as u16, 1.0).width + size * 0.4;
    }
    let lines = match online.status() {
        ClientStatus::Connecting => vec!["connecting ..".to_owned()],
        ClientStatus::Ended(reason) => vec![reason.to_string(), "enter connects again".to_owned()],
        ClientStatus::Connected => {
            let text = format!("{} ms", online.stats().rtt.as_millis());
            let wide = mq::measure_text(&text, None, (size * 0.6) as u16, 1.0).width;
            let right = left + side - wide - size * 0.3;
            mq::draw_text(&text, right, head * 0.64, size * 0.6, mq::GRAY);
            Vec::new()
        }
    };
    for (number, line) in (0_u16..).zip(&lines) {
        let wide = mq::measure_text(line, None, size as u16, 1.0).width;
        // A long line becomes smaller until it fits.
        let size = size * (side * 0.9 / wide).min(1.0);
        let wide = mq::measure_text(line, None, size as u16, 1.0).width;
        let y = head + side / 2.0 + f32::from(number) * size * 1.4;
        mq::draw_text(line, left + (side - wide) / 2.0, y, size, mq::WHITE);
    }
}
