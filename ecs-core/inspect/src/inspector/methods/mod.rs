//! The methods, by subject.

mod access;
mod ancestors;
mod copies;
mod copy_text;
mod entities;
mod events;
mod memory;
mod observe;
mod observers;
mod order;
mod ranks;
mod registry;
mod resources;
mod rows;
mod run_until;
mod schedule;
mod search;
mod sorted;
mod streams;
mod time;
mod undo;
mod watched;
mod world;

use super::call::RpcMethod;

/// Returns the table of methods.
pub(crate) fn all() -> Vec<RpcMethod> {
    let tables = [
        registry::methods(),
        watched::methods(),
        search::methods(),
        entities::methods(),
        world::methods(),
        streams::methods(),
        observe::methods(),
        copies::methods(),
        undo::methods(),
        resources::methods(),
        time::methods(),
        run_until::methods(),
        schedule::methods(),
        access::methods(),
        memory::methods(),
        events::methods(),
        observers::methods(),
    ];
    tables.into_iter().flatten().collect()
}
