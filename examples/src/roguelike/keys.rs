//! The keys of the game, and files of them.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Direction;
use super::error::{InputError, Place, Problem, read_text};

/// A key of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// `h`, `j`, `k`, `l` or an arrow: walk, open a door, or attack.
    Walk(Direction),
    /// `.`: let a turn pass.
    Wait,
    /// `g`: pick up the item that lies here.
    PickUp,
    /// `d`: drink a potion.
    Drink,
    /// `S`: save the game.
    Save,
    /// `L`: load the saved game.
    Load,
    /// `?`: show the keys.
    Help,
    /// `q`: leave the game.
    Quit,
}

impl Key {
    /// Returns the key for `character`, if it is one of the game.
    #[must_use]
    pub const fn from_char(character: char) -> Option<Self> {
        Some(match character {
            'h' => Self::Walk(Direction::Left),
            'j' => Self::Walk(Direction::Down),
            'k' => Self::Walk(Direction::Up),
            'l' => Self::Walk(Direction::Right),
            '.' => Self::Wait,
            'g' => Self::PickUp,
            'd' => Self::Drink,
            'S' => Self::Save,
            'L' => Self::Load,
            '?' => Self::Help,
            'q' => Self::Quit,
            _ => return None,
        })
    }
}

/// Reads the keys of a script file: one character a key; spaces and line ends are ignored, and `#` begins a comment
/// that ends with the line.
///
/// # Errors
/// If the file cannot be read, or has a character that is not a key.
pub fn read_script(path: &Path) -> Result<Vec<Key>, InputError> {
    parse_script(&path.display().to_string(), &read_text(path)?)
}

/// Reads keys from `text`, the content of `file`.
///
/// # Errors
/// If a character is not a key.
pub fn parse_script(file: &str, text: &str) -> Result<Vec<Key>, InputError> {
    let mut keys = Vec::new();
    for (line, row) in (1..).zip(text.lines()) {
        let characters = (1..).zip(row.chars()).take_while(|(_, c)| *c != '#');
        for (column, character) in characters.filter(|(_, c)| !c.is_whitespace()) {
            keys.push(Key::from_char(character).ok_or_else(|| InputError {
                file: file.to_owned(),
                place: Some(Place { line, column }),
                problem: Problem::UnknownKey(character),
            })?);
        }
    }
    Ok(keys)
}
