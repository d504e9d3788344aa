//! Words for "who touches what", known while compiling.
//!
//! A type has an [`ConstTypeIdOf`], a parameter an access [`ParamAccess`] made of them, a system a [`SystemMeta`] made of trees.
//! Everything here is `const` data without any engine inside: it can be read in a `const`, printed in documentation
//! and compared by a checker before a world exists.

mod access;
mod compare;
mod condition_meta;
mod conflict;
mod ident;
mod message;
mod reach;
mod refuse;
mod side;
mod system_meta;
mod verdict;

pub use access::{Access, Domain, Kind, ParamAccess, QueryAccess};
pub use condition_meta::ConditionMeta;
pub(crate) use conflict::conflict_in_const;
pub use conflict::{
    Conflict, Overlap, between, conflicts, may_conflict, overlap, params_compatible,
    params_compatible_in_const, self_compatible, self_compatible_in_const,
};
pub use ident::{ConstTypeId, ConstTypeIdOf};
pub(crate) use message::{Message, verb};
pub use refuse::refuse_conflict;
pub(crate) use side::Side;
pub use system_meta::{AccessIter, ParamInfo, ParamType, SystemMeta};
pub use verdict::Compatibility;

#[cfg(test)]
mod tests;
