//! Queries whose terms are known at run time only.

mod candidates;
mod matches;
mod plan;
mod term;
mod walk;

pub use matches::{MatchMut, MatchRef, MatchRows, Matches};
pub use plan::{DynamicQuery, QueryError};
pub use term::Term;
pub use walk::{RowPlace, RowWalk};
