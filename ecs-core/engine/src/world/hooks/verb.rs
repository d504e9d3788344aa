//! A verb under way, and what its hooks queue.

use super::announce::{Cause, Happening};
use crate::world::{CommandQueue, World};

/// What a world knows of the verbs that are under way.
#[derive(Default)]
pub(crate) struct Settling {
    /// Whether a verb or queue is under way, which will apply what hooks queue.
    busy: bool,
    /// How many commands led to each other through hooks.
    depth: u32,
    /// Kept for its memory.
    happenings: Vec<Happening>,
}

/// After so many commands that led to each other it is taken that there is no end to it.
const DEEPEST: u32 = 1 << 16;

impl Settling {
    /// Notes that whoever called takes care of what hooks queue; the result is to be given to [`leave`](Self::leave).
    #[inline]
    pub(crate) fn enter(&mut self) -> (bool, u32) {
        (core::mem::replace(&mut self.busy, true), self.depth)
    }

    #[inline]
    pub(crate) fn leave(&mut self, (busy, depth): (bool, u32)) {
        self.busy = busy;
        self.depth = depth;
    }

    fn go_deeper(&mut self, last: Option<Cause>) {
        self.depth += 1;
        if self.depth >= DEEPEST {
            too_deep(last);
        }
    }
}

#[cold]
fn too_deep(last: Option<Cause>) -> ! {
    let last = last.map_or(String::new(), |cause| format!(", at last for {cause}"));
    panic!(
        "{DEEPEST} commands led to each other through hooks and observers{last}; let them queue a command only while something is left to do"
    );
}

/// A verb that calls hooks, from before the first one until what they queued is [settled](Self::settle).
pub(in crate::world) struct Verb<'w> {
    pub(in crate::world) world: &'w mut World,
    /// What is about to happen, or has happened, to the entity that the verb is at.
    pub(in crate::world) happenings: Vec<Happening>,
    /// What waited in the world when the verb began: not for the verb to apply.
    older: CommandQueue,
    /// Why somebody was called who has queued something, at last.
    pub(super) last: Option<Cause>,
    outside: (bool, u32),
    settled: bool,
}

impl<'w> Verb<'w> {
    pub(in crate::world) fn new(world: &'w mut World) -> Self {
        Self {
            older: core::mem::take(world.pending()),
            happenings: core::mem::take(&mut world.settling.happenings),
            outside: world.settling.enter(),
            last: None,
            settled: false,
            world,
        }
    }

    /// Applies what the hooks queued, or leaves it to the verb or queue inside which this verb was called.
    pub(in crate::world) fn settle(mut self) {
        if !self.world.pending().is_empty() {
            let (inside, _) = self.outside;
            if inside {
                self.count_depth();
            } else {
                self.world.apply_pending();
            }
        }
        self.settled = true;
    }

    /// Lets it be known of what is pending that it is one step further from what somebody did of their own accord.
    fn count_depth(&mut self) {
        let last = self.last;
        let pending = self.world.pending();
        let mut counted = CommandQueue::new();
        counted.push(move |world: &mut World| world.settling.go_deeper(last));
        counted.append(pending);
        counted.push(|world: &mut World| world.settling.depth -= 1);
        *pending = counted;
    }
}

impl Drop for Verb<'_> {
    fn drop(&mut self) {
        if !self.settled {
            self.world.pending().discard();
        }
        self.older.append(self.world.pending());
        core::mem::swap(self.world.pending(), &mut self.older);
        self.world.settling.leave(self.outside);
        self.happenings.clear();
        self.world.settling.happenings = core::mem::take(&mut self.happenings);
    }
}
