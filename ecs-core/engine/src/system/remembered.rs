//! The memory of a system, from run to run, which snapshots have to copy.

use core::any::{Any, TypeId};

use crate::log::Cursor;
use crate::tick::Tick;

/// Something that a system remembers from run to run.
#[doc(hidden)]
pub struct Remembered<'a>(pub(crate) Memory<'a>);

/// The kinds of what systems remember.
pub(crate) enum Memory<'a> {
    /// The tick of the last run.
    Tick(&'a mut Tick),
    /// The position of a reader of events or removals.
    Reader(&'a mut Cursor),
    /// A value, with its type and the name of that.
    Value(&'a mut (dyn Any + Send), TypeId, &'static str),
    /// The values that a closure has captured.
    Captured,
    /// Something that nothing is known about, with the name of its type.
    Unknown(&'static str),
}

/// A function that is called with each thing that a system remembers, in an order that depends on the system alone.
#[doc(hidden)]
pub type Remember<'a> = dyn FnMut(Remembered<'_>) + 'a;

impl<'a> Remembered<'a> {
    pub(crate) fn tick(tick: &'a mut Tick) -> Self {
        Self(Memory::Tick(tick))
    }

    pub(crate) fn reader(cursor: &'a mut Cursor) -> Self {
        Self(Memory::Reader(cursor))
    }

    pub(crate) fn value<T: Send + 'static>(value: &'a mut T) -> Self {
        Self(Memory::Value(
            value,
            TypeId::of::<T>(),
            crate::type_name::type_name::<T>(),
        ))
    }

    /// Something that nothing is known about.
    #[must_use]
    pub fn unknown(type_name: &'static str) -> Self {
        Self(Memory::Unknown(type_name))
    }
}

/// Calls a function if closures of the type have captured values.
#[inline]
pub(super) fn captured<F>(remember: &mut Remember<'_>) {
    if size_of::<F>() > 0 {
        remember(Remembered(Memory::Captured));
    }
}
