//! Errors of declared states.

use alloc::string::String;
use alloc::vec::Vec;
use core::any::TypeId;
use core::error::Error;
use core::fmt;
use core::panic::Location;

/// The error of [`Transitions`](crate::schedule::Transitions) whose states are declared incompletely or contradict each
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StateError {
    /// A state has handlers, or another state depends on it, but was never added.
    NotAdded {
        /// The type of the state.
        state: &'static str,
        /// The place that named it first.
        used_at: &'static Location<'static>,
    },
    /// A state was added twice, in different ways.
    AddedTwice {
        /// The type of the state.
        state: &'static str,
        /// The first way: its first value, or how it follows from another state.
        first: String,
        /// The place that added it first.
        first_at: &'static Location<'static>,
        /// The second way.
        second: String,
        /// The place that added it again.
        second_at: &'static Location<'static>,
    },
    /// States depend on each other in a cycle.
    Cycle {
        /// The types of the states: each depends on the next one, and the last one on the first.
        states: Vec<&'static str>,
    },
}

impl fmt::Display for StateError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAdded { state, used_at } => write!(
                f,
                "there is no state of the type `{state}`, which is used at {used_at}; help: add the first one with `add_state`, to the `Transitions` or to the world"
            ),
            Self::AddedTwice {
                state,
                first,
                first_at,
                second,
                second_at,
            } => write!(
                f,
                "the state `{state}` is added as {first} at {first_at}, and as {second} at {second_at}; help: remove one of them"
            ),
            Self::Cycle { states } => {
                f.write_str("states depend on each other: ")?;
                for state in states {
                    write!(f, "`{state}` on ")?;
                }
                let first = states.first().copied().unwrap_or_default();
                write!(
                    f,
                    "`{first}`; help: remove one of these `add_sub_state` or `add_computed_state`"
                )
            }
        }
    }
}

impl Error for StateError {}

/// A type of state.
#[derive(Clone, Copy)]
pub(crate) struct StateType {
    pub(crate) id: TypeId,
    pub(crate) name: &'static str,
}
