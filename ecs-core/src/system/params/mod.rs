//! The system parameters, one a file.

mod commands;
mod entities;
mod events;
mod local;
mod query;
mod res;
mod tuple;
mod view;
mod world_ref;

pub use local::{FromWorld, Local};
pub use world_ref::{ResourcesRef, WorldRef};
