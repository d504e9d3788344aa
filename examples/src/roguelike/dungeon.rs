//! Reading levels from a text file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Position;
use super::error::{InputError, Place, Problem, read_text};
use super::map::{Grid, Map, Tile};

/// A thing on a level at its start, besides the hero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Thing {
    /// `r`: weak.
    Rat,
    /// `s`: poisons.
    Snake,
    /// `O`: strong; its blows stun.
    Ogre,
    /// `!`
    Potion,
    /// `/`
    Sword,
    /// `$`
    Gold,
}

impl Thing {
    /// Returns the thing with this glyph in map files.
    #[must_use]
    pub const fn from_glyph(glyph: char) -> Option<Self> {
        Some(match glyph {
            'r' => Self::Rat,
            's' => Self::Snake,
            'O' => Self::Ogre,
            '!' => Self::Potion,
            '/' => Self::Sword,
            '$' => Self::Gold,
            _ => return None,
        })
    }
}

/// A level in its initial state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Level {
    /// Shown in the status line.
    pub name: String,
    /// The ground.
    pub map: Map,
    /// The place where the hero arrives.
    pub start: Position,
    /// Monsters and items, from the top left to the bottom right.
    pub things: Vec<(Position, Thing)>,
}

/// The dungeon that comes with the game.
const BUILT_IN: &str = include_str!("../../assets/dungeon.txt");

/// Reads the levels of a map file.
///
/// Each character is a tile, or something on a floor tile: see [`Problem::UnknownGlyph`]. A line `= name` begins a
/// level; a file of one level needs none.
///
/// # Errors
/// If the file cannot be read, or a level is not a rectangle of known glyphs with one hero and some stairs.
pub fn read_dungeon(path: &Path) -> Result<Vec<Level>, InputError> {
    parse_dungeon(&path.display().to_string(), &read_text(path)?)
}

/// Reads the levels of the map that comes with the game.
///
/// # Errors
/// The errors of [`read_dungeon`]; a test ensures that none occurs.
pub fn built_in_dungeon() -> Result<Vec<Level>, InputError> {
    parse_dungeon("assets/dungeon.txt", BUILT_IN)
}

/// Reads levels from `text`, the content of `file`.
///
/// # Errors
/// The errors of [`read_dungeon`].
pub fn parse_dungeon(file: &str, text: &str) -> Result<Vec<Level>, InputError> {
    levels(text).map_err(|(place, problem)| InputError {
        file: file.to_owned(),
        place: Some(place),
        problem,
    })
}

fn levels(text: &str) -> Result<Vec<Level>, (Place, Problem)> {
    let mut levels = Vec::new();
    let mut draft: Option<Draft> = None;
    for (line, row) in (1..).zip(text.lines()) {
        if let Some(name) = row.strip_prefix('=') {
            if let Some(done) = draft.replace(Draft::new(line, name.trim())) {
                levels.push(done.finish()?);
            }
        } else {
            draft
                .get_or_insert_with(|| Draft::new(line, "The Dungeon"))
                .add_row(line, row)?;
        }
    }
    let last = draft.unwrap_or_else(|| Draft::new(1, ""));
    levels.push(last.finish()?);
    Ok(levels)
}

/// A level that is being read.
struct Draft {
    /// The line at which the level begins.
    line: usize,
    name: String,
    /// The length of the rows; 0 before the first.
    width: usize,
    tiles: Vec<Tile>,
    hero: Option<(Place, Position)>,
    things: Vec<(Position, Thing)>,
}

impl Draft {
    fn new(line: usize, name: &str) -> Self {
        Self {
            line,
            name: name.to_owned(),
            width: 0,
            tiles: Vec::new(),
            hero: None,
            things: Vec::new(),
        }
    }

    fn add_row(&mut self, line: usize, row: &str) -> Result<(), (Place, Problem)> {
        let length = row.chars().count();
        if length == 0 {
            return Err((Place { line, column: 1 }, Problem::EmptyLine));
        }
        if self.width == 0 {
            self.width = length;
        }
        let y = self.tiles.len() / self.width;
        for (x, glyph) in row.chars().take(self.width).enumerate() {
            let place = Place {
                line,
                column: x + 1,
            };
            self.add_glyph(place, Position::new(x as i32, y as i32), glyph)
                .map_err(|problem| (place, problem))?;
        }
        if length != self.width {
            let column = length.min(self.width) + 1;
            let problem = Problem::UnevenRow {
                expected: self.width,
                found: length,
            };
            return Err((Place { line, column }, problem));
        }
        Ok(())
    }

    fn add_glyph(&mut self, place: Place, at: Position, glyph: char) -> Result<(), Problem> {
        if let Some(tile) = Tile::from_glyph(glyph) {
            self.tiles.push(tile);
            return Ok(());
        }
        self.tiles.push(Tile::Floor);
        if let Some(thing) = Thing::from_glyph(glyph) {
            self.things.push((at, thing));
            return Ok(());
        }
        match self.hero {
            _ if glyph != '@' => Err(Problem::UnknownGlyph(glyph)),
            Some((first, _)) => Err(Problem::SecondHero { first }),
            None => {
                self.hero = Some((place, at));
                Ok(())
            }
        }
    }

    fn finish(self) -> Result<Level, (Place, Problem)> {
        let begin = Place {
            line: self.line,
            column: 1,
        };
        if self.tiles.is_empty() {
            return Err((begin, Problem::NoRows));
        }
        let Some((_, start)) = self.hero else {
            return Err((begin, Problem::NoHero));
        };
        if !self.tiles.contains(&Tile::Stairs) {
            return Err((begin, Problem::NoStairs));
        }
        Ok(Level {
            name: self.name,
            map: Map::new(Grid::from_rows(self.width, self.tiles)),
            start,
            things: self.things,
        })
    }
}
