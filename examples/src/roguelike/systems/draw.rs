//! The picture of the game.

use ecs_core::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};

use crate::roguelike::components::{
    CarriedBy, Glyph, Health, Hero, Item, Monster, Poisoned, Stunned,
};
use crate::roguelike::{Depth, Log, Map, Position, Sight, Tally};

/// Draws ground, items and monsters, with the hero in the centre if the map does not fit.
#[system]
pub fn draw_map(
    area: Rect,
    buffer: &mut Buffer,
    map: Res<Map>,
    sight: Res<Sight>,
    places: Comp<Position>,
    glyphs: Comp<Glyph>,
    heroes: Comp<Hero>,
    monsters: Comp<Monster>,
) {
    let hero = places.include(&heroes).iter().next().copied();
    let mut canvas = Canvas::new(area, buffer, &map, hero);

    for at in canvas.places() {
        if sight.sees(at) {
            canvas.put(at, map.tile(at).glyph(), Color::Gray);
        } else if sight.knows(at) {
            canvas.put(at, map.tile(at).glyph(), Color::DarkGray);
        }
    }
    // Items stay where they were seen, monsters are drawn in view only, and the hero is on top.
    for (at, glyph) in (&places, &glyphs).exclude((&monsters, &heroes)).iter() {
        if sight.knows(*at) {
            canvas.put(*at, glyph.symbol, glyph.color);
        }
    }
    for (at, glyph) in (&places, &glyphs).include(&monsters).iter() {
        if sight.sees(*at) {
            canvas.put(*at, glyph.symbol, glyph.color);
        }
    }
    for (at, glyph) in (&places, &glyphs).include(&heroes).iter() {
        canvas.put(*at, glyph.symbol, glyph.color);
    }
}

/// Draws the status line: the level, and the state of the hero.
#[system]
pub fn draw_status(
    area: Rect,
    buffer: &mut Buffer,
    depth: Res<Depth>,
    tally: Res<Tally>,
    heroes: Comp<Hero>,
    health: Comp<Health>,
    poisoned: Comp<Poisoned>,
    stunned: Comp<Stunned>,
    pack: Query<&Item, With<CarriedBy>>,
) {
    let mut line = format!("{}: {}  Turn {}", depth.number, depth.name, tally.turns);
    for (id, health) in health.include(&heroes).with_entity().iter() {
        line += &format!("  Health {}/{}", health.now, health.max);
        if poisoned.contains(id) {
            line += " poisoned";
        }
        if stunned.contains(id) {
            line += " stunned";
        }
    }
    let potions = pack.iter().filter(|item| **item == Item::Potion).count();
    line += &format!("  Potions {potions}  Gold {}", tally.gold);
    draw_line(area, buffer, &line, Color::White);
}

/// Draws the end of the log, the last line at the bottom.
#[system]
pub fn draw_log(area: Rect, buffer: &mut Buffer, log: Res<Log>) {
    let lines = log.last(area.height.into()).iter();
    let lines: Vec<String> = lines
        .flat_map(|line| wrapped(line, area.width.into()))
        .collect();
    let first = lines.len().saturating_sub(area.height.into());
    for (row, line) in area.rows().zip(&lines[first..]) {
        draw_line(row, buffer, line, Color::Gray);
    }
}

/// Breaks a line at spaces, so that each part fits if its words do.
fn wrapped(line: &str, width: usize) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in line.split(' ') {
        match parts.last_mut() {
            Some(part) if part.is_empty() => part.push_str(word),
            Some(part) if part.chars().count() + 1 + word.chars().count() <= width => {
                part.push(' ');
                part.push_str(word);
            }
            _ => parts.push(word.to_owned()),
        }
    }
    parts
}

fn draw_line(area: Rect, buffer: &mut Buffer, line: &str, color: Color) {
    if !area.is_empty() {
        buffer.set_stringn(
            area.x,
            area.y,
            line,
            area.width.into(),
            Style::new().fg(color),
        );
    }
}

/// The part of the map that fits in an area of the screen.
struct Canvas<'b> {
    area: Rect,
    buffer: &'b mut Buffer,
    /// The place at the top left.
    origin: Position,
}

impl<'b> Canvas<'b> {
    fn new(area: Rect, buffer: &'b mut Buffer, map: &Map, center: Option<Position>) -> Self {
        let center = center.unwrap_or(Position::new(0, 0));
        Self {
            area,
            buffer,
            origin: Position::new(
                scroll(center.x, map.width(), area.width.into()),
                scroll(center.y, map.height(), area.height.into()),
            ),
        }
    }

    /// Returns all places that have a cell.
    fn places(&self) -> impl Iterator<Item = Position> + use<> {
        let Self { area, origin, .. } = *self;
        area.positions().map(move |cell| {
            Position::new(
                origin.x + i32::from(cell.x - area.x),
                origin.y + i32::from(cell.y - area.y),
            )
        })
    }

    fn put(&mut self, at: Position, symbol: char, color: Color) {
        let (x, y) = (at.x - self.origin.x, at.y - self.origin.y);
        if (0..self.area.width.into()).contains(&x) && (0..self.area.height.into()).contains(&y) {
            let cell = (self.area.x + x as u16, self.area.y + y as u16);
            if let Some(cell) = self.buffer.cell_mut(cell) {
                cell.set_char(symbol).set_fg(color);
            }
        }
    }
}

/// Returns the first of `room` columns (or rows) that show `center`, of `size` in all.
fn scroll(center: i32, size: i32, room: i32) -> i32 {
    (center - room / 2).min(size - room).max(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_broken_at_spaces() {
        let line = "The rat bites you, and you bleed.";
        assert_eq!(wrapped(line, 80), [line]);
        let parts = ["The rat", "bites you,", "and you", "bleed."];
        assert_eq!(wrapped(line, 10), parts);
        assert_eq!(wrapped("", 10), [""]);
        assert_eq!(wrapped("unbreakable words", 5), ["unbreakable", "words"]);
    }
}
