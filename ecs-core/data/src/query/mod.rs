//! Queries as text: `game.health, ?game.name, !game.dead, (ChildOf *)`. [`TextQuery`] documents them.

mod ast;
mod column;
mod compare;
mod compared_type;
mod error;
mod field;
mod lexer;
mod names;
mod parser;
mod plan;
mod run;
mod walk;

pub use column::TextColumn;
pub use error::TextQueryError;
pub use run::{TextMatches, TextQuery};
pub use walk::{TextMatch, TextPlace, TextWalk};
