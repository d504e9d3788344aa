//! The ground: a grid of tiles.

use ecs_core::prelude::*;
use serde::{Deserialize, Serialize};

use super::Position;

/// A rectangle of cells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Grid<T> {
    width: i32,
    cells: Vec<T>,
}

impl<T> Grid<T> {
    /// `cells` row by row, from the top; their number is a multiple of `width`.
    pub(super) fn from_rows(width: usize, cells: Vec<T>) -> Self {
        debug_assert!(width > 0 && cells.len().is_multiple_of(width));
        Self {
            width: width as i32,
            cells,
        }
    }

    pub(super) fn width(&self) -> i32 {
        self.width
    }

    pub(super) fn height(&self) -> i32 {
        self.cells.len() as i32 / self.width
    }

    pub(super) fn get(&self, at: Position) -> Option<&T> {
        self.cells.get(self.index(at)?)
    }

    pub(super) fn get_mut(&mut self, at: Position) -> Option<&mut T> {
        let index = self.index(at)?;
        self.cells.get_mut(index)
    }

    fn index(&self, at: Position) -> Option<usize> {
        // Only columns need a check of their own: a row outside gives an index outside.
        ((0..self.width).contains(&at.x) && at.y >= 0)
            .then(|| at.y as usize * self.width as usize + at.x as usize)
    }
}

/// The ground at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tile {
    /// `#`: blocks steps and sight.
    Wall,
    /// `.`
    Floor,
    /// `+`: blocks sight, and steps until it is opened.
    Door,
    /// `'`: a door that was opened.
    OpenDoor,
    /// `>`: leads to the next level, or out of the last one.
    Stairs,
}

impl Tile {
    /// Returns the tile with this glyph in map files, which have no open doors.
    #[must_use]
    pub const fn from_glyph(glyph: char) -> Option<Self> {
        Some(match glyph {
            '#' => Self::Wall,
            '.' => Self::Floor,
            '+' => Self::Door,
            '>' => Self::Stairs,
            _ => return None,
        })
    }

    /// Returns the glyph of the tile on the screen.
    #[must_use]
    pub const fn glyph(self) -> char {
        match self {
            Self::Wall => '#',
            Self::Floor => '.',
            Self::Door => '+',
            Self::OpenDoor => '\'',
            Self::Stairs => '>',
        }
    }
}

/// The ground of one level, surrounded by wall.
#[derive(Resource, Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[resource(data = "map")]
pub struct Map {
    tiles: Grid<Tile>,
}

impl Map {
    pub(super) fn new(tiles: Grid<Tile>) -> Self {
        Self { tiles }
    }

    /// Returns the number of columns.
    #[must_use]
    pub fn width(&self) -> i32 {
        self.tiles.width()
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn height(&self) -> i32 {
        self.tiles.height()
    }

    /// Returns whether `at` is on the map at all.
    #[must_use]
    pub fn contains(&self, at: Position) -> bool {
        self.tiles.get(at).is_some()
    }

    /// Returns the tile at `at`.
    #[must_use]
    pub fn tile(&self, at: Position) -> Tile {
        self.tiles.get(at).copied().unwrap_or(Tile::Wall)
    }

    /// Returns whether a figure can stand at `at`.
    #[must_use]
    pub fn is_walkable(&self, at: Position) -> bool {
        !matches!(self.tile(at), Tile::Wall | Tile::Door)
    }

    /// Returns whether `at` can be passed, perhaps after opening a door.
    #[must_use]
    pub fn is_passable(&self, at: Position) -> bool {
        self.tile(at) != Tile::Wall
    }

    /// Returns whether `at` blocks sight.
    #[must_use]
    pub fn is_opaque(&self, at: Position) -> bool {
        matches!(self.tile(at), Tile::Wall | Tile::Door)
    }

    /// Opens the door at `at`; `false` if there is no closed one.
    pub fn open_door(&mut self, at: Position) -> bool {
        match self.tiles.get_mut(at) {
            Some(tile @ Tile::Door) => {
                *tile = Tile::OpenDoor;
                true
            }
            _ => false,
        }
    }
}
