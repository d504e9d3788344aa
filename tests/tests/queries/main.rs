//! Queries: their data, filters and loops.

mod any_data;
mod borrowed_params;
mod conflicts;
pub mod derive_query;
mod inherited;
mod kinds;
mod negated_filters;
mod old_values;
mod optional_data;
mod pairs;
mod parallel_iteration;
mod patterns;
mod related_queries;
mod single;
mod split;
mod text_queries;
mod text_types;
mod text_walks;
mod trait_objects;
mod wide_tuples;
mod without_borrows;
