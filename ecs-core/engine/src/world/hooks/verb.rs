//! A verb under way, and what its hooks queue.

use core::mem::{ManuallyDrop, replace, take};
use std::sync::Arc;

use super::announce::{HookOrigin, LifecycleEvent};
use crate::world::{CommandQueue, World};

/// What a world knows of the verbs and queues that are under way.
///
/// A command gets `&mut World`, and may put another world in the place of this one, or keep this one elsewhere. So while
/// commands are applied nothing is to be set right in a world afterwards. (A hook cannot do that, so a verb can.)
#[derive(Default)]
pub(crate) struct HookNesting {
    /// Whether a verb is calling hooks.
    is_calling: bool,
    /// Held by each queue that is being applied to this world, too: wherever the world is, it is known whether there is one.
    /// Made for the first queue.
    token: Option<Arc<()>>,
    /// How many commands led to each other through hooks. Counts from the outermost queue on.
    depth: u32,
    /// How many of the commands that are pending are older than the outermost verb, of which a queue is applied now: these
    /// wait on. Says nothing if there is no queue.
    waiting: usize,
    /// Kept for its memory.
    happenings: Vec<LifecycleEvent>,
}

/// A queue that is being applied to a world.
pub(crate) struct Entered {
    token: Arc<()>,
    depth: u32,
}

/// After so many commands that led to each other it is taken that there is no end to it.
const DEEPEST: u32 = 1 << 16;

impl HookNesting {
    /// Whether a queue is being applied, which will apply what hooks queue.
    fn is_applying(&self) -> bool {
        let token = self.token.as_ref();
        token.is_some_and(|token| Arc::strong_count(token) > 1)
    }

    /// How many of the commands that are pending wait on while a queue is being applied.
    #[inline]
    pub(crate) fn waiting(&self) -> usize {
        if self.is_applying() { self.waiting } else { 0 }
    }

    /// Notes that a queue is being applied, until the result is [given back](Self::leave). Of the commands that are pending
    /// `waiting` wait on, if it is the outermost queue.
    pub(crate) fn enter(&mut self, waiting: usize) -> Entered {
        if !self.is_applying() {
            self.depth = 0;
            self.waiting = waiting;
        }
        Entered {
            token: self.token.get_or_insert_default().clone(),
            depth: self.depth,
        }
    }

    /// Notes that a queue is not being applied any more, to whatever world it was.
    pub(crate) fn leave(&mut self, Entered { token, depth }: Entered) {
        // A panic may have ended the queue deeper down than it began.
        let own = self.token.as_ref();
        if own.is_some_and(|own| Arc::ptr_eq(own, &token)) {
            self.depth = depth;
        }
    }

    fn go_deeper(&mut self, last: Option<HookOrigin>) {
        self.depth += 1;
        if self.depth >= DEEPEST {
            too_deep(last);
        }
    }

    fn come_back(&mut self) {
        // Zero already if the world has come from elsewhere meanwhile.
        self.depth = self.depth.saturating_sub(1);
    }
}

#[cold]
fn too_deep(last: Option<HookOrigin>) -> ! {
    let last = last.map_or(String::new(), |cause| format!(", at last for {cause}"));
    panic!(
        "{DEEPEST} commands led to each other through hooks and observers{last}; let them queue a command only while something is left to do"
    );
}

/// A verb that calls hooks, from before the first one until what they queued is [settled](Self::settle).
pub(in crate::world) struct StructuralChange<'w> {
    pub(in crate::world) world: &'w mut World,
    /// What is about to happen, or has happened, to the entity that the verb is at.
    pub(in crate::world) happenings: Vec<LifecycleEvent>,
    /// What waited in the world when the verb began: not for the verb to apply.
    older: CommandQueue,
    /// The cause of the last call that has queued something.
    pub(super) last: Option<HookOrigin>,
    /// Whether another verb is under way, around this one.
    is_nested: bool,
}

impl<'w> StructuralChange<'w> {
    pub(in crate::world) fn new(world: &'w mut World) -> Self {
        Self {
            older: take(world.pending()),
            happenings: take(&mut world.settling.happenings),
            is_nested: replace(&mut world.settling.is_calling, true),
            last: None,
            world,
        }
    }

    /// Applies what the hooks queued, or leaves it to the verb or queue inside which this verb was called.
    pub(in crate::world) fn settle(self) {
        // First of all the verb is over: a command may put another world in the place of this one.
        let mut verb = ManuallyDrop::new(self);
        let mut queued = verb.end();
        if queued.is_empty() {
            return;
        }
        if verb.is_nested || verb.world.settling.is_applying() {
            count_depth(&mut queued, verb.last);
            verb.world.pending().append(&mut queued);
        } else {
            let world = &mut *verb.world;
            let waiting = world.pending().len();
            queued.apply_beside(world, waiting);
        }
    }

    /// Restores the state in which the verb found the world, and returns what hooks queued.
    fn end(&mut self) -> CommandQueue {
        let older = take(&mut self.older);
        let queued = replace(self.world.pending(), older);
        self.happenings.clear();
        self.world.settling.happenings = take(&mut self.happenings);
        self.world.settling.is_calling = self.is_nested;
        queued
    }
}

impl Drop for StructuralChange<'_> {
    /// By a panic, before the verb was settled.
    fn drop(&mut self) {
        self.end().discard();
    }
}

/// Counts one more step for the commands that hooks have queued.
fn count_depth(queued: &mut CommandQueue, last: Option<HookOrigin>) {
    let mut counted = CommandQueue::new();
    counted.push(move |world: &mut World| world.settling.go_deeper(last));
    counted.append(queued);
    counted.push(|world: &mut World| world.settling.come_back());
    *queued = counted;
}
