//! A viewer of a running app for the terminal: entities by a text query, the fields of one, the costs of systems, pause, steps and
//! steps back.
//!
//! Run a program with the inspector, such as `inspected`, then `cargo run --release -p ecs-examples --example inspect_terminal --
//! ADDRESS`, with the address that it prints. `-- --check` starts a game itself, presses keys without a terminal, prints the last
//! screen, and ends.

use std::error::Error;
use std::time::Duration;

use crossterm::event::{self, Event, KeyCode, KeyEventKind};
use ecs_core::inspect::{Client, ClientError};
use ratatui::backend::TestBackend;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use ratatui::widgets::{Block, Paragraph, Row, Table, TableState};
use ratatui::{DefaultTerminal, Frame, Terminal};
use serde_json::{Value, json};

const KEYS: &str = "/ query  up down  space pause  . step  , back  q quit";

struct Viewer {
    client: Client,
    query: String,
    /// The query is being typed.
    types: bool,
    chosen: usize,
    status: Value,
    found: Value,
    entity: Value,
    timings: Value,
    /// The last error since a key was pressed, shown in place of the keys.
    error: String,
}

impl Viewer {
    fn connect(address: &str) -> Result<Self, ClientError> {
        Ok(Self {
            client: Client::connect(address)?,
            query: String::new(),
            types: false,
            chosen: 0,
            status: Value::Null,
            found: Value::Null,
            entity: Value::Null,
            timings: Value::Null,
            error: String::new(),
        })
    }

    /// Asks for everything that is on the screen.
    ///
    /// # Errors
    /// If the program cannot be reached. The errors of methods are shown.
    fn refresh(&mut self) -> Result<(), ClientError> {
        self.status = self.ask("app.status", json!({"since": u32::MAX}))?;
        let find = json!({"query": self.query, "limit": 100});
        self.found = self.ask("entities.find", find)?;
        let last = self.rows().len().saturating_sub(1);
        self.chosen = self.chosen.min(last);
        self.entity = match self.rows().get(self.chosen) {
            Some(row) => {
                let entity = json!({"entity": row["entity"]});
                self.ask("entity.get", entity)?
            }
            None => Value::Null,
        };
        self.timings = self.ask("schedule.timings", json!({}))?;
        Ok(())
    }

