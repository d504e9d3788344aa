//! Components, queries and systems that are defined at run time.

mod dynamic_components;
mod dynamic_data;
mod dynamic_queries;
mod dynamic_relations;
mod dynamic_systems;
mod erased;
