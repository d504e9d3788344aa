//! A world is data: components have names, and are looked at, saved, loaded and cloned.
//!
//! The feature `data` of `ecs-core` re-exports this crate as `ecs_core::data`.
//!
//! A [`Value`] is data of any type: a tree of numbers, texts, lists and maps, as JSON, RON and MessagePack have them.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod codec;
mod saved;
mod value;

pub use codec::{DecodeError, EncodeError};
pub use value::Value;

/// What generated code names.
#[doc(hidden)]
pub mod __private {
    pub use crate::saved::{Migration, Saved};
}
