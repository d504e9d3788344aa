//! Support for generated code, and for the macros that are written `name!(..)`.
//!
//! Not part of the public interface.

pub use ecs_engine::__private::*;
#[cfg(feature = "macros")]
pub use ecs_macros::schedule;
#[cfg(all(feature = "macros", feature = "statics"))]
pub use ecs_macros::{inline_system, spawn, world};
#[cfg(feature = "statics")]
pub use ecs_statics::{
    ClosedSystems, ComponentOf, NoComponent, NotListed, OpenSystems, Pages, StaticWorld,
};
