//! The game in a window.

use ecs_core::prelude::*;
use ecs_core::statics::StaticWorld as _;
use ecs_core::statics::component;
use ecs_examples::{FramePace, end_script, held_keys, open_window, script_keys};
use macroquad::prelude as mq;

use crate::level::{ground, height, is_won, start, width};
use crate::model::{Ai, Animation, Game, Health, Input, Position, StatusBar};

/// Pixels per cell in a window of the first size.
const CELL: f32 = 20.0;

/// Returns the pixels per cell in the window as it is.
fn cell() -> f32 {
    (mq::screen_width() / width() as f32).min(mq::screen_height() / height() as f32)
}

/// Runs and draws frames until the window is closed, or `frames` were drawn.
pub(crate) fn play(game: Game, hero: Entity, frames: Option<u32>, script: bool) {
    let (wide, high) = (width() as f32 * CELL, height() as f32 * CELL);
    let run = run(game, hero, frames, script);
    open_window("static game", wide as i32, high as i32, run);
}

async fn run(mut game: Game, mut hero: Entity, frames: Option<u32>, script: bool) {
    let (mut left, mut pace) = (frames, FramePace::default());
    let mut played = 0;
    while left != Some(0) && !mq::is_key_pressed(mq::KeyCode::Escape) {
        // A script plays a frame for each that is drawn.
        let due = match script {
            true => 1,
            false => pace.due(mq::get_frame_time()),
        };
        for _ in 0..due {
            if is_over(&game, hero) {
                break;
            }
            if let Some(input) = game.get_mut::<Input>(hero) {
                *input = match script {
                    true => script_keys(played).into(),
                    false => held_keys().into(),
                };
            }
            crate::frame::run(&mut game);
            played += 1;
        }
        draw(&game);
        if is_over(&game, hero) {
            let text = match game.contains(hero) {
                true => "won; enter plays again",
                false => "lost; enter plays again",
            };
            mq::draw_text(text, cell() * 2.0, cell() * 3.0, cell() * 2.0, mq::YELLOW);
            if !script && mq::is_key_pressed(mq::KeyCode::Enter) {
                (game, hero) = start();
            }
        }
        left = left.map(|frames| frames - 1);
        mq::next_frame().await;
    }
    if script {
        end_script(played, crate::hash(&game));
    }
}

fn is_over(game: &Game, hero: Entity) -> bool {
    !game.contains(hero) || is_won(game, hero)
}

fn draw(game: &Game) {
    let cell = cell();
    mq::clear_background(mq::Color::new(0.05, 0.06, 0.09, 1.0));
    for y in 0..height() {
        for x in 0..width() {
            let (left, top) = (x as f32 * cell, y as f32 * cell);
            match ground(x, y) {
                '#' => mq::draw_rectangle(left, top, cell, cell, mq::DARKBROWN),
                'F' => mq::draw_triangle(
                    mq::vec2(left, top),
                    mq::vec2(left, top + cell / 2.0),
                    mq::vec2(left + cell, top + cell / 4.0),
                    mq::GREEN,
                ),
                _ => {}
            }
        }
    }
    for (entity, at) in component!(game, Position).with_entity() {
        let (left, top) = ((at.x - 0.5) * cell, (at.y - 0.5) * cell);
        let color = match game.get::<Ai>(entity) {
            None => mq::SKYBLUE,
            Some(Ai::Patrol { .. }) => mq::ORANGE,
            Some(Ai::Hunt { .. }) => mq::RED,
        };
        let step = game
            .get::<Animation>(entity)
            .map_or(0.0, |animation| animation.step % 1.0);
        mq::draw_rectangle(
            left + 0.15 * cell,
            top + 0.1 * cell * step,
            cell * 0.7,
            cell - 0.1 * cell * step,
            color,
        );
        if let Some(health) = game.get::<StatusBar<Health>>(entity) {
            let full = cell * health.value as f32 / health.most as f32;
            mq::draw_rectangle(left, top - 0.3 * cell, full, 0.15 * cell, mq::LIME);
        }
    }
}
