//! The system parameters, one per file.

mod commands;
mod entities;
mod events;
mod local;
#[cfg(feature = "std")]
mod non_send;
mod optional;
mod param_set;
mod query;
mod removed;
mod res;
mod single;
mod view;
mod world_ref;

pub use local::{Local, TurnLocal};
pub use param_set::{ParamList, ParamSet, ParamSetGuard};
pub use world_ref::{ResourcesRef, WorldRef};
