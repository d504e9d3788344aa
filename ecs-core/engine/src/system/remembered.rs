//! The memory that a system keeps from run to run and that snapshots have to copy.

use core::any::{Any, TypeId};

use crate::log::Cursor;
use crate::tick::Tick;

/// Something that a system remembers from run to run.
#[doc(hidden)]
pub struct Remembered<'a>(pub(crate) Memory<'a>);

/// The kinds of memory.
pub(crate) enum Memory<'a> {
    /// The tick of the last run.
    Tick(&'a mut Tick),
    /// The position of a reader of events or removals.
    Reader(&'a mut Cursor),
    /// A value, with its type and the type's name.
    Value(&'a mut (dyn Any + Send), TypeId, &'static str),
    /// The memory of a condition of the crate, whose values were named before.
    Turns(&'a mut dyn TurnMemory),
    /// The values captured by a closure.
    Captured,
    /// A thing that the engine knows nothing about, with the name of its type.
    Unknown(&'static str),
}

/// Calls a function with each thing that a system remembers, in an order that depends on the system alone.
#[doc(hidden)]
pub type Remember<'a> = dyn FnMut(Remembered<'_>) + 'a;

impl<'a> Remembered<'a> {
    pub(crate) fn tick(tick: &'a mut Tick) -> Self {
        Self(Memory::Tick(tick))
    }

    pub(crate) fn reader(cursor: &'a mut Cursor) -> Self {
        Self(Memory::Reader(cursor))
    }

    /// A value, which a snapshot copies if it knows its type.
    pub fn value<T: Send + 'static>(value: &'a mut T) -> Self {
        Self(Memory::Value(
            value,
            TypeId::of::<T>(),
            crate::type_name::type_name::<T>(),
        ))
    }

    /// A thing that the engine knows nothing about.
    #[must_use]
    pub fn unknown(type_name: &'static str) -> Self {
        Self(Memory::Unknown(type_name))
    }
}

impl Memory<'_> {
    /// Returns true if a snapshot does not contain it.
    pub(crate) fn is_not_copied(&self) -> bool {
        matches!(self, Self::Captured | Self::Turns(_))
    }
}

/// The memory of a condition that depends on how its turns end.
#[doc(hidden)]
pub trait TurnMemory: Send + 'static {
    /// Ends the turn that asked the condition last.
    fn settle(&mut self, turn: Turn);

    /// Calls a function with each value of the memory.
    fn remembered(&mut self, remember: &mut Remember<'_>);
}

/// The end of a turn for one of the conditions of a step. If several steps have the condition, it combines their ends.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn(u8);

impl Turn {
    /// The system ran.
    pub const RAN: Self = Self(Self::RUNS | Self::AWAKE);
    /// The step waits for another condition.
    pub const WAITED: Self = Self(Self::AWAKE | Self::KEEPS);
    /// The step sleeps because of a state.
    pub const SLEPT: Self = Self(0);

    const RUNS: u8 = 1;
    const AWAKE: u8 = 2;
    const KEEPS: u8 = 4;
    /// The condition is negated: it has to be false.
    const NEGATED: u8 = 8;

    /// Returns the turn of a step that did not run.
    pub(crate) fn skipped(is_awake: bool, keeps: bool) -> Self {
        let awake = if is_awake { Self::AWAKE } else { 0 };
        Self(awake | if keeps { Self::KEEPS } else { 0 })
    }

    /// Returns the turn of several steps: the bits of all of them.
    pub(crate) fn of_bits(bits: u8) -> Self {
        Self(bits)
    }

    pub(crate) fn bits(self) -> u8 {
        self.0
    }

    /// Returns the turn for a condition that has to be false. No run of the system consumes its news, so each turn does:
    /// news holds up the system once. For a condition about states, this happens while the system sleeps.
    pub(super) fn negated(self, is_about_states: bool) -> Self {
        let awake = if is_about_states { Self::AWAKE } else { 0 };
        Self((self.0 | awake) ^ Self::NEGATED)
    }

    /// Returns true if the condition's news is consumed: by the run, or, if the condition has to be false, by the turn.
    #[must_use]
    pub fn ran(self) -> bool {
        if self.0 & Self::NEGATED == 0 {
            self.0 & Self::RUNS != 0
        } else {
            self.is_awake()
        }
    }

    /// Returns true if the step ran, or waited for a condition that is not about states.
    #[must_use]
    pub fn is_awake(self) -> bool {
        self.0 & Self::AWAKE != 0
    }

    /// Returns true if unread data is discarded.
    pub(crate) fn discards(self) -> bool {
        !self.ran() && self.0 & Self::KEEPS == 0
    }
}

/// Calls a function if closures of the type have captured values.
#[inline]
pub(super) fn captured<F>(remember: &mut Remember<'_>) {
    if size_of::<F>() > 0 {
        remember(Remembered(Memory::Captured));
    }
}