    /// Calls a method; null if it fails.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, ClientError> {
        match self.client.call(method, params) {
            Err(ClientError::Method { message, .. }) => {
                self.error = message;
                Ok(Value::Null)
            }
            result => result,
        }
    }

    fn rows(&self) -> &[Value] {
        self.found["rows"].as_array().map_or(&[], Vec::as_slice)
    }

    /// Returns false at the end.
    fn press(&mut self, key: KeyCode) -> Result<bool, ClientError> {
        self.error.clear();
        let mut call = None;
        match key {
            KeyCode::Enter | KeyCode::Esc if self.types => self.types = false,
            KeyCode::Char(letter) if self.types => self.query.push(letter),
            KeyCode::Backspace if self.types => _ = self.query.pop(),
            KeyCode::Up => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down => self.chosen += 1,
            KeyCode::Char('/') => self.types = true,
            KeyCode::Char(' ') if self.status["paused"] == true => call = Some("app.resume"),
            KeyCode::Char(' ') => call = Some("app.pause"),
            KeyCode::Char('.') => call = Some("app.step"),
            KeyCode::Char(',') => call = Some("app.step_back"),
            KeyCode::Char('q') | KeyCode::Esc => return Ok(false),
            _ => {}
        }
        if let Some(method) = call {
            self.ask(method, json!({}))?;
        }
        self.refresh()?;
        Ok(true)
    }

    fn draw(&self, frame: &mut Frame<'_>) {
        let [top, query, middle, systems, bottom] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(3),
            Constraint::Fill(2),
            Constraint::Fill(1),
            Constraint::Length(1),
        ])
        .areas(frame.area());
        let state = match self.status["paused"].as_bool() {
            Some(true) => "paused",
            _ => "runs",
        };
        let (number, entities) = (&self.status["frame"], &self.status["entities"]);
        let line = format!("{state}  frame {number}  {entities} entities");
        frame.render_widget(Line::styled(line, Modifier::BOLD), top);

        let title = if self.types {
            "query: enter ends"
        } else {
            "query"
        };
        let text = Paragraph::new(self.query.as_str()).block(Block::bordered().title(title));
        frame.render_widget(text, query);

        let [list, detail] =
            Layout::horizontal([Constraint::Fill(3), Constraint::Fill(2)]).areas(middle);
        self.draw_rows(frame, list);
        let components = self.entity["components"].as_array().into_iter().flatten();
        let lines = components.map(|component| {
            let value = component["error"].as_str();
            let value = value.map_or_else(|| component["value"].to_string(), str::to_owned);
            Line::from(format!("{} {value}", text_of(&component["name"])))
        });
        let title = text_of(&self.entity["entity"]);
        let detail_text = Paragraph::new(lines.collect::<Vec<_>>());
        frame.render_widget(detail_text.block(Block::bordered().title(title)), detail);

        let mut timings: Vec<&Value> = self.timings.as_array().into_iter().flatten().collect();
        let mean = |timing: &Value| timing["mean_us"].as_f64().unwrap_or_default();
        timings.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
        let rows = timings.into_iter().map(|timing| {
            let micros = |key: &str| format!("{:.1}", timing[key].as_f64().unwrap_or_default());
            let name = text_of(&timing["system"]);
            Row::new([name, micros("mean_us"), micros("p99_us"), micros("max_us")])
        });
        let number = Constraint::Length(10);
        let table = Table::new(rows, [Constraint::Fill(1), number, number, number])
            .header(Row::new(["system", "mean us", "p99", "max"]).style(Modifier::BOLD))
            .block(Block::bordered().title("systems"));
        frame.render_widget(table, systems);

        let (text, style) = match self.error.lines().next() {
            Some(error) => (error, Style::new().add_modifier(Modifier::REVERSED)),
            None => (KEYS, Style::new()),
        };
        frame.render_widget(Line::styled(text, style), bottom);
    }

    /// Draws a row for each entity that was found, with a column for each component of the query.
    fn draw_rows(&self, frame: &mut Frame<'_>, area: ratatui::layout::Rect) {
        let columns = self.found["columns"].as_array();
        let columns: Vec<String> = columns.into_iter().flatten().map(text_of).collect();
        let rows = self.rows().iter().map(|row| {
            let cell = |name: &String| text_of(&row["components"][name]);
            let cells = columns.iter().map(cell);
            Row::new(std::iter::once(text_of(&row["entity"])).chain(cells))
        });
        let mut widths = vec![Constraint::Length(10)];
        widths.extend(columns.iter().map(|_| Constraint::Fill(1)));
        let head = std::iter::once("entity").chain(columns.iter().map(String::as_str));
        let head = Row::new(head).style(Modifier::BOLD);
        let count = &self.found["count"];
        let more = if count["exact"] == true {
            ""
        } else {
            " or more"
        };
        let title = format!("{} found{more}", count["at_least"]);
        let table = Table::new(rows, widths)
            .header(head)
            .row_highlight_style(Modifier::REVERSED)
            .block(Block::bordered().title(title));
        let mut state = TableState::new().with_selected(Some(self.chosen));
        frame.render_stateful_widget(table, area, &mut state);
    }
}

/// Returns a text without quotes, and other values as JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn view(address: &str) -> Result<(), Box<dyn Error>> {
    let mut viewer = Viewer::connect(address)?;
    let mut terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
    let shown = show(&mut viewer, &mut terminal);
    ratatui::restore();
    shown
}

/// Shows the program until the user ends it, and asks it ten times a second.
fn show(viewer: &mut Viewer, terminal: &mut DefaultTerminal) -> Result<(), Box<dyn Error>> {
    viewer.refresh()?;
    loop {
        terminal.draw(|frame| viewer.draw(frame))?;
        if !event::poll(Duration::from_millis(100))? {
            viewer.refresh()?;
        } else if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && !viewer.press(key.code)?
        {
            return Ok(());
        }
    }
}

fn check() -> Result<(), Box<dyn Error>> {
    let mut viewer = Viewer::connect(&ecs_examples::small_game()?)?;
    let mut terminal = Terminal::new(TestBackend::new(100, 24))?;
    viewer.refresh()?;
    viewer.press(KeyCode::Char(' '))?;
    for key in "/game.health".chars() {
        viewer.press(KeyCode::Char(key))?;
    }
    viewer.press(KeyCode::Enter)?;
    viewer.press(KeyCode::Down)?;
    let before = viewer.entity["components"].clone();
    viewer.press(KeyCode::Char('.'))?;
    assert_ne!(viewer.entity["components"], before);
    viewer.press(KeyCode::Char(','))?;
    assert_eq!(viewer.entity["components"], before);
    terminal.draw(|frame| viewer.draw(frame))?;
    let screen = terminal.backend().to_string();
    println!("{screen}");
    for seen in ["paused", "4 found", "game.health", "heal"] {
        assert!(screen.contains(seen), "no `{seen}` on the screen");
    }
    viewer.query.push('!');
    viewer.refresh()?;
    assert!(!viewer.error.is_empty());
    println!("a wrong query: {}", viewer.error);
    assert!(!viewer.press(KeyCode::Char('q'))?);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--check"] => check(),
        [address] => view(address),
        _ => Err("usage: inspect_terminal ADDRESS".into()),
    }
}
