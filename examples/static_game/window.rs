//! The game in a window.

use ecs_core::prelude::*;
use ecs_core::statics::StaticWorld as _;
use ecs_core::statics::component;
use ecs_examples::FramePace;
use macroquad::prelude as mq;

use crate::level::{ground, height, is_won, width};
use crate::model::{Ai, Animation, Game, Health, Input, Position, StatusBar};

/// Pixels per cell.
const CELL: f32 = 20.0;

/// Runs and draws frames until the window is closed, or `frames` were drawn.
pub(crate) fn play(game: Game, hero: Entity, frames: Option<u32>) {
    let conf = mq::Conf {
        window_title: "static game".into(),
        window_width: (width() as f32 * CELL) as i32,
        window_height: (height() as f32 * CELL) as i32,
        ..mq::Conf::default()
    };
    macroquad::Window::from_config(conf, run(game, hero, frames));
}

async fn run(mut game: Game, hero: Entity, frames: Option<u32>) {
    let (mut left, mut pace) = (frames, FramePace::default());
    while left != Some(0) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        if let Some(input) = game.get_mut::<Input>(hero) {
            *input = Input {
                left: mq::is_key_down(mq::KeyCode::Left),
                right: mq::is_key_down(mq::KeyCode::Right),
                jump: mq::is_key_down(mq::KeyCode::Up) || mq::is_key_down(mq::KeyCode::Space),
            };
        }
        let is_over = |game: &Game| !game.contains(hero) || is_won(game, hero);
        for _ in 0..pace.due(mq::get_frame_time()) {
            if !is_over(&game) {
                crate::frame::run(&mut game);
            }
        }
        draw(&game);
        if is_over(&game) {
            let text = if game.contains(hero) { "won" } else { "lost" };
            mq::draw_text(text, CELL * 2.0, CELL * 3.0, CELL * 2.0, mq::YELLOW);
        }
        left = left.map(|frames| frames - 1);
        mq::next_frame().await;
    }
}

fn draw(game: &Game) {
    mq::clear_background(mq::Color::new(0.05, 0.06, 0.09, 1.0));
    for y in 0..height() {
        for x in 0..width() {
            let (left, top) = (x as f32 * CELL, y as f32 * CELL);
            match ground(x, y) {
                '#' => mq::draw_rectangle(left, top, CELL, CELL, mq::DARKBROWN),
                'F' => mq::draw_triangle(
                    mq::vec2(left, top),
                    mq::vec2(left, top + CELL / 2.0),
                    mq::vec2(left + CELL, top + CELL / 4.0),
                    mq::GREEN,
                ),
                _ => {}
            }
        }
    }
    for (entity, at) in component!(game, Position).with_entity() {
        let (left, top) = ((at.x - 0.5) * CELL, (at.y - 0.5) * CELL);
        let color = match game.get::<Ai>(entity) {
            None => mq::SKYBLUE,
            Some(Ai::Patrol { .. }) => mq::ORANGE,
            Some(Ai::Hunt { .. }) => mq::RED,
        };
        let step = game
            .get::<Animation>(entity)
            .map_or(0.0, |animation| animation.step % 1.0);
        mq::draw_rectangle(
            left + 3.0,
            top + 2.0 * step,
            CELL - 6.0,
            CELL - 2.0 * step,
            color,
        );
        if let Some(health) = game.get::<StatusBar<Health>>(entity) {
            let full = CELL * health.value as f32 / health.most as f32;
            mq::draw_rectangle(left, top - 6.0, full, 3.0, mq::LIME);
        }
    }
}
