//! Systems: their forms, parameters, names and adapters.

pub mod derive_system_param;
mod effects;
mod generic_names;
mod messages;
mod non_send;
mod param_set;
mod pipes;
pub mod raw_names;
mod registered_systems;
mod shadowed_names;
pub mod system_attributes;
mod system_closures;
mod system_for_each;
mod system_forms;
mod system_macro;
mod system_par_for_each;
mod system_params;
pub mod systems_impl;
mod without_flags;
