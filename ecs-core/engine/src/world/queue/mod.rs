//! Deferred commands: `Command` and `CommandQueue`.
//!
//! # Apply commands
//! Commands of all types are stored in one buffer. The first of several adjacent commands of one type may also apply the
//! next ones (`Command::apply_run`). Structural changes do so (`world/queue/commands.rs`) if they move entities between the
//! same two tables and drop nothing, so the result is the same as one by one. `storage/batch_move.rs` assigns up to 64
//! entities their new rows, then reorders each column in one pass.

use alloc::vec::Vec;
mod buffer;
mod commands;
#[cfg(test)]
mod tests;

use crate::sync::PoisonError;
use crate::unwind::{AssertUnwindSafe, catch_unwind, resume_unwind};
use core::fmt;

use self::buffer::{CommandBuffer, CommandRun};
pub(crate) use self::commands::{Despawn, Insert, Remove, Spawn};
use super::World;
use crate::storage::Storage;

/// A deferred change of a world; implemented for every `FnOnce(&mut World) + Send + 'static`.
pub trait Command: Send + 'static {
    /// Applies the command.
    fn apply(self, world: &mut World);

    /// Applies the command, and possibly the next commands of the same type, if the result is the same.
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

/// A queue of commands, in the order they will be applied.
///
/// Commands of all types are stored unboxed in one buffer, which is reused. Queueing a command takes a pointer and the bytes
/// of its captures, and does not allocate once the buffer has grown.
///
/// # Panics in commands
/// If a command panics while it is [applied](Self::apply), the remaining commands are dropped unapplied, each exactly once,
/// so none of them runs at a later, unrelated time. Then `apply` resumes the panic in its caller. The queue is empty and
/// usable afterwards. A destructor that panics does not keep the other commands from being dropped.
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
    /// Creates an empty queue. Does not allocate.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            commands: CommandBuffer::new(),
        }
    }

    /// Returns the number of queued commands. O(1).
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.commands.len()
    }

    /// Returns true if no command is queued.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Appends a command. Amortised O(size of the command).
    #[inline]
    pub fn push<C: Command>(&mut self, command: C) {
        self.commands.push(command);
    }

    /// Moves all commands of `other` to the end of this queue. O(1) if this queue is empty, otherwise O(bytes of `other`).
    pub fn append(&mut self, other: &mut Self) {
        self.commands.append(&mut other.commands);
    }

    /// Drops all commands unapplied, in order.
    ///
    /// # Panics
    /// If destructors panic: resumes the first panic, after all commands were dropped.
    pub fn clear(&mut self) {
        if let Some(panic) = self.commands.drop_all() {
            resume_unwind(panic);
        }
    }

    /// Drops all commands unapplied, and ignores panics of destructors.
    pub(crate) fn discard(&mut self) {
        drop(self.commands.drop_all());
    }

    /// Applies all commands in order, and leaves the queue empty.
    ///
    /// Commands can queue commands through [`World::defer`]. These are applied directly after the command that queued them,
    /// before the next one, to any depth but without recursion: a chain of commands that each queue the next one cannot
    /// overflow the stack. Commands that are pending in the world when `apply` is called are older and are applied first.
    ///
    /// A command may replace `*world` by another world. The remaining commands are then applied to the new world, with their
    /// old ids, which may identify no entity or a different one there. Pending commands of a world move with it, and its
    /// next flush or queue applies them.
    ///
    /// # Panics
    /// If a command panics: resumes its panic; see [above](Self#panics-in-commands).
    #[inline]
    pub fn apply(&mut self, world: &mut World) {
        if !self.is_empty() || !world.pending().is_empty() {
            self.apply_leaving(world, 0);
        }
    }

    /// Applies all commands in order, within one structural change: commands that hooks queue wait for its end.
    pub(super) fn apply_inside_change(&mut self, world: &mut World) {
        while self.commands.apply_first(world) {}
    }

    /// Like [`apply`](Self::apply), but if no other queue is being applied, the first `waiting` of the world's pending
    /// commands stay pending.
    #[inline(never)]
    pub(crate) fn apply_leaving(&mut self, world: &mut World, waiting: usize) {
        world.command_errors.expected = None;
        let mut nested = Vec::new();
        let entered = world.nesting.enter(waiting);
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            apply_depth_first(&mut self.commands, &mut nested, world);
        }));
        let due = outcome.is_err().then(|| world.take_new_commands());
        world.nesting.leave(entered);
        if let Err(panic) = outcome {
            // The panic of the command is reported; later panics of destructors are not.
            drop(due.and_then(|mut due| due.commands.drop_all()));
            while let Some(mut commands) = nested.pop() {
                drop(commands.drop_all());
            }
            drop(self.commands.drop_all());
            resume_unwind(panic);
        }
    }
}

/// Applies the pending commands of `world` and then `own`. Commands that a command queues are applied directly after it.
///
/// `nested` is a stack of queues. Each is interrupted by the one above it. After a panic, the caller drops the remaining
/// ones.
fn apply_depth_first(own: &mut CommandBuffer, nested: &mut Vec<CommandBuffer>, world: &mut World) {
    loop {
        if !world.pending().is_empty() {
            take_new_commands(nested, world);
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

/// Moves the world's pending commands to the stack, except the older ones that stay pending.
#[inline]
fn take_new_commands(nested: &mut Vec<CommandBuffer>, world: &mut World) {
    let waiting = world.nesting.waiting();
    let pending = &mut world.pending().commands;
    if waiting > 0 {
        if pending.len() > waiting {
            nested.push(pending.split_off(waiting));
        }
        return;
    }
    // Reuses the buffer of a queue that was applied completely.
    let mut next = nested.pop_if(|top| top.is_empty()).unwrap_or_default();
    core::mem::swap(&mut next, pending);
    nested.push(next);
}

impl World {
    /// Removes and returns the pending commands, except commands older than the structural change in progress.
    pub(crate) fn take_new_commands(&mut self) -> CommandQueue {
        let waiting = self.nesting.waiting();
        let commands = self.pending().commands.split_off(waiting);
        CommandQueue { commands }
    }

    /// Returns the queue of commands that are deferred and not yet applied.
    #[inline]
    pub(crate) fn pending(&mut self) -> &mut CommandQueue {
        // An append moves all commands or none, so the queue is consistent even if the lock is poisoned.
        self.deferred
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the queue of pending commands for writing, and the storage for reading.
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
