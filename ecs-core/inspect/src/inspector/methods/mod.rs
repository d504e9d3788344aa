//! The methods, by subject.

mod entities;
mod memory;
mod registry;
mod resources;
mod schedule;
mod time;
mod values;
mod watch;
mod world;

use super::core::RpcMethod;

/// Returns the table of methods.
pub(crate) fn all() -> Vec<RpcMethod> {
    let tables = [
        registry::methods(),
        entities::methods(),
        world::methods(),
        watch::methods(),
        resources::methods(),
        time::methods(),
        schedule::methods(),
        memory::methods(),
    ];
    tables.into_iter().flatten().collect()
}
