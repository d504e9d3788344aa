//! A world is data: components have names, and are looked at, saved, loaded and cloned.
//!
//! The feature `data` of `ecs-core` re-exports this crate as `ecs_core::data`.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod query;
mod saved;

pub use query::{TextMatch, TextMatches, TextQuery, TextQueryError};

/// What generated code names.
#[doc(hidden)]
pub mod __private {
    pub use crate::saved::{Migration, Saved};
}
