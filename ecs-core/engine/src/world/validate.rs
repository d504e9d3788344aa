//! Checks of the engine's invariants, for property tests and fuzzing.

use super::World;

impl World {
    /// Checks every invariant that holds between structural changes: ids and rows point to each other, no entity has a
    /// free index, components know their columns, and sparse sets agree with their index. O(size of the world).
    ///
    /// # Panics
    /// If an invariant does not hold, which is a bug in this crate.
    #[cfg_attr(docsrs, doc(cfg(feature = "validate")))]
    pub fn check_invariants(&self) {
        self.storage.check();
    }
}
