//! Apps: schedules, plugins, errors and their end.

mod app_model;
mod autosave;
mod build;
mod by_hand;
mod by_hand_misuse;
mod door;
mod ends;
mod fixed_clocks;
mod frames;
mod memories;
mod pause;
mod plugins;
mod prefab_watch;
mod process;
mod random_apps;
mod readme;
mod saves;
mod schedules;
mod scripts;
mod shard_counters;
mod snapshot_bytes;
mod snapshot_kinds;
mod snapshots;
mod states;
mod states_with_values;

use ecs_core::prelude::*;

/// The words that systems noted, in order.
#[derive(Clone, Resource, Default)]
pub(crate) struct Log(Vec<&'static str>);

/// Returns a system that notes a word.
macro_rules! note {
    ($word:literal) => {
        (|mut log: ecs_core::prelude::ResMut<crate::Log>| log.0.push($word))
    };
}
pub(crate) use note;

pub(crate) fn app() -> App {
    let mut app = App::new();
    app.init_resource::<Log>();
    app
}

/// Takes the words noted since the last call.
pub(crate) fn log(app: &mut App) -> String {
    let mut log = app.world_mut().resource_mut::<Log>();
    std::mem::take(&mut log.0).join(" ")
}
