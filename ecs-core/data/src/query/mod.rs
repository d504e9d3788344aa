//! Queries as text: `game.health, ?game.name, !game.dead, (ChildOf *)`. [`TextQuery`] documents them.

mod ast;
mod compare;
mod error;
mod lexer;
mod names;
mod parser;
mod plan;
mod run;

pub use error::TextQueryError;
pub use run::{TextMatch, TextMatches, TextQuery};
