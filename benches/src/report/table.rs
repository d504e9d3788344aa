//! A table of text, for a terminal and as Markdown.

use std::fmt::Write as _;

/// Rows of text below a head, and notes.
#[derive(Debug, Default)]
pub struct Table {
    /// The names of the columns.
    pub head: Vec<String>,
    /// The rows, each as long as the head.
    pub rows: Vec<Vec<String>>,
    /// The number of columns of words, from the left; the others are numbers, aligned to the right.
    pub words: usize,
    /// Explanations, numbered from 1.
    pub notes: Vec<String>,
}

impl Table {
    /// Adds a note and returns its number; equal notes are merged.
    pub fn note(&mut self, text: String) -> usize {
        let known = self.notes.iter().position(|note| *note == text);
        known.unwrap_or_else(|| {
            self.notes.push(text);
            self.notes.len() - 1
        }) + 1
    }

    /// Renders the table.
    #[must_use]
    pub fn render(&self, markdown: bool) -> String {
        let widths = self.widths();
        let mut text = self.line(&self.head, &widths, markdown);
        if markdown {
            for (column, width) in widths.iter().enumerate() {
                let (dashes, end) = (
                    "-".repeat(*width),
                    if column < self.words { "-" } else { ":" },
                );
                let _ = write!(text, "|-{dashes}{end}");
            }
            text.push_str("|\n");
        }
        for row in &self.rows {
            text.push_str(&self.line(row, &widths, markdown));
        }
        if !self.notes.is_empty() {
            text.push('\n');
        }
        for (note, number) in self.notes.iter().zip(1..) {
            let _ = match markdown {
                true => writeln!(text, "{number}. {note}"),
                false => writeln!(text, "  [{number}] {note}"),
            };
        }
        text
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let texts = self.rows.iter().chain([&self.head]);
            texts.map(|row| row[column].chars().count()).max()
        };
        (0..self.head.len()).filter_map(width).collect()
    }

    fn line(&self, texts: &[String], widths: &[usize], markdown: bool) -> String {
        let mut line = String::new();
        for (column, (text, &width)) in texts.iter().zip(widths).enumerate() {
            line.push_str(if markdown { "| " } else { "  " });
            let _ = match column < self.words {
                true => write!(line, "{text:<width$}"),
                false => write!(line, "{text:>width$}"),
            };
            if markdown {
                line.push(' ');
            }
        }
        if markdown {
            line.push('|');
        }
        let line = line.trim_end();
        format!("{line}\n")
    }
}
