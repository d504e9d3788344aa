//! What is done to a world before the first system runs in it.

use core::any::TypeId;
use std::sync::{Mutex, PoisonError};

use crate::world::World;

type Setup = Box<dyn FnOnce(&mut World) + Send>;

/// What is done to a world before the first system runs in it.
#[derive(Default)]
pub(crate) struct Setups {
    /// Functions that were added as plugins.
    plugins: Vec<TypeId>,
    /// Behind a lock only so that schedules can be shared, as resources are.
    open: Mutex<Vec<Setup>>,
}

impl Setups {
    /// Does what was not done yet.
    #[inline]
    pub(crate) fn run(&mut self, world: &mut World) {
        while !self.open().is_empty() {
            let setup = self.open().remove(0);
            setup(world);
        }
    }

    pub(crate) fn add(&mut self, setup: Setup) {
        self.open().push(setup);
    }

    /// Notes a plugin; `false` if it was added before.
    pub(crate) fn note_plugin(&mut self, plugin: TypeId) -> bool {
        let anew = !self.plugins.contains(&plugin);
        if anew {
            self.plugins.push(plugin);
        }
        anew
    }

    fn open(&mut self) -> &mut Vec<Setup> {
        self.open.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}
