//! Words for "who touches what", known while compiling.
//!
//! A type has an [`Identity`], a parameter an access [`Tree`] made of them, a system a [`SystemMeta`] made of trees.
//! Everything here is `const` data without any engine inside: it can be read in a `const`, printed in documentation
//! and compared by a checker before a world exists.

mod access;
mod conflict;
mod ident;
mod system_meta;

pub use access::{Access, Domain, Kind, Terms, Tree};
pub use conflict::{Conflict, Overlap, conflicts, overlap};
pub use ident::{Ident, Identity};
pub use system_meta::{AccessIter, ParamInfo, SystemMeta};
