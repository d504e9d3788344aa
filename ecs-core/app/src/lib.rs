//! Apps made of plugins, named schedules, states and time; part of `ecs-core`, which re-exports it as `ecs_core::app` with the
//! feature `app`.
//!
//! An [`App`] is a world and the schedules that run on it. [Plugins](Plugin) add systems to them, by [label](Update), and need
//! not know each other. It builds on `ecs_core::schedule`, and a program without an app pays nothing.
//!
//! | item | meaning |
//! |---|---|
//! | [`App`], [`Plugin`] | a program and its parts |
//! | [`Startup`], [`Update`], [`FixedUpdate`] and the others | the names of its schedules |
//! | [`AppError`], [`AppPlan`] | its mistakes and its plans, before its first frame |
//! | `AppSnapshot` | a copy of it, to which it returns (feature `snapshot`) |
//! | `AppFrames`, `AppSteps` | its frames, or its fixed steps, as a rollback runs them (feature `data`) |
//! | [`Exit`], [`AppExit`] | its end |
//! | [`FrameMoment`], [`FramePanic`], [`HookResult`] | what its hooks see and return |
//! | [`Time`], [`RealTime`] | the time of the game, and of the wall clock, as resources |
//! | [`Clock`] | the clock that measures frames: the system's, one that a test advances, or one of equal frames |
//! | [`fixed_update`] | a schedule at a fixed rate, whose systems see the time of the steps as `Time` |
//! | `Autosave`, `Saves` | saves in the background (feature `data`) |
//! | [`Timer`], [`Stopwatch`] | plain values that count time, for fields of components and resources |
//! | `script` | `async` functions that wait for frames, time, events and conditions (feature `scripts`) |
//! | [`on_timer`], [`once_after`] | conditions for [`run_if`](ecs_engine::IntoConfigs::run_if) |

// The documentation of `App` has its methods in the order of these modules.
mod app;

mod systems;

mod plugin;

mod run;

mod update;

mod door;

mod pause;

mod states;

#[cfg(feature = "snapshot")]
mod snapshot;

#[cfg(feature = "data")]
mod rollback;

mod access;
#[cfg(feature = "data")]
mod autosave;
mod build;
mod built;
mod clock;
mod conditions;
#[cfg(feature = "snapshot")]
mod data;
mod error;
mod exit;
mod fixed;
mod frame_panic;
mod hooks;
mod labels;
mod lists;
mod measure;
mod other_names;
mod plugins;
#[cfg(feature = "data")]
mod prefab_watch;
mod progress;
mod real_time;
#[cfg(feature = "data")]
mod saved_time;
#[cfg(feature = "data")]
mod saves;
#[cfg(feature = "scripts")]
pub mod script;
mod stopwatch;
mod time;
mod timer;
#[cfg(feature = "data")]
mod watched_prefabs;

pub use app::App;
#[cfg(feature = "data")]
pub use autosave::Autosave;
pub use build::AppPlan;
pub use clock::{Clock, ManualClock};
pub use conditions::{on_timer, once_after};
pub use error::{AppError, Problem};
pub use exit::{AppExit, Exit};
pub use fixed::fixed_update;
pub use frame_panic::FramePanic;
pub use hooks::{FrameMoment, HookResult};
pub use labels::{
    First, FixedUpdate, Last, PostUpdate, PreUpdate, Startup, StateTransition, Update,
};
#[doc(hidden)]
pub use other_names::{OnEnter, OnExit};
pub use plugin::Plugin;
#[cfg(feature = "data")]
pub use prefab_watch::PrefabWatch;
pub use real_time::RealTime;
#[cfg(feature = "data")]
pub use rollback::{AppFrames, AppSteps};
#[cfg(feature = "data")]
pub use saves::Saves;
#[cfg(feature = "snapshot")]
pub use snapshot::{AppSnapshot, AppSnapshotError};
#[cfg(feature = "data")]
pub use snapshot::{ReadAppSnapshotError, RestoreBytesError};
pub use stopwatch::Stopwatch;
pub use time::Time;
pub use timer::Timer;
#[cfg(feature = "data")]
pub use watched_prefabs::{PrefabFileError, PrefabFileProblem, PrefabReload, WatchedPrefabs};
