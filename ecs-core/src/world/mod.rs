//! The world: all entities, components and resources.

mod error;
mod queue;

pub use error::{BorrowError, NoSuchEntity, TakeError};
pub use queue::{Command, CommandQueue};

use std::sync::Mutex;

use crate::resource::ResourceMap;

/// All entities, their components, and the resources.
#[derive(Default)]
pub struct World {
    pub(crate) resources: ResourceMap,
    pub(crate) deferred: Mutex<CommandQueue>,
}

impl World {
    /// An empty world.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}
