//! Queries: a join named by its types, `Query<(&mut Position, &Velocity), With<Player>>`.
//!
//! [`join`](crate::join) does the walk; this module translates types to fetches and filters, and holds the run-time borrows.

// The documentation of a type has its methods in the order of these modules.
mod handle;

mod world_ext;

mod any;
mod bulk;
mod data;
mod entity_data;
mod filter;
mod locks;
mod not;
mod object_list;
mod objects;
mod present;
#[cfg(test)]
mod shape_tests;
mod shapes;
mod single;
mod sort_rows;
mod sorted;
mod structs;
#[cfg(test)]
mod tests;

pub use data::{QueryData, ReadOnlyQueryData};
pub use filter::{Added, AndDisabled, Changed, Mutated, Or, QueryFilter, With, Without};
pub use handle::{Item, Query, ReadItem};
#[doc(hidden)]
pub use not::NegatableAlternatives;
pub use not::{NegatableFilter, Not};
pub use object_list::{AsObject, TraitObject};
#[doc(hidden)]
pub use object_list::{ObjectList, ObjectType};
pub use objects::{All, AllMut, ObjectIter, ObjectIterMut, One, OneMut};
pub use shapes::{QueryOld, QueryRest};
pub use single::{Single, SingleError};
pub use sort_rows::SortProgress;
#[doc(hidden)]
pub use sorted::SortOrder;
pub use structs::{
    DataStruct, FieldsOf, FilterStruct, ItemOf, ReadOnlyStruct, SameData, StructFetch, StructFilter,
};

#[doc(inline)]
pub use crate::__queryable as queryable;
pub use crate::join::{Any, AnyMembers};
