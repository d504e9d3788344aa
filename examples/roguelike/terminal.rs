//! The game in a terminal.

use std::io::IsTerminal;

use crossterm::event::{self, Event, KeyCode, KeyEventKind, KeyModifiers};
use ecs_examples::roguelike::{Direction, Failure, Game, Key, draw_game, draw_help};
use ratatui::DefaultTerminal;

/// Plays until the player quits.
///
/// Restores the terminal on return, after an error, and on panic.
pub(crate) fn play(mut game: Game) -> Result<(), Failure> {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err(Failure::NoTerminal);
    }
    let mut terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
    let end = play_on(&mut terminal, &mut game);
    ratatui::restore();
    if end.is_ok() {
        game.save_to_slot();
        game.finish_saves()?;
    }
    end
}

fn play_on(terminal: &mut DefaultTerminal, game: &mut Game) -> Result<(), Failure> {
    let mut help = false;
    loop {
        terminal.draw(|frame| {
            let area = frame.area();
            draw_game(area, frame.buffer_mut(), game.world());
            if help {
                draw_help(area, frame.buffer_mut());
            }
        })?;
        let Some(key) = read_key()? else { continue };
        match key {
            Key::Quit => return Ok(()),
            Key::Help => help = !help,
            _ => {
                help = false;
                game.press(key)?;
            }
        }
    }
}

/// Waits for an event; `None` if it is not a key of the game.
fn read_key() -> std::io::Result<Option<Key>> {
    let Event::Key(key) = event::read()? else {
        return Ok(None);
    };
    if key.kind == KeyEventKind::Release {
        return Ok(None);
    }
    Ok(match key.code {
        KeyCode::Left => Some(Key::Walk(Direction::Left)),
        KeyCode::Down => Some(Key::Walk(Direction::Down)),
        KeyCode::Up => Some(Key::Walk(Direction::Up)),
        KeyCode::Right => Some(Key::Walk(Direction::Right)),
        KeyCode::Char(character) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            (character == 'c').then_some(Key::Quit)
        }
        KeyCode::Char(character) => Key::from_char(character),
        _ => None,
    })
}
