//! The fuzz targets as functions, shared by the fuzzer and the test of the committed inputs.
//!
//! See `CONTRIBUTING.md` for how to run them.

extern crate alloc;
extern crate proc_macro;

// The macros of `ecs-core` use `proc_macro2`, so their files work in any crate. Only their `lib.rs` needs the compiler; its
// modules are listed here.
// First, because the other modules use its macros.
#[allow(dead_code, reason = "the entry points of the macros are not here")]
#[macro_use]
#[path = "../../../ecs-macros/src/tokens.rs"]
mod tokens;

#[path = "../../../ecs-macros/src/attributes.rs"]
mod attributes;
#[path = "../../../ecs-macros/src/bounds.rs"]
mod bounds;
#[path = "../../../ecs-macros/src/bundle.rs"]
mod bundle;
#[path = "../../../ecs-macros/src/component.rs"]
mod component;
#[path = "../../../ecs-macros/src/data/mod.rs"]
mod data;
#[path = "../../../ecs-macros/src/derive.rs"]
mod derive;
#[path = "../../../ecs-macros/src/errors.rs"]
mod errors;
#[path = "../../../ecs-macros/src/event.rs"]
mod event;
#[path = "../../../ecs-macros/src/inline_system/mod.rs"]
mod inline_system;
#[path = "../../../ecs-macros/src/lifetimes.rs"]
mod lifetimes;
#[allow(
    dead_code,
    reason = "a contract is refused by an entry point, and these are not here"
)]
#[path = "../../../ecs-macros/src/manifest.rs"]
mod manifest;
#[path = "../../../ecs-macros/src/options.rs"]
mod options;
#[path = "../../../ecs-macros/src/parameters.rs"]
mod parameters;
#[path = "../../../ecs-macros/src/paths.rs"]
mod paths;
#[path = "../../../ecs-macros/src/prelude.rs"]
mod prelude;
#[path = "../../../ecs-macros/src/pretty.rs"]
mod pretty;
#[path = "../../../ecs-macros/src/query_data/mod.rs"]
mod query_data;
#[path = "../../../ecs-macros/src/query_filter.rs"]
mod query_filter;
#[path = "../../../ecs-macros/src/relation.rs"]
mod relation;
#[path = "../../../ecs-macros/src/require.rs"]
mod require;
#[path = "../../../ecs-macros/src/resource.rs"]
mod resource;
#[path = "../../../ecs-macros/src/schedule/mod.rs"]
mod schedule;
#[path = "../../../ecs-macros/src/spawn.rs"]
mod spawn;
#[path = "../../../ecs-macros/src/structs.rs"]
mod structs;
#[path = "../../../ecs-macros/src/system/mod.rs"]
mod system;
#[path = "../../../ecs-macros/src/system_param/mod.rs"]
mod system_param;
#[path = "../../../ecs-macros/src/toggle.rs"]
mod toggle;
#[path = "../../../ecs-macros/src/toml.rs"]
mod toml;
#[path = "../../../ecs-macros/src/types.rs"]
mod types;
#[path = "../../../ecs-macros/src/world/mod.rs"]
mod world;
#[path = "../../../ecs-macros/src/written.rs"]
mod written;

/// The locks that included files of the engine use.
mod sync {
    pub(crate) use std::sync::{Mutex, PoisonError};
}

/// The items of the engine that the included file uses.
mod meta {
    pub(crate) use ecs_core::meta::SystemMeta;
}

#[path = "../../../ecs-core/inspect/src/server/parse.rs"]
#[allow(dead_code, reason = "the server uses more of a head")]
mod http;

#[path = "../../../ecs-core/engine/src/system/name.rs"]
#[allow(dead_code, reason = "it is about more than the text of names")]
mod name;
#[path = "../../../ecs-core/engine/src/type_name.rs"]
#[allow(dead_code, reason = "it is about more than the text of names")]
mod type_name;

pub mod targets;

#[cfg(fuzzing)]
pub use libfuzzer_sys;

/// Defines `main` for the module of [`targets`] with this name: with the fuzzer as a fuzz target, otherwise as a program
/// that runs the target on each of the given files.
#[macro_export]
macro_rules! target {
    ($name:ident) => {
        #[cfg(fuzzing)]
        $crate::libfuzzer_sys::fuzz_target!(|input: $crate::targets::$name::Input| {
            $crate::targets::$name::run(input);
        });

        #[cfg(not(fuzzing))]
        fn main() {
            for path in std::env::args().skip(1) {
                $crate::targets::replay(path.as_ref(), $crate::targets::$name::run);
            }
        }
    };
}
