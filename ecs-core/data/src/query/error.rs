//! The error of a text query, which points at the column.

use std::fmt;
use std::ops::Range;

use ecs_engine::world::BorrowError;

/// The error of a text query: the mistake, the place, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextQueryError {
    message: String,
    help: String,
    /// The text of the query and a range of bytes in it; `None` if the text is not to blame.
    place: Option<(String, Range<usize>)>,
}

/// A mistake at a range of bytes of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextProblem {
    pub(super) at: Range<usize>,
    pub(super) message: String,
    /// Empty if there is nothing to add.
    pub(super) help: String,
}

impl TextProblem {
    pub(super) fn new(
        at: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Self {
        Self {
            at,
            message: message.into(),
            help: help.into(),
        }
    }

    /// Adds the text.
    pub(super) fn of(self, text: &str) -> TextQueryError {
        TextQueryError {
            message: self.message,
            help: self.help,
            place: Some((text.to_owned(), self.at)),
        }
    }
}

impl TextQueryError {
    /// Returns the message without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice; empty if there is none.
    #[must_use]
    pub fn help(&self) -> &str {
        &self.help
    }

    /// Returns the line and the column of the mistake, counted in characters from 1; `None` if the text is not to blame.
    #[must_use]
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        let (text, at) = self.place.as_ref()?;
        let before = &text[..at.start];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((line, before[start..].chars().count() + 1))
    }
}

impl From<BorrowError> for TextQueryError {
    fn from(error: BorrowError) -> Self {
        Self {
            message: error.to_string(),
            help: String::new(),
            place: None,
        }
    }
}

impl fmt::Display for TextQueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if let (Some((text, at)), Some((line, column))) = (&self.place, self.line_and_column()) {
            let start = text[..at.start]
                .rfind('\n')
                .map_or(0, |newline| newline + 1);
            let shown = text[start..].split('\n').next().unwrap_or_default();
            let end = at.end.clamp(at.start, start + shown.len());
            let carets = text[at.start..end].chars().count().max(1);
            // Other white space than spaces would move the carets.
            let shown: String = shown.chars().map(visible).collect();
            write!(
                f,
                "\n  | {shown}\n  | {}{}",
                " ".repeat(column - 1),
                "^".repeat(carets)
            )?;
            if line > 1 {
                write!(f, " line {line},")?;
            }
            write!(f, " column {column}")?;
        }
        if !self.help.is_empty() {
            let before = if self.place.is_some() { "\n  = " } else { "; " };
            write!(f, "{before}help: {}", self.help)?;
        }
        Ok(())
    }
}

fn visible(c: char) -> char {
    if c.is_whitespace() || c.is_control() {
        ' '
    } else {
        c
    }
}

impl std::error::Error for TextQueryError {}
