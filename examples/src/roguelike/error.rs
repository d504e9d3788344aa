//! Errors in the files of the game.

use core::fmt;
use std::path::Path;

/// A line and a column of a text file; both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Counts from 1.
    pub line: usize,
    /// Counts from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// An error in a file: its name, the place, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputError {
    /// The file name given by the user.
    pub file: String,
    /// The place in the file; `None` if it could not be read at all.
    pub place: Option<Place>,
    /// The problem at this place.
    pub problem: Problem,
}

/// A problem with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// The operating system refused to read it, with its reason.
    Unreadable(String),
    /// The operating system refused to write it, with its reason.
    Unwritable(String),
    /// The bytes are not UTF-8.
    NotUtf8,
    /// A prefab or a save game has a mistake; the text describes it.
    Data(String),
    /// No rows of tiles, although some are expected.
    NoRows,
    /// An empty line inside a level.
    EmptyLine,
    /// A row whose length differs from the rows above it.
    UnevenRow {
        /// The length of the rows above.
        expected: usize,
        /// The length of this one.
        found: usize,
    },
    /// A character that means nothing on a map.
    UnknownGlyph(char),
    /// A level with more than one `@`.
    SecondHero {
        /// The place of the first one.
        first: Place,
    },
    /// A level without `@`.
    NoHero,
    /// A level without `>`.
    NoStairs,
    /// A character that is not a key of the game.
    UnknownKey(char),
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(place) => write!(f, "{}:{place}: {}", self.file, self.problem),
            None => write!(f, "{}: {}", self.file, self.problem),
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Unwritable(why) => write!(f, "cannot be written: {why}"),
            Self::Data(mistake) => f.write_str(mistake),
            Self::NotUtf8 => {
                f.write_str("a byte that is not UTF-8 text; expected a plain text file")
            }
            Self::NoRows => f.write_str("expected at least one row of tiles, such as `#@.>#`"),
            Self::EmptyLine => {
                f.write_str("an empty line; expected a row of tiles, or `= name` to begin a level")
            }
            Self::UnevenRow { expected, found } => write!(
                f,
                "a row of {found} tiles; expected {expected}, as in the rows above"
            ),
            Self::UnknownGlyph(glyph) => write!(
                f,
                "unknown glyph {glyph:?}; expected # wall, . floor, + door, > stairs, @ hero, r rat, s snake, O ogre, ! potion, / sword, $ gold"
            ),
            Self::SecondHero { first } => write!(
                f,
                "a second hero; expected one `@` a level, and this level has one at {first}"
            ),
            Self::NoHero => {
                f.write_str("a level without hero; expected one `@` where the hero starts")
            }
            Self::NoStairs => {
                f.write_str("a level without stairs; expected at least one `>` that leads out")
            }
            Self::UnknownKey(key) => write!(
                f,
                "unknown key {key:?}; expected h j k l to walk, . to wait, g to pick up, d to drink, S to save, L to load, ? for help, q to quit, or `# a comment`"
            ),
        }
    }
}

impl core::error::Error for InputError {}

/// Reads the text of a file.
///
/// # Errors
/// If the file cannot be read, or is not UTF-8.
pub(super) fn read_text(path: &Path) -> Result<String, InputError> {
    let file = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| InputError {
        file: file.clone(),
        place: None,
        problem: Problem::Unreadable(error.to_string()),
    })?;
    String::from_utf8(bytes).map_err(|error| InputError {
        file,
        place: Some(end_of(
            &error.as_bytes()[..error.utf8_error().valid_up_to()],
        )),
        problem: Problem::NotUtf8,
    })
}

/// Returns the place just after `text`.
fn end_of(text: &[u8]) -> Place {
    let text = String::from_utf8_lossy(text);
    Place {
        line: text.matches('\n').count() + 1,
        column: text
            .rsplit('\n')
            .next()
            .map_or(0, |last| last.chars().count())
            + 1,
    }
}
