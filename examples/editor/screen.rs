//! The screen: the picture of an outline, and the effect of each key. It needs no terminal, so that tests can press
//! keys.

use std::mem;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ecs_core::Entity;
use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Block, Paragraph, Widget};

use crate::outline::{Outline, Result};

const KEYS: &str = "\
up, down  select            a  add below     u  undo
left, right  out, in        e  edit          r  redo
K, J  move up, down         d  delete        m  mark
                                             q  quit";

pub(crate) struct Screen {
    outline: Outline,
    selected: Entity,
    /// The text being written; `None` while keys are commands.
    writing: Option<Writing>,
    message: String,
}

struct Writing {
    /// True for a new note below the selected one, false for the text of the selected note.
    is_new: bool,
    text: String,
}

impl Screen {
    pub(crate) fn new(outline: Outline) -> Self {
        Self {
            selected: outline.root(),
            outline,
            writing: None,
            message: String::new(),
        }
    }

    /// Performs the action of a key; returns false if it ends the program.
    pub(crate) fn press(&mut self, key: KeyEvent) -> bool {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if is_control && key.code == KeyCode::Char('c') {
            return false;
        }
        if self.writing.is_none() && key.code == KeyCode::Char('q') {
            return false;
        }
        let line = self.line();
        self.message = match self.act(key) {
            Ok(()) => String::new(),
            Err(error) => error.to_string(),
        };
        if !self.outline.contains(self.selected) {
            // The note is gone, so the note that took its place is selected, or the last one.
            let lines = self.outline.lines();
            self.selected = lines[line.min(lines.len() - 1)].note;
        }
        true
    }

