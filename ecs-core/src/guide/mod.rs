//! A guide in chapters, from ids to schedules. Every program in it is compiled and run as a test.
//!
//! * [Ids](ids): what an [`Entity`](crate::Entity) is, and how long it is valid.
//! * [Storages](storages): tables and sparse sets, and how to choose; the order of rows, and memory.
//! * [Views and joins](views_and_joins): reading and writing components.
//! * [Groups](groups): sparse components that are read together.
//! * [One and all the rest](one_and_the_rest): mutable access to several entities at the same time.
//! * [Change tracking](change_tracking): which values were added, changed or removed.
//! * [Relations](relations): parents and children, and other edges between entities.
//! * [Systems](systems): functions that borrow what they need.
//! * [Schedules](schedules): systems in order, in sets, under conditions, at a fixed rate.
//! * [States](states): menus, levels and pauses, and systems that run when they change.
#![cfg_attr(
    feature = "app",
    doc = "* [Time](time): frames, fixed steps, pauses, timers, and clocks for tests."
)]
//! * [Observers and hooks](observers): functions that are called when something happens.
//! * [Static worlds](static_worlds): closed worlds, in which nothing is looked up by type.
//! * [Without the standard library](no_std): microcontrollers, WebAssembly, and what needs an operating system.
#![cfg_attr(
    feature = "containers",
    doc = "* [Containers](containers): values by id and by index, without a world."
)]

#[doc = include_str!("ids.md")]
pub mod ids {}

#[doc = include_str!("storages.md")]
pub mod storages {}

#[doc = include_str!("views_and_joins.md")]
pub mod views_and_joins {}

#[doc = include_str!("groups.md")]
pub mod groups {}

#[doc = include_str!("one_and_the_rest.md")]
pub mod one_and_the_rest {}

#[doc = include_str!("change_tracking.md")]
pub mod change_tracking {}

#[doc = include_str!("relations.md")]
pub mod relations {}

#[doc = include_str!("systems.md")]
pub mod systems {}

#[doc = include_str!("schedules.md")]
pub mod schedules {}

#[doc = include_str!("states.md")]
pub mod states {}

#[cfg(feature = "app")]
#[doc = include_str!("time.md")]
pub mod time {}

#[doc = include_str!("observers.md")]
pub mod observers {}

#[doc = include_str!("static_worlds.md")]
pub mod static_worlds {}

#[doc = include_str!("no_std.md")]
pub mod no_std {}

#[cfg(feature = "containers")]
#[doc = include_str!("containers.md")]
pub mod containers {}
