//! A guide in chapters. Every program in it is compiled and run as a test.
//!
//! # Start here
//! * [Systems](systems): functions that borrow components and resources.
#![cfg_attr(
    feature = "app",
    doc = "* [Apps and plugins](app): where startup, frames, fixed steps and states meet; errors, and the loops of windows."
)]
#![cfg_attr(
    feature = "app",
    doc = "* [Coming from another library](coming_from): bevy, specs, hecs, flecs and EnTT, side by side."
)]
#![cfg_attr(
    all(
        feature = "app",
        feature = "containers",
        feature = "data",
        feature = "index",
        feature = "inspector",
        feature = "net",
        feature = "record",
        feature = "scripts",
        feature = "statics"
    ),
    doc = "* [Names](names): the path of each name that is not in the prelude."
)]
//!
//! # Everyday
//! * [Bundles](bundles): components that are spawned together, or required by others.
//! * [Views and joins](views_and_joins): reading and writing components.
//! * [Resources](resources): values that exist once, and values that stay on their thread.
//! * [Commands](commands): structural changes that are deferred.
//! * [Events](events): values that systems send to later ones.
//! * [Observers and hooks](observers): functions that are called when something happens.
//! * [Options](options): all options of the derives and of `#[system]`.
//! * [Relations](relations): parents and children, and other edges between entities.
//! * [Change tracking](change_tracking): which values were added, changed or removed.
//! * [One and all the rest](one_and_the_rest): mutable access to several entities at the same time.
//! * [Schedules](schedules): systems in order, in sets, under conditions, at a fixed rate.
//!
//! # Apps
//! * [States](states): menus, levels and pauses, and systems that run when they change.
#![cfg_attr(
    feature = "app",
    doc = "* [Contracts](contracts): who may change what, and a file in which a review sees it."
)]
#![cfg_attr(
    feature = "app",
    doc = "* [Time](time): frames, fixed steps, pauses, timers, and clocks for tests."
)]
#![cfg_attr(
    feature = "scripts",
    doc = "* [Scripts](scripts): `async` functions that wait for frames, time, events and conditions."
)]
#![cfg_attr(
    feature = "app",
    doc = "* [Testing](testing): systems with plain values, with a world, and apps without a clock."
)]
//!
//! # Storage and speed
//! * [Ids](ids): the meaning of an [`Entity`](crate::Entity), and how long it is valid.
//! * [Storages](storages): tables and sparse sets, and how to choose; the order of rows, and memory.
//! * [Groups](groups): sparse components that are read together.
#![cfg_attr(
    feature = "index",
    doc = "* [Indexes](indexes): entities by the value of a component, in a range, or near a place."
)]
//! * [Measuring](measuring): the time and the memory that a program takes, and why systems wait.
#![cfg_attr(
    feature = "statics",
    doc = "* [Static worlds](static_worlds): closed worlds, in which nothing is looked up by type."
)]
#![cfg_attr(
    feature = "containers",
    doc = "* [Containers](containers): values by id and by index, without a world."
)]
//! * [Without the standard library](no_std): microcontrollers, WebAssembly, and the features that need an operating
//!   system.
//!
//! # Worlds as data
#![cfg_attr(
    feature = "data",
    doc = "* [Saving](saving): worlds, or parts of them, in files; formats, ids and errors."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Migrations](migrations): saves of older versions of a game."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Clones and prefabs](prefabs): copies of entities, of trees and of worlds, from code and from files."
)]
#![cfg_attr(
    feature = "snapshot",
    doc = "* [Snapshots](snapshots): copies of a world that it can return to."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Differences and undo](undo): two states of a world compared, applied, reversed; and steps that are undone."
)]
#![cfg_attr(feature = "data", doc = "\n# Networks\n")]
#![cfg_attr(
    feature = "net",
    doc = "* [Games over a network](networks): apps as servers and clients, with prediction and messages."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Rollback netcode](netcode): games of several players that do not wait for each other."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Replication](replication): the entities of a server in the worlds of its clients."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Moving entities](moving): from one world to another, with all that they have."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Finding a desync](desync): games that do the same again, and what makes them differ."
)]
#![cfg_attr(
    all(feature = "inspector", feature = "shard"),
    doc = "* [Shards](shards): one world over several machines, with the results of one."
)]
#![cfg_attr(feature = "data", doc = "\n# Tools\n")]
#![cfg_attr(
    feature = "data",
    doc = "* [Looking into a world](looking): printing, names and trees, queries as text."
)]
#![cfg_attr(
    feature = "inspector",
    doc = "* [The inspector](inspector): a running app in a browser, and by calls from outside."
)]
#![cfg_attr(
    all(feature = "inspector", feature = "record"),
    doc = "* [Recordings](recording): matches that run again, forward and back, and the first difference of two."
)]
#![cfg_attr(
    feature = "data",
    doc = "* [Dynamic components](dynamic): component types and queries of mods, scripts and editors."
)]

