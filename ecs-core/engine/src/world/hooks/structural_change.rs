//! A structural change in progress, and the commands that its hooks queue.
//!
//! # Call a hook
//! `world/hooks/mod.rs` specifies the notifications, rule by rule. Each component's store has the set of observed events
//! (`LifecycleSet`). Bundles and tables have the union over their components, folded into one flag `is_plain` that also
//! means "nothing sparse", "nothing tracked" and, for bundles, "nothing required". So an unobserved structural change tests
//! only one flag. An observed one becomes a `StructuralChange` (`world/hooks/structural_change.rs`). It sets aside the
//! commands that are queued in the world, collects notifications in a list, delivers them before or after the change, and
//! finishes: it applies the commands queued meanwhile, or leaves them to the change or queue that called it. If it is
//! dropped unfinished, by a panic, it discards the commands queued meanwhile and restores the world's commands.
//!
//! A command may swap its world for another one. So a structural change has ended before its commands are applied. A queue
//! that is being applied shares a token with its world, which tells the world, wherever it is moved, that there is such a
//! queue.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::mem::{ManuallyDrop, replace, take};

use super::lifecycle_events::{HookOrigin, NotedEvent};
use crate::world::{CommandQueue, World};

/// The structural changes and queues that are in progress on a world.
///
/// A command gets `&mut World` and may swap this world for another one. So code that applies commands must not rely on
/// restoring state in the world afterwards. A structural change may, because hooks cannot swap the world.
#[derive(Default)]
pub(crate) struct HookNesting {
    /// True while a structural change is calling hooks.
    is_calling: bool,
    /// True while structural changes call no hooks.
    pub(in crate::world) is_muted: bool,
    /// The number of the edit that runs, which checks all values before it makes its first change.
    pub(in crate::world) edit: Option<u64>,
    /// The number of the last edit.
    pub(in crate::world) edits: u64,
    /// Shared with each queue that is being applied to this world: its reference count shows whether there is one, even if
    /// the world was moved. Allocated for the first queue.
    token: Option<Arc<()>>,
    /// The length of the current chain of commands that caused each other through hooks, counted from the outermost queue.
    depth: u32,
    /// The number of pending commands that are older than the outermost structural change whose queue is being applied. They
    /// stay pending. Meaningless while no queue is being applied.
    waiting: usize,
    /// The number of queues that were applied, of those that were not empty.
    applied: u64,
    /// The step of a schedule whose system, or whose commands, change the world; for panics of changes that it delays.
    pub(crate) step: Option<&'static str>,
    /// A buffer for the next structural change.
    events: Vec<NotedEvent>,
}

/// The token of a queue that is being applied to a world.
pub(crate) struct QueueToken {
    token: Arc<()>,
    depth: u32,
}

/// The longest chain of commands that cause each other. Longer ones count as endless.
const MAX_DEPTH: u32 = 1 << 16;

impl HookNesting {
    /// Returns true if a queue is being applied; it will also apply the commands that hooks queue.
    fn is_applying(&self) -> bool {
        let token = self.token.as_ref();
        token.is_some_and(|token| Arc::strong_count(token) > 1)
    }

    /// Returns the number of queues that were applied.
    #[inline]
    pub(crate) fn applied(&self) -> u64 {
        self.applied
    }

    /// Returns the number of pending commands that the current queue leaves pending.
    #[inline]
    pub(crate) fn waiting(&self) -> usize {
        if self.is_applying() { self.waiting } else { 0 }
    }

    /// Records that a queue is being applied, until [`leave`](Self::leave) gets the result. If it is the outermost queue, the
    /// first `waiting` of the pending commands stay pending.
    pub(crate) fn enter(&mut self, waiting: usize) -> QueueToken {
        self.applied += 1;
        if !self.is_applying() {
            self.depth = 0;
            self.waiting = waiting;
        }
        QueueToken {
            token: self.token.get_or_insert_default().clone(),
            depth: self.depth,
        }
    }

    /// Records that a queue is no longer being applied. It may have been entered in another world.
    pub(crate) fn leave(&mut self, QueueToken { token, depth }: QueueToken) {
        // If a panic ended the queue, `depth` may be greater than at its start.
        let own = self.token.as_ref();
        if own.is_some_and(|own| Arc::ptr_eq(own, &token)) {
            self.depth = depth;
        }
    }

    fn increase_depth(&mut self, last: Option<HookOrigin>) {
        self.depth += 1;
        if self.depth >= MAX_DEPTH {
            too_deep(last);
        }
    }

    fn decrease_depth(&mut self) {
        // A command may have put another world here, whose depth is zero.
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cold]
fn too_deep(last: Option<HookOrigin>) -> ! {
    let last = last.map_or(String::new(), |origin| {
        format!(", the last one for {origin}")
    });
    panic!(
        "{MAX_DEPTH} commands queued one another through hooks and observers{last}; help: queue a command in a hook only while something is left to do"
    );
}

/// A structural change that calls hooks, from before the first hook until it is [finished](Self::finish).
pub(in crate::world) struct StructuralChange<'w> {
    pub(in crate::world) world: &'w mut World,
    /// The events of the entity that is being changed, for hooks and observers that are still to be called.
    pub(in crate::world) events: Vec<NotedEvent>,
    /// The commands that were pending when the change began, which it does not apply.
    older: CommandQueue,
    /// The origin of the last call that queued commands.
    pub(super) last: Option<HookOrigin>,
    /// True if this change was made inside another one.
    is_nested: bool,
}

impl<'w> StructuralChange<'w> {
    pub(in crate::world) fn new(world: &'w mut World) -> Self {
        Self {
            older: take(world.pending()),
            events: take(&mut world.nesting.events),
            is_nested: replace(&mut world.nesting.is_calling, true),
            last: None,
            world,
        }
    }

    /// Applies the commands that hooks queued, or leaves them to the change or queue around this one.
    pub(in crate::world) fn finish(self) {
        // The change ends before any command is applied, because a command may swap the world.
        let mut change = ManuallyDrop::new(self);
        let mut queued = change.end();
        if queued.is_empty() {
            return;
        }
        if change.is_nested || change.world.nesting.is_applying() {
            count_depth(&mut queued, change.last);
            change.world.pending().append(&mut queued);
        } else {
            let world = &mut *change.world;
            let waiting = world.pending().len();
            queued.apply_leaving(world, waiting);
        }
    }

    /// Restores the state that the world had when the change began, and returns the commands that hooks queued.
    fn end(&mut self) -> CommandQueue {
        let older = take(&mut self.older);
        let queued = replace(self.world.pending(), older);
        self.events.clear();
        self.world.nesting.events = take(&mut self.events);
        self.world.nesting.is_calling = self.is_nested;
        queued
    }
}

impl Drop for StructuralChange<'_> {
    /// Discards the commands that hooks queued. Runs only if a panic unwinds before the change was finished.
    fn drop(&mut self) {
        self.end().discard();
    }
}

/// Marks the commands that hooks queued as one step further in the chain.
fn count_depth(queued: &mut CommandQueue, last: Option<HookOrigin>) {
    let mut counted = CommandQueue::new();
    counted.push(move |world: &mut World| world.nesting.increase_depth(last));
    counted.append(queued);
    counted.push(|world: &mut World| world.nesting.decrease_depth());
    *queued = counted;
}
