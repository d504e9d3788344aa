//! Queries whose terms are known at run time only.

mod candidates;
mod matches;
mod plan;
mod term;
#[cfg(test)]
mod tests;

pub use matches::{MatchMut, MatchRef, Matches};
pub use plan::{DynamicQuery, QueryError};
pub use term::Term;
