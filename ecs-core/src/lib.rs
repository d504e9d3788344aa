//! ecs-core.

// Lets the macros' `::ecs_core` paths work inside this crate too.
extern crate self as ecs_core;

mod borrow;
mod hash;

pub mod bundle;
pub mod component;
pub mod entity;
pub mod meta;
pub mod resource;
pub mod system;
pub mod world;

pub use component::Component;
pub use entity::Entity;
pub use resource::{Res, ResMut, Resource, ResourceMap};
pub use world::World;
