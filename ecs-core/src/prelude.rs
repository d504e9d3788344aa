//! The names that most programs import: `use ecs_core::prelude::*;`.

#[doc(inline)]
pub use ecs_engine::prelude::*;

#[cfg(feature = "macros")]
pub use crate::__schedule as schedule;
#[cfg(all(feature = "macros", feature = "statics"))]
pub use crate::statics::{add_entity, component, component_mut, spawn, world};
#[cfg(feature = "macros")]
pub use ecs_macros::{
    Bundle, Component, QueryData, QueryFilter, Relation, Resource, SystemParam, system, systems,
};
#[cfg(feature = "statics")]
#[doc(inline)]
pub use ecs_statics::{ComponentOf, StaticWorld};
