//! The methods of `World` that make queries.

use super::{Query, QueryData, QueryFilter};
use crate::world::{BorrowError, World};

impl World {
    /// Queries the entities that have the components of `D`.
    ///
    /// # Panics
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it.
    #[track_caller]
    #[must_use]
    pub fn query<D: QueryData>(&self) -> Query<'_, D> {
        self.query_filtered()
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`.
    ///
    /// # Panics
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it;
    /// [`try_query_filtered`](Self::try_query_filtered) returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn query_filtered<D: QueryData, F: QueryFilter>(&self) -> Query<'_, D, F> {
        self.try_query_filtered()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Queries the entities that have the components of `D` and pass the filter `F`.
    ///
    /// # Errors
    /// If a component is borrowed elsewhere in a conflicting way, or `D` names one twice and writes it.
    pub fn try_query_filtered<D: QueryData, F: QueryFilter>(
        &self,
    ) -> Result<Query<'_, D, F>, BorrowError> {
        Query::lock(&self.storage, None)
    }
}
