//! Random changes of a world and of plain maps, which agree after each change. Whatever hooks and drops do, the invariants
//! of the world hold, and each value lives as long as it is owned and is dropped once.

mod both;
mod bundles;
mod model;
mod parts;

use std::sync::Once;

use ecs_tests::{ARMED, Ledger};

use self::both::Both;
use self::bundles::{Kind, Test};
use self::parts::{FIRED, HOOK_PANIC, LEDGER, MARKS, PLAN, Reaction, SPAWNED};
use super::decode::{All, Several, choices};

/// The operations.
pub type Input = All<Op>;

choices! {
    /// An entity.
    #[derive(Clone, Copy, Debug)]
    pub enum Choice {
        /// An issued id, alive or not.
        Known(u8),
        /// The id with these bits, if they are valid.
        Bits(u64),
    }
}

choices! {
    /// A structural change that commands can also make.
    #[derive(Clone, Copy, Debug)]
    #[expect(missing_docs, reason = "named as the changes are")]
    pub enum Change {
        Spawn(Kind, u8),
        Insert(Choice, Kind, u8),
        Remove(Choice, Kind),
        Despawn(Choice),
        /// The flag selects the relation to many targets, also below.
        Relate(bool, Choice, Choice),
        Unrelate(bool, Choice, Choice),
        Trigger(Choice),
    }
}

choices! {
    /// An operation.
    #[derive(Clone, Debug)]
    #[expect(missing_docs, reason = "named as the changes are")]
    pub enum Op {
        Do(Change),
        SpawnBatch(Kind, u8, u8),
        SpawnChild(Choice, Kind, u8),
        Replace(Choice, u8, u8),
        Take(Choice, Kind),
        Fluent(Choice, Kind, u8, Kind),
        InsertAll(Test, Kind, u8),
        RemoveAll(Test, Kind),
        DespawnAll(Test),
        Clear,
        Reserve,
        /// A queue of several commands, applied at once.
        Queue(Several<Change>),
        /// Commands that are dropped without being applied.
        Forget(Several<Change>),
        /// A command that is deferred in the world.
        Defer(Change),
        Flush,
        /// Inserts through a view.
        Give(Choice, u8),
        TakeNow(Choice),
        Write(Choice, u8, u8),
        WriteAll(u8, u8),
        RemoveTargets(bool, Choice),
        RemoveSources(bool, Choice),
        Order(bool, Choice, Choice, u8),
        Layout(u8),
        Send(u8),
        ReadEvents(bool),
        ClearEvents,
        /// Compares the changes of the tracked parts.
        Look,
        Observe(u8),
        Unobserve(u8),
        /// Makes one of the next hooks react.
        React(u8, Reaction, Choice),
        /// Makes the drop of one of the entity's values panic.
        Arm(Choice),
        DespawnBatch(Several<Choice>),
        /// Sorts the rows of all tables by the values of a part; only some of them if the number is not 0.
        Sort(u8, u8),
        Shrink,
    }
}

/// Hides the expected panics, so that the fuzzer does not take them for failures.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let message = info.payload().downcast_ref::<&str>();
            if message.is_none_or(|&message| message != ARMED && message != HOOK_PANIC) {
                others(info);
            }
        }));
    });
}

/// Runs the operations.
///
/// # Panics
/// If the world and the maps disagree.
pub fn run(ops: Input) {
    silence();
    LEDGER.set(Ledger::default());
    MARKS.set(0);
    PLAN.set(None);
    FIRED.set(false);
    SPAWNED.take();
    let mut both = Both::new();
    for op in ops.0 {
        both.step(op);
    }
    both.end();
}
