//! Checks of the engine's own data, for property tests and fuzzing.

use super::World;

impl World {
    /// Checks every invariant that the engine keeps between its verbs: ids and rows point to each other, free indices
    /// are free, components know their columns, sparse sets and their index agree. O(everything).
    ///
    /// # Panics
    /// If one does not hold, which is a bug of this crate.
    #[cfg_attr(docsrs, doc(cfg(feature = "validate")))]
    pub fn check_invariants(&self) {
        self.storage.check();
    }
}
