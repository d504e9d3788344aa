//! Random verbs on a world and on plain maps, which agree after each of them. Whatever hooks and drops do, all books of the
//! world are in order, and each value that was made lives as long as something holds it and is dropped once.

mod both;
mod bundles;
mod model;
mod parts;

use std::sync::Once;

use ecs_tests::{ARMED, Ledger};

use self::both::Both;
use self::bundles::{Kind, Test};
use self::parts::{BLOWN, FIRED, LEDGER, MARKS, PLAN, Reaction, SPAWNED};
use super::decode::{All, Several, choices};

/// The verbs.
pub type Input = All<Op>;

choices! {
    /// An id.
    #[derive(Clone, Copy, Debug)]
    pub enum Who {
        /// One of those that were given out, living or not.
        Known(u8),
        /// The one with these bits, if they are any.
        Bits(u64),
    }
}

choices! {
    /// What can be queued too.
    #[derive(Clone, Copy, Debug)]
    #[expect(missing_docs, reason = "named as the verbs are")]
    pub enum Verb {
        Spawn(Kind, u8),
        Insert(Who, Kind, u8),
        Remove(Who, Kind),
        Despawn(Who),
        /// A `true` is for the relation to many, as below.
        Relate(bool, Who, Who),
        Unrelate(bool, Who, Who),
        Trigger(Who),
    }
}

choices! {
    /// One step.
    #[derive(Clone, Debug)]
    #[expect(missing_docs, reason = "named as the verbs are")]
    pub enum Op {
        Do(Verb),
        SpawnBatch(Kind, u8, u8),
        SpawnChild(Who, Kind, u8),
        Replace(Who, u8, u8),
        Take(Who, Kind),
        Fluent(Who, Kind, u8, Kind),
        InsertAll(Test, Kind, u8),
        RemoveAll(Test, Kind),
        DespawnAll(Test),
        Clear,
        Reserve,
        /// Commands, which are applied together.
        Queue(Several<Verb>),
        /// Commands that are dropped.
        Forget(Several<Verb>),
        /// A command that waits in the world.
        Defer(Verb),
        Flush,
        /// Through a view.
        Give(Who, u8),
        TakeNow(Who),
        Write(Who, u8, u8),
        WriteAll(u8, u8),
        RemoveTargets(bool, Who),
        RemoveSources(bool, Who),
        Order(bool, Who, Who, u8),
        Layout(u8),
        Send(u8),
        ReadEvents(bool),
        ClearEvents,
        /// Looks what of the tracked parts has changed.
        Look,
        Observe(u8),
        Unobserve(u8),
        /// One of the next hooks does something.
        React(u8, Reaction, Who),
        /// The drop of one of the entity's values panics.
        Arm(Who),
    }
}

/// Panics that belong to the test are not shown, nor taken for its failure by a fuzzer.
fn silence() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let message = info.payload().downcast_ref::<&str>();
            if message.is_none_or(|&message| message != ARMED && message != BLOWN) {
                others(info);
            }
        }));
    });
}

/// Does all that.
///
/// # Panics
/// If the world and the maps do not agree.
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
