//! The inspector's page in a real browser.

#![cfg(unix)]

mod chromium;
mod entities;
mod events;
mod game;
mod look;
mod overview;
mod program;
mod record;
mod schedule;

/// The first row of the list of entities.
const FIRST_ROW: &str = "$('#list .scroll .row')";

/// Returns an expression for the text of a field's input.
fn field(id: &str) -> String {
    format!("document.getElementById({id:?}).value")
}
