//! Support for generated code, and for the macros that are written `name!(..)`.
//!
//! Not part of the public interface.

#[cfg(feature = "data")]
pub use ecs_data::__private::{Migration, PlainProbe, Saved};
pub use ecs_engine::__private::*;
#[cfg(feature = "index")]
pub use ecs_index::{UniqueComponent, UniqueValues};
#[cfg(all(feature = "macros", feature = "statics"))]
pub use ecs_macros::{inline_system, spawn, world};
#[cfg(feature = "macros")]
pub use ecs_macros::{known_contract, schedule};
#[cfg(feature = "statics")]
pub use ecs_statics::{
    ClosedSystems, ComponentOf, NoComponent, NotListed, OpenSystems, Pages, StaticWorld,
};

/// The traits with fallback answers, without names.
pub mod prelude {
    #[cfg(feature = "data")]
    pub use ecs_data::__private::NotPlain as _;
    pub use ecs_engine::__private::prelude::*;
}

/// The names of options, for the completion of editors: see `Errors::offer` in `ecs-macros`.
#[cfg(rust_analyzer)]
#[allow(
    non_camel_case_types,
    missing_docs,
    reason = "the names belong to options"
)]
pub mod options {
    pub mod system {
        /// Calls the function for each entity.
        pub struct for_each;
        /// Calls the function for each entity, on several threads.
        pub struct par_for_each;
        /// `with(A, B)`: visits entities that have these components.
        pub struct with;
        /// `without(A, B)`: visits entities that lack these components.
        pub struct without;
        /// `changed(A)`: visits entities whose component has changed since the last run.
        pub struct changed;
        /// `added(A)`: visits entities that got the component since the last run.
        pub struct added;
        /// `mutated(A)`: visits entities whose component existed at the last run, and has changed since then.
        pub struct mutated;
        /// `writes(A, B)`: the data that the system writes; with `reads(..)` all that it touches.
        pub struct writes;
        /// `reads(A, B)`: the data that the system reads; with `writes(..)` all that it touches.
        pub struct reads;
    }
    /// The methods of a system in `schedule!`.
    pub mod schedule {
        /// Runs it after a system or set.
        pub struct after;
        /// Runs it before a system or set.
        pub struct before;
        /// Runs the members of a tuple one after the other.
        pub struct chain;
        /// Makes it a member of a set.
        pub struct in_set;
        /// Runs it only where the condition holds.
        pub struct run_if;
    }
    /// The options of components, resources, relations and events.
    pub mod data {
        /// `data = "game.position"`: makes the type data, by this name.
        pub struct data;
        /// `version = 2`: the version of the saved form.
        pub struct version;
        /// `migrate(1 = Old)`: the types that read older versions.
        pub struct migrate;
        /// `alias = "position"`: an earlier name.
        pub struct alias;
        /// Data that a world cannot clone.
        pub struct no_clone;
        /// Data that a world cannot print.
        pub struct no_debug;
        /// Data that a world cannot save.
        pub struct no_serde;
    }
    pub mod component {
        pub use super::data::*;
        /// `written_by = "game::physics"`: only systems in this module may write it.
        pub struct written_by;
        /// `storage = "sparse"`: stores the values outside of tables.
        pub struct storage;
        /// Tracks the changes of values.
        pub struct track;
        /// Lets views insert and remove values.
        pub struct immediate;
        /// Lets values only be replaced, by insertions.
        pub struct immutable;
        /// Lets no two entities have equal values, which are `immutable`.
        pub struct unique;
        /// Makes loops leave out entities with the component.
        pub struct disables;
        /// Lets the component be turned off without being removed.
        pub struct toggle;
        /// `name = "game.position"`: the name in messages and in save games.
        pub struct name;
        /// `require(A, B = value)`: inserts these components too, if they are missing.
        pub struct require;
        /// `on_add = path`: called when an entity gets the component.
        pub struct on_add;
        /// `on_insert = path`: called when a value was inserted, new or in place of another one.
        pub struct on_insert;
        /// `on_replace = path`: called before a value is replaced by another one.
        pub struct on_replace;
        /// `on_remove = path`: called before an entity loses the component.
        pub struct on_remove;
        /// `on_despawn = path`: called before an entity with the component is despawned.
        pub struct on_despawn;
    }
    pub mod resource {
        pub use super::data::*;
        /// `written_by = "game::clock"`: only systems in this module may write it.
        pub struct written_by;
    }
    pub mod event {
        pub use super::data::*;
    }
    pub mod relation {
        pub use super::data::*;
        /// Relates an entity to many targets.
        pub struct many;
        /// Forbids cycles.
        pub struct tree;
        /// `sources = "despawn"`: the fate of sources when their target is despawned.
        pub struct sources;
    }
    pub mod system_param {
        /// Lets several threads of a loop share the parameter.
        pub struct shared;
    }
}
