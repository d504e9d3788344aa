//! Entities: who, and in which row.

mod entities;
mod free_set;
pub(crate) mod ids;
mod marks;

pub(crate) use entities::{Entities, Location, TableId};
pub(crate) use marks::Marks;

use core::fmt;
use core::num::NonZeroU32;

/// The id of an entity: an index, and a generation that tells the entities apart which use that index in turn.
///
/// A plain `Copy` value of 8 bytes, as is `Option<Entity>`. An id that was given out once is never given out again: an
/// index whose generations are used up is retired.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    /// Invariant 1: not `u32::MAX`, in an id that leaves the engine. No world gives that index out, so the engine can use such
    /// an id as a mark where there is no entity.
    index: u32,
    generation: NonZeroU32,
}

impl Entity {
    pub(crate) const fn new(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation }
    }

    /// The small integer that this entity holds while it lives.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// How many entities held the index before and including this one; counts from 1.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get()
    }

    /// The id as one number, for a network message or a log: `generation << 32 | index`.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// The id behind [`to_bits`](Self::to_bits); `None` for a number that is no id: one with generation 0, which no entity has,
    /// or with index `u32::MAX`, which none has either.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let index = bits as u32;
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) if index != u32::MAX => Some(Self::new(index, generation)),
            _ => None,
        }
    }
}

impl fmt::Debug for Entity {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
