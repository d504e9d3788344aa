//! Parameters that keep a system out of a deterministic schedule.

use super::walk::ParamFacts;
use super::{Message, ParamAccess, ParamInfo, SystemMeta};

/// The reason why a system's effects cannot be followed from its metadata and the data of the world.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UntraceableReason {
    /// It reads anything.
    World,
    /// It has a value that belongs to a thread.
    NonSend,
}

impl SystemMeta {
    /// Returns the message about the first parameter that keeps the system out of a deterministic schedule, for a system
    /// called `name`; `None` if there is none.
    #[inline]
    pub(crate) const fn determinism_refusal(&self, name: &str, arguments: &str) -> Option<Message> {
        let mut i = 0;
        while i < self.params.len() {
            let param = &self.params[i];
            if let Some(reason) = reason(param.of.access) {
                return Some(message(name, arguments, param, reason));
            }
            i += 1;
        }
        None
    }
}

#[inline]
const fn message(
    name: &str,
    arguments: &str,
    param: &ParamInfo,
    reason: UntraceableReason,
) -> Message {
    let mut text = Message::new();
    text.push("`");
    text.push(name);
    text.push(arguments);
    text.push("` is in a deterministic schedule, but ");
    text.parameter(param);
    text.push(match reason {
        UntraceableReason::World => {
            " may read anything, and its metadata does not name the data; help: take the data as parameters"
        }
        UntraceableReason::NonSend => {
            " is a value of one thread, which is in no snapshot, save or hash; help: run the system in another schedule, and pass its results on in a resource"
        }
    });
    text
}

#[inline]
const fn reason(param: &ParamAccess) -> Option<UntraceableReason> {
    let facts = ParamFacts::of(param);
    if facts.has(ParamFacts::UNNAMED) {
        Some(UntraceableReason::World)
    } else if facts.has(ParamFacts::NON_SEND) {
        Some(UntraceableReason::NonSend)
    } else {
        None
    }
}
