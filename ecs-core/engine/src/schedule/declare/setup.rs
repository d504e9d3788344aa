//! Setup functions.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::sync::{Mutex, PoisonError};
use crate::world::World;

type Setup = Box<dyn FnOnce(&mut World) + Send>;

/// The setup functions of a schedule, which run before its first system.
#[derive(Default)]
pub(crate) struct Setups {
    /// The functions that were not called yet. The lock only makes schedules `Sync`, because resources have to be.
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
    #[inline]
    pub(crate) fn append(&mut self, mut others: Self) {
        self.pending().append(others.pending());
    }

    fn pending(&mut self) -> &mut Vec<Setup> {
        self.pending
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
