//! The names that every program needs: `use ecs_core::prelude::*;`.
//!
//! It has the traits with their derives, `#[system]`, `schedule!` and `contract!`, the [`World`], the parameters of systems, and, with the
//! feature `app`, apps, their schedules and their time. It has no name that a game is likely to use itself. Import the rest
//! by its path. The chapter `names` of the guide has the path of each name that the guide uses; the ones that are needed
//! most:
//!
//! | names | module |
//! |---|---|
//! | `not`, `every`, `in_state`, `run_once` and the other conditions | [`schedule::conditions`](crate::schedule::conditions) |
//! | `ScheduleError`, `SchedulePlan`; `State`, `NextState`, `Transitions`, `DespawnOnExit`; `fixed`, `FrameTime` | [`schedule`](mod@crate::schedule) |
//! | `First`, `Last`, `StateTransition`; `Exit`, `Clock`; `on_timer`, `once_after`, `fixed_update` | `app` |
//! | `Target`, `Targets`, `Sources`, `related!` | [`relation`](crate::relation) |
//! | `ChildOf`, `Name` | [`tree`](crate::tree) |
//! | `OnAdd`, `OnRemove` and the other events of the world, `Trigger`, `DeferredWorld` | [`world::hooks`](crate::world::hooks) |
//! | `from_fn` and `meta`; `IntoSystem`, `SystemInfo` | [`system`](mod@crate::system) |
//! | `FromWorld` | [`world`](mod@crate::world) |
//! | `ResourceMap` | [`resource`](crate::resource) |
//! | `ManyError`; `Not`, `SingleError` | [`join`](crate::join), [`query`](crate::query) |
//! | `world!`, `spawn!`, `component!`, `StaticWorld` and the rest of closed worlds | `statics` |

#[doc(inline)]
pub use ecs_engine::prelude::*;

#[cfg(feature = "app")]
#[doc(inline)]
pub use ecs_app::{
    App, AppExit, FixedUpdate, Plugin, PostUpdate, PreUpdate, RealTime, Startup, Stopwatch, Time,
    Timer, Update,
};
#[cfg(feature = "app")]
#[doc(hidden)]
pub use ecs_app::{OnEnter, OnExit};
#[cfg(feature = "app")]
#[doc(inline)]
pub use ecs_engine::schedule::FixedTime;

#[cfg(feature = "macros")]
pub use crate::__contract as contract;
#[cfg(feature = "macros")]
pub use crate::__schedule as schedule;
#[cfg(feature = "data")]
pub use ecs_data::{RowsBytes, SnapshotBytes, SnapshotterBytes, WorldData};
#[doc(hidden)]
pub use ecs_engine::tree::children;
#[cfg(feature = "macros")]
pub use ecs_macros::{
    Bundle, Component, Event, QueryData, QueryFilter, Relation, Resource, SystemParam, system,
    systems,
};
#[cfg(feature = "macros")]
#[doc(hidden)]
pub use ecs_macros::{ScheduleLabel, States, SystemSet};
