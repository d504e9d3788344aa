//! Queries as text: `game.health, ?game.name, !game.dead, (ChildOf *)`. What they are is said at [`TextQuery`].

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
