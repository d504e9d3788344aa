//! The engine of `ecs-core`. Depend on that crate instead: it re-exports this one, with the macros and the guide.
//!
//! A package of its own so that it compiles in parallel with the macros; neither depends on the other.
//!
//! # Features
//! `ecs-core` has the same features, and documents them.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]
#![cfg_attr(
    not(feature = "data"),
    allow(
        dead_code,
        unreachable_pub,
        reason = "some methods are for saves, moves and snapshots alone; a build with all features finds unused code"
    )
)]

#[macro_use]
extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

// Lets the macros' `::ecs_core` paths work in tests of this crate.
#[cfg(test)]
extern crate self as ecs_core;

mod bits;
mod borrow;
mod by_type;
mod bytes;
mod clock;
#[doc(hidden)]
pub mod data_type;
mod due_queue;
mod edit_distance;
mod fail;
mod graph;
mod guarded;
mod hash;
mod invariant;
mod log;
mod numbered_list;
mod other_names;
#[cfg(feature = "data")]
mod saved_form;
mod sort;
mod sync;
mod thread_safe;
mod tuples;
mod type_name;
mod unwind;
#[doc(hidden)]
pub mod value_codec;

// The documentation of a type has its methods in the order of modules, so these are first.
pub mod world;

pub mod view;

pub mod query;

pub mod bundle;
pub mod command;
pub mod component;
pub mod dynamic;
pub mod entity;
pub mod event;
pub mod join;
pub mod meta;
pub mod prelude;
pub mod relation;
pub mod resource;
#[cfg(feature = "data")]
pub mod rows;
pub mod schedule;
#[cfg(feature = "snapshot")]
pub mod snapshot;
#[cfg(feature = "data")]
#[doc(hidden)]
pub mod staging;
mod storage;
pub mod system;
pub mod task;
#[cfg(test)]
mod test_components;
#[cfg(test)]
mod test_random;
mod tick;
pub mod toggle;
pub mod tree;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use bundle::Bundle;
#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown"))]
pub use clock::host::set_host_clock;
pub use command::{CommandQueue, Commands, EntityCommands};
pub use component::{Component, Disabled, ImmediateComponent, Mut, SparseComponent};
pub use entity::Entity;
pub use event::{EventReader, EventWriter, Events};
pub use join::{Join, JoinMut, ManyError};
pub use query::{
    Added, Changed, Mutated, Or, Query, QueryData, QueryFilter, Single, SingleError, With, Without,
};
pub use relation::Relation;
#[cfg(feature = "std")]
pub use resource::{NonSend, NonSendMut};
pub use resource::{Res, ResMut, Resource, ResourceMap};
pub use schedule::{IntoConfigs, Schedule, ScheduleError};
pub use system::{
    IntoCondition, IntoSystem, Local, ParamSet, SharedParam, SystemInfo, SystemParam, from_fn,
    inner, meta, observer,
};
pub use tick::Tick;
pub use view::{Comp, CompMut, Entities, Removed};
pub use world::{FromWorld, Layout, World};
