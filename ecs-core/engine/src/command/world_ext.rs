//! Commands of hooks.

use super::Commands;
use crate::view::Entities;
use crate::world::hooks::DeferredWorld;

impl DeferredWorld<'_> {
    /// Puts off changes of the world, which are made at the end of the verb that is under way; see
    /// [`world::hooks`](crate::world::hooks).
    #[must_use]
    pub fn commands(&mut self) -> Commands<'_> {
        let (queue, storage) = self.queue();
        Commands::new(queue, Entities::new(storage))
    }
}
