//! Generational ids.

use core::fmt;
use core::num::NonZeroU32;

/// The id of a value: an index, and a generation that distinguishes successive values at that index.
///
/// A plain `Copy` value of 8 bytes, just like `Option<Id>`. An [`Arena`](crate::Arena) issues ids; an entity of a world
/// converts into an id and back (`Id::from(entity)`), and ids of other origin by their bits.
///
/// ```
/// use ecs_core::containers::{Arena, Id};
///
/// let mut names = Arena::new();
/// let id = names.insert("Ann");
/// assert_eq!((id.index(), id.generation()), (0, 1));
/// assert_eq!(Id::from_bits(id.to_bits()), Some(id));
/// assert_eq!(size_of::<Option<Id>>(), 8);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id {
    /// Invariant 1: not `u32::MAX`, so that each id is an entity's id too.
    index: u32,
    generation: NonZeroU32,
}

impl Id {
    pub(crate) const fn new(index: u32, generation: NonZeroU32) -> Self {
        debug_assert!(index != u32::MAX);
        Self { index, generation }
    }

    /// The index: a small integer that no other value of the container has at the same time.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The generation: in an arena, the number of values that have had the index, including this one.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get()
    }

    pub(crate) const fn non_zero_generation(self) -> NonZeroU32 {
        self.generation
    }

    /// The id as one number: `generation << 32 | index`.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// The id for a number from [`to_bits`](Self::to_bits); `None` for a number that is not an id: one with generation
    /// 0 or index `u32::MAX`.
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

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
