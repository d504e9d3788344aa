//! Worlds as data: saves and prefabs.

mod delayed_events;
mod event_data;
mod kept_names;
mod known_types;
mod left_out;
mod nested_prefabs;
mod prefab_changes;
mod prefab_updates;
mod prefabs;
mod replacing_loads;
mod save_copies;
mod save_slots;
mod saves;
mod saves_model;
mod schema_hashes;
mod verified_saves;

#[global_allocator]
static ALLOCATOR: ecs_tests::counting::Counting = ecs_tests::counting::Counting;
