//! Filters that decide which entities are part of a snapshot.

use crate::join::Filter;
use crate::query::QueryFilter;
use crate::storage::IsPart;

/// Returns a function that returns true for the tables whose entities a filter matches, disabled ones too.
///
/// Does not compile if the filter depends on more than tables.
pub(super) fn table_filter<F: QueryFilter>() -> IsPart {
    const {
        assert!(
            !<F::Filter<'static> as Filter<'static>>::BY_ENTITY
                && !<F::Filter<'static> as Filter<'static>>::SKIPS
                && !<F::Filter<'static> as Filter<'static>>::ROWS,
            "only components in tables decide which entities are part of a snapshot, by `With`, `Without`, `Or` and `Not`"
        );
    }
    |storage, table| {
        // SAFETY: it was just asserted that the filter tests tables only, so it reads no ticks and no values, and the
        // components of a table never change.
        unsafe { F::filter(storage, storage.clock.exclusive()) }.table(table)
    }
}
