//! The list of the plugins of an app.

use std::any::{TypeId, type_name};
use std::panic::Location;

use crate::error::Problem;

/// The plugins that were added, and those that others require.
#[derive(Default)]
pub(crate) struct Plugins {
    pub(crate) added: Vec<AddedPlugin>,
    pub(crate) required: Vec<AddedPlugin>,
}

/// A plugin, and a place that names it.
pub(crate) struct AddedPlugin {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
    pub(crate) at: &'static Location<'static>,
}

impl AddedPlugin {
    #[track_caller]
    pub(crate) fn new<P: 'static>() -> Self {
        Self {
            id: TypeId::of::<P>(),
            name: type_name::<P>(),
            at: Location::caller(),
        }
    }
}

impl Plugins {
    /// Adds to `problems` the plugins that are required and missing.
    pub(crate) fn check(&self, problems: &mut Vec<Problem>) {
        for required in &self.required {
            if !self.added.iter().any(|added| added.id == required.id) {
                problems.push(Problem::PluginMissing {
                    plugin: required.name,
                    required: required.at,
                });
            }
        }
    }
}
