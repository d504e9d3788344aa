//! The places of types in a parameter: `#[system]` writes each type that a parameter names as its `Type` in its place, which is
//! the type itself. So a wrong type is one error, shown at its own tokens.

use crate::component::{self, TrackedComponent};
use crate::query::{self, QueryData, QueryFilter, ReadOnlyQueryData};
use crate::relation::ToOne;
use crate::resource;
use crate::toggle::ToggleComponent;
use crate::world::FromWorld;

macro_rules! places {
    ($($(#[$attribute:meta])* $name:ident: $($bound:path),+;)+) => {$(
        $(#[$attribute])*
        pub trait $name {
            /// The type itself.
            type Type;
        }

        impl<T: $($bound +)+ Sized> $name for T {
            type Type = T;
        }
    )+};
}

places! {
    /// A component, in a view, behind a reference, or in a filter.
    Component: component::Component;
    /// A component whose changes are tracked.
    Tracked: TrackedComponent;
    /// A component with a toggle.
    Toggle: ToggleComponent;
    /// A resource.
    Resource: resource::Resource;
    /// A part of the data of a query.
    Data: QueryData;
    /// A part of the data of a query that only reads.
    ReadOnlyData: QueryData, ReadOnlyQueryData;
    /// A filter of a query.
    Filter: QueryFilter;
    /// A filter that is negated.
    NegatableFilter: query::NegatableFilter;
    /// A relation to one target.
    ToOneTarget: ToOne;
    /// The value of a `Local`.
    Local: FromWorld;
}
