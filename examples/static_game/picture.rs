//! The game as text.

use ecs_core::statics::{StaticWorld, component};

use crate::level::{ground, height, width};
use crate::model::{Animation, Game, Health, Position, StatusBar};

/// Draws the whole level, with the health of each figure above it.
pub(crate) fn of(game: &Game) -> String {
    let row = |y| (0..width()).map(|x| ground(x, y)).collect();
    let mut rows: Vec<Vec<char>> = (0..height()).map(row).collect();
    for (entity, at) in component!(game, Position).with_entity() {
        let (x, y) = (at.x as usize, at.y as usize);
        if let Some(animation) = game.get::<Animation>(entity) {
            rows[y][x] = animation.pictures[animation.step as usize % 2];
        }
        if let Some(health) = game.get::<StatusBar<Health>>(entity) {
            rows[y - 1][x] = char::from_digit(health.value.clamp(0, 9) as u32, 10).unwrap_or(' ');
        }
    }
    let rows = rows.iter().map(|row| row.iter().collect::<String>());
    rows.collect::<Vec<_>>().join("\n")
}