    fn act(&mut self, key: KeyEvent) -> Result {
        if self.writing.is_some() {
            return self.write(key.code);
        }
        let note = self.selected;
        let is_shifted = key.modifiers.contains(KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Char('K') => self.outline.shift(note, false),
            KeyCode::Char('J') => self.outline.shift(note, true),
            KeyCode::Up if is_shifted => self.outline.shift(note, false),
            KeyCode::Down if is_shifted => self.outline.shift(note, true),
            KeyCode::Up => self.select(self.line().saturating_sub(1)),
            KeyCode::Down => self.select(self.line() + 1),
            KeyCode::Left => self.outline.outdent(note),
            KeyCode::Right => self.outline.indent(note),
            KeyCode::Char('a') => self.begin(true, String::new()),
            KeyCode::Char('e') => self.begin(false, self.outline.text(note)),
            KeyCode::Char('d') | KeyCode::Delete => self.outline.delete(note),
            KeyCode::Char('m') => self.outline.mark(note),
            KeyCode::Char('u') => said(self.outline.undo()?),
            KeyCode::Char('r') => said(self.outline.redo()?),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, is_new: bool, text: String) -> Result {
        self.writing = Some(Writing { is_new, text });
        Ok(())
    }

    /// Changes the text being written, or ends it.
    fn write(&mut self, key: KeyCode) -> Result {
        let Some(writing) = &mut self.writing else {
            return Ok(());
        };
        match key {
            KeyCode::Char(character) => writing.text.push(character),
            KeyCode::Backspace => drop(writing.text.pop()),
            KeyCode::Esc => self.writing = None,
            KeyCode::Enter => {
                let text = mem::take(&mut writing.text);
                match writing.is_new {
                    true => self.selected = self.outline.add(self.selected, &text)?,
                    false => self.outline.edit(self.selected, &text)?,
                }
                self.writing = None;
            }
            _ => {}
        }
        Ok(())
    }

    /// The number of the selected line.
    fn line(&self) -> usize {
        let mut lines = self.outline.lines().into_iter();
        lines
            .position(|line| line.note == self.selected)
            .unwrap_or(0)
    }

    fn select(&mut self, line: usize) -> Result {
        if let Some(line) = self.outline.lines().get(line) {
            self.selected = line.note;
        }
        Ok(())
    }

    /// Draws notes on the left, steps on the right, and keys below.
    pub(crate) fn draw(&self, area: Rect, buffer: &mut Buffer) {
        let rows = [
            Constraint::Min(3),
            Constraint::Length(1),
            Constraint::Length(4),
        ];
        let [top, message, keys] = area.layout(&Layout::vertical(rows));
        let halves = [Constraint::Percentage(50), Constraint::Percentage(50)];
        let [left, right] = top.layout(&Layout::horizontal(halves));
        self.draw_notes(left, buffer);
        self.draw_steps(right, buffer);
        let line = match &self.writing {
            Some(writing) => format!("text: {}_", writing.text),
            None => self.message.clone(),
        };
        Paragraph::new(line).render(message, buffer);
        Paragraph::new(KEYS).render(keys, buffer);
    }

    fn draw_notes(&self, area: Rect, buffer: &mut Buffer) {
        let lines = self.outline.lines().into_iter().map(|line| {
            let mut style = Style::new();
            if line.is_marked {
                style = style.add_modifier(Modifier::BOLD);
            }
            if line.note == self.selected {
                style = style.add_modifier(Modifier::REVERSED);
            }
            let indent = "  ".repeat(line.depth);
            Line::styled(format!("{indent}{}", line.text), style)
        });
        let height = area.height.saturating_sub(2);
        let hidden = (self.line() + 1).saturating_sub(height.into());
        Paragraph::new(Text::from_iter(lines))
            .block(Block::bordered().title(" Notes "))
            .scroll((hidden as u16, 0))
            .render(area, buffer);
    }

    /// Draws the descriptions of the steps; undone steps are grey.
    fn draw_steps(&self, area: Rect, buffer: &mut Buffer) {
        let (done, undone) = self.outline.steps();
        let present = done.len();
        let mut lines = Vec::new();
        let (mut heading, mut end) = (0, 0);
        for (number, step) in (1..).zip(done.iter().chain(&undone)) {
            let mut style = Style::new();
            if number > present {
                style = style.add_modifier(Modifier::DIM);
            }
            let sign = if number == present { '>' } else { ' ' };
            if number == present {
                heading = lines.len();
            }
            lines.push(Line::styled(format!("{sign} step {number}"), style));
            for line in step.to_string().lines() {
                lines.push(Line::styled(format!("    {line}"), style));
            }
            if number <= present {
                end = lines.len();
            }
        }
        let height = area.height.saturating_sub(2);
        let hidden = end.saturating_sub(height.into()).min(heading);
        Paragraph::new(Text::from(lines))
            .block(Block::bordered().title(" Steps "))
            .scroll((hidden as u16, 0))
            .render(area, buffer);
    }
}

/// Reports that there was nothing to undo or redo.
fn said(is_done: bool) -> Result {
    is_done.then_some(()).ok_or("there is no step".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses keys: signs stand for arrows and similar keys, and other characters for themselves.
    fn press(screen: &mut Screen, keys: &str) {
        for key in keys.chars() {
            let code = match key {
                '^' => KeyCode::Up,
                'v' => KeyCode::Down,
                '<' => KeyCode::Left,
                '>' => KeyCode::Right,
                '\n' => KeyCode::Enter,
                '\x1b' => KeyCode::Esc,
                '\x08' => KeyCode::Backspace,
                key => KeyCode::Char(key),
            };
            assert!(screen.press(code.into()));
        }
    }

    fn drawn(screen: &Screen) -> Buffer {
        let area = Rect::new(0, 0, 70, 16);
        let mut buffer = Buffer::empty(area);
        screen.draw(area, &mut buffer);
        buffer
    }

    /// Returns the notes on the screen, with the selected one in brackets and marked ones with a star.
    fn notes(screen: &Screen) -> Vec<String> {
        let buffer = drawn(screen);
        let mut lines = Vec::new();
        for y in 1..10 {
            let cells: Vec<_> = (1..34).map(|x| &buffer[(x, y)]).collect();
            let text: String = cells.iter().map(|cell| cell.symbol()).collect();
            if text.trim().is_empty() {
                break;
            }
            let has = |style| cells.iter().any(|cell| cell.modifier.contains(style));
            let star = if has(Modifier::BOLD) { "*" } else { "" };
            lines.push(match has(Modifier::REVERSED) {
                true => format!("[{}{star}]", text.trim_end()),
                false => format!("{}{star}", text.trim_end()),
            });
        }
        lines
    }

    fn text(screen: &Screen) -> String {
        let buffer = drawn(screen);
        let symbols = buffer.content().iter().map(|cell| cell.symbol());
        symbols.collect()
    }

    /// Returns an outline of three notes: the first one is selected and has the other two below it.
    fn screen() -> Screen {
        let mut screen = Screen::new(Outline::new());
        press(&mut screen, "ahome\naroof\n^adoor\n^^");
        screen
    }

    #[test]
    fn keys_change_what_is_selected() {
        let mut screen = screen();
        assert_eq!(
            notes(&screen),
            ["outline", "[  home]", "    roof", "    door"]
        );
        press(&mut screen, "vve!\x08s\n");
        assert_eq!(
            notes(&screen),
            ["outline", "  home", "    roof", "[    doors]"]
        );
        press(&mut screen, "Km");
        assert_eq!(
            notes(&screen),
            ["outline", "  home", "[    doors*]", "    roof"]
        );
        press(&mut screen, "J<");
        assert_eq!(
            notes(&screen),
            ["outline", "  home", "    roof", "[  doors*]"]
        );
        press(&mut screen, ">^");
        assert_eq!(
            notes(&screen),
            ["outline", "  home", "[    roof]", "    doors*"]
        );
        press(&mut screen, "axyz\x1b");
        assert_eq!(notes(&screen).len(), 4, "Esc adds nothing");
        press(&mut screen, "d");
        assert_eq!(notes(&screen), ["outline", "  home", "[    doors*]"]);
        press(&mut screen, "^d");
        assert_eq!(notes(&screen), ["[outline]"]);
    }

    #[test]
    fn each_step_is_undone_and_redone_on_the_screen() {
        let mut screen = Screen::new(Outline::new());
        let steps = [
            "ahome\n", "aroof\n", "^adoor\n", "K", "<", "eDoor\n", ">", "^^d",
        ];
        let mut pictures = Vec::new();
        for step in steps {
            pictures.push(screen.outline.lines());
            press(&mut screen, step);
        }
        let end = screen.outline.lines();
        assert!(text(&screen).contains("> step 8"));
        for picture in pictures.iter().rev() {
            press(&mut screen, "u");
            assert_eq!(&screen.outline.lines(), picture);
            assert!(notes(&screen).iter().any(|line| line.starts_with('[')));
        }
        press(&mut screen, "u");
        assert!(text(&screen).contains("there is no step"));
        for picture in pictures[1..].iter().chain([&end]) {
            press(&mut screen, "r");
            assert_eq!(&screen.outline.lines(), picture);
        }
    }

    #[test]
    fn what_is_impossible_is_said_and_changes_nothing() {
        let mut screen = screen();
        for (keys, message) in [
            ("^d", "the outline stays"),
            ("<", "the outline stays where it is"),
            ("v>", "there is no note before it"),
        ] {
            press(&mut screen, keys);
            assert!(text(&screen).contains(message), "{message}");
            assert_eq!(screen.outline.lines().len(), 4);
        }
        assert!(!screen.press(KeyCode::Char('q').into()));
        press(&mut screen, "a");
        assert!(screen.press(KeyCode::Char('q').into()), "it is a letter");
        let stop = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert!(!screen.press(stop));
    }

    #[test]
    fn a_long_outline_is_scrolled_to_what_is_selected() {
        let mut screen = Screen::new(Outline::new());
        for n in 0..30 {
            press(&mut screen, &format!("anote {n}\n^{}", "^".repeat(n)));
        }
        assert!(text(&screen).contains("note 3"));
        press(&mut screen, &"v".repeat(30));
        assert!(text(&screen).contains("note 29"));
        assert!(!text(&screen).contains("outline"));
    }
}
