//! Errors of the containers by id.

use core::error::Error;
use core::fmt;

use crate::Id;

/// The error if not all values can be returned; see [`Arena::get_many_mut`](crate::Arena::get_many_mut).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManyError {
    /// An id finds no value.
    Missing {
        /// The id.
        id: Id,
    },
    /// An id is listed twice.
    Duplicate {
        /// The id.
        id: Id,
    },
}

impl fmt::Display for ManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { id } => write!(
                f,
                "id {id} finds no value; help: check `contains` first, or forget the id when its value is removed"
            ),
            Self::Duplicate { id } => write!(
                f,
                "id {id} is listed twice; help: list each id once; two `&mut` to one value cannot exist"
            ),
        }
    }
}

impl Error for ManyError {}

/// The error if an id is older than the last one at its index; see
/// [`GenerationalVec::insert`](crate::GenerationalVec::insert). It returns the value that was not inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StaleId<T> {
    /// The id.
    pub id: Id,
    /// The newer id.
    pub newer: Id,
    /// The value.
    pub value: T,
}

// Without the value, so that the error can be unwrapped for each type of values.
impl<T> fmt::Debug for StaleId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StaleId")
            .field("id", &self.id)
            .field("newer", &self.newer)
            .finish_non_exhaustive()
    }
}

impl<T> fmt::Display for StaleId<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, newer, .. } = self;
        write!(
            f,
            "id {id} is stale: id {newer} was inserted at its index; help: check that the id is alive where it was issued"
        )
    }
}

impl<T> Error for StaleId<T> {}