#[doc = include_str!("ids.md")]
pub mod ids {}

#[doc = include_str!("bundles.md")]
pub mod bundles {}

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

#[doc = include_str!("resources.md")]
pub mod resources {}

#[doc = include_str!("systems.md")]
pub mod systems {}

#[doc = include_str!("commands.md")]
pub mod commands {}

#[doc = include_str!("events.md")]
pub mod events {}

#[doc = include_str!("observers.md")]
pub mod observers {}

#[doc = include_str!("options.md")]
pub mod options {}

#[doc = include_str!("schedules.md")]
pub mod schedules {}

#[doc = include_str!("states.md")]
pub mod states {}

#[cfg(feature = "app")]
#[doc = include_str!("app.md")]
pub mod app {}

#[cfg(feature = "app")]
#[doc = include_str!("time.md")]
pub mod time {}

#[cfg(feature = "scripts")]
#[doc = include_str!("scripts.md")]
pub mod scripts {}

#[cfg(feature = "app")]
#[doc = include_str!("testing.md")]
pub mod testing {}

#[cfg(feature = "data")]
#[doc = include_str!("prefabs.md")]
pub mod prefabs {}

#[cfg(feature = "snapshot")]
#[doc = include_str!("snapshots.md")]
pub mod snapshots {}

#[cfg(feature = "data")]
#[doc = include_str!("undo.md")]
pub mod undo {}

#[cfg(feature = "net")]
#[doc = include_str!("networks.md")]
pub mod networks {}

#[cfg(feature = "data")]
#[doc = include_str!("netcode.md")]
pub mod netcode {}

#[cfg(feature = "index")]
#[doc = include_str!("indexes.md")]
pub mod indexes {}

#[cfg(feature = "data")]
#[doc = include_str!("moving.md")]
pub mod moving {}

#[cfg(feature = "data")]
#[doc = include_str!("replication.md")]
pub mod replication {}

#[cfg(feature = "data")]
#[doc = include_str!("desync.md")]
pub mod desync {}

#[cfg(feature = "app")]
#[doc = include_str!("contracts.md")]
pub mod contracts {}

#[doc = include_str!("measuring.md")]
pub mod measuring {}

#[cfg(feature = "data")]
#[doc = include_str!("looking.md")]
pub mod looking {}

#[cfg(feature = "data")]
#[doc = include_str!("dynamic.md")]
pub mod dynamic {}

#[cfg(feature = "statics")]
#[doc = include_str!("static_worlds.md")]
pub mod static_worlds {}

#[doc = include_str!("no_std.md")]
pub mod no_std {}

#[cfg(feature = "containers")]
#[doc = include_str!("containers.md")]
pub mod containers {}

#[cfg(feature = "app")]
#[doc = include_str!("coming_from.md")]
pub mod coming_from {}

#[cfg(feature = "data")]
#[doc = include_str!("saving.md")]
pub mod saving {}

#[cfg(feature = "data")]
#[doc = include_str!("migrations.md")]
pub mod migrations {}

#[cfg(all(
    feature = "app",
    feature = "containers",
    feature = "data",
    feature = "index",
    feature = "inspector",
    feature = "net",
    feature = "record",
    feature = "scripts",
    feature = "statics"
))]
#[doc = include_str!("names.md")]
pub mod names {}

// Pictures first: a name that is defined twice keeps its first meaning. See `.ci/pictures`.
#[cfg(feature = "inspector")]
#[doc = include_str!("pictures.txt")]
#[doc = include_str!("inspector.md")]
pub mod inspector {}

#[cfg(all(feature = "inspector", feature = "shard"))]
#[doc = include_str!("shards.md")]
pub mod shards {}

#[cfg(all(feature = "inspector", feature = "record"))]
#[doc = include_str!("recording.md")]
pub mod recording {}
