//! Components of every storage, and their hooks.

mod bundles_at_run_time;
mod by_name;
mod catalog;
mod derives;
mod disabled;
mod entity_values;
mod groups;
mod hooks_model;
mod immediate;
mod immediate_hooks;
mod immutable;
mod large_values;
mod layouts;
mod looking;
mod plain_map;
mod required;
mod row_order;
mod schemas;
mod sparse_kinds;
mod storages;
mod subtypes;
mod toggles;
mod unique;
mod unique_edits;
