//! Support for generated code, and for the macros that are written `name!(..)`.
//!
//! Not part of the public interface.

pub use ecs_engine::__private::*;
#[cfg(feature = "macros")]
pub use ecs_macros::{inline_system, schedule, spawn, world};
