//! Apps made of plugins, named schedules, states and time; part of `ecs-core`, which re-exports it as `ecs_core::app` with the
//! feature `app`.
//!
//! An [`App`] is a world and the schedules that run on it. [Plugins](Plugin) add systems to them, by [label](Update), and need
//! not know of each other. [`Time`], [`Timer`] and [`Stopwatch`] measure what frames take, by a [`Clock`] that can be replaced.
//! Everything stands on `ecs_core::schedule`, and a program without an app pays nothing.

mod app;
mod build;
mod clock;
mod error;
mod exit;
mod labels;
mod lists;
mod measure;
mod plugin;
mod run;
mod states;
mod time;
mod timer;
mod update;

pub use app::App;
pub use build::AppPlan;
pub use clock::Clock;
pub use error::{AppError, Problem};
pub use exit::{AppExit, Exit};
pub use labels::{
    First, FixedUpdate, Last, PostUpdate, PreUpdate, Startup, StateTransition, Update,
};
pub use plugin::Plugin;
pub use time::{RealTime, Time};
