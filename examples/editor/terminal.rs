//! The screen in a terminal.

use std::io::IsTerminal;

use crossterm::event::{self, Event, KeyEventKind};
use ratatui::DefaultTerminal;

use crate::outline::Result;
use crate::screen::Screen;

/// Shows the screen until the user ends the program. Restores the terminal on return, after an error, and on panic.
pub(crate) fn edit(mut screen: Screen) -> Result {
    if !std::io::stdin().is_terminal() || !std::io::stdout().is_terminal() {
        return Err("there is no terminal; help: run it without `--edit`".into());
    }
    let mut terminal = ratatui::try_init().inspect_err(|_| ratatui::restore())?;
    let end = edit_on(&mut terminal, &mut screen);
    ratatui::restore();
    end
}

fn edit_on(terminal: &mut DefaultTerminal, screen: &mut Screen) -> Result {
    loop {
        terminal.draw(|frame| screen.draw(frame.area(), frame.buffer_mut()))?;
        if let Event::Key(key) = event::read()?
            && key.kind != KeyEventKind::Release
            && !screen.press(key)
        {
            return Ok(());
        }
    }
}
