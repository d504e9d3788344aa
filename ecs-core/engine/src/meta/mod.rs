//! Constant descriptions of the access of systems.
//!
//! A type has a [`ConstTypeIdOf`], a parameter a [`ParamAccess`] built of them, a system a [`SystemMeta`] built of
//! these. Everything here is `const` data without any engine code: it can be read in a `const`, printed in
//! documentation and compared by a checker before a world exists.

mod access;
mod compare;
mod compatibility;
mod components;
mod condition_meta;
mod conflict;
mod contract;
mod data_list;
mod determinism;
mod effect;
mod ident;
mod lines;
mod message;
mod module_path;
mod owner;
mod reach;
mod refuse;
mod side;
mod system_meta;
mod touched;
mod walk;
#[cfg(feature = "snapshot")]
mod written;

pub use access::{Access, Domain, Kind, ParamAccess, QueryAccess};
pub use compatibility::{Compatibility, Overlap};
pub use components::Components;
pub use condition_meta::ConditionMeta;
pub use conflict::{
    Conflict, conflicts, may_conflict, overlap, params_compatible, self_compatible,
    systems_compatible,
};
pub(crate) use conflict::{conflict_in_const, terms_compatible};
#[doc(hidden)]
pub use conflict::{params_compatible_in_const, self_compatible_in_const};
#[doc(hidden)]
pub use contract::{CrateContract, DeclaredAccess, RuledData, SystemRules, WriteRule};
#[doc(hidden)]
pub use data_list::{
    Accessing, ComponentEntry, DataList, DataSearch, FirstPairs, HiddenList, HidesData, LackOf,
    ListEnd, NeedOf, NoSearch, NumberZero, ReadOf, ResourceEntry, Unfiltered, WriteOf, meet,
};
pub use effect::WriteEffect;
#[doc(hidden)]
pub use ident::Argument;
pub use ident::{ConstTypeId, ConstTypeIdOf};
pub(crate) use message::{Message, kind_word};
#[doc(hidden)]
pub use module_path::assert_modules;
pub(crate) use owner::{ForeignWrite, refuse_forbidden};
#[doc(hidden)]
pub use refuse::refuse_immutable;
pub use refuse::{ShownByTypes, refuse_conflict, refuse_field_conflict};
pub(crate) use refuse::{
    never_aliases, refuse_aliasing, refuse_aliasing_by_type, refuse_call, refuse_immutable_in,
    refuse_more_than_resources,
};
pub(crate) use side::Side;
pub use system_meta::{AccessIter, ParamInfo, ParamType, SystemMeta};
pub(crate) use walk::{AccessLeaf, AccessLeaves};
#[cfg(feature = "snapshot")]
pub(crate) use written::WriteSet;

#[cfg(test)]
mod tests;
