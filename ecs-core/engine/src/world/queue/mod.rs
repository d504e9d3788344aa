//! A queue of things to be done to a world later.

mod buffer;
mod commands;
#[cfg(test)]
mod tests;

use core::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::PoisonError;

use self::buffer::{CommandBuffer, CommandRun};
pub(crate) use self::commands::{Despawn, Insert, Remove, Spawn};
use super::World;
use crate::storage::Storage;

/// Something that can be done to a world later; implemented for every `FnOnce(&mut World) + Send + 'static`.
pub trait Command: Send + 'static {
    /// Does it.
    fn apply(self, world: &mut World);

    /// Does it, and perhaps what comes next, if that is a command of the same type and nobody sees the difference.
    #[doc(hidden)]
    #[inline]
    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World)
    where
        Self: Sized,
    {
        let _ = next;
        self.apply(world);
    }
}

impl<F: FnOnce(&mut World) + Send + 'static> Command for F {
    #[inline]
    fn apply(self, world: &mut World) {
        self(world);
    }
}

/// Commands in the order in which they will be applied.
///
/// Commands of all types lie unboxed behind each other in one buffer, which is kept for the next commands: recording
/// one costs a pointer and the bytes of its captures, and no allocation once the buffer has grown.
///
/// # Panics in commands
/// A command that panics while it is [applied](Self::apply) is gone, and the commands that would have come after it are
/// dropped unapplied, each exactly once: nothing is left over that would run at a later, unrelated time. Then the panic
/// goes on to the caller of `apply`. The queue is empty and usable afterwards. A destructor that panics while commands
/// are dropped does not keep the others from being dropped.
///
/// ```
/// use ecs_core::World;
/// use ecs_core::world::CommandQueue;
///
/// let mut queue = CommandQueue::new();
/// let price = 3_u32;
/// queue.push(move |world: &mut World| drop(world.insert_resource(price)));
/// assert_eq!(queue.len(), 1);
///
/// let mut world = World::new();
/// queue.apply(&mut world);
/// assert_eq!(*world.resource::<u32>(), 3);
/// assert!(queue.is_empty());
/// ```
#[derive(Default)]
pub struct CommandQueue {
    commands: CommandBuffer,
}

impl CommandQueue {
    /// An empty queue. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            commands: CommandBuffer::new(),
        }
    }

    /// The number of commands that wait. O(1).
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether nothing waits.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Adds `command` at the end. Amortised O(size of the command).
    #[inline]
    pub fn push<C: Command>(&mut self, command: C) {
        self.commands.push(command);
    }

    /// Moves all of `other`'s commands to the end of this queue. O(1) if this queue is empty, else a copy of bytes.
    pub fn append(&mut self, other: &mut Self) {
        self.commands.append(&mut other.commands);
    }

    /// Drops all commands unapplied, in order.
    ///
    /// # Panics
    /// With the first panic of a destructor, after all commands were dropped.
    pub fn clear(&mut self) {
        if let Some(panic) = self.commands.drop_all() {
            resume_unwind(panic);
        }
    }

    /// Drops all commands unapplied, whatever their destructors do.
    pub(crate) fn discard(&mut self) {
        drop(self.commands.drop_all());
    }

    /// Applies all commands in order; the queue is empty afterwards.
    ///
    /// Commands can queue commands through [`World::defer`]. What a command queued is applied directly after it, before
    /// the next command, as if it had been called: to any depth, but without recursion, so a chain of commands that
    /// each queue the next one cannot overflow the stack. Commands that wait in the world when `apply` is called are
    /// older and come first.
    ///
    /// A command may put another world in the place of `world`. The commands that are left are applied to the one that is
    /// there then. What waits in a world goes with it, for its own next flush, or queue.
    ///
    /// # Panics
    /// With the panic of the first command that panics; see [above](Self#panics-in-commands).
    #[inline]
    pub fn apply(&mut self, world: &mut World) {
        if !self.is_empty() || !world.pending().is_empty() {
            self.apply_leaving(world, 0);
        }
    }

    /// As [`apply`](Self::apply); but if no other queue is being applied, the first `waiting` of the commands that wait in the
    /// world wait on.
    #[inline(never)]
    pub(crate) fn apply_leaving(&mut self, world: &mut World, waiting: usize) {
        let mut nested = Vec::new();
        let entered = world.nesting.enter(waiting);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            apply_depth_first(&mut self.commands, &mut nested, world);
        }));
        let due = outcome.is_err().then(|| world.take_due());
        world.nesting.leave(entered);
        if let Err(panic) = outcome {
            // The command's panic is the one to report; those of destructors on the way out are consequences of it.
            drop(due.and_then(|mut due| due.commands.drop_all()));
            while let Some(mut commands) = nested.pop() {
                drop(commands.drop_all());
            }
            drop(self.commands.drop_all());
            resume_unwind(panic);
        }
    }
}

/// Applies what is pending in `world` and then `own`; what a command makes pending comes next after it.
///
/// `nested` is a stack of queues that were interrupted by the one above them. It belongs to the caller, who has to drop
/// the rest after a panic.
fn apply_depth_first(own: &mut CommandBuffer, nested: &mut Vec<CommandBuffer>, world: &mut World) {
    loop {
        if !world.pending().is_empty() {
            take_due(nested, world);
        }
        match nested.last_mut() {
            Some(top) => {
                if !top.apply_first(world) {
                    nested.pop();
                }
            }
            None => {
                if !own.apply_first(world) {
                    return;
                }
            }
        }
    }
}

/// Puts what is due in the world on the stack.
#[inline]
fn take_due(nested: &mut Vec<CommandBuffer>, world: &mut World) {
    let waiting = world.nesting.waiting();
    let pending = &mut world.pending().commands;
    if waiting > 0 {
        if pending.len() > waiting {
            nested.push(pending.split_off(waiting));
        }
        return;
    }
    // A queue that was at its end is not needed again; its buffer serves the next pending commands.
    let mut next = nested.pop_if(|top| top.is_empty()).unwrap_or_default();
    core::mem::swap(&mut next, pending);
    nested.push(next);
}

impl World {
    /// Takes out the commands that are pending, but for those that are older than the verb that is under way.
    pub(crate) fn take_due(&mut self) -> CommandQueue {
        let waiting = self.nesting.waiting();
        let commands = self.pending().commands.split_off(waiting);
        CommandQueue { commands }
    }

    /// The commands that were deferred through a shared reference and are not applied yet.
    #[inline]
    pub(crate) fn pending(&mut self) -> &mut CommandQueue {
        // A panic while the lock was held left a whole queue: appending to it happens or does not.
        self.deferred
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The commands that are pending, to be added to, and the storage, to be read.
    pub(crate) fn queue_and_storage(&mut self) -> (&mut CommandQueue, &Storage) {
        let pending = self.deferred.get_mut();
        (
            pending.unwrap_or_else(PoisonError::into_inner),
            &self.storage,
        )
    }
}

impl fmt::Debug for CommandQueue {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandQueue")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}
