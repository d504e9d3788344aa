//! Worlds and schedules that are planned at compile time.

mod static_model;
mod static_schedule;
pub mod static_world;
