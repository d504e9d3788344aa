//! The condition of a registered observer.

use super::condition::{BoxCondition, ConditionSource};
#[cfg(feature = "snapshot")]
use super::remembered::{Memory, Remember};
use crate::world::World;

/// The condition of a registered observer.
pub(crate) struct ObserverCondition {
    pub(super) built: BoxCondition,
    /// True if its memory has values that a closure of the program has captured.
    #[cfg(feature = "snapshot")]
    captures: bool,
}

impl ObserverCondition {
    #[inline]
    pub(super) fn new(source: ConditionSource, world: &World) -> Self {
        Self {
            #[cfg(feature = "snapshot")]
            captures: source.meta.captures,
            built: source.build(world),
        }
    }

    /// Calls a function with each thing that the condition remembers.
    #[cfg(feature = "snapshot")]
    pub(crate) fn remembered(&mut self, remember: &mut Remember<'_>) {
        let captures = self.captures;
        self.built.remembered(&mut |memory| {
            if captures || !matches!(memory.0, Memory::Captured) {
                remember(memory);
            }
        });
    }
}
