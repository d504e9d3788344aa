//! Names of slots, which are names of files on every system.

use std::fmt;

/// The greatest length in bytes: with the end and the name of a temporary file, it is one that all file systems take.
const MAX_BYTES: usize = 100;

/// The names that Windows keeps for devices, with any end after a dot, and those that end with a digit.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
const NUMBERED_DEVICES: [&str; 2] = ["com", "lpt"];

/// The reason why no slot can have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlotNameProblem {
    /// It is empty.
    Empty,
    /// It is longer than 100 bytes.
    Long,
    /// Not every system takes this character in names of files.
    Character(char),
    /// It begins or ends with a dot or a blank.
    Ends,
    /// Windows keeps it for a device.
    Reserved,
}

impl fmt::Display for SlotNameProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it is empty"),
            Self::Long => write!(f, "it is longer than {MAX_BYTES} bytes"),
            Self::Character(char) => write!(
                f,
                "not every system takes {char:?} in names of files; help: leave it out"
            ),
            Self::Ends => f.write_str(
                "it begins or ends with a dot or a blank; help: trim the text that the player has entered",
            ),
            Self::Reserved => f.write_str("Windows keeps it for a device; help: add a word"),
        }
    }
}

/// Returns the reason why a name is not one of a file in its folder on every system, if there is one.
pub(super) fn problem(name: &str) -> Option<SlotNameProblem> {
    if name.is_empty() {
        return Some(SlotNameProblem::Empty);
    }
    if name.len() > MAX_BYTES {
        return Some(SlotNameProblem::Long);
    }
    let is_refused = |char: &char| char.is_control() || "/\\:*?\"<>|".contains(*char);
    if let Some(char) = name.chars().find(is_refused) {
        return Some(SlotNameProblem::Character(char));
    }
    let is_at_end = |char: char| char == '.' || char.is_whitespace();
    if name.starts_with(is_at_end) || name.ends_with(is_at_end) {
        return Some(SlotNameProblem::Ends);
    }
    let stem = name.split('.').next().unwrap_or_default();
    let stem = stem.trim_end().to_lowercase();
    let mut chars = stem.chars();
    let last = chars.next_back();
    let is_numbered = last.is_some_and(|last| last.is_ascii_digit() || "¹²³".contains(last))
        && NUMBERED_DEVICES.contains(&chars.as_str());
    (is_numbered || DEVICES.contains(&&*stem)).then_some(SlotNameProblem::Reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_language_are_names_of_slots() {
        for name in [
            "autosave",
            "Slot 1",
            "v1.2 – before the dragon!",
            "セーブ",
            "console",
            "com",
            "com10",
            "a.con",
            "x..y",
        ] {
            assert_eq!(problem(name), None, "{name}");
        }
        assert_eq!(problem(&"x".repeat(MAX_BYTES)), None);
    }

    #[test]
    fn names_that_one_system_does_not_take_are_refused_on_all() {
        let problems = [
            ("", SlotNameProblem::Empty),
            ("../x", SlotNameProblem::Character('/')),
            ("..\\x", SlotNameProblem::Character('\\')),
            ("c:x", SlotNameProblem::Character(':')),
            ("what?", SlotNameProblem::Character('?')),
            ("a\0b", SlotNameProblem::Character('\0')),
            ("a\nb", SlotNameProblem::Character('\n')),
            ("a\u{85}b", SlotNameProblem::Character('\u{85}')),
            ("..", SlotNameProblem::Ends),
            (".hidden", SlotNameProblem::Ends),
            ("end.", SlotNameProblem::Ends),
            (" x", SlotNameProblem::Ends),
            ("x ", SlotNameProblem::Ends),
            ("con", SlotNameProblem::Reserved),
            ("NUL", SlotNameProblem::Reserved),
            ("Com1", SlotNameProblem::Reserved),
            ("lpt³", SlotNameProblem::Reserved),
            ("aux.tar.gz", SlotNameProblem::Reserved),
            ("con .txt", SlotNameProblem::Reserved),
            ("CONOUT$", SlotNameProblem::Reserved),
        ];
        for (name, expected) in problems {
            assert_eq!(problem(name), Some(expected), "{name:?}");
        }
        let long = "é".repeat(MAX_BYTES / 2 + 1);
        assert_eq!(problem(&long), Some(SlotNameProblem::Long));
    }
}
