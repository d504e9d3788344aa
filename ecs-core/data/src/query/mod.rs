//! Queries as text: `game.health, ?game.name, !game.dead, (ChildOf *)`. [`TextQuery`] documents them.
//! Several related entities are found by an [`EntityPattern`], as text or typed.

mod ast;
mod column;
mod compare;
mod compared_type;
mod error;
mod field;
mod lexer;
mod names;
mod parser;
mod pattern;
mod pattern_parser;
mod pattern_walk;
mod plan;
mod run;
mod walk;

pub use column::TextColumn;
pub use error::TextQueryError;
pub use pattern::{EntityPattern, PatternVariable};
pub use pattern_walk::{PatternMatch, PatternMatches, PatternWalk};
pub use run::{TextMatches, TextQuery};
pub use walk::{TextMatch, TextPlace, TextWalk};
