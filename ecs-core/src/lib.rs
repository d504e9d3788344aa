//! ecs-core.

// Lets the macros' `::ecs_core` paths work inside this crate too.
#[allow(
    unused_extern_crates,
    reason = "only expansions of our own macros use it"
)]
extern crate self as ecs_core;

mod borrow;
mod hash;

pub mod bundle;
pub mod command;
pub mod component;
pub mod entity;
pub mod event;
pub mod join;
pub mod meta;
pub mod prelude;
pub mod query;
pub mod resource;
pub mod schedule;
mod storage;
pub mod system;
#[cfg(test)]
mod test_components;
pub mod view;
pub mod world;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

#[cfg(feature = "macros")]
pub use ecs_macros::{Bundle, Component, Resource, system};

pub use bundle::Bundle;
pub use command::{CommandQueue, Commands, EntityCommands};
pub use component::Component;
pub use entity::Entity;
pub use event::{EventReader, EventWriter, Events};
pub use join::Join;
pub use query::{Or, Query, QueryData, QueryFilter, With, Without};
pub use resource::{Res, ResMut, Resource, ResourceMap};
pub use schedule::{IntoConfigs, Schedule};
pub use system::{
    FromWorld, IntoCondition, IntoSystem, Local, SystemInfo, SystemParam, inner, meta,
};
pub use view::{Comp, CompMut, Entities};
pub use world::World;
