//! The system parameters, one a file.

mod commands;
mod entities;
mod events;
mod local;
mod non_send;
mod one_type;
mod param_set;
mod query;
mod removed;
mod res;
mod tuple;
mod view;
mod world_ref;

pub use local::{FromWorld, Local};
pub use one_type::OneType;
pub use param_set::{ParamList, ParamSet, Slots};
pub use world_ref::{ResourcesRef, WorldRef};
