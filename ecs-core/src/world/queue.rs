//! A queue of things to be done to a world later.

use super::World;

/// Something that can be done to a world later; implemented for every `FnOnce(&mut World) + Send + 'static`.
pub trait Command: Send + 'static {
    /// Does it.
    fn apply(self, world: &mut World);
}

impl<F: FnOnce(&mut World) + Send + 'static> Command for F {
    fn apply(self, world: &mut World) {
        self(world);
    }
}

/// Commands in the order in which they will be applied.
#[derive(Default)]
pub struct CommandQueue {
    commands: Vec<Box<dyn FnOnce(&mut World) + Send>>,
}

impl CommandQueue {
    /// An empty queue.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether nothing waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Adds `command` at the end.
    pub fn push<C: Command>(&mut self, command: C) {
        self.commands.push(Box::new(|world| command.apply(world)));
    }

    /// Moves all of `other`'s commands to the end of this queue.
    pub fn append(&mut self, other: &mut Self) {
        self.commands.append(&mut other.commands);
    }

    /// Drops all commands unapplied.
    pub fn clear(&mut self) {
        self.commands.clear();
    }

    /// Applies all commands in order; the queue is empty afterwards.
    pub fn apply(&mut self, world: &mut World) {
        for command in core::mem::take(&mut self.commands) {
            command(world);
        }
    }
}
