//! Commands of hooks.

use super::Commands;
use crate::view::Entities;
use crate::world::hooks::DeferredWorld;

impl DeferredWorld<'_> {
    /// Defers changes of the world until the end of the structural change that called the hook; see
    /// [`world::hooks`](crate::world::hooks).
    #[must_use]
    pub fn commands(&mut self) -> Commands<'_> {
        let (queue, storage) = self.queue();
        Commands::new(queue, Entities::new(storage))
    }
}
