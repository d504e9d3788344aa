//! Setup functions and the plugins that were added.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::TypeId;

use crate::sync::{Mutex, PoisonError};
use crate::world::World;

type Setup = Box<dyn FnOnce(&mut World) + Send>;

/// The setup functions of a schedule, which run before its first system, and the plugins that were added.
#[derive(Default)]
pub(crate) struct Setups {
    /// The types of the functions that were added as plugins.
    plugins: Vec<TypeId>,
    /// Not yet called. The lock only makes schedules `Sync`, as resources have to be.
    pending: Mutex<Vec<Setup>>,
}

impl Setups {
    /// Calls the pending setup functions.
    #[inline]
    pub(crate) fn run(&mut self, world: &mut World) {
        while !self.pending().is_empty() {
            let setup = self.pending().remove(0);
            setup(world);
        }
    }

    pub(crate) fn add(&mut self, setup: Setup) {
        self.pending().push(setup);
    }

    /// Adds the pending functions of others at the end.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.pending().append(others.pending());
    }

    /// Registers a plugin; returns false if it was added before.
    pub(crate) fn register_plugin(&mut self, plugin: TypeId) -> bool {
        let is_new = !self.plugins.contains(&plugin);
        if is_new {
            self.plugins.push(plugin);
        }
        is_new
    }

    fn pending(&mut self) -> &mut Vec<Setup> {
        self.pending
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
