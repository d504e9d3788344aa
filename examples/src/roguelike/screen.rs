//! The layout of the screen.

use ecs_core::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::{Block, Clear, Paragraph, Widget};

use super::Map;
use super::systems::{draw_log, draw_map, draw_status};

/// The number of lines of the log that are shown.
const LOG_LINES: u16 = 3;

/// Draws the game: the status line, the part of the map that fits, and the end of the log.
pub fn draw_game(area: Rect, buffer: &mut Buffer, world: &World) {
    let height = world.resource::<Map>().height().clamp(0, 1000) as u16;
    let rows = [
        Constraint::Length(1),
        Constraint::Max(height),
        Constraint::Length(LOG_LINES),
    ];
    let [status, map, log] = area.layout(&Layout::vertical(rows));
    draw_status(status, buffer, world);
    draw_map(map, buffer, world);
    draw_log(log, buffer, world);
}

/// Draws the keys of the game in a box over the picture.
pub fn draw_help(area: Rect, buffer: &mut Buffer) {
    let keys = "\
arrows, hjkl  walk, open, attack
.             wait
g             pick up
d             drink a potion
S, L          save, load
?             help
q             quit";
    let area = area.centered(Constraint::Length(36), Constraint::Length(9));
    Clear.render(area, buffer);
    Paragraph::new(keys)
        .block(Block::bordered().title(" Keys "))
        .render(area, buffer);
}

/// Renders the whole map and the end of the log as text, without colours.
#[must_use]
pub fn picture(world: &World) -> String {
    let (width, height) = {
        let map = world.resource::<Map>();
        // The cells of a buffer are counted in 16 bits.
        (map.width().clamp(76, 300), map.height().min(200))
    };
    let area = Rect::new(0, 0, width as u16, height as u16 + 1 + LOG_LINES);
    let mut buffer = Buffer::empty(area);
    draw_game(area, &mut buffer, world);

    let mut text = String::new();
    for row in area.rows() {
        let line: String = row.positions().map(|cell| buffer[cell].symbol()).collect();
        text += line.trim_end();
        text += "\n";
    }
    text
}
